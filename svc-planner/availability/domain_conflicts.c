/*  domain_conflicts - a point that domains describe differently is several vertices of one name. If
 *  the domains agreed, a path could cross there wherever one of these vertices is reached from one
 *  end of a need and another vertex from its other end.
 */
#include "domain_conflicts.h"

#include "must.h"
#include "participant_ref.h"

#include <string.h>

typedef enum { RANK_CROSSED, RANK_REACHED, RANK_OTHER, RANKS } rank_t;

/*  A walk through the graph: the vertices reached so far. */
typedef struct {
    const snapshot_t *snapshot;
    size_t network_need;
    bool *reached; /* by vertex */
    size_t *queue;
    size_t queued;
} domain_conflicts_walk_t;

static void domain_conflicts_reach (domain_conflicts_walk_t *self, size_t vertex)
{
    if (self->reached [vertex])
        return;
    self->reached [vertex] = true;
    self->queue [self->queued++] = vertex;
}

/*  Walks from every site that one end could be at, over links that would do for the need. */
static void walk_from (domain_conflicts_walk_t *self, int end)
{
    const snapshot_t *snapshot = self->snapshot;
    const graph_t *graph = snapshot->graph;
    const need_options_t *options =
      &snapshot->needs [network_need_end (snapshot->request, self->network_need, end)];
    for (size_t i = 0; i < options->options_count; i++) {
        size_t source = snapshot->places [options->options [i].place].source;
        const char *site = participant_ref_short_name (snapshot->sources [source].party.name);
        for (size_t k = 0; k < graph_site_count (graph, site); k++)
            domain_conflicts_reach (self, graph_site (graph, site, k));
    }
    for (size_t at = 0; at < self->queued; at++) {
        size_t count;
        const size_t *links = graph_at (graph, self->queue [at], &count);
        for (size_t i = 0; i < count; i++) {
            const graph_link_t *link = graph_link (graph, links [i]);
            if (!snapshot_link_meets (snapshot, self->network_need, links [i]))
                continue;
            domain_conflicts_reach (self, link->ends [0]);
            domain_conflicts_reach (self, link->ends [1]);
        }
    }
}

static rank_t domain_conflicts_rank_of (const graph_t *graph, size_t conflict, const bool *from,
                                        const bool *to)
{
    const char *name = graph_conflict_vertex (graph, conflict);
    size_t first = graph_vertex (graph, name);
    size_t from_count = 0, to_count = 0, both_count = 0;
    for (size_t vertex = first;
         vertex < graph_vertices (graph) && strcmp (graph_vertex_name (graph, vertex), name) == 0;
         vertex++) {
        from_count += from [vertex];
        to_count += to [vertex];
        both_count += from [vertex] && to [vertex];
    }
    if (from_count == 0 && to_count == 0)
        return RANK_OTHER;
    bool another = from_count > 1 || to_count > 1 || both_count == 0;
    return from_count > 0 && to_count > 0 && another ? RANK_CROSSED : RANK_REACHED;
}

/*  Lowers the rank of each conflict that matters more to this need. */
static void rank_for (const snapshot_t *self, size_t network_need, rank_t *ranks)
{
    size_t vertices = graph_vertices (self->graph);
    bool *reached [2];
    for (int end = 0; end < 2; end++) {
        domain_conflicts_walk_t walk = {.snapshot = self,
                                        .network_need = network_need,
                                        .reached =
                                          must (calloc (vertices + 1, sizeof *walk.reached)),
                                        .queue = must (calloc (vertices + 1, sizeof *walk.queue))};
        walk_from (&walk, end);
        free (walk.queue);
        reached [end] = walk.reached;
    }
    for (size_t i = 0; i < graph_conflicts (self->graph); i++) {
        rank_t rank = domain_conflicts_rank_of (self->graph, i, reached [0], reached [1]);
        ranks [i] = rank < ranks [i] ? rank : ranks [i];
    }
    free (reached [0]);
    free (reached [1]);
}

size_t domain_conflicts_rank (const snapshot_t *self, const size_t *network_needs,
                              size_t needs_count, size_t *conflicts, size_t most)
{
    size_t all = self->graph ? graph_conflicts (self->graph) : 0;
    if (all == 0)
        return 0;
    rank_t *ranks = must (calloc (all, sizeof *ranks));
    for (size_t i = 0; i < all; i++)
        ranks [i] = RANK_OTHER;
    for (size_t i = 0; i < needs_count; i++)
        rank_for (self, network_needs [i], ranks);
    size_t count = 0;
    for (rank_t rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < all && count < most; i++)
            if (ranks [i] == rank)
                conflicts [count++] = i;
    free (ranks);
    return count;
}
