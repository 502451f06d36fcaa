/*  link_view - which links a need may use, what they cost, and what they connect. */
#include "link_view.h"

#include "must.h"
#include "stages.h"
#include "weights.h"

#include <stdlib.h>
#include <string.h>

#define COSTS_MAX 64 /* vertices from which all costs are worked out */
#define COST_NONE (INT64_C (1) << 60)

/*  The first start for which the link's domain has notice enough; INT64_MAX: the need may never use
 *  the link. A link that the need keeps needs no lead. */
static int64_t opens_for_need (const snapshot_t *snapshot, const search_order_t *order,
                               size_t network_need, size_t link)
{
    const source_t *source = &snapshot->sources [snapshot->links [link].source];
    if (source->left_out || !snapshot->links [link].useful ||
        !snapshot_link_meets (snapshot, network_need, link))
        return INT64_MAX;
    const present_path_t *present =
      order->present_paths ? &order->present_paths [network_need] : NULL;
    bool fixed = order->starts.earliest_ms == order->starts.latest_ms;
    for (size_t i = 0; present && present->set && fixed && i < present->links_count; i++)
        if (present->links [i] == link)
            return INT64_MIN;
    int64_t begin_ms = fixed && order->present_paths
                         ? network_latest (snapshot->request, network_need)
                         : user_request_offset_least (snapshot->request);
    if (snapshot->request->network [network_need].data > 0) /* it begins before all else (T9) */
        return order->soonest_ms + snapshot_lead_ms (snapshot) -
               least (begin_ms, network_latest (snapshot->request, network_need));
    return order->soonest_ms + source->lead_ms - begin_ms;
}

static void find_nearest (link_view_t *self)
{
    const graph_t *graph = self->snapshot->graph;
    for (size_t v = 0; v < graph_vertices (graph); v++)
        self->nearest [v] = WEIGHT_MAX;
    for (size_t i = 0; i < self->snapshot->links_count; i++) {
        if (self->opens_ms [i] == INT64_MAX)
            continue;
        for (int end = 0; end < 2; end++) {
            int64_t *nearest = &self->nearest [graph_link (graph, i)->ends [end]];
            *nearest = least (*nearest, self->cost [i]);
        }
    }
}

void link_view_init (link_view_t *self, const snapshot_t *snapshot, const search_order_t *order,
                     size_t network_need, bool priced)
{
    const network_need_t *need = &snapshot->request->network [network_need];
    size_t links = snapshot->links_count;
    *self = (link_view_t){
      .snapshot = snapshot,
      .check_from_ms = order->check_from_ms,
      .mbps = need->mbps,
      .latency_us_max = need->latency_us_max,
      .opens_ms = must (calloc (links + 1, sizeof *self->opens_ms)),
      .cost = must (calloc (links + 1, sizeof *self->cost)),
      .step_at = must (calloc (links + 1, sizeof *self->step_at)),
      .room = must (calloc (links + 1, sizeof *self->room)),
    };
    if (snapshot->graph)
        self->groups = must (calloc (graph_vertices (snapshot->graph) + 1, sizeof *self->groups));
    network_need_interval (snapshot->request, network_need, &self->begin_ms, &self->end_ms);
    self->begin_ms = network_latest (snapshot->request, network_need);
    for (size_t i = 0; i < links; i++) {
        int64_t price = priced ? graph_link (snapshot->graph, i)->link->price : 0;
        self->opens_ms [i] = opens_for_need (snapshot, order, network_need, i);
        self->cost [i] =
          least (link_cost (price, need->mbps, self->end_ms - self->begin_ms), WEIGHT_MAX);
        self->costly = self->costly || self->cost [i] > 0;
    }
    if (!self->costly)
        return;
    self->nearest = must (calloc (graph_vertices (snapshot->graph) + 1, sizeof *self->nearest));
    find_nearest (self);
}

void link_view_clear (link_view_t *self)
{
    free (self->opens_ms);
    free (self->cost);
    free (self->nearest);
    free (self->step_at);
    free (self->room);
    free (self->groups);
    for (size_t v = 0; self->costs && v < graph_vertices (self->snapshot->graph); v++)
        free (self->costs [v]);
    free (self->costs);
    *self = (link_view_t){0};
}

bool link_view_same (const link_view_t *self, const link_view_t *other)
{
    return self->begin_ms == other->begin_ms && self->end_ms == other->end_ms &&
           self->mbps == other->mbps && self->latency_us_max == other->latency_us_max &&
           memcmp (self->opens_ms, other->opens_ms,
                   self->snapshot->links_count * sizeof *self->opens_ms) == 0;
}

/*  Once a connection is over only its path counts, not what is free. */
static int64_t link_view_room_of (const link_view_t *self, size_t link)
{
    if (self->opens_ms [link] > self->start_ms)
        return -1;
    return self->from_ms < self->until_ms
             ? free_profile_least (&self->snapshot->links [link].free_profile, self->from_ms,
                                   self->until_ms)
             : graph_link (self->snapshot->graph, link)->link->mbps;
}

void link_view_at (link_view_t *self, int64_t start_ms)
{
    if (self->looked && self->start_ms == start_ms)
        return;
    self->looked = true;
    self->grouped = false;
    self->start_ms = start_ms;
    self->from_ms = start_ms + self->begin_ms;
    if (self->from_ms < self->check_from_ms)
        self->from_ms = self->check_from_ms;
    self->until_ms = start_ms + self->end_ms;
    for (size_t i = 0; i < self->snapshot->links_count; i++)
        self->room [i] = link_view_room_of (self, i);
}

static void find_groups (link_view_t *self)
{
    const graph_t *graph = self->snapshot->graph;
    for (size_t v = 0; v < graph_vertices (graph); v++)
        self->groups [v] = v;
    for (size_t i = 0; i < self->snapshot->links_count; i++) {
        if (self->room [i] < self->mbps)
            continue;
        const size_t *ends = graph_link (graph, i)->ends;
        self->groups [link_group (self->groups, ends [0])] = link_group (self->groups, ends [1]);
    }
    self->grouped = true;
}

bool link_view_joins (link_view_t *self, size_t from, size_t to)
{
    if (!self->grouped)
        find_groups (self);
    return link_group (self->groups, from) == link_group (self->groups, to);
}

/*  Does this step bring room that was not there before? */
static bool makes_room (const link_view_t *self, const free_profile_t *free_profile, size_t step)
{
    int64_t free_mbps = free_profile->steps [step].free;
    return free_mbps >= self->mbps &&
           (step == 0 || free_mbps > free_profile->steps [step - 1].free);
}

static int64_t link_view_next_step (link_view_t *self, size_t link, int64_t after_ms)
{
    const free_profile_t *free_profile = &self->snapshot->links [link].free_profile;
    size_t at = self->step_at [link];
    while (at < free_profile->steps_count &&
           (free_profile->steps [at].from_ms - self->begin_ms <= after_ms ||
            !makes_room (self, free_profile, at)))
        at++;
    self->step_at [link] = at;
    return at < free_profile->steps_count ? free_profile->steps [at].from_ms - self->begin_ms
                                          : INT64_MAX;
}

static int64_t next_window (const link_view_t *self, size_t link, int64_t after_ms)
{
    const free_profile_t *free_profile = &self->snapshot->links [link].free_profile;
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < free_profile->windows_count; i++) {
        const window_t *window = &free_profile->windows [i];
        if (window->quantity >= self->mbps && window->from_ms - self->begin_ms > after_ms)
            next_ms = least (next_ms, window->from_ms - self->begin_ms);
    }
    return next_ms;
}

int64_t link_view_next_start (link_view_t *self, int64_t after_ms, uint64_t *steps)
{
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < self->snapshot->links_count; i++) {
        if (self->opens_ms [i] == INT64_MAX)
            continue;
        const free_profile_t *free_profile = &self->snapshot->links [i].free_profile;
        next_ms = least (next_ms, free_profile->windows_count > 0
                                    ? next_window (self, i, after_ms)
                                    : link_view_next_step (self, i, after_ms));
        if (self->opens_ms [i] > after_ms)
            next_ms = least (next_ms, self->opens_ms [i]);
        *steps += 1 + free_profile->windows_count;
    }
    return next_ms;
}

/*  Least costs from a vertex, by correcting labels until nothing changes. */
static int64_t *find_costs (const link_view_t *self, size_t from)
{
    const graph_t *graph = self->snapshot->graph;
    size_t vertices = graph_vertices (graph);
    int64_t *costs = must (malloc (vertices * sizeof *costs));
    size_t *queue = must (malloc (vertices * sizeof *queue));
    bool *queued = must (calloc (vertices, sizeof *queued));
    for (size_t v = 0; v < vertices; v++)
        costs [v] = COST_NONE;
    costs [from] = 0;
    queue [0] = from;
    for (size_t head = 0, count = 1; count > 0; head = (head + 1) % vertices, count--) {
        size_t vertex = queue [head], links;
        const size_t *at = graph_at (graph, vertex, &links);
        queued [vertex] = false;
        for (size_t i = 0; i < links; i++) {
            const size_t *ends = graph_link (graph, at [i])->ends;
            size_t next = ends [ends [0] == vertex];
            int64_t cost = costs [vertex] + self->cost [at [i]];
            if (self->opens_ms [at [i]] == INT64_MAX || cost >= costs [next])
                continue;
            costs [next] = cost;
            if (!queued [next])
                queue [(head + count++) % vertices] = next;
            queued [next] = true;
        }
    }
    free (queue);
    free (queued);
    return costs;
}

int64_t link_view_least_cost (link_view_t *self, size_t from, size_t to)
{
    if (from == to || !self->costly)
        return 0;
    if (!self->costs)
        self->costs = must (calloc (graph_vertices (self->snapshot->graph), sizeof *self->costs));
    if (!self->costs [from] && self->costs_count == COSTS_MAX)
        return least (self->nearest [from], self->nearest [to]);
    if (!self->costs [from]) {
        self->costs [from] = find_costs (self, from);
        self->costs_count++;
    }
    return least (self->costs [from][to], WEIGHT_MAX);
}

static int64_t nearest_of (const link_view_t *self, const bool *vertices)
{
    int64_t cost = WEIGHT_MAX;
    for (size_t v = 0; v < graph_vertices (self->snapshot->graph); v++)
        if (vertices [v])
            cost = least (cost, self->nearest [v]);
    return cost;
}

int64_t link_view_least_between (const link_view_t *self, const bool *from, const bool *to)
{
    if (!self->costly)
        return 0;
    int64_t cost = nearest_of (self, from) + nearest_of (self, to); /* of two links or more */
    for (size_t i = 0; i < self->snapshot->links_count; i++) {
        const size_t *ends = graph_link (self->snapshot->graph, i)->ends;
        bool joins = (from [ends [0]] && to [ends [1]]) || (from [ends [1]] && to [ends [0]]);
        if (joins && self->opens_ms [i] != INT64_MAX)
            cost = least (cost, self->cost [i]);
    }
    return least (cost, WEIGHT_MAX);
}
