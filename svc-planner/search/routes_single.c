/*  routes_single - the best path between two options with nobody else there, worked out once for
 *  each pair of options and start.
 */
#include "routes_state.h"

#include "must.h"

#include <stdlib.h>

/*  A fixed path leads over its links even where they have no room. */
static int64_t routes_single_free_of (void *owner, size_t link)
{
    const asker_t *asker = owner;
    const routes_t *self = asker->routes;
    if (self->barred [link])
        return -1;
    int64_t room = asker->alone ? routes_view (self, asker->need)->room [link]
                                : routes_room_beside (self, asker->need, link);
    return room < 0 && self->order == PATH_FIXED ? 0 : room;
}

static int64_t routes_single_cost_of (void *owner, size_t link)
{
    const asker_t *asker = owner;
    return routes_view (asker->routes, asker->need)->cost [link];
}

path_question_t routes_question (const routes_t *self, asker_t *asker, size_t from, size_t to)
{
    const link_view_t *view = routes_view (self, asker->need);
    return (path_question_t){
      .from = from,
      .to = to,
      .order = self->order,
      .latency_us_max = view->latency_us_max,
      .mbps = view->mbps,
      .free = routes_single_free_of,
      .weight = routes_single_cost_of,
      .owner = asker,
    };
}

path_state_t routes_seek (routes_t *self, const path_question_t *question, path_t *path,
                          uint64_t *steps)
{
    if (self->seeker)
        path_finder_ask (self->seeker, question);
    else
        self->seeker = path_finder_new (self->graph, question);
    uint64_t rest = self->path_steps_max;
    path_state_t state = path_finder_next (self->seeker, path, &rest);
    routes_spend (steps, self->snapshot->links_count + self->path_steps_max - rest);
    self->unproven = self->unproven || state == PATH_UNKNOWN;
    return state;
}

int64_t routes_weigh (const routes_t *self, size_t need, const size_t *links, size_t count)
{
    int64_t weight = 0;
    for (size_t i = 0; i < count; i++)
        weight += routes_view (self, need)->cost [links [i]];
    return weight < WEIGHT_MAX ? weight : WEIGHT_MAX;
}

bool routes_on_one_site (const routes_t *self, const routed_need_t *connection)
{
    const site_class_t *places = self->snapshot->places;
    return places [connection->places [0]].site == places [connection->places [1]].site;
}

static void set_alone (routes_t *self, single_t *alone, size_t from, int64_t weight,
                       const size_t *links, size_t count)
{
    *alone = (single_t){
      .round = self->round,
      .found = true,
      .weight = weight,
      .from = from,
      .links_at = self->alone_links_count,
      .links_count = count,
    };
    for (size_t i = 0; i < count; i++) {
        self->alone_links = must_grow (self->alone_links, self->alone_links_count,
                                       &self->alone_links_room, sizeof *self->alone_links);
        self->alone_links [self->alone_links_count++] = links [i];
    }
}

/*  The vertex to which the links of a path lead; SIZE_MAX when they are not connected. */
static size_t routes_single_walk (const graph_t *graph, size_t from, const size_t *links,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const graph_link_t *link = graph_link (graph, links [i]);
        if (link->ends [0] != from && link->ends [1] != from)
            return SIZE_MAX;
        from = link->ends [link->ends [0] == from];
    }
    return from;
}

/*  Takes the present path, if it leads from the one place to the other and may stay. */
static bool keep_present (routes_t *self, size_t need, single_t *alone)
{
    const routed_need_t *connection = &self->connections [need];
    const present_path_t *present = &connection->present;
    const link_view_t *view = routes_view (self, need);
    int64_t latency_us = 0;
    for (size_t i = 0; i < present->links_count; i++) {
        latency_us += graph_link (self->graph, present->links [i])->link->latency_us;
        if (view->room [present->links [i]] < view->mbps)
            return false;
    }
    if (view->latency_us_max > 0 && latency_us > view->latency_us_max)
        return false;
    for (size_t a = 0; a < routes_vertices (self, connection->places [0]); a++) {
        size_t from = routes_vertex (self, connection->places [0], a);
        size_t to = routes_single_walk (self->graph, from, present->links, present->links_count);
        for (size_t b = 0; b < routes_vertices (self, connection->places [1]); b++) {
            if (to != routes_vertex (self, connection->places [1], b))
                continue;
            set_alone (self, alone, from,
                       routes_weigh (self, need, present->links, present->links_count),
                       present->links, present->links_count);
            return true;
        }
    }
    return false;
}

static void seek_alone (routes_t *self, size_t need, single_t *alone, uint64_t *steps)
{
    const routed_need_t *connection = &self->connections [need];
    int64_t away = connection->present.set ? AWAY_WEIGHT : 0;
    asker_t asker = {.routes = self, .need = need, .alone = true};
    for (size_t a = 0; a < routes_vertices (self, connection->places [0]); a++) {
        for (size_t b = 0; b < routes_vertices (self, connection->places [1]); b++) {
            size_t from = routes_vertex (self, connection->places [0], a);
            size_t to = routes_vertex (self, connection->places [1], b);
            if (!link_view_joins (routes_view (self, need), from, to))
                continue;
            path_question_t question = routes_question (self, &asker, from, to);
            path_t path;
            path_state_t state = routes_seek (self, &question, &path, steps);
            if (state != PATH_FOUND)
                continue;
            int64_t weight = away + routes_weigh (self, need, path.links, path.links_count);
            if (!alone->found || weight < alone->weight)
                set_alone (self, alone, from, weight, path.links, path.links_count);
        }
    }
}

const single_t *routes_find_alone (routes_t *self, size_t need, uint64_t *steps)
{
    routed_need_t *connection = &self->connections [need];
    single_t *alone = connection->best;
    if (alone->round == self->round)
        return alone;
    const present_path_t *present = &connection->present;
    bool one_site = routes_on_one_site (self, connection);
    *alone = (single_t){.round = self->round};
    if (one_site && !(present->set && present->pinned && present->links_count > 0))
        set_alone (self, alone, SIZE_MAX,
                   present->set && present->links_count > 0 ? AWAY_WEIGHT : 0, NULL, 0);
    else if (!one_site && present->set && present->links_count > 0 &&
             keep_present (self, need, alone))
        return alone;
    else if (!one_site && !(present->set && present->pinned))
        seek_alone (self, need, alone, steps);
    return alone;
}
