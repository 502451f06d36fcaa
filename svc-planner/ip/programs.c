/*  programs - makes programs of a snapshot, and places and paths of a solver's plans. */
#include "programs.h"

#include "circuits.h"
#include "must.h"
#include "storage_fit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE    UINT32_MAX
#define FAR_US     (INT64_MAX / 4)
#define TIES_LEVEL 32 /* utilisations told apart */
#define TIES_LOTS  4  /* lots drawn among equals */
#define TIES       (TIES_LEVEL * TIES_LOTS)
#define TIES_AHEAD 16 /* times told apart that data needs ahead of its need */
#define HOUR_MS    3600000.0

struct programs {
    programs_order_t order;
    const user_request_t *request;
    size_t needs; /* the user's; derived ones follow */
    prng_t *prng;
    program_t program;
    program_node_t *nodes;
    program_edge_t *edges;
    size_t *edge_links;    /* by edge: link of the graph */
    program_link_t *links; /* by network need */
    int64_t *cpus;
    int64_t *offers;
    uint8_t *barred;
    size_t *choices;       /* by need and node: the option offered there */
    uint32_t *vertex_node; /* NOWHERE: no useful link ends there */
    size_t *node_vertex;   /* SIZE_MAX: none */
    uint32_t *source_node;
    link_view_t *views; /* by network need */
    double scale;       /* from unit costs to those of edges */
    int64_t ties; /* weights are multiplied by this, so that ties can be broken below one unit */
    double hours; /* of the longest connection */
    bool gratis;  /* no link costs anything */
    int64_t ahead_ms; /* the most that the data of one need can need ahead */
    int64_t start_ms;
    int64_t *from_us; /* by node: latency from either end, while links are barred */
    int64_t *to_us;
    window_plan_t looked; /* scratch: where the data of one need would go */
    window_plan_t kept;   /* scratch: the best of it so far */
};

static window_plan_t window_plan_new (const programs_t *programs)
{
    const user_request_t *request = programs->request;
    window_plan_t plan = {.start_ms = programs->start_ms};
    plan.choice = must (calloc (request->compute_count + 1, sizeof *plan.choice));
    plan.paths = must (calloc (request->network_count + 1, sizeof *plan.paths));
    return plan;
}

void candidate_clear (window_plan_t *self)
{
    free (self->choice);
    free (self->paths);
    *self = (window_plan_t){0};
}

/*  --- nodes and edges --- */

static uint32_t add_node (programs_t *self, size_t vertex)
{
    uint32_t node = (uint32_t) self->program.nodes_count++;
    self->node_vertex [node] = vertex;
    return node;
}

static uint32_t node_of_vertex (programs_t *self, size_t vertex)
{
    if (self->vertex_node [vertex] == NOWHERE)
        self->vertex_node [vertex] = add_node (self, vertex);
    return self->vertex_node [vertex];
}

static void add_edge (programs_t *self, uint32_t a, uint32_t b, size_t link, bool costs)
{
    const unit_costs_t *units = self->order.costs;
    int64_t unit = (int64_t) ((double) units->links [link] * self->scale + 0.5);
    if (self->gratis)
        unit = 1; /* so that there are no detours */
    if (!costs)
        unit = 0;
    self->edge_links [self->program.edges_count] = link;
    self->edges [self->program.edges_count++] =
      (program_edge_t){.ends = {a, b}, .unit_cost = unit * self->ties};
}

/*  Of several links between the same two points, all but the first get a node of their own in the
 *  middle. */
static void programs_add_edges (programs_t *self, const size_t *useful, size_t count)
{
    const graph_t *graph = self->order.snapshot->graph;
    size_t most = self->program.nodes_count;
    uint8_t *joined = must (calloc (most * most / 8 + 1, 1));
    for (size_t i = 0; i < count; i++) {
        const graph_link_t *link = graph_link (graph, useful [i]);
        uint32_t a = node_of_vertex (self, link->ends [0]);
        uint32_t b = node_of_vertex (self, link->ends [1]);
        size_t pair = (a < b ? a : b) * most + (a < b ? b : a);
        if (joined [pair / 8] & (1u << pair % 8)) {
            uint32_t way = add_node (self, SIZE_MAX);
            add_edge (self, a, way, useful [i], true);
            add_edge (self, way, b, useful [i], false);
        } else {
            joined [pair / 8] |= (uint8_t) (1u << pair % 8);
            add_edge (self, a, b, useful [i], true);
        }
    }
    free (joined);
}

/*  The useful links, if there are connections for them, and nodes for their ends and for all
 *  sites. */
static size_t *find_nodes (programs_t *self, size_t *count)
{
    const snapshot_t *snapshot = self->order.snapshot;
    size_t vertices = snapshot->graph ? graph_vertices (snapshot->graph) : 0;
    size_t most = vertices + snapshot->sources_count + snapshot->links_count + 1;
    size_t *useful = must (calloc (snapshot->links_count + 1, sizeof *useful));
    self->vertex_node = must (malloc ((vertices + 1) * sizeof *self->vertex_node));
    memset (self->vertex_node, 0xff, (vertices + 1) * sizeof *self->vertex_node);
    self->node_vertex = must (calloc (most, sizeof *self->node_vertex));
    self->source_node = must (calloc (snapshot->sources_count + 1, sizeof *self->source_node));
    *count = 0;
    for (size_t i = 0; i < snapshot->links_count && self->program.links_count > 0; i++)
        if (snapshot->links [i].useful && !snapshot->sources [snapshot->links [i].source].left_out)
            useful [(*count)++] = i;
    for (size_t i = 0; i < *count; i++)
        for (int end = 0; end < 2; end++)
            (void) node_of_vertex (self, graph_link (snapshot->graph, useful [i])->ends [end]);
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        if (snapshot->sources [i].kind != SOURCE_SITE)
            continue;
        size_t vertex = circuits_vertex (snapshot, i);
        self->source_node [i] =
          vertex == SIZE_MAX ? add_node (self, SIZE_MAX) : node_of_vertex (self, vertex);
    }
    return useful;
}

/*  --- links and costs --- */

static void make_links (programs_t *self)
{
    const user_request_t *request = self->request;
    self->links = must (calloc (request->network_count + 1, sizeof *self->links));
    self->views = must (calloc (request->network_count + 1, sizeof *self->views));
    for (size_t i = 0; i < request->network_count; i++) {
        link_view_init (&self->views [i], self->order.snapshot, self->order.search, i, false);
        if (request->network [i].data > 0)
            continue; /* circuits for files come last: see place_data */
        self->links [self->program.links_count++] =
          (program_link_t){.ends = {(uint32_t) network_need_end (request, i, 0),
                                    (uint32_t) network_need_end (request, i, 1)},
                           .bandwidth = request->network [i].mbps};
    }
}

static double bandwidth_asked (const programs_t *self)
{
    double sum = 1;
    for (size_t i = 0; i < self->program.links_count; i++)
        sum += self->request->network [i].mbps;
    return sum;
}

/*  The cost of a need at an option, in the unit of links: a Mbit/s for as long as connections
 *  last. */
static double cost_of_option (const programs_t *self, size_t need, const option_t *option)
{
    const site_class_t *place = &self->order.snapshot->places [option->place];
    double hours = (double) need_duration (self->request, need) / HOUR_MS;
    return (double) self->order.costs->places [option->place] * (double) option->nodes *
           (double) place->cpus_per_node * 1000 * hours / self->hours;
}

static int64_t most_ahead (const programs_t *self)
{
    int64_t sum_ms = 0;
    for (size_t n = self->needs; n < self->request->compute_count; n++) {
        const need_options_t *need = &self->order.snapshot->needs [n];
        int64_t most_ms = 0;
        for (size_t i = 0; i < need->options_count; i++)
            if (need->options [i].before_ms > most_ms &&
                need->options [i].before_ms < STAGING_NEVER)
                most_ms = need->options [i].before_ms;
        sum_ms += most_ms;
    }
    return sum_ms;
}

/*  The most that circuits can cost, in the unit of links. */
static double circuits_most (const programs_t *self)
{
    int64_t dearest = 0;
    double sum = 0;
    for (size_t i = 0; i < self->order.snapshot->links_count; i++)
        if (self->order.costs->links [i] > dearest)
            dearest = self->order.costs->links [i];
    for (size_t i = self->program.links_count; i < self->request->network_count; i++)
        sum +=
          self->request->network [i].mbps * network_need_hours (self->request, i) / self->hours;
    return sum * (double) dearest * PATH_HOPS_MAX;
}

/*  Counts unit costs of links in their greatest common divisor, so that they are exact; where a
 *  program can't hold such numbers, in a larger unit, rounded. */
static void choose_scale (programs_t *self, const size_t *useful, size_t count)
{
    const snapshot_t *snapshot = self->order.snapshot;
    int64_t divisor = 0;
    double dearest = 0;
    double places = 0;
    self->hours = 0;
    for (size_t i = 0; i < self->program.links_count; i++)
        self->hours = network_need_hours (self->request, i) > self->hours
                        ? network_need_hours (self->request, i)
                        : self->hours;
    if (self->hours <= 0)
        self->hours = 1;
    for (size_t i = 0; i < count; i++) {
        int64_t unit = self->order.costs->links [useful [i]];
        divisor = program_divisor (divisor, unit);
        dearest = (double) unit > dearest ? (double) unit : dearest;
    }
    for (size_t n = 0; n < self->needs; n++) {
        double most = 0;
        for (size_t i = 0; i < snapshot->needs [n].options_count; i++) {
            double cost = cost_of_option (self, n, &snapshot->needs [n].options [i]);
            most = cost > most ? cost : most;
        }
        places += most;
    }
    places += circuits_most (self);
    self->gratis = dearest == 0;
    self->ahead_ms = most_ahead (self);
    self->ties = (self->order.even ? TIES : 1) * (self->ahead_ms > 0 ? TIES_AHEAD : 1);
    self->ties = self->ties > 1 ? self->ties * (int64_t) self->needs + 1 : 1;
    double ties = (double) self->ties;
    double room = (double) PROGRAM_COST_MAX / 4;
    double nodes = (double) self->program.nodes_count;
    double scale = divisor > 0 ? 1 / (double) divisor : 1;
    if (dearest * scale * ties > (double) PROGRAM_UNIT_COST_MAX)
        scale = (double) PROGRAM_UNIT_COST_MAX / ties / dearest;
    if (bandwidth_asked (self) * dearest * scale * ties * nodes > room)
        scale = room / (bandwidth_asked (self) * dearest * ties * nodes);
    if (places * scale * ties > room)
        scale = room / places / ties;
    self->scale = scale;
}

static void programs_make_room (programs_t *self)
{
    size_t needs = self->needs;
    size_t nodes = self->program.nodes_count;
    self->nodes = must (calloc (nodes, sizeof *self->nodes));
    self->cpus = must (calloc (needs, sizeof *self->cpus));
    self->offers = must (calloc (needs * nodes, sizeof *self->offers));
    self->choices = must (calloc (needs * nodes, sizeof *self->choices));
    self->barred =
      must (calloc (self->program.links_count * self->program.edges_count + 1, sizeof (uint8_t)));
    self->from_us = must (calloc (nodes, sizeof *self->from_us));
    self->to_us = must (calloc (nodes, sizeof *self->to_us));
    self->looked = window_plan_new (self);
    self->kept = window_plan_new (self);
    for (size_t i = 0; i < needs; i++)
        self->cpus [i] = 1; /* offers say the rest */
    self->program.nodes = self->nodes;
    self->program.edges = self->edges;
    self->program.cpus = self->cpus;
    self->program.sites_count = needs;
    self->program.links = self->links;
    self->program.reading = PROGRAM_SHARED;
    self->program.hops_max = self->order.hops_max;
    self->program.offers = self->offers;
    self->program.barred = self->barred;
}

programs_t *programs_new (const programs_order_t *order, prng_t *prng, char why [WHY_BYTES])
{
    programs_t *self = must (calloc (1, sizeof *self));
    self->order = *order;
    self->request = order->snapshot->request;
    self->needs = order->snapshot->asked_count;
    self->prng = prng;
    make_links (self);
    size_t count;
    size_t *useful = find_nodes (self, &count);
    size_t links = order->snapshot->links_count;
    self->edges = must (calloc (2 * links + 1, sizeof *self->edges));
    self->edge_links = must (calloc (2 * links + 1, sizeof *self->edge_links));
    choose_scale (self, useful, count);
    programs_add_edges (self, useful, count);
    free (useful);
    programs_make_room (self);
    char what [WHY_BYTES];
    if (program_check (&self->program, what))
        return self;
    snprintf (why, WHY_BYTES, "the request can't be written as an integer program: %.100s", what);
    programs_destroy (&self);
    return NULL;
}

void programs_destroy (programs_t **self_p)
{
    programs_t *self = *self_p;
    *self_p = NULL;
    if (!self)
        return;
    for (size_t i = 0; i < self->request->network_count; i++)
        link_view_clear (&self->views [i]);
    free (self->nodes);
    free (self->edges);
    free (self->edge_links);
    free (self->links);
    free (self->cpus);
    free (self->offers);
    free (self->barred);
    free (self->choices);
    free (self->vertex_node);
    free (self->node_vertex);
    free (self->source_node);
    free (self->views);
    free (self->from_us);
    free (self->to_us);
    candidate_clear (&self->looked);
    candidate_clear (&self->kept);
    free (self);
}

/*  --- one start --- */

static int64_t usable_share (const programs_t *self, int64_t quantity)
{
    return quantity <= 0 ? quantity : quantity * self->order.visible / 100;
}

static bool programs_fits (const programs_t *self, size_t need, const option_t *option)
{
    const snapshot_t *snapshot = self->order.snapshot;
    const site_class_t *place = &snapshot->places [option->place];
    const source_t *site = &snapshot->sources [place->source];
    int64_t begin_ms = user_request_offset_least (self->request);
    if (site->left_out ||
        self->start_ms + begin_ms < self->order.search->soonest_ms + site->lead_ms)
        return false;
    int64_t from_ms = self->start_ms + self->request->compute [need].offset_ms;
    int64_t until_ms = from_ms + need_duration (self->request, need);
    if (place->free_profile.windows_count == 0)
        until_ms += site->gap_ms; /* sites asked about windows add the gap themselves */
    return usable_share (self, free_profile_least (&place->free_profile, from_ms, until_ms)) >=
           option->nodes;
}

/*  Less than a unit of weight: the least used place first, then by lot; then the least time that
 *  data needs ahead. */
static int64_t programs_tie_of (programs_t *self, const site_class_t *place, int64_t ahead_ms)
{
    int64_t tie = 0;
    if (self->order.even) {
        int64_t level =
          free_profile_utilisation (&place->free_profile, place->nodes) * TIES_LEVEL / 1000001;
        tie = level * TIES_LOTS + (int64_t) prng_below (self->prng, TIES_LOTS);
    }
    if (self->ahead_ms > 0)
        tie = tie * TIES_AHEAD + ahead_ms * (TIES_AHEAD - 1) / self->ahead_ms;
    return tie;
}

/*  --- data --- */

static beside_t beside_of (const programs_t *self, const window_plan_t *plan, size_t link)
{
    return (beside_t){.snapshot = self->order.snapshot,
                      .views = self->views,
                      .costs = self->order.costs,
                      .visible = self->order.visible,
                      .plan = plan,
                      .link = link};
}

/*  Puts the data and space of a need where it would be. False when there is no room for them; else
 *  what circuits cost, in the unit of links, and how long before the need they begin. */
static bool place_data (programs_t *self, size_t need, size_t place, window_plan_t *plan,
                        double *cost, int64_t *ahead_ms)
{
    const snapshot_t *snapshot = self->order.snapshot;
    storage_question_t question = {.snapshot = snapshot,
                                   .search = self->order.search,
                                   .visible = self->order.visible,
                                   .start_ms = self->start_ms};
    circuits_question_t circuits = {.beside = beside_of (self, plan, SIZE_MAX),
                                    .steps_max = self->order.search->steps_max,
                                    .need = need,
                                    .place = place};
    if (!storage_fit (&question, need, snapshot->places [place].site, plan->choice, ahead_ms) ||
        !circuits_find (&circuits, plan, &self->kept, cost))
        return false;
    *cost /= self->hours;
    return true;
}

/*  The same as if nothing else had been placed. */
static bool look_at_data (programs_t *self, size_t need, size_t place, double *cost,
                          int64_t *ahead_ms)
{
    memset (self->looked.paths, 0, self->request->network_count * sizeof *self->looked.paths);
    return place_data (self, need, place, &self->looked, cost, ahead_ms);
}

/*  Offers the need wherever it has room, at the cost of the cheapest class of a site. False when it
 *  has room nowhere. */
static bool programs_offer (programs_t *self, size_t need)
{
    const snapshot_t *snapshot = self->order.snapshot;
    size_t nodes = self->program.nodes_count;
    int64_t *offers = &self->offers [need * nodes];
    bool any = false;
    for (size_t i = 0; i < nodes; i++)
        offers [i] = PROGRAM_BARRED;
    for (size_t i = 0; i < snapshot->needs [need].options_count; i++) {
        const option_t *option = &snapshot->needs [need].options [i];
        const site_class_t *place = &snapshot->places [option->place];
        double circuits;
        int64_t ahead_ms;
        if (!programs_fits (self, need, option) ||
            !look_at_data (self, need, option->place, &circuits, &ahead_ms))
            continue;
        uint32_t node = self->source_node [place->source];
        double weight = cost_of_option (self, need, option) + circuits;
        int64_t cost = (int64_t) (weight * self->scale + 0.5) * self->ties +
                       programs_tie_of (self, place, ahead_ms);
        if (offers [node] != PROGRAM_BARRED && offers [node] <= cost)
            continue;
        offers [node] = cost;
        self->choices [need * nodes + node] = i;
        any = true;
    }
    return any;
}

/*  The bandwidth of each edge for all links that may use it: what it has for the link that sees
 *  least of it. */
static void fill_edges (programs_t *self)
{
    size_t edges = self->program.edges_count;
    for (size_t e = 0; e < edges; e++) {
        int64_t least = INT64_MAX;
        for (size_t l = 0; l < self->program.links_count; l++) {
            int64_t room = usable_share (self, self->views [l].room [self->edge_links [e]]);
            bool barred = room < self->links [l].bandwidth;
            self->barred [l * edges + e] = barred;
            if (!barred && room < least)
                least = room;
        }
        least = least < PROGRAM_AMOUNT_MAX ? least : PROGRAM_AMOUNT_MAX;
        self->edges [e].bandwidth = least;
    }
}

static int64_t latency_of (const programs_t *self, size_t edge)
{
    /* The second half of a parallel link counts nothing: it is the same link. */
    bool half = edge > 0 && self->edge_links [edge] == self->edge_links [edge - 1];
    return half
             ? 0
             : graph_link (self->order.snapshot->graph, self->edge_links [edge])->link->latency_us;
}

/*  The least latency from any node where the need may be to each node. */
static void programs_spread (const programs_t *self, size_t link, size_t need, int64_t *from_us)
{
    size_t nodes = self->program.nodes_count;
    size_t edges = self->program.edges_count;
    for (size_t i = 0; i < nodes; i++)
        from_us [i] = self->offers [need * nodes + i] == PROGRAM_BARRED ? FAR_US : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t e = 0; e < edges; e++) {
            const uint32_t *ends = self->edges [e].ends;
            int64_t latency_us = latency_of (self, e);
            for (int side = 0; side < 2 && !self->barred [link * edges + e]; side++) {
                int64_t over_us = from_us [ends [side]] + latency_us;
                if (over_us >= from_us [ends [1 - side]])
                    continue;
                from_us [ends [1 - side]] = over_us;
                changed = true;
            }
        }
    }
}

/*  Bars the link from edges that are on no path within its latency limit. */
static void bar_far (programs_t *self, size_t link)
{
    int64_t most_us = self->request->network [link].latency_us_max;
    size_t edges = self->program.edges_count;
    if (most_us == 0)
        return;
    programs_spread (self, link, self->links [link].ends [0], self->from_us);
    programs_spread (self, link, self->links [link].ends [1], self->to_us);
    for (size_t e = 0; e < edges; e++) {
        const uint32_t *ends = self->edges [e].ends;
        int64_t latency_us = latency_of (self, e);
        int64_t there_us = self->from_us [ends [0]] + latency_us + self->to_us [ends [1]];
        int64_t back_us = self->from_us [ends [1]] + latency_us + self->to_us [ends [0]];
        if (there_us > most_us && back_us > most_us)
            self->barred [link * edges + e] = 1;
    }
}

const program_t *programs_at (programs_t *self, int64_t start_ms)
{
    self->start_ms = self->looked.start_ms = start_ms;
    for (size_t l = 0; l < self->request->network_count; l++)
        link_view_at (&self->views [l], start_ms);
    for (size_t i = 0; i < self->needs; i++)
        if (!programs_offer (self, i))
            return NULL;
    fill_edges (self);
    for (size_t l = 0; l < self->program.links_count; l++)
        bar_far (self, l);
    return &self->program;
}

const program_t *programs_again (programs_t *self, int64_t start_ms, prng_t drawn)
{
    prng_t *prng = self->prng;
    self->prng = &drawn;
    const program_t *program = programs_at (self, start_ms);
    self->prng = prng;
    return program;
}

/*  --- a plan --- */

/*  False when the path would have too many links. */
static bool programs_read_path (const programs_t *self, const program_plan_t *plan, size_t link,
                                path_t *path)
{
    const graph_t *graph = self->order.snapshot->graph;
    const uint32_t *nodes = &plan->paths [link * self->program.nodes_count];
    *path = (path_t){.from = self->node_vertex [nodes [0]], .mbps = INT64_MAX};
    for (uint32_t i = 0; i + 1 < plan->path_lengths [link]; i++) {
        size_t edge = program_edge (&self->program, nodes [i], nodes [i + 1]);
        assert (edge < self->program.edges_count); /* a checked plan goes along edges */
        size_t at = self->edge_links [edge];
        if (path->links_count > 0 && path->links [path->links_count - 1] == at)
            continue; /* its second half */
        if (path->links_count == PATH_HOPS_MAX)
            return false;
        int64_t room = self->views [link].room [at];
        path->links [path->links_count++] = at;
        path->latency_us += graph_link (graph, at)->link->latency_us;
        path->mbps = room < path->mbps ? room : path->mbps;
    }
    return true;
}

/*  Finds another path between the same ends, beside all other paths. */
static bool mend_latency (const programs_t *self, window_plan_t *candidate, size_t link)
{
    path_t *path = &candidate->paths [link];
    const graph_t *graph = self->order.snapshot->graph;
    size_t vertices [PATH_HOPS_MAX + 1];
    size_t count = path_vertices (graph, path, vertices);
    beside_t beside = beside_of (self, candidate, link);
    path_question_t question = beside_question (&beside, vertices [0], vertices [count - 1]);
    uint64_t steps = self->order.search->steps_max;
    path_t found;
    if (path_find (graph, &question, &found, &steps) != PATH_FOUND)
        return false;
    *path = found;
    return true;
}

static int64_t price_of (const programs_t *self, const window_plan_t *candidate)
{
    const snapshot_t *snapshot = self->order.snapshot;
    int64_t price = 0;
    for (size_t i = 0; i < self->request->compute_count; i++)
        price += snapshot_cost (snapshot, i, &snapshot->needs [i].options [candidate->choice [i]]);
    for (size_t i = 0; i < self->request->network_count; i++)
        price += snapshot_path_cost (snapshot, i, &candidate->paths [i]);
    return price;
}

bool programs_read (programs_t *self, const program_plan_t *plan, window_plan_t *candidate,
                    char why [WHY_BYTES])
{
    size_t links = self->program.links_count;
    *candidate = window_plan_new (self);
    candidate->weight = plan->cost / self->ties;
    for (size_t i = 0; i < self->needs; i++)
        candidate->choice [i] = self->choices [i * self->program.nodes_count + plan->nodes [i]];
    for (size_t l = 0; l < links; l++)
        if (!programs_read_path (self, plan, l, &candidate->paths [l])) {
            snprintf (why, WHY_BYTES, "a path would have more than %d links", PATH_HOPS_MAX);
            candidate_clear (candidate);
            return false;
        }
    for (size_t l = 0; l < links; l++) {
        const network_need_t *need = &self->request->network [l];
        if (need->latency_us_max == 0 || candidate->paths [l].latency_us <= need->latency_us_max ||
            mend_latency (self, candidate, l))
            continue;
        snprintf (why, WHY_BYTES,
                  "%.48s: no path within its latency limit fits beside the others, and integer "
                  "programs can't bound latency",
                  need->id);
        candidate_clear (candidate);
        return false;
    }
    for (size_t i = 0; i < self->needs; i++) {
        const option_t *option = &self->order.snapshot->needs [i].options [candidate->choice [i]];
        double cost;
        int64_t ahead_ms;
        if (place_data (self, i, option->place, candidate, &cost, &ahead_ms))
            continue;
        snprintf (why, WHY_BYTES, "%.48s: the circuits for its files don't fit beside the others",
                  self->request->compute [i].id);
        candidate_clear (candidate);
        return false;
    }
    candidate->price = price_of (self, candidate);
    return true;
}
