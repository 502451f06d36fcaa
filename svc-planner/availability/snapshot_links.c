/*  snapshot_links - the links of a snapshot, and which of them are worth a question.
 *
 *  For one network need a link is useful if it is wide enough, meets the requirements, and does not
 *  lead into a dead end. A dead end is a vertex that has only one such link and can't be an end of
 *  the need; dead ends are cut off until there are none. What remains may still hold links that no
 *  path can use; asking about them does no harm.
 */
#include "must.h"
#include "participant_ref.h"
#include "snapshot_state.h"
#include "stages.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool snapshot_link_meets (const snapshot_t *self, size_t network_need, size_t link)
{
    const network_need_t *need = &self->request->network [network_need];
    const link_t *of = graph_link (self->graph, link)->link;
    return of->mbps >= need->mbps && link_meets (of, need->require, need->require_count) &&
           (need->latency_us_max == 0 || of->latency_us <= need->latency_us_max);
}

/*  What is left of the graph for one need. */
typedef struct {
    const snapshot_t *snapshot;
    bool *links;
    size_t *degree; /* by vertex: links left there */
    bool *ends;     /* by vertex: may be an end of the path */
    size_t *queue;  /* dead ends found, each once */
    size_t queue_count;
} rest_t;

static void snapshot_links_mark_ends (rest_t *self, size_t compute_need)
{
    const snapshot_t *snapshot = self->snapshot;
    const need_options_t *options = &snapshot->needs [compute_need];
    for (size_t i = 0; i < options->options_count; i++) {
        const site_class_t *place = &snapshot->places [options->options [i].place];
        const char *site =
          participant_ref_short_name (snapshot->sources [place->source].party.name);
        size_t count = graph_site_count (snapshot->graph, site);
        for (size_t v = 0; v < count; v++)
            self->ends [graph_site (snapshot->graph, site, v)] = true;
    }
}

static void snapshot_links_look_at (rest_t *self, size_t vertex)
{
    if (self->degree [vertex] == 1 && !self->ends [vertex])
        self->queue [self->queue_count++] = vertex;
}

static void snapshot_links_cut (rest_t *self, size_t vertex)
{
    size_t count;
    const size_t *at = graph_at (self->snapshot->graph, vertex, &count);
    for (size_t i = 0; i < count; i++) {
        if (!self->links [at [i]])
            continue;
        const graph_link_t *link = graph_link (self->snapshot->graph, at [i]);
        size_t other = link->ends [link->ends [0] == vertex];
        self->links [at [i]] = false;
        self->degree [vertex]--;
        self->degree [other]--;
        snapshot_links_look_at (self, other);
    }
}

static void find_useful (snapshot_t *self, rest_t *rest, size_t network_need)
{
    size_t vertices = graph_vertices (self->graph);
    for (size_t v = 0; v < vertices; v++) {
        rest->degree [v] = 0;
        rest->ends [v] = false;
    }
    rest->queue_count = 0;
    snapshot_links_mark_ends (rest, network_need_end (self->request, network_need, 0));
    snapshot_links_mark_ends (rest, network_need_end (self->request, network_need, 1));
    for (size_t i = 0; i < self->links_count; i++) {
        rest->links [i] = snapshot_link_meets (self, network_need, i);
        rest->degree [graph_link (self->graph, i)->ends [0]] += rest->links [i];
        rest->degree [graph_link (self->graph, i)->ends [1]] += rest->links [i];
    }
    for (size_t v = 0; v < vertices; v++)
        snapshot_links_look_at (rest, v);
    for (size_t i = 0; i < rest->queue_count; i++)
        snapshot_links_cut (rest, rest->queue [i]);
    for (size_t i = 0; i < self->links_count; i++) {
        if (!rest->links [i] || self->links [i].useful)
            continue;
        self->links [i].useful = true;
        self->sources [self->links [i].source].asked = false;
        self->sources [self->links [i].source].useful = true;
    }
}

static size_t snapshot_links_source_of (const snapshot_t *self, const char *domain)
{
    char name [NAME_BYTES_MAX + 8];
    snprintf (name, sizeof name, "nis/%s", domain);
    size_t source = snapshot_source (self, name);
    assert (source != SIZE_MAX); /* every domain of the graph is one */
    return source;
}

/*  The graph has the links of a domain in the domain's order. */
static void suppose_links (snapshot_t *self)
{
    size_t at = 0;
    for (size_t i = 0; i < self->links_count; i++) {
        snapshot_link_t *link = &self->links [i];
        const source_t *source = &self->sources [link->source];
        at = i > 0 && self->links [i - 1].source == link->source ? at + 1 : 0;
        if (source->put_off)
            snapshot_suppose (self, &link->free_profile, source->summary, at,
                              graph_link (self->graph, i)->link->mbps);
    }
}

void snapshot_join (snapshot_t *self)
{
    if (!self->graph)
        return;
    bool first = !self->links;
    if (first)
        self->links = must (calloc (graph_links (self->graph) + 1, sizeof *self->links));
    self->links_count = graph_links (self->graph);
    for (size_t i = 0; i < self->links_count; i++) {
        const char *domain = graph_link (self->graph, i)->domain;
        bool same = i > 0 && domain == graph_link (self->graph, i - 1)->domain;
        self->links [i].source =
          same ? self->links [i - 1].source : snapshot_links_source_of (self, domain);
    }
    if (first)
        suppose_links (self);
    size_t vertices = graph_vertices (self->graph);
    rest_t rest = {
      .snapshot = self,
      .links = must (calloc (self->links_count + 1, sizeof *rest.links)),
      .degree = must (calloc (vertices + 1, sizeof *rest.degree)),
      .ends = must (calloc (vertices + 1, sizeof *rest.ends)),
      .queue = must (calloc (vertices + 1, sizeof *rest.queue)),
    };
    for (size_t n = 0; n < self->request->network_count; n++)
        find_useful (self, &rest, n);
    free (rest.links);
    free (rest.degree);
    free (rest.ends);
    free (rest.queue);
}

int64_t snapshot_path_cost (const snapshot_t *self, size_t network_need, const path_t *path)
{
    phase_t phases [PHASES_MAX];
    size_t count = network_phases (self->request, network_need, phases);
    int64_t cost = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < path->links_count; i++)
            cost += link_cost (graph_link (self->graph, path->links [i])->link->price,
                               phases [p].amount, phases [p].until_ms - phases [p].from_ms);
    return cost;
}
