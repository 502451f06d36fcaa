/*  routes - lays one route after the other.
 *
 *  Where the best path alone also fits beside the others, it is the best there. Only where it does
 *  not fit, or the needs after it can't be had with it, further paths are looked for one by one.
 */
#include "routes_state.h"

#include <assert.h>
#include <string.h>

void routes_start (routes_t *self, int64_t start_ms)
{
    for (size_t i = 0; i < self->connections_count; i++) {
        routed_need_t *connection = &self->connections [i];
        connection->open = connection->routed = false;
    }
    if (self->uses_count > 0)
        memset (self->uses_of, 0, self->snapshot->links_count * sizeof *self->uses_of);
    self->uses_count = 0;
    self->alone_links_count = 0;
    self->round++;
    self->unproven = false;
    for (size_t i = 0; i < self->views_count; i++)
        link_view_at (&self->views [i], start_ms);
}

int64_t routes_next_start (routes_t *self, int64_t after_ms, uint64_t *steps)
{
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < self->views_count; i++) {
        int64_t start_ms = link_view_next_start (&self->views [i], after_ms, steps);
        next_ms = start_ms < next_ms ? start_ms : next_ms;
    }
    return next_ms;
}

/*  --- room --- */

int64_t routes_room_beside (const routes_t *self, size_t need, size_t link)
{
    const link_view_t *view = routes_view (self, need);
    int64_t room = view->room [link];
    if (self->uses_of [link] == 0 || room < view->mbps)
        return room;
    window_t others [FREE_PROFILE_OTHERS_MAX];
    size_t count = 0;
    int64_t taken = 0;
    bool partly = false;
    for (size_t u = self->uses_of [link]; u != 0; u = self->uses [u - 1].next) {
        const link_view_t *other = routes_view (self, self->uses [u - 1].need);
        if (other->from_ms >= view->until_ms || other->until_ms <= view->from_ms)
            continue;
        others [count++] = (window_t){other->from_ms, other->until_ms, other->mbps};
        taken += other->mbps;
        partly = partly || other->from_ms > view->from_ms || other->until_ms < view->until_ms;
    }
    if (!partly)
        return room - taken;
    return free_profile_least_beside (&self->snapshot->links [link].free_profile, view->from_ms,
                                      view->until_ms, others, count);
}

static bool links_fit (const routes_t *self, size_t need, const size_t *links, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (routes_room_beside (self, need, links [i]) < routes_view (self, need)->mbps)
            return false;
    return true;
}

/*  Notes at each route which of its links it leaves too narrow for this need. */
static void note_hinderers (routes_t *self, size_t need, uint64_t *steps)
{
    const link_view_t *view = routes_view (self, need);
    routes_spend (steps, 1 + self->uses_count);
    for (size_t n = 0; n < self->connections_count; n++) {
        routed_need_t *other = &self->connections [n];
        for (size_t i = 0; other->routed && i < other->route.links_count; i++) {
            size_t link = other->route.links [i];
            if (view->room [link] >= view->mbps &&
                routes_room_beside (self, need, link) < (int64_t) view->mbps)
                other->hinders |= UINT64_C (1) << i;
        }
    }
}

/*  --- one route after the other --- */

static void routes_lay (routes_t *self, size_t need, size_t from, int64_t weight,
                        const size_t *links, size_t count)
{
    routed_need_t *connection = &self->connections [need];
    route_t *route = &connection->route;
    route->from = from;
    route->weight = weight;
    route->links_count = count;
    for (size_t i = 0; i < count; i++) {
        route->links [i] = links [i];
        self->uses [self->uses_count] =
          (link_use_t){.need = need, .next = self->uses_of [links [i]]};
        self->uses_of [links [i]] = ++self->uses_count;
    }
    connection->routed = true;
    connection->hinders = 0;
}

static void routes_lift (routes_t *self, size_t need)
{
    routed_need_t *connection = &self->connections [need];
    if (!connection->routed)
        return;
    for (size_t i = connection->route.links_count; i-- > 0;) {
        size_t link = connection->route.links [i];
        assert (self->uses_of [link] == self->uses_count);
        self->uses_of [link] = self->uses [--self->uses_count].next;
    }
    connection->routed = false;
}

static bool lay_further (routes_t *self, size_t need, int64_t bound, uint64_t *steps)
{
    const space_t *space = routes_find_further (self, need, bound, steps);
    if (!space)
        return false;
    routes_lay (self, need, space->ends [0], space->weight, space->path.links,
                space->path.links_count);
    return true;
}

void routes_open (routes_t *self, size_t need, const size_t options [2])
{
    routed_need_t *connection = &self->connections [need];
    const need_options_t *needs = self->snapshot->needs;
    assert (!connection->open);
    connection->open = true;
    connection->tried = false;
    connection->spread = false;
    connection->hopeless_count = 0;
    connection->spaces_count = connection->spaces_made = 0;
    for (int end = 0; end < 2; end++)
        connection->places [end] = needs [connection->ends [end]].options [options [end]].place;
    connection->best =
      &connection->alone [options [0] * needs [connection->ends [1]].options_count + options [1]];
}

/*  Is it certain that no path between the two places weighs less than bound? */
static bool too_heavy (const routes_t *self, size_t need, int64_t bound)
{
    const routed_need_t *connection = &self->connections [need];
    if (bound == INT64_MAX || routes_on_one_site (self, connection))
        return false;
    if (routes_vertices (self, connection->places [0]) != 1 ||
        routes_vertices (self, connection->places [1]) != 1)
        return false;
    return link_view_least_cost (routes_view (self, need),
                                 routes_vertex (self, connection->places [0], 0),
                                 routes_vertex (self, connection->places [1], 0)) >= bound;
}

static bool lay_first (routes_t *self, size_t need, int64_t bound, uint64_t *steps)
{
    routed_need_t *connection = &self->connections [need];
    if (too_heavy (self, need, bound))
        return false;
    const single_t *best = routes_find_alone (self, need, steps);
    if (!best->found || best->weight >= bound)
        return false;
    if (links_fit (self, need, &self->alone_links [best->links_at], best->links_count)) {
        routes_lay (self, need, best->from, best->weight, &self->alone_links [best->links_at],
                    best->links_count);
        return true;
    }
    note_hinderers (self, need, steps);
    return !connection->present.pinned && lay_further (self, need, bound, steps);
}

bool routes_next (routes_t *self, size_t need, int64_t bound, uint64_t *steps)
{
    routed_need_t *connection = &self->connections [need];
    assert (connection->open);
    if (!connection->tried) {
        connection->tried = true;
        return lay_first (self, need, bound, steps);
    }
    routes_lift (self, need);
    if (connection->hinders == 0 || connection->present.pinned ||
        routes_on_one_site (self, connection))
        return false;
    note_hinderers (self, need, steps);
    routes_note_hopeless (self, need);
    return lay_further (self, need, bound, steps);
}

int64_t routes_weight (const routes_t *self, size_t need)
{
    assert (self->connections [need].routed);
    return self->connections [need].route.weight;
}

void routes_close (routes_t *self, size_t need)
{
    routed_need_t *connection = &self->connections [need];
    routes_lift (self, need);
    connection->open = false;
}

bool routes_unproven (const routes_t *self)
{
    return self->unproven;
}

void routes_keep (routes_t *self)
{
    for (size_t n = 0; n < self->connections_count; n++) {
        const routed_need_t *connection = &self->connections [n];
        const route_t *route = &connection->route;
        const link_view_t *view = routes_view (self, n);
        assert (connection->routed);
        path_t *kept = &self->kept [n];
        *kept = (path_t){.from = route->from, .links_count = route->links_count, .mbps = INT64_MAX};
        for (size_t i = 0; i < route->links_count; i++) {
            size_t link = route->links [i];
            kept->links [i] = link;
            kept->latency_us += graph_link (self->graph, link)->link->latency_us;
            kept->weight += view->cost [link];
            kept->mbps = view->room [link] < kept->mbps ? view->room [link] : kept->mbps;
        }
    }
}

const path_t *routes_kept (const routes_t *self)
{
    return self->kept;
}
