/*  transfer_client - the client's end of one transfer: the agent of a storage node, started as a
 *  guest (svc-replica guest) for one file and then ended. It gives a file to a site, or takes one
 *  from it.
 */
#ifndef MUSUBI_TRANSFER_CLIENT_H
#define MUSUBI_TRANSFER_CLIENT_H

#include "process.h"

/*  --- the folder beside a file or a folder that is being fetched, ".NAME.musubi-part", which keeps
 *  what has come of it. One process at a time may use it; the next one that wants the same goes on
 *  with what it finds.
 *
 *      lock               held by the client and by its guest, so it is free when both have ended
 *      node/parts/part    what has come, with its marks (svc-replica/node/README.md)
 *      whole              the verified file, flushed, until it gets its name
 *      folder/            of a folder: parts that have come, and what was unpacked (folder_get.c)
 *  --- */
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

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "guest-3fa9…" */
    part_folder_t part;             /* its own folder */
    process_t process;
} transfer_client_t;

/*  A file: its name in the federation, and its path here. */
typedef struct {
    bool gives; /* else it takes */
    const char *name;
    const char *path; /* absolute */
    uint64_t size;
    const char *bind; /* endpoint where others fetch it; NULL = at the address by which the site is
                         reached */
} transfer_order_t;

/*  Starts it; endpoint is that of the site's svc-replica. False with why. Ended by
 *  transfer_client_end in either case. */
bool transfer_client_start (transfer_client_t *self, const char *endpoint,
                            const transfer_order_t *order, char why [LONG_WHY_BYTES]);

/*  False when it has ended by itself; why is the last line of its log. */
bool transfer_client_lives (const transfer_client_t *self, char why [LONG_WHY_BYTES]);

/*  True when it has said what failed at this end; why is that. */
bool transfer_client_failed (const transfer_client_t *self, char why [LONG_WHY_BYTES]);

/*  stays: what has come is left for the next one that takes this file to the same path. */
void transfer_client_end (transfer_client_t *self, bool stays);

/*  The endpoint to listen at, malloc'ed: "tcp://10.0.0.7:0", "tcp://[fd00::7]:0"; loopback for a
 *  service that is reached so. NULL when no way leads there. No byte is sent. */
char *own_address (const char *service);

#endif
