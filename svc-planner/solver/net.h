/*  net - the edges of a program as arcs to walk along, and how far it is from node to node.
 *
 *  A pool is bandwidth that paths draw on: one an edge, or one an arc where each direction has its
 *  own. Far is counted in unit costs, for links of one bandwidth, over arcs that could carry one
 *  alone: links that can use the same arcs share a class, and a class a table of distances. In
 *  the widest class nothing is farther than in any other; where links may not use the same edges,
 *  it is a class of its own: of what any of them may use.
 */
#ifndef MUSUBI_NET_H
#define MUSUBI_NET_H

#include "spending.h"

#include <assert.h>

#define NET_FAR (INT32_MAX / 2) /* there is no way; two of them still add */

static_assert (PROGRAM_UNIT_COST_MAX * PROGRAM_NODES_MAX < NET_FAR, "any path is nearer than far");

typedef struct {
    uint32_t to;
    uint32_t pool;
    int32_t cost;
} net_arc_t;

typedef struct {
    const program_t *program;
    uint32_t *starts; /* arcs of node i: from starts [i] to starts [i + 1] */
    net_arc_t *arcs;
    int64_t *free; /* by pool */
    size_t pools_count;
    uint32_t *link_class; /* of links that want bandwidth */
    size_t classes_count;
    uint32_t class_widest; /* that of the least bandwidth, or of all edges that any may use */
    size_t stride;         /* of a row of distances */
    int32_t *distances;
} net_t;

/*  NULL when the limit came first. */
net_t *net_new (const program_t *program, spending_t *spending);
void net_destroy (net_t **self_p);

/*  The edge of a pool. */
static inline size_t net_edge (const net_t *self, uint32_t pool)
{
    return self->program->reading == PROGRAM_DIRECTED ? pool / 2 : pool;
}

/*  Distances of a class from every node to this one; they are the same back. */
static inline const int32_t *net_distances (const net_t *self, uint32_t class, uint32_t node)
{
    size_t nodes = self->program->nodes_count;
    return &self->distances [(class * nodes + node) * self->stride];
}

#endif
