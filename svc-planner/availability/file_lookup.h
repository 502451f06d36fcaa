/*  file_lookup - asks where files are and how soon they could be elsewhere, and fills file_places
 *  with the answers (S2; SPEC 30). Each look-up is one round of questions, all at once.
 *
 *  Where files are, the indexes say. About files that no index knows, all sites' replica services
 *  are asked, since an index is only a hint. A name has one content; where sites differ, the file
 *  that was made first counts.
 */
#ifndef MUSUBI_FILE_LOOKUP_H
#define MUSUBI_FILE_LOOKUP_H

#include "file_places.h"
#include "service.h"
#include "snapshot.h"
#include "unresponsive.h"

#define FILE_LOOKUP_ASKED_MAX 4096 /* most questions of one round of a look-up */

typedef struct file_lookup file_lookup_t;

typedef void file_lookup_done_fn (void *owner, const moment_t *now);

/*  Everything is borrowed for the life of the look-up. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings; /* try_ms: how long an answer is waited for */
    unresponsive_t *unresponsive;       /* these are waited for only for a moment */
    file_places_t *files;
    size_t count;
    const snapshot_t *snapshot; /* NULL: where the files are; else how soon they could be at its
                                   sites that have not told yet */
} file_lookup_order_t;

/*  done is called once, never from within. NULL: there is nobody to ask, and done is not called. */
file_lookup_t *file_lookup_new (const file_lookup_order_t *order, const moment_t *now,
                                file_lookup_done_fn *done, void *owner);
void file_lookup_destroy (file_lookup_t **self_p);

#endif
