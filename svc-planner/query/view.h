/*  view - what the records of several participants say about one reservation, taken together. */
#ifndef MUSUBI_VIEW_H
#define MUSUBI_VIEW_H

#include "graph.h"
#include "record.h"

/*  A record, or NULL from one who answered and does not know the reservation. */
typedef struct {
    const char *participant;
    bool answered;
    const part_record_t *record;
} view_part_t;

/*  Make a view of a reservation that somebody knows. details: the asker may see whose it is,
 *  where and what for; else he learns its id and version, how it stands, when it starts and
 *  ends. graph: of the federation as it is now, for the paths of connections; NULL = not known.
 *  *doubt: whether all have acknowledged can't be told from these records; the plan of the newest
 *  must be asked after (T6). Everything is borrowed. */
void view_build (view_t *self, const view_part_t *parts, size_t count, bool details,
                 const graph_t *graph, bool *doubt);

/*  The record whose plan counts: of the highest version. */
const part_record_t *view_newest (const view_part_t *parts, size_t count);

#endif
