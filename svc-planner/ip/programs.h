/*  programs - a request as integer programs (S4): one for each start that is looked at, made from
 *  what the snapshot says is free then; and a solver's plan turned back into places and paths.
 *
 *  Nodes are the vertices of the network. A need can be at a site if a class of it has room, at the
 *  cost of the cheapest such class. Each need has a site of its own (equation 5). Edges are links.
 *  A connection is barred from links that do not meet its requirements, have no room for it, or are
 *  on no path that keeps its latency limit. A program has one interval only, so connections that
 *  carry at different times are treated as if they carried at the same time.
 *
 *  Data and space bar a need from sites that have no room for them (storage_fit.h), and add what
 *  the cheapest circuits there for its files cost. A plan of the program gets these circuits beside
 *  all its other paths; it is given up where they don't fit. Of plans that cost the same, that with
 *  the least time ahead goes first. Pure.
 */
#ifndef MUSUBI_PROGRAMS_H
#define MUSUBI_PROGRAMS_H

#include "search.h"
#include "solver.h"

/*  What a unit of each resource weighs, by what ranking.c has chosen. */
typedef struct {
    int64_t *places; /* of the snapshot: a CPU for an hour */
    int64_t *links;  /* of the graph: a Gbit/s for an hour */
} unit_costs_t;

/*  A plan at one start. Owns its lists: candidate_clear. */
typedef struct {
    int64_t start_ms;
    size_t *choice; /* by need: index into its options */
    path_t *paths;  /* by network need */
    int64_t weight; /* what the program has minimised; comparable within one programs_t */
    int64_t price;  /* micro-credits */
    int64_t rank;   /* in a list: less goes first */
} window_plan_t;

void candidate_clear (window_plan_t *self);

typedef struct {
    const snapshot_t *snapshot;   /* borrowed for life, as is what follows */
    const search_order_t *search; /* its start times are not used */
    const unit_costs_t *costs;
    bool even;         /* of equal plans take that on the least used places, then by lot */
    uint32_t visible;  /* percent of what is free that may be used (C) */
    uint32_t hops_max; /* Pmax; 0 = any */
} programs_order_t;

typedef struct programs programs_t;

/*  NULL with why when the request can't be written as a program. */
programs_t *programs_new (const programs_order_t *order, prng_t *prng, char why [WHY_BYTES]);
void programs_destroy (programs_t **self_p);

/*  The program at a start; valid until the next one is asked for. NULL when a need has no place. */
const program_t *programs_at (programs_t *self, int64_t start_ms);

/*  The same program once more; drawn: the random source as it was before it was made. */
const program_t *programs_again (programs_t *self, int64_t start_ms, prng_t drawn);

/*  Reads a plan of the program that was asked for last. False with why when its paths are too long
 *  or can't keep the latency limits, which programs can't express. */
bool programs_read (programs_t *self, const program_plan_t *plan, window_plan_t *candidate,
                    char why [WHY_BYTES]);

#endif
