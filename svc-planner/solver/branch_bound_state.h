/*  branch_bound_state - what the search for places works on; for branch_bound*.c only. */
#ifndef MUSUBI_BRANCH_BOUND_STATE_H
#define MUSUBI_BRANCH_BOUND_STATE_H

#include "routing.h"

#define BRANCH_BOUND_NEVER   (INT64_MAX / 8) /* a cost that rules a place out */
#define BRANCH_BOUND_NOWHERE UINT32_MAX

typedef struct {
    uint32_t link;
    uint32_t other; /* requested site */
    int64_t bandwidth;
} branch_bound_tie_t;

/*  Requested sites that can change places with each other, because they are alike in everything.
 *  They are placed in their order, each at a later place than the one before. */
typedef struct {
    uint32_t members [PROGRAM_SITES_MAX];
    uint32_t count;
    uint32_t placed;
    uint32_t from; /* members not placed yet go to no place before this */
} branch_bound_kin_t;

typedef struct {
    const program_t *program;
    const solver_graph_t *net;
    routing_t *routing;
    budget_t *budget;
    bool first;
    size_t sites;      /* requested */
    size_t places;     /* nodes that can take some requested site */
    uint32_t *node_of; /* by place */
    branch_bound_tie_t
      *ties; /* of requested site j: from ties [j * sites], by descending bandwidth */
    size_t *ties_count;
    branch_bound_kin_t *kin;
    size_t kin_count;
    uint32_t *kin_of; /* by requested site */
    int32_t *near;    /* by place: distances to the sites - 1 nearest others, ascending */
    int64_t **rows;   /* by level and requested site; kin share theirs */
    int64_t *room;    /* memory of the rows, in the same order */
    uint32_t *at;     /* place of each requested site */
    uint8_t *used;    /* by place: is it taken? */

    program_plan_t *best;
    int64_t best_cost; /* BRANCH_BOUND_NEVER: none */
    int64_t
      left_bound; /* what is not looked at costs so much at least; BRANCH_BOUND_NEVER: nothing is */
    uint64_t settle_steps_max;
    bool stopped;
} branch_bound_t;

static inline bool branch_bound_placed (const branch_bound_t *self, size_t site)
{
    return self->at [site] != BRANCH_BOUND_NOWHERE;
}

static inline const branch_bound_tie_t *branch_bound_ties (const branch_bound_t *self, size_t site)
{
    return &self->ties [site * self->sites];
}

/*  A lower bound, not doubled, of what the links of a site at this place to sites not placed cost:
 *  the greatest bandwidths go to the nearest places. The site `also` counts as not placed. */
int64_t branch_bound_halves (const branch_bound_t *self, size_t site, size_t place, size_t also);

/*  Finds the places. Are there enough of them, as far as CPUs go? */
bool branch_bound_find (branch_bound_t *self);

/*  Makes all the rest, once there is a graph. */
void branch_bound_make (branch_bound_t *self);
void branch_bound_unmake (branch_bound_t *self);

#endif
