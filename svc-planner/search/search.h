/*  search - which place for each need, which path between them, and when: exact, on a snapshot, in
 *  bounded slices.
 *
 *  A start time is worth looking at only where something becomes free for some need, so starts are
 *  the earliest one and those instants, less the need's offset. At each start, places are assigned
 *  so that the sum of their weights is least: by the Hungarian method where sites must be distinct,
 *  by branch and bound on shared capacity where not, or where paths are wanted between them: each
 *  beside the others, all at once. The policy says what weighs and whether the first feasible start
 *  ends the search:
 *
 *      time     first feasible start, cheapest there, paths included
 *      random   first feasible start, any places
 *      cost     cheapest over all starts, paths included, earliest of these
 *      load     least utilised places over all starts, earliest of these
 *
 *  Work is counted in steps. Past steps_max the best found so far is the answer, or that nothing is
 *  known: never a wait.
 */
#ifndef MUSUBI_SEARCH_H
#define MUSUBI_SEARCH_H

#include "search_order.h"

typedef enum {
    SEARCH_MORE,    /* not finished: run again */
    SEARCH_FOUND,   /* search_choice tells the plan */
    SEARCH_NONE,    /* proven: no plan fits this snapshot */
    SEARCH_UNKNOWN, /* the steps ran out before a plan was found */
} search_state_t;

typedef struct search search_t;

/*  The snapshot must outlive the search and not change under it. */
search_t *search_new (const snapshot_t *snapshot, const search_order_t *order);
void search_destroy (search_t **self_p);

/*  Go on for about so many steps. */
search_state_t search_run (search_t *self, uint64_t steps);

/*  The plan found. */
choice_t search_choice (const search_t *self);

/*  Can the need be had at all in the frame, were it alone? When not, *place is where the most of it
 *  fits, and *nodes how many for its whole duration (0 with *place SIZE_MAX: nowhere). */
bool search_alone (const search_t *self, size_t need, size_t *place, int64_t *nodes);

/*  What it was told. */
const snapshot_t *search_snapshot (const search_t *self);
const search_order_t *search_order (const search_t *self);

#endif
