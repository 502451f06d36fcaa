/*  view - what the records of several participants say about one reservation, taken together. */
#ifndef MUSUBI_VIEW_H
#define MUSUBI_VIEW_H

#include "graph.h"
#include "locate.h"
#include "read_request.h"

/*  A record, or NULL from one who answered and does not know the reservation. */
typedef struct {
    const char *participant;
    bool answered;
    const part_record_t *record;
} view_part_t;

/*  Make a view of a reservation that somebody knows. asker: who may see whose it is, where and what
 *  for, or else learns its id and version, how it stands, when it starts and ends; NULL sees all.
 *  graph: of the federation as it is now, for the paths of connections; NULL = not known. Returns
 *  NULL; or the newest record, when whether all have acknowledged can't be told from these: its
 *  plan must be asked after (T6). Everything is borrowed. */
const part_record_t *view_build (view_t *self, const view_part_t *parts, size_t count,
                                 const read_request_t *asker, const graph_t *graph);

/*  The same of what was located. */
const part_record_t *view_located (view_t *self, const locate_t *locate,
                                   const read_request_t *asker, const graph_t *graph);

#endif
