/*  programs - a request as integer programs, one for each start that is looked at (S4): what the
 *  snapshot knows to be free then, in the words of program.h, and a solver's plan read back.
 *
 *  Nodes are the vertices of the network; a need may be at a site's where some class of it has
 *  room, at the cost of the cheapest such class. Each need has a site of its own (equation 5).
 *  Edges are links; a connection is barred from those that do not meet its requirements, have no
 *  room for it, or lie on no path short enough for its latency. A program knows one interval, so
 *  connections that carry at different times are taken to meet on every link. Pure.
 */
#ifndef MUSUBI_PROGRAMS_H
#define MUSUBI_PROGRAMS_H

#include "search.h"
#include "solver.h"

/*  What a unit of everything weighs, whichever way it was chosen (objective.h). */
typedef struct {
    int64_t *places; /* of the snapshot: a CPU for an hour */
    int64_t *links;  /* of the graph: a Gbit/s for an hour */
} unit_costs_t;

/*  A plan at one start. Owns its lists: candidate_clear. */
typedef struct {
    int64_t start_ms;
    size_t *choice; /* by need: index into its options */
    path_t *paths;  /* by network need */
    int64_t weight; /* what the program minimised; comparable within one programs_t */
    int64_t price;  /* micro-credits */
    int64_t rank;   /* in a list: less goes first */
} window_plan_t;

void candidate_clear (window_plan_t *self);

typedef struct {
    const snapshot_t *snapshot;   /* borrowed for life, as is what follows */
    const search_order_t *search; /* its start times do not matter */
    const unit_costs_t *costs;
    bool even;         /* of equal plans that on the least used places, then any */
    uint32_t visible;  /* so many percent of what is free may be seen (C) */
    uint32_t hops_max; /* Pmax; 0 = any */
} programs_order_t;

typedef struct programs programs_t;

/*  NULL with why when the request can't be said as a program. */
programs_t *programs_new (const programs_order_t *order, prng_t *prng, char why [WHY_BYTES]);
void programs_destroy (programs_t **self_p);

/*  The program at a start; good until the next one is asked for. NULL: some need has no place. */
const program_t *programs_at (programs_t *self, int64_t start_ms);

/*  The same once more; drawn: the lots as they were before it was made. */
const program_t *programs_again (programs_t *self, int64_t start_ms, prng_t drawn);

/*  Read a plan of the program that was asked for last. False with why when no paths of it keep the
 *  latency limits, which programs can't say. */
bool programs_read (programs_t *self, const program_plan_t *plan, window_plan_t *candidate,
                    char why [WHY_BYTES]);

#endif
