/*  solver_graph - the edges of a program as arcs to walk along, and how far it is from node to
 *  node.
 *
 *  A pool is bandwidth that paths draw on: one for each edge, or one for each arc where directions
 *  have their own. Distances are sums of unit costs over the arcs that could carry a link by
 *  itself. Links that can use the same arcs form a class, and each class has a table of distances.
 *  In the widest class no distance is longer than in any other; where links are barred from edges,
 *  it is a class of its own, over the edges that any link may use.
 */
#ifndef MUSUBI_SOLVER_GRAPH_H
#define MUSUBI_SOLVER_GRAPH_H

#include "budget.h"

#include <assert.h>

#define SOLVER_GRAPH_FAR (INT32_MAX / 2) /* there is no path; the sum of two still fits */

static_assert (PROGRAM_UNIT_COST_MAX * PROGRAM_NODES_MAX < SOLVER_GRAPH_FAR,
               "any path is nearer than far");

typedef struct {
    uint32_t to;
    uint32_t pool;
    int32_t cost;
} solver_graph_arc_t;

typedef struct {
    const program_t *program;
    uint32_t *starts; /* arcs of node i: from starts [i] to starts [i + 1] */
    solver_graph_arc_t *arcs;
    int64_t *free; /* by pool */
    size_t pools_count;
    uint32_t *link_class; /* of links that want bandwidth */
    size_t classes_count;
    uint32_t class_widest; /* of the least bandwidth, or of all edges that any link may use */
    size_t stride;         /* of a row of distances */
    int32_t *distances;
} solver_graph_t;

/*  NULL when the limit came first. */
solver_graph_t *solver_graph_new (const program_t *program, budget_t *budget);
void solver_graph_destroy (solver_graph_t **self_p);

/*  The edge of a pool. */
static inline size_t solver_graph_edge (const solver_graph_t *self, uint32_t pool)
{
    return self->program->reading == PROGRAM_DIRECTED ? pool / 2 : pool;
}

/*  Distances of a class from every node to this one; they are the same back. */
static inline const int32_t *solver_graph_distances (const solver_graph_t *self, uint32_t class,
                                                     uint32_t node)
{
    size_t nodes = self->program->nodes_count;
    return &self->distances [(class * nodes + node) * self->stride];
}

#endif
