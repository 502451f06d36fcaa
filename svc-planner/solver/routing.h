/*  routing - paths for links whose ends are placed, all within what the edges have.
 *
 *  Links are opened and closed like a stack. Each is given its lightest path, of several the one
 *  that meets the fewest full edges. Where that does not fit, routing_settle finds the cheapest
 *  paths of all open links together: every link takes its lightest path, and where an edge carries
 *  too much, one of the links on it must leave it; which one is tried in turn (conflict-based
 *  search).
 */
#ifndef MUSUBI_ROUTING_H
#define MUSUBI_ROUTING_H

#include "solver_graph.h"

typedef struct routing routing_t;

typedef enum {
    ROUTING_FITS,    /* the paths fit, and no others are cheaper */
    ROUTING_UNSURE,  /* the paths fit; whether others are cheaper was too much work to say */
    ROUTING_NONE,    /* proven: no paths that fit cost less than the limit */
    ROUTING_UNKNOWN, /* no paths that fit were found; too much work to say */
} routing_answer_t;

/*  Borrows the net and the spending for life. */
routing_t *routing_new (const solver_graph_t *net, budget_t *budget);
void routing_destroy (routing_t **self_p);

/*  Open a link between these nodes, which are not too far for it. False when it does not fit beside
 *  the others as they lie: settle then. */
bool routing_open (routing_t *self, uint32_t link, uint32_t from, uint32_t to);

/*  Close the link opened last; paths of the others stay as they are. */
void routing_close (routing_t *self);

size_t routing_open_count (const routing_t *self);

/*  Find the cheapest paths that fit, cheaper than limit, in no more than so many steps. On FITS and
 *  UNSURE the paths are those found; on NONE and UNKNOWN they do not fit: close links, and take
 *  back what was kept. */
routing_answer_t routing_settle (routing_t *self, int64_t limit, uint64_t steps_max);

/*  The cost of the paths as they lie. */
int64_t routing_cost (const routing_t *self);

/*  Remember where all open links lie; later, with the same ones open, lay them so again. Kept by
 *  number, each of which holds one. */
void routing_keep (routing_t *self, size_t number);
void routing_take_back (routing_t *self, size_t number);

/*  Write the paths of all open links to the plan. */
void routing_tell (const routing_t *self, program_plan_t *plan);

#endif
