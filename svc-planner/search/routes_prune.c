/*  routes_prune - rules out places that can't work whatever is chosen for the other needs: once at
 *  a start, instead of again in every combination with the others.
 */
#include "routes_state.h"

/*  Can the connection lead from this place to any place of its other end? */
static bool leads_somewhere (routes_t *self, const routed_need_t *connection, int end, size_t place,
                             uint64_t *steps)
{
    const snapshot_t *snapshot = self->snapshot;
    const need_options_t *others = &snapshot->needs [connection->ends [!end]];
    link_view_t *view = &self->views [connection->view];
    routes_spend (steps, 1 + others->options_count / 8);
    for (size_t i = 0; i < others->options_count; i++) {
        size_t other = others->options [i].place;
        if (snapshot->places [other].site == snapshot->places [place].site)
            continue;
        for (size_t a = 0; a < routes_vertices (self, place); a++)
            for (size_t b = 0; b < routes_vertices (self, other); b++)
                if (link_view_joins (view, routes_vertex (self, place, a),
                                     routes_vertex (self, other, b)))
                    return true;
    }
    return false;
}

/*  Does the connection leave the compute need's site, and carry at this instant? */
static bool leaves_at (const routes_t *self, const routed_need_t *connection, size_t need,
                       int64_t at_ms)
{
    const link_view_t *view = &self->views [connection->view];
    return connection->apart && (connection->ends [0] == need || connection->ends [1] == need) &&
           view->from_ms <= at_ms && at_ms < view->until_ms;
}

/*  How much of the connections that leave a site a link can carry at an instant. */
static int64_t carries (const routes_t *self, size_t need, size_t link, int64_t at_ms)
{
    int64_t wanted = 0;
    for (size_t n = 0; n < self->connections_count; n++) {
        const link_view_t *view = routes_view (self, n);
        if (leaves_at (self, &self->connections [n], need, at_ms) &&
            view->room [link] >= view->mbps)
            wanted += view->mbps;
    }
    if (wanted == 0)
        return 0;
    int64_t free_mbps =
      free_profile_least (&self->snapshot->links [link].free_profile, at_ms, at_ms + 1);
    return free_mbps < wanted ? free_mbps : wanted;
}

/*  Have the links at the place room for all connections that leave it at an instant? */
static bool has_room (const routes_t *self, size_t need, size_t place, int64_t at_ms,
                      uint64_t *steps)
{
    int64_t wanted = 0, carried = 0;
    size_t count = 0;
    for (size_t n = 0; n < self->connections_count; n++) {
        if (!leaves_at (self, &self->connections [n], need, at_ms))
            continue;
        wanted += routes_view (self, n)->mbps;
        count++;
    }
    for (size_t v = 0; count > 1 && v < routes_vertices (self, place); v++) {
        size_t links;
        const size_t *at = graph_at (self->graph, routes_vertex (self, place, v), &links);
        for (size_t i = 0; i < links && carried < wanted; i++)
            carried += carries (self, need, at [i], at_ms);
        routes_spend (steps, links);
    }
    return count <= 1 || carried >= wanted;
}

bool routes_serves (routes_t *self, size_t compute_need, size_t option, uint64_t *steps)
{
    size_t place = self->snapshot->needs [compute_need].options [option].place;
    for (size_t n = 0; n < self->connections_count; n++) {
        const routed_need_t *connection = &self->connections [n];
        int end = connection->ends [1] == compute_need;
        if (connection->ends [end] != compute_need || !connection->apart)
            continue;
        const link_view_t *view = routes_view (self, n);
        bool carries_yet = view->from_ms < view->until_ms;
        if (!leads_somewhere (self, connection, end, place, steps) ||
            (carries_yet && !has_room (self, compute_need, place, view->from_ms, steps)))
            return false;
    }
    return true;
}
