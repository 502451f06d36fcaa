/*  view - one reservation, made from the records of its participants. */
#ifndef MUSUBI_VIEW_H
#define MUSUBI_VIEW_H

#include "graph.h"
#include "locate.h"
#include "read_request.h"

/*  What a participant said; record is NULL when it does not know the reservation. */
typedef struct {
    const char *participant;
    bool answered;
    const part_record_t *record;
} view_part_t;

/*  Make a view of a reservation that at least one participant knows. asker: without the right to
 *  see the details it gets only id, version, status, start and end; NULL = all is shown. graph: the
 *  federation's as it is now, for the paths of connections; NULL = not known. Returns NULL when the
 *  view is complete; else these records don't tell whether all have acknowledged, and the outcome
 *  of the plan of the record returned must be asked (T6). Everything is borrowed. */
const part_record_t *view_build (view_t *self, const view_part_t *parts, size_t count,
                                 const read_request_t *asker, const graph_t *graph);

/*  The same, of a reservation that was located. */
const part_record_t *view_located (view_t *self, const locate_t *locate,
                                   const read_request_t *asker, const graph_t *graph);

#endif
