/*  storage_work - the work that the agent of a storage node orders on its disk, as plain values.
 *  Each kind may be done twice: what the disk says decides. Where a folder of the node is not the
 *  one that it was at the start, its disk is away: then no file is told as missing, and the work
 *  fails.
 *
 *      file_keep    from, to, marks   flushes the part, and names it and its marks as the file;
 *                                     done when the part is gone and the name is there. Damaged,
 *                                     and nothing is named, when the disk gives back other bytes
 *                                     than came
 *      file_write   from              begins to write to the disk what is in memory; done also when
 *                                     the part is gone
 *      file_prove   from, marks       reads size, digest and marks, if a path for these is given;
 *                   digest, mbps,     there = false when there is no file; damaged when it has not
 *                                     this digest, or can't be read in whole. Its marks say where,
 *                                     and stay; else they are made anew
 *      file_drop    from, marks       removes the file and its marks; done when they are gone
 *      file_sweep   from, names,      removes all files of the folder from except these and their
 *                   older_ms          marks, and what was touched since, if that is given
 *      file_look    from, names,      tells as size what the file system has for the node's files:
 *                   sizes             what is free, and what is in the folders inside from; as
 *                                     names those of these files that don't have these sizes
 */
#ifndef MUSUBI_STORAGE_WORK_H
#define MUSUBI_STORAGE_WORK_H

#include "chain_wire.h"

#define FILE_KEEP  "file_keep"
#define FILE_WRITE "file_write"
#define FILE_PROVE "file_prove"
#define FILE_DROP  "file_drop"
#define FILE_SWEEP "file_sweep"
#define FILE_LOOK  "file_look"

/*  Paths. NULL is the same as "", which is what a decoded struct has. */

typedef struct {
    const char *from;
    const char *to;
    const char *marks;
    const char *const *names;
    size_t names_count;
    const uint64_t *sizes;
    size_t sizes_count;
    bool expected; /* digest is set */
    uint8_t digest [CHAIN_DIGEST_BYTES];
    uint32_t mbps; /* at which it is read; 0 = as fast as it goes */
    bool plain;    /* from is a file itself, not a link to one */
    int64_t older_ms;
} storage_work_t;

typedef struct {
    bool there;
    content_t content;
    bool damaged;
    damage_t damage;
    const char *const *names;
    size_t names_count;
} storage_result_t;

extern const codec_t storage_work_codec;
extern const codec_t storage_result_codec;

#endif
