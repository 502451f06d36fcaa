/*  search - finds a start, a place for each need and a path for each connection: exact, on a
 *  snapshot, in bounded slices.
 *
 *  A start is worth a look only where something becomes free for some need. So the starts are the
 *  earliest one and those instants minus the need's offset. At each start, places are assigned so
 *  that the sum of their weights is least: by the Hungarian method where sites must be distinct and
 *  no paths are wanted; else by branch and bound, which places needs and paths beside each other.
 *  The policy says what weighs, and whether the first feasible start ends the search:
 *
 *      time     first feasible start, cheapest there, paths included
 *      random   first feasible start, any places
 *      cost     cheapest over all starts, paths included, earliest of these
 *      load     least utilised places over all starts, earliest of these
 *
 *  Work is counted in steps. After steps_max the answer is the best plan found so far, or that
 *  nothing is known.
 */
#ifndef MUSUBI_SEARCH_H
#define MUSUBI_SEARCH_H

#include "search_order.h"

typedef enum {
    SEARCH_MORE,    /* not finished: call search_run again */
    SEARCH_FOUND,   /* search_choice has the plan */
    SEARCH_NONE,    /* proven: no plan fits this snapshot */
    SEARCH_UNKNOWN, /* the steps ran out before a plan was found */
} search_state_t;

typedef struct search search_t;

/*  The snapshot must outlive the search and not change under it. */
search_t *search_new (const snapshot_t *snapshot, const search_order_t *order);
void search_destroy (search_t **self_p);

/*  Continues for about so many steps. */
search_state_t search_run (search_t *self, uint64_t steps);

/*  The plan found. */
choice_t search_choice (const search_t *self);

/*  Can the need be had in the frame at all, if the request wanted nothing else? When not, *place is
 *  where the most of it fits and *nodes how many nodes fit there for its whole duration; *place is
 *  SIZE_MAX and *nodes 0 when nothing fits anywhere. */
bool search_alone (const search_t *self, size_t need, size_t *place, int64_t *nodes);

/*  What it was made with. */
const snapshot_t *search_snapshot (const search_t *self);
const search_order_t *search_order (const search_t *self);

#endif
