/*  program - one co-allocation problem at one fixed time, and its plans.
 *
 *  The integer program of Takefusa et al. (equations 1 to 9): each requested site goes to a node of
 *  its own with enough CPUs, each requested link gets one path between the nodes of its ends, with
 *  its whole bandwidth on every edge, and the sum of amount x unit cost is least. Amounts and costs
 *  are whole numbers, so that sums are exact. A requested bandwidth of 0 needs no path.
 *
 *  An edge serves both directions. The reading says how they draw on its bandwidth: both from one
 *  pool, as a reserved circuit does, or each from a pool of its own, as equation 8 has it. hops_max
 *  is Pmax of equation 11; simple paths satisfy equation 10 anyway.
 */
#ifndef MUSUBI_PROGRAM_H
#define MUSUBI_PROGRAM_H

#include "bytes.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_NODES_MAX     1024
#define PROGRAM_EDGES_MAX     65536
#define PROGRAM_SITES_MAX     64   /* requested */
#define PROGRAM_LINKS_MAX     2016 /* requested: all pairs */
#define PROGRAM_AMOUNT_MAX    INT64_C (1000000000)
#define PROGRAM_UNIT_COST_MAX INT64_C (1000000)
#define PROGRAM_COST_MAX      (INT64_C (1) << 52) /* of any plan: doubles count it exactly */
#define PROGRAM_BARRED        INT64_C (-1)

typedef struct {
    int64_t cpus; /* free */
    int64_t unit_cost;
} program_node_t;

typedef struct {
    uint32_t ends [2];
    int64_t bandwidth; /* free */
    int64_t unit_cost;
} program_edge_t;

typedef struct {
    uint32_t ends [2]; /* requested sites, from and to */
    int64_t bandwidth;
} program_link_t;

typedef enum { PROGRAM_SHARED, PROGRAM_DIRECTED } program_reading_t;

/*  Arrays are borrowed. */
typedef struct {
    program_node_t *nodes;
    size_t nodes_count;
    program_edge_t *edges; /* at most one between two nodes */
    size_t edges_count;
    const int64_t *cpus; /* wanted, one a requested site */
    size_t sites_count;
    program_link_t *links; /* at most one between two requested sites */
    size_t links_count;
    program_reading_t reading;
    uint32_t hops_max; /* edges of a path; 0 = any */
    /*  For requested sites that differ in more than their CPUs: by site and node, what the site
     *  costs there, or PROGRAM_BARRED. NULL: a site can be wherever there are enough CPUs, at unit
     *  cost. */
    const int64_t *offers;
    /*  By requested link and edge: 1 = paths of the link must not use the edge. NULL: they may use
     *  any. */
    const uint8_t *barred;
} program_t;

/*  What a requested site costs at a node; PROGRAM_BARRED when it can't be placed there. */
static inline int64_t program_offer (const program_t *self, size_t site, size_t node)
{
    if (self->offers)
        return self->offers [site * self->nodes_count + node];
    if (self->nodes [node].cpus < self->cpus [site])
        return PROGRAM_BARRED;
    return self->nodes [node].unit_cost * self->cpus [site];
}

static inline bool program_bars (const program_t *self, size_t link, size_t edge)
{
    return self->barred && self->barred [link * self->edges_count + edge];
}

/*  Could the edge carry the requested link by itself? */
static inline bool program_carries (const program_t *self, size_t link, size_t edge)
{
    return self->edges [edge].bandwidth >= self->links [link].bandwidth &&
           !program_bars (self, link, edge);
}

/*  The edge between two nodes; edges_count when there is none. */
size_t program_edge (const program_t *self, uint32_t a, uint32_t b);

/*  Can the program be solved? When not, why names the part that is wrong and what would be
 *  right. */
bool program_check (const program_t *self, char why [WHY_BYTES]);

/*  The greatest common divisor; of 0 and a number, that number. */
int64_t program_divisor (int64_t a, int64_t b);

/*  --- plans --- */

typedef struct {
    uint32_t *nodes; /* one a requested site */
    uint32_t *paths; /* a row of nodes_count a link: the nodes of its path, from end to end */
    uint32_t *path_lengths; /* nodes on it; 0 where no bandwidth is wanted */
    int64_t cost;
} program_plan_t;

/*  An empty plan with room for any of this program. */
program_plan_t *program_plan_new (const program_t *self);
void program_plan_destroy (program_plan_t **plan_p);

/*  Does the plan keep every constraint? Also works out its cost. */
bool program_plan_check (const program_t *self, program_plan_t *plan);

#endif
