/*  routes_build - makes the parts of the routes that are the same at every start. */
#include "routes_state.h"

#include "must.h"
#include "participant_ref.h"

#include <assert.h>
#include <stdlib.h>

static_assert (NETWORK_NEEDS_MAX <= FREE_PROFILE_OTHERS_MAX, "all others fit into a question");
static_assert (NEEDS_MAX <= 64, "a set of compute needs fits into 64 bits");

static void find_vertices (routes_t *self)
{
    const snapshot_t *snapshot = self->snapshot;
    size_t count = 0, room = 0;
    self->vertices_from = must (calloc (snapshot->places_count + 1, sizeof (size_t)));
    for (size_t p = 0; p < snapshot->places_count; p++) {
        size_t source = snapshot->places [p].source;
        const char *site = participant_ref_short_name (snapshot->sources [source].party.name);
        size_t vertices = self->graph ? graph_site_count (self->graph, site) : 0;
        for (size_t v = 0; v < vertices; v++) {
            self->vertices = must_grow (self->vertices, count, &room, sizeof (size_t));
            self->vertices [count++] = graph_site (self->graph, site, v);
        }
        self->vertices_from [p + 1] = count;
    }
}

/*  Does the policy want the cheapest plan, at one start or over all? */
static bool is_priced (const search_order_t *order)
{
    return order->policy == POLICY_TIME || order->policy == POLICY_COST;
}

static void make_view (routes_t *self, const search_order_t *order, size_t need)
{
    link_view_t *view = &self->views [self->views_count];
    link_view_init (view, self->snapshot, order, need, is_priced (order));
    for (size_t i = 0; i < self->views_count; i++) {
        if (!link_view_same (&self->views [i], view))
            continue;
        link_view_clear (view);
        self->connections [need].view = i;
        return;
    }
    self->connections [need].view = self->views_count++;
}

static bool *routes_build_mark_ends (const routes_t *self, size_t compute_need)
{
    bool *marks = must (calloc (graph_vertices (self->graph) + 1, sizeof *marks));
    const need_options_t *options = &self->snapshot->needs [compute_need];
    for (size_t i = 0; i < options->options_count; i++)
        for (size_t v = 0; v < routes_vertices (self, options->options [i].place); v++)
            marks [routes_vertex (self, options->options [i].place, v)] = true;
    return marks;
}

/*  A lower bound of what the need's path weighs, wherever its ends are. */
static int64_t least_of (const routes_t *self, const routed_need_t *connection)
{
    const link_view_t *view = &self->views [connection->view];
    if (!view->costly || !connection->apart || !self->snapshot->request->distinct_sites)
        return 0;
    bool *from = routes_build_mark_ends (self, connection->ends [0]);
    bool *to = routes_build_mark_ends (self, connection->ends [1]);
    int64_t cost = link_view_least_between (view, from, to);
    free (from);
    free (to);
    return cost;
}

static bool same_places (const routes_t *self, size_t a, size_t b)
{
    const need_options_t *one = &self->snapshot->needs [a], *other = &self->snapshot->needs [b];
    if (one->options_count != other->options_count)
        return false;
    for (size_t i = 0; i < one->options_count; i++)
        if (one->options [i].place != other->options [i].place)
            return false;
    return true;
}

/*  Needs that see the same links between the same places find the same paths. */
static void make_alone (routes_t *self, routed_need_t *connection)
{
    for (routed_need_t *other = self->connections; other < connection; other++) {
        if (other->view != connection->view || other->present.set || connection->present.set ||
            !same_places (self, other->ends [0], connection->ends [0]) ||
            !same_places (self, other->ends [1], connection->ends [1]))
            continue;
        connection->alone = other->alone;
        connection->shares = true;
        return;
    }
    size_t pairs = self->snapshot->needs [connection->ends [0]].options_count *
                   self->snapshot->needs [connection->ends [1]].options_count;
    connection->alone = must (calloc (pairs + 1, sizeof *connection->alone));
}

static bool find_apart (const routes_t *self, const routed_need_t *connection)
{
    bool file = self->snapshot->request->compute [connection->ends [0]].derived.kind != DERIVED_NOT;
    if (self->snapshot->request->distinct_sites && !file)
        return true;
    const site_class_t *places = self->snapshot->places;
    const need_options_t *one = &self->snapshot->needs [connection->ends [0]];
    const need_options_t *other = &self->snapshot->needs [connection->ends [1]];
    for (size_t a = 0; a < one->options_count; a++)
        for (size_t b = 0; b < other->options_count; b++)
            if (places [one->options [a].place].site == places [other->options [b].place].site)
                return false;
    return true;
}

static void make_connection (routes_t *self, const search_order_t *order, size_t need)
{
    routed_need_t *connection = &self->connections [need];
    for (int end = 0; end < 2; end++)
        connection->ends [end] = network_need_end (self->snapshot->request, need, end);
    if (order->present_paths)
        connection->present = order->present_paths [need];
    make_view (self, order, need);
    make_alone (self, connection);
    connection->apart = find_apart (self, connection);
    connection->least = least_of (self, connection);
}

routes_t *routes_new (const snapshot_t *snapshot, const search_order_t *order)
{
    routes_t *self = must (calloc (1, sizeof *self));
    size_t needs = snapshot->request->network_count;
    self->snapshot = snapshot;
    self->graph = snapshot->graph;
    self->order = user_request_path_order (snapshot->request);
    if (self->order != PATH_FIXED)
        self->order = is_priced (order) ? PATH_CHEAP : PATH_FREE;
    self->path_steps_max = search_steps (snapshot, order, PATH_STEPS_A_LINK, PATH_STEPS_LEAST);
    self->views = must (calloc (needs, sizeof *self->views));
    self->connections = must (calloc (needs, sizeof *self->connections));
    self->connections_count = needs;
    self->uses_of = must (calloc (snapshot->links_count + 1, sizeof *self->uses_of));
    self->uses = must (calloc (needs * PATH_HOPS_MAX + 1, sizeof *self->uses));
    self->kept = must (calloc (needs + 1, sizeof *self->kept));
    self->barred = must (calloc (snapshot->links_count + 1, sizeof *self->barred));
    find_vertices (self);
    for (size_t i = 0; i < needs; i++)
        make_connection (self, order, i);
    for (size_t i = 0; i < needs; i++)
        self->any_present = self->any_present || self->connections [i].present.set;
    return self;
}

void routes_destroy (routes_t **self_p)
{
    routes_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->connections_count; i++) {
        free (self->connections [i].spaces);
        if (!self->connections [i].shares)
            free (self->connections [i].alone);
    }
    for (size_t i = 0; i < self->views_count; i++)
        link_view_clear (&self->views [i]);
    free (self->views);
    free (self->connections);
    path_finder_destroy (&self->seeker);
    free (self->barred);
    free (self->kept);
    free (self->vertices_from);
    free (self->vertices);
    free (self->uses_of);
    free (self->uses);
    free (self->alone_links);
    free (self);
    *self_p = NULL;
}

int64_t routes_least (const routes_t *self, size_t need)
{
    return self->connections [need].least;
}

uint64_t routes_joined (const routes_t *self, size_t compute_need)
{
    uint64_t others = 0;
    for (size_t i = 0; i < self->connections_count; i++)
        for (int end = 0; end < 2; end++)
            if (self->connections [i].ends [end] == compute_need)
                others |= UINT64_C (1) << self->connections [i].ends [!end];
    return others;
}

/*  Counts the connections like this one that the compute need has to the other end of this one.
 *  Where paths are fixed, the way back counts as different. */
static size_t count_like (const routes_t *self, const routed_need_t *like, int end, size_t need)
{
    size_t count = 0;
    for (size_t i = 0; i < self->connections_count; i++) {
        const routed_need_t *connection = &self->connections [i];
        const size_t *ends = connection->ends;
        bool along = ends [end] == need && ends [!end] == like->ends [!end];
        bool back = ends [!end] == need && ends [end] == like->ends [!end];
        count += connection->view == like->view && (along || (back && self->order != PATH_FIXED));
    }
    return count;
}

/*  Has b every connection that a has? */
static bool has_all (const routes_t *self, size_t a, size_t b)
{
    for (size_t i = 0; i < self->connections_count; i++) {
        const routed_need_t *connection = &self->connections [i];
        for (int end = 0; end < 2; end++) {
            if (connection->ends [end] != a)
                continue;
            if (connection->ends [!end] == b && self->order == PATH_FIXED)
                return false;
            if (connection->ends [!end] != b &&
                count_like (self, connection, end, a) != count_like (self, connection, end, b))
                return false;
        }
    }
    return true;
}

bool routes_alike (const routes_t *self, size_t a, size_t b)
{
    return !self->any_present && has_all (self, a, b) && has_all (self, b, a);
}
