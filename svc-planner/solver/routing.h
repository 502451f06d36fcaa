/*  routing - paths for links whose ends are placed, within the bandwidth of the edges.
 *
 *  Links are opened and closed like a stack. Each gets its lightest path; of several, the one that
 *  meets the fewest full edges. Where that does not fit, routing_settle finds the cheapest paths of
 *  all open links together: every link takes its lightest path, and where an edge carries too much,
 *  one of the links on it must leave; each is tried in turn (conflict-based search).
 */
#ifndef MUSUBI_ROUTING_H
#define MUSUBI_ROUTING_H

#include "solver_graph.h"

typedef struct routing routing_t;

typedef enum {
    ROUTING_FITS,    /* the paths fit, and none are cheaper */
    ROUTING_UNSURE,  /* the paths fit; the steps ran out before cheaper ones were ruled out */
    ROUTING_NONE,    /* it is proven that no paths that fit cost less than the limit */
    ROUTING_UNKNOWN, /* the steps ran out before any paths that fit were found */
} routing_answer_t;

/*  Borrows the graph and the budget for life. */
routing_t *routing_new (const solver_graph_t *net, budget_t *budget);
void routing_destroy (routing_t **self_p);

/*  Opens a link between these nodes, which must be within its reach. False when it does not fit
 *  beside the present paths: settle then. */
bool routing_open (routing_t *self, uint32_t link, uint32_t from, uint32_t to);

/*  Closes the link opened last; the other paths stay as they are. */
void routing_close (routing_t *self);

size_t routing_open_count (const routing_t *self);

/*  Finds the cheapest paths that fit and cost less than limit, in steps_max steps at most. On FITS
 *  and UNSURE the paths are those found. On NONE and UNKNOWN they do not fit: close links, and take
 *  back what was kept. */
routing_answer_t routing_settle (routing_t *self, int64_t limit, uint64_t steps_max);

/*  The cost of the present paths. */
int64_t routing_cost (const routing_t *self);

/*  Keeps the paths of all open links under a number; puts them back later, when the same links are
 *  open. A number holds one set of paths. */
void routing_keep (routing_t *self, size_t number);
void routing_take_back (routing_t *self, size_t number);

/*  Writes the paths of all open links into the plan. */
void routing_tell (const routing_t *self, program_plan_t *plan);

#endif
