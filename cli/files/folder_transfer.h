/*  folder_transfer - moves a folder between this machine and a site, piece by piece. */
#ifndef MUSUBI_FOLDER_TRANSFER_H
#define MUSUBI_FOLDER_TRANSFER_H

#include "file_transfer.h"

typedef struct {
    transfer_ends_t ends;
    const char *name; /* of the folder in the federation; get: or of a member of one */
    /* put */
    tree_links_t links;
    int64_t lifetime_ms;
    /* get */
    bool keep;
} folder_order_t;

typedef struct {
    int64_t begun_ms;
    size_t files, files_done;
    uint64_t bytes, bytes_done; /* of these files */
    size_t pieces_moved;
    uint64_t bytes_moved; /* of these pieces */
} folder_progress_t;

/*  Of all files of a manifest that are not done; some more are; prints what was done. */
void folder_progress_begin (folder_progress_t *self, const json_t *manifest);
void folder_progress_add (folder_progress_t *self, const json_t *members);
void folder_progress_tell (const folder_progress_t *self, const folder_order_t *order,
                           const char *to, const char *moved);

/*  Puts or gets one piece (file_transfer.h). */
int folder_carry (const folder_order_t *order, folder_progress_t *progress, const char *method,
                  json_t *question, const char *path);

/*  Both print what was done, and return the exit code. What is there already is not sent again, so
 *  after any end the same command goes on. */
int folder_put (const folder_order_t *order, const char *top);
int folder_get (const folder_order_t *order, const char *target);

/*  The path of a new private file, malloc'ed. NULL after saying why not. */
char *path_aside (void);

/*  The absolute path of what a get writes, if its folder exists and can be written to; malloc'ed.
 *  NULL after saying why not. */
char *path_beside (const char *given);

#endif
