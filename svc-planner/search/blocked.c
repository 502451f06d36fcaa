/*  blocked - searches for one connection with its two ends only, and explains why there is none.
 *
 *  The explanation is about the earliest start at which both ends have places: the two places
 *  between which the most bandwidth is free, and the link that is too narrow there.
 */
#include "blocked.h"

#include "link_view.h"
#include "must.h"
#include "participant_ref.h"
#include "stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/*  Steps of the search for one connection; never more than the whole search has. */
#define ALONE_STEPS_LEAST  200000
#define ALONE_STEPS_A_LINK 256
#define ALONE_SLICE_STEPS  200000
#define PAIRS_LOOKED_MAX   16 /* with a latency limit: pairs of places that are looked at */

/*  The request cut down to one network need and its ends, over the same places and links. */
typedef struct {
    user_request_t request;
    compute_need_t ends [2];
    network_need_t network;
    need_options_t options [2];
    present_t present [2];
    present_path_t present_path;
    snapshot_t snapshot;
    search_order_t order;
} part_t;

static void blocked_cut (part_t *self, const snapshot_t *snapshot, const search_order_t *order,
                         size_t need)
{
    const user_request_t *whole = snapshot->request;
    *self = (part_t){.request = *whole, .snapshot = *snapshot, .order = *order};
    self->request.compute = self->ends;
    self->request.compute_count = 2;
    self->request.network = &self->network;
    self->request.network_count = 1;
    self->network = whole->network [need];
    self->snapshot.request = &self->request;
    self->snapshot.needs = self->options;
    for (int end = 0; end < 2; end++) {
        size_t compute = network_need_end (whole, need, end);
        self->ends [end] = whole->compute [compute];
        self->ends [end].derived.at = !end; /* of a file's source: the site that it goes to */
        self->options [end] = snapshot->needs [compute];
        if (order->present)
            self->present [end] = order->present [compute];
    }
    if (order->present_paths)
        self->present_path = order->present_paths [need];
    self->order.policy = POLICY_TIME;
    self->order.spread = false; /* lots do not decide whether it can be had */
    self->order.steps_max = search_steps (snapshot, order, ALONE_STEPS_A_LINK, ALONE_STEPS_LEAST);
    self->order.present = order->present ? self->present : NULL;
    self->order.present_paths = order->present_paths ? &self->present_path : NULL;
    /*  Leads count from the first need of the whole request. */
    self->order.soonest_ms +=
      user_request_offset_least (&self->request) - user_request_offset_least (whole);
}

static search_state_t blocked_find (part_t *self, int64_t *start_ms)
{
    search_t *search = search_new (&self->snapshot, &self->order);
    search_state_t state = SEARCH_MORE;
    while (state == SEARCH_MORE)
        state = search_run (search, ALONE_SLICE_STEPS);
    if (state == SEARCH_FOUND)
        *start_ms = search_choice (search).start_ms;
    search_destroy (&search);
    return state;
}

/*  --- which two places come nearest to it --- */

/*  A vertex of a place that has room for an end at the start. */
typedef struct {
    size_t vertex;
    size_t source;
} end_vertex_t;

static bool blocked_stands (const part_t *self, int end, const option_t *option, int64_t start_ms)
{
    const site_class_t *place = &self->snapshot.places [option->place];
    const source_t *source = &self->snapshot.sources [place->source];
    int64_t from_ms = start_ms + compute_latest (&self->request, (size_t) end);
    int64_t until_ms = start_ms + self->ends [end].offset_ms +
                       need_duration (&self->request, (size_t) end) +
                       (place->free_profile.windows_count > 0 ? 0 : source->gap_ms);
    if (from_ms < self->order.check_from_ms)
        from_ms = self->order.check_from_ms;
    return !source->left_out &&
           (from_ms >= until_ms ||
            free_profile_least (&place->free_profile, from_ms, until_ms) >= option->nodes);
}

static end_vertex_t *find_stands (const part_t *self, int end, int64_t start_ms, size_t *count)
{
    const need_options_t *options = &self->options [end];
    end_vertex_t *list = NULL;
    *count = 0;
    for (size_t i = 0; i < options->options_count; i++) {
        if (!blocked_stands (self, end, &options->options [i], start_ms))
            continue;
        size_t source = self->snapshot.places [options->options [i].place].source;
        const char *site = participant_ref_short_name (self->snapshot.sources [source].party.name);
        size_t vertices = graph_site_count (self->snapshot.graph, site);
        list = must (realloc (list, (*count + vertices + 1) * sizeof *list));
        for (size_t v = 0; v < vertices; v++)
            list [(*count)++] = (end_vertex_t){.vertex = graph_site (self->snapshot.graph, site, v),
                                               .source = source};
    }
    return list;
}

/*  Groups for link_group: each vertex by itself. */
static size_t *groups_new (size_t vertices)
{
    size_t *groups = must (calloc (vertices + 1, sizeof *groups));
    for (size_t v = 0; v < vertices; v++)
        groups [v] = v;
    return groups;
}

/*  What each link has free for the connection while it carries. Links that nobody was asked about,
 *  because they are too narrow or lead nowhere, count with their whole capacity; negative: the link
 *  may not be used. */
typedef struct {
    int64_t start_ms;
    int64_t from_ms;
    int64_t until_ms;
    int64_t *mbps;        /* by link */
    const source_t *late; /* the slowest domain for which the start is too near, or NULL */
} rooms_t;

/*  A link that the connection keeps needs no lead. */
static bool keeps_link (const part_t *self, size_t link)
{
    const present_path_t *present = self->order.present_paths;
    for (size_t i = 0; present && present->set && i < present->links_count; i++)
        if (present->links [i] == link)
            return true;
    return false;
}

static bool blocked_too_near (const part_t *self, const source_t *source, size_t link,
                              int64_t start_ms)
{
    int64_t opens_ms = self->order.soonest_ms + source->lead_ms;
    return start_ms + user_request_offset_least (&self->request) < opens_ms &&
           !keeps_link (self, link);
}

static int64_t blocked_room_of (const part_t *self, rooms_t *rooms, size_t link)
{
    const snapshot_link_t *known = &self->snapshot.links [link];
    const source_t *source = &self->snapshot.sources [known->source];
    const link_t *described = graph_link (self->snapshot.graph, link)->link;
    if (source->left_out ||
        !link_meets (described, self->network.require, self->network.require_count))
        return -1;
    if (blocked_too_near (self, source, link, rooms->start_ms)) {
        if (!rooms->late || source->lead_ms > rooms->late->lead_ms)
            rooms->late = source;
        return -1;
    }
    if (!known->useful || described->mbps < self->network.mbps || rooms->from_ms >= rooms->until_ms)
        return described->mbps;
    int64_t mbps = free_profile_least (&known->free_profile, rooms->from_ms, rooms->until_ms);
    return mbps > 0 ? mbps : 0;
}

static void find_rooms (const part_t *self, int64_t start_ms, rooms_t *rooms)
{
    *rooms = (rooms_t){.start_ms = start_ms};
    network_need_interval (&self->request, 0, &rooms->from_ms, &rooms->until_ms);
    rooms->from_ms = network_latest (&self->request, 0) + start_ms;
    rooms->until_ms += start_ms;
    if (rooms->from_ms < self->order.check_from_ms)
        rooms->from_ms = self->order.check_from_ms;
    size_t links = self->snapshot.links_count;
    rooms->mbps = must (calloc (links + 1, sizeof *rooms->mbps));
    for (size_t i = 0; i < links; i++)
        rooms->mbps [i] = blocked_room_of (self, rooms, i);
}

static int compare_rooms (const void *a, const void *b, void *rooms)
{
    size_t one = *(const size_t *) a, other = *(const size_t *) b;
    const int64_t *mbps = ((const rooms_t *) rooms)->mbps;
    if (mbps [one] != mbps [other])
        return mbps [one] > mbps [other] ? -1 : 1;
    return (one > other) - (one < other);
}

/*  Links that may be used, widest first; the caller frees them. */
static size_t *sort_by_room (rooms_t *rooms, size_t links, size_t *count)
{
    size_t *sorted = must (calloc (links + 1, sizeof *sorted));
    *count = 0;
    for (size_t i = 0; i < links; i++)
        if (rooms->mbps [i] >= 0)
            sorted [(*count)++] = i;
    qsort_r (sorted, *count, sizeof *sorted, compare_rooms, rooms);
    return sorted;
}

typedef struct {
    end_vertex_t *stands [2];
    size_t counts [2];
} stands_t;

/*  Finds two stands at different sites whose vertices are in one group; false when there are
 *  none. */
static bool pair_joined (const stands_t *self, size_t *groups, size_t pair [2])
{
    for (size_t a = 0; a < self->counts [0]; a++)
        for (size_t b = 0; b < self->counts [1]; b++) {
            const end_vertex_t *one = &self->stands [0][a], *other = &self->stands [1][b];
            if (one->source == other->source ||
                link_group (groups, one->vertex) != link_group (groups, other->vertex))
                continue;
            pair [0] = one->vertex;
            pair [1] = other->vertex;
            return true;
        }
    return false;
}

/*  The pair with the widest path between them: links are joined, widest first, until two places are
 *  connected. */
static bool widest_pair (const part_t *self, rooms_t *rooms, const stands_t *stands,
                         size_t pair [2])
{
    const graph_t *graph = self->snapshot.graph;
    size_t links;
    size_t *sorted = sort_by_room (rooms, self->snapshot.links_count, &links);
    size_t *groups = groups_new (graph_vertices (graph));
    bool found = false;
    for (size_t i = 0; i < links && !found; i++) {
        const size_t *ends = graph_link (graph, sorted [i])->ends;
        size_t a = link_group (groups, ends [0]), b = link_group (groups, ends [1]);
        groups [a] = b;
        found = a != b && pair_joined (stands, groups, pair);
    }
    free (groups);
    free (sorted);
    return found;
}

static void blocked_join (const part_t *self, size_t *groups, size_t link)
{
    const size_t *ends = graph_link (self->snapshot.graph, link)->ends;
    groups [link_group (groups, ends [0])] = link_group (groups, ends [1]);
}

/*  The left-out domain without which no two places are connected; NULL when some are connected, or
 *  no single domain would connect them. */
static const source_t *find_missing (const part_t *self, const rooms_t *rooms,
                                     const stands_t *stands)
{
    const snapshot_t *snapshot = &self->snapshot;
    size_t *groups = groups_new (graph_vertices (snapshot->graph));
    size_t pair [2];
    for (size_t i = 0; i < snapshot->links_count; i++)
        if (rooms->mbps [i] >= 0)
            blocked_join (self, groups, i);
    size_t missing = SIZE_MAX;
    bool joined = pair_joined (stands, groups, pair);
    for (size_t i = 0; i < snapshot->links_count && !joined && missing == SIZE_MAX; i++) {
        size_t source = snapshot->links [i].source;
        const link_t *link = graph_link (snapshot->graph, i)->link;
        if (snapshot->sources [source].left_out &&
            link_meets (link, self->network.require, self->network.require_count))
            blocked_join (self, groups, i);
        bool last = i + 1 == snapshot->links_count || snapshot->links [i + 1].source != source;
        if (last && pair_joined (stands, groups, pair))
            missing = source;
    }
    free (groups);
    return missing == SIZE_MAX ? NULL : &snapshot->sources [missing];
}

/*  --- the explanation --- */

static int64_t room_at (void *owner, size_t link)
{
    return ((const rooms_t *) owner)->mbps [link];
}

static void explain_pair (const part_t *self, rooms_t *rooms, const size_t pair [2],
                          blocked_t *blocked)
{
    path_question_t question = {
      .from = pair [0],
      .to = pair [1],
      .order = user_request_path_order (&self->request),
      .latency_us_max = self->network.latency_us_max,
      .mbps = self->network.mbps,
      .free = room_at,
      .owner = rooms,
    };
    path_explain (self->snapshot.graph, &question, &blocked->link, blocked->why);
    if (blocked->link == SIZE_MAX)
        return;
    blocked->free = rooms->mbps [blocked->link];
    const graph_link_t *link = graph_link (self->snapshot.graph, blocked->link);
    if (link->link->mbps < self->network.mbps)
        snprintf (blocked->why, sizeof blocked->why, "%s/%s carries no more than %u Mbit/s",
                  link->domain, link->link->name, link->link->mbps);
}

/*  Looks at some pairs, and explains the one whose narrowest link has the most room. */
static void explain_best_pair (const part_t *self, rooms_t *rooms, const stands_t *stands,
                               blocked_t *blocked)
{
    size_t looked = 0;
    for (size_t a = 0; a < stands->counts [0]; a++)
        for (size_t b = 0; b < stands->counts [1] && looked < PAIRS_LOOKED_MAX; b++) {
            const end_vertex_t *one = &stands->stands [0][a], *other = &stands->stands [1][b];
            if (one->source == other->source)
                continue;
            blocked_t here = *blocked;
            explain_pair (self, rooms, (size_t [2]){one->vertex, other->vertex}, &here);
            if (looked++ == 0 || here.free > blocked->free)
                *blocked = here;
        }
}

static void blocked_explain (part_t *self, int64_t start_ms, blocked_t *blocked)
{
    stands_t stands;
    for (int end = 0; end < 2; end++)
        stands.stands [end] = find_stands (self, end, start_ms, &stands.counts [end]);
    rooms_t rooms;
    find_rooms (self, start_ms, &rooms);
    blocked->from_ms = rooms.from_ms;
    blocked->until_ms = rooms.until_ms;
    size_t pair [2];
    if (stands.counts [0] == 0 || stands.counts [1] == 0)
        snprintf (blocked->why, sizeof blocked->why,
                  "no known network domain reaches the sites that have room for %s",
                  self->ends [stands.counts [0] > 0].id);
    else if (self->network.latency_us_max == 0 && widest_pair (self, &rooms, &stands, pair))
        explain_pair (self, &rooms, pair, blocked);
    else
        explain_best_pair (self, &rooms, &stands, blocked);
    bool path_lacks = blocked->link == SIZE_MAX && stands.counts [0] > 0 && stands.counts [1] > 0;
    const source_t *missing = path_lacks ? find_missing (self, &rooms, &stands) : NULL;
    if (missing)
        snprintf (blocked->why, sizeof blocked->why,
                  "every path needs network domain %s, which is left out: %.120s",
                  participant_ref_short_name (missing->party.name), missing->why);
    else if (rooms.late && blocked->link == SIZE_MAX)
        snprintf (blocked->why, sizeof blocked->why,
                  "the start is too near: network domain %s must be told %" PRId64 " s ahead",
                  participant_ref_short_name (rooms.late->party.name), rooms.late->lead_ms / 1000);
    free (rooms.mbps);
    free (stands.stands [0]);
    free (stands.stands [1]);
}

bool search_connection_alone (const search_t *self, size_t network_need, blocked_t *blocked)
{
    const snapshot_t *snapshot = search_snapshot (self);
    const search_order_t *order = search_order (self);
    part_t part;
    blocked_cut (&part, snapshot, order, network_need);
    int64_t start_ms = 0;
    search_state_t state = blocked_find (&part, &start_ms);
    if (state == SEARCH_FOUND)
        return true;
    *blocked = (blocked_t){
      .link = SIZE_MAX, .from_ms = order->starts.earliest_ms, .until_ms = order->starts.latest_ms};
    if (state == SEARCH_UNKNOWN) {
        snprintf (blocked->why, sizeof blocked->why,
                  "no path was found in %" PRIu64 " steps, but there may be one",
                  part.order.steps_max);
        return false;
    }
    part.request.network_count = 0;
    state = blocked_find (&part, &start_ms);
    part.request.network_count = 1;
    if (state != SEARCH_FOUND)
        snprintf (blocked->why, sizeof blocked->why,
                  "there is no start at which both of its ends have room");
    else if (!snapshot->graph)
        snprintf (blocked->why, sizeof blocked->why, "no network domain is known");
    else
        blocked_explain (&part, start_ms, blocked);
    return false;
}
