/*  storage_work - what the agent of a storage node has carried out on its disk, as plain values.
 *  Each kind may be done twice: what the disk says decides.
 *
 *      file_keep    from, to, marks   flush the part and give it its name, and its marks theirs;
 *                                     done when the part is gone and the name is there
 *      file_write   from              begin to write to the disk what is in memory; done, too, when
 *                                     it is not there any more
 *      file_prove   from, marks       its size and digest, read anew, and its marks (when a path is
 *                                     given); there = false when it is not
 *      file_drop    from, marks       remove it and its marks; done when they are not there
 *      file_sweep   from, names       remove everything of the folder from but these and their
 *  marks
 */
#ifndef MUSUBI_STORAGE_WORK_H
#define MUSUBI_STORAGE_WORK_H

#include "chain_wire.h"

#define FILE_KEEP  "file_keep"
#define FILE_WRITE "file_write"
#define FILE_PROVE "file_prove"
#define FILE_DROP  "file_drop"
#define FILE_SWEEP "file_sweep"

#define STORAGE_PATH_BYTES 4096

/*  Paths; NULL is as "", which a decoded one has. */

typedef struct {
    const char *from;
    const char *to;
    const char *marks;
    const char *const *names;
    size_t names_count;
} storage_work_t;

typedef struct {
    bool there;
    content_t content;
} storage_result_t;

extern const codec_t storage_work_codec;
extern const codec_t storage_result_codec;

#endif
