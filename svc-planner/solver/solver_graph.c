/*  solver_graph - adjacency in one array; distances by Floyd and Warshall, or, where paths are
 *  limited to so many edges, in as many rounds.
 */
#include "solver_graph.h"

#include "must.h"

#include <string.h>

#define LANES            8   /* rows are padded to groups of these: their loops become vectors */
#define NODES_LOOK_LEAST 128 /* with so many nodes or more the clock is looked at between rows */

static void arcs_build (solver_graph_t *self)
{
    const program_t *program = self->program;
    size_t nodes = program->nodes_count;
    bool directed = program->reading == PROGRAM_DIRECTED;
    self->starts = must (calloc (nodes + 2, sizeof *self->starts));
    self->arcs = must (malloc ((2 * program->edges_count + 1) * sizeof *self->arcs));
    self->pools_count = program->edges_count * (directed ? 2 : 1);
    self->free = must (malloc ((self->pools_count + 1) * sizeof *self->free));
    uint32_t *at = self->starts + 1; /* counts, then where each node's next arc goes */
    for (size_t e = 0; e < program->edges_count; e++)
        for (size_t side = 0; side < 2; side++)
            at [program->edges [e].ends [side] + 1]++;
    for (size_t i = 1; i <= nodes; i++)
        at [i] += at [i - 1];
    for (size_t e = 0; e < program->edges_count; e++) {
        const program_edge_t *edge = &program->edges [e];
        for (size_t side = 0; side < 2; side++) {
            uint32_t pool = (uint32_t) (directed ? 2 * e + side : e);
            self->free [pool] = edge->bandwidth;
            self->arcs [at [edge->ends [side]]++] = (solver_graph_arc_t){
              .to = edge->ends [1 - side], .pool = pool, .cost = (int32_t) edge->unit_cost};
        }
    }
}

/*  A class is named by one of its links; the class of all links, by ALL_LINKS. */
#define ALL_LINKS SIZE_MAX

static bool any_carries (const program_t *program, size_t edge)
{
    for (size_t l = 0; l < program->links_count; l++)
        if (program->links [l].bandwidth > 0 && program_carries (program, l, edge))
            return true;
    return false;
}

static bool class_carries (const program_t *program, size_t class, size_t edge)
{
    return class == ALL_LINKS ? any_carries (program, edge)
                              : program_carries (program, class, edge);
}

/*  Can two links use exactly the same edges? */
static bool links_alike (const program_t *program, size_t a, size_t b)
{
    if (!program->barred && program->links [a].bandwidth == program->links [b].bandwidth)
        return true;
    for (size_t e = 0; e < program->edges_count; e++)
        if (program_carries (program, a, e) != program_carries (program, b, e))
            return false;
    return true;
}

/*  Sorts links into classes; `classes` has room for one more than there are links. The widest class
 *  is that of the least bandwidth; where links are barred from edges it is the class of all links,
 *  which comes last. */
static void classes_find (solver_graph_t *self, size_t classes [])
{
    const program_t *program = self->program;
    int64_t least = INT64_MAX;
    for (size_t l = 0; l < program->links_count; l++) {
        int64_t bandwidth = program->links [l].bandwidth;
        if (bandwidth == 0)
            continue;
        size_t known = 0;
        while (known < self->classes_count && !links_alike (program, classes [known], l))
            known++;
        if (known == self->classes_count)
            classes [self->classes_count++] = l;
        self->link_class [l] = (uint32_t) known;
        if (bandwidth < least)
            self->class_widest = (uint32_t) known;
        least = bandwidth < least ? bandwidth : least;
    }
    if (!program->barred || self->classes_count == 0)
        return;
    self->class_widest = (uint32_t) self->classes_count;
    classes [self->classes_count++] = ALL_LINKS;
}

/*  row [i] = the lesser of row [i] and via + other [i]. */
static void row_lower (int32_t *restrict row, const int32_t *restrict other, int32_t via,
                       size_t stride)
{
    for (size_t at = 0; at < stride; at += LANES)
        for (size_t i = 0; i < LANES; i++) {
            int32_t over = via + other [at + i];
            row [at + i] = over < row [at + i] ? over : row [at + i];
        }
}

static bool solver_graph_look (const solver_graph_t *self, budget_t *budget)
{
    return self->program->nodes_count < NODES_LOOK_LEAST || budget_look (budget);
}

/*  Paths of any length. */
static bool close_all (const solver_graph_t *self, int32_t *table, budget_t *budget)
{
    size_t nodes = self->program->nodes_count;
    for (size_t k = 0; k < nodes; k++) {
        if (!solver_graph_look (self, budget))
            return false;
        for (size_t i = 0; i < nodes; i++) {
            int32_t via = table [i * self->stride + k];
            if (via < SOLVER_GRAPH_FAR && i != k)
                row_lower (&table [i * self->stride], &table [k * self->stride], via, self->stride);
        }
    }
    return true;
}

/*  Paths of up to hops_max edges: from paths of one edge, an edge more each round. */
static bool close_within (const solver_graph_t *self, int32_t *table, size_t class,
                          uint32_t hops_max, budget_t *budget)
{
    size_t nodes = self->program->nodes_count;
    size_t bytes = nodes * self->stride * sizeof *table;
    int32_t *before = must (aligned_alloc (LANES * sizeof *before, bytes));
    for (uint32_t hop = 1; hop < hops_max; hop++) {
        memcpy (before, table, bytes);
        for (size_t i = 0; i < nodes; i++) {
            if (!solver_graph_look (self, budget)) {
                free (before);
                return false;
            }
            for (uint32_t a = self->starts [i]; a < self->starts [i + 1]; a++) {
                const solver_graph_arc_t *arc = &self->arcs [a];
                if (class_carries (self->program, class, solver_graph_edge (self, arc->pool)))
                    row_lower (&table [i * self->stride], &before [arc->to * self->stride],
                               arc->cost, self->stride);
            }
        }
        if (memcmp (before, table, bytes) == 0)
            break;
    }
    free (before);
    return true;
}

static bool distances_find (solver_graph_t *self, int32_t *table, size_t class, budget_t *budget)
{
    const program_t *program = self->program;
    for (size_t i = 0; i < program->nodes_count * self->stride; i++)
        table [i] = SOLVER_GRAPH_FAR;
    for (size_t i = 0; i < program->nodes_count; i++)
        table [i * self->stride + i] = 0;
    for (size_t e = 0; e < program->edges_count; e++) {
        const program_edge_t *edge = &program->edges [e];
        if (!class_carries (program, class, e))
            continue;
        table [edge->ends [0] * self->stride + edge->ends [1]] = (int32_t) edge->unit_cost;
        table [edge->ends [1] * self->stride + edge->ends [0]] = (int32_t) edge->unit_cost;
    }
    if (program->hops_max == 0 || program->hops_max + 1 >= program->nodes_count)
        return close_all (self, table, budget);
    return close_within (self, table, class, program->hops_max, budget);
}

solver_graph_t *solver_graph_new (const program_t *program, budget_t *budget)
{
    solver_graph_t *self = must (calloc (1, sizeof *self));
    self->program = program;
    arcs_build (self);
    self->link_class = must (calloc (program->links_count + 1, sizeof *self->link_class));
    size_t *classes = must (calloc (program->links_count + 1, sizeof *classes));
    classes_find (self, classes);
    self->stride = (program->nodes_count + LANES - 1) / LANES * LANES;
    size_t table = program->nodes_count * self->stride;
    self->distances =
      must (aligned_alloc (LANES * sizeof *self->distances,
                           (self->classes_count * table + LANES) * sizeof *self->distances));
    bool within = true;
    for (size_t c = 0; c < self->classes_count && within; c++)
        within = distances_find (self, &self->distances [c * table], classes [c], budget);
    free (classes);
    if (!within)
        solver_graph_destroy (&self);
    return self;
}

void solver_graph_destroy (solver_graph_t **self_p)
{
    solver_graph_t *self = *self_p;
    if (!self)
        return;
    free (self->starts);
    free (self->arcs);
    free (self->free);
    free (self->link_class);
    free (self->distances);
    free (self);
    *self_p = NULL;
}
