/*  part_folder - the folder beside a file or a folder that is being fetched, ".NAME.musubi-part",
 *  which keeps what has come of it. One process at a time may use it; the next one that wants the
 *  same goes on with what it finds.
 *
 *      lock               held by the client and by its guest, so it is free when both have ended
 *      node/parts/part    what has come, with its marks (svc-replica/node/README.md)
 *      whole              the verified file, flushed, until it gets its name
 *      folder/            of a folder: parts that have come, and what was unpacked (folder_get.c)
 */
#ifndef MUSUBI_PART_FOLDER_H
#define MUSUBI_PART_FOLDER_H

#include "bytes.h"

/*  Folders in which nothing was done for so long are removed by the next one beside them. */
#define PARTS_KEPT_DAYS 7

typedef struct {
    char *path; /* NULL = none */
    int lock;
} part_folder_t;

/*  Makes the folder for the file that is to get this absolute path, or goes on with it. False with
 *  why; another process that is just ending is waited for. */
bool part_folder_open (part_folder_t *self, const char *target, char why [LONG_WHY_BYTES]);

/*  How much of the file is in it; 0 also when there is none. */
uint64_t part_folder_bytes (const part_folder_t *self);

/*  Is the verified file in it? Then gives it its name, with a mode as umask says, in place of
 *  whatever has that name. False with why. */
bool part_folder_whole (const part_folder_t *self);
bool part_folder_name (const part_folder_t *self, const char *target, char why [LONG_WHY_BYTES]);

/*  Lets go of it. It stays only to be gone on with. */
void part_folder_close (part_folder_t *self, bool stays);

/*  A path where temporary files go, new. */
char *path_temporary (const char *name);

/*  "PATH: what: as errno says"; false. */
bool path_failed (char why [LONG_WHY_BYTES], const char *what, const char *path);

#endif
