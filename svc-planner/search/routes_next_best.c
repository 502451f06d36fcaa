/*  routes_next_best - paths after the first, each chosen so that it can help.
 *
 *  When the rest of the request can't be had with a path, it is known which of its links hindered
 *  others. Any path over all of these links would fail as well. So the paths not tried yet fall
 *  into spaces: those that avoid the first of these links, those that avoid the second, and so on.
 *  The best path of each space is looked for, and the lightest of them is tried next. A link that
 *  every path needs leaves an empty space, which is seen at once.
 */
#include "routes_state.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

static void mark_barred (routes_t *self, const space_t *space, bool barred)
{
    for (size_t i = 0; i < space->barred_count; i++)
        self->barred [space->barred [i]] = barred;
}

/*  Finds the best path of a space and keeps the space, if there is one. */
static void add_space (routes_t *self, size_t need, space_t *space, uint64_t *steps)
{
    routed_need_t *connection = &self->connections [need];
    if (connection->spaces_made == SPACES_MAX) {
        self->unproven = true;
        return;
    }
    connection->spaces_made++;
    asker_t asker = {.routes = self, .need = need};
    path_question_t question = routes_question (self, &asker, space->ends [0], space->ends [1]);
    mark_barred (self, space, true);
    path_state_t state = routes_seek (self, &question, &space->path, steps);
    mark_barred (self, space, false);
    if (state != PATH_FOUND)
        return;
    space->weight = (connection->present.set ? AWAY_WEIGHT : 0) +
                    routes_weigh (self, need, space->path.links, space->path.links_count);
    connection->spaces = must_grow (connection->spaces, connection->spaces_count,
                                    &connection->spaces_room, sizeof *connection->spaces);
    connection->spaces [connection->spaces_count++] = *space;
}

/*  All paths: a space for each pair of vertices. */
static void add_first_spaces (routes_t *self, size_t need, uint64_t *steps)
{
    const routed_need_t *connection = &self->connections [need];
    for (size_t a = 0; a < routes_vertices (self, connection->places [0]); a++)
        for (size_t b = 0; b < routes_vertices (self, connection->places [1]); b++) {
            space_t space = {.ends = {routes_vertex (self, connection->places [0], a),
                                      routes_vertex (self, connection->places [1], b)}};
            add_space (self, need, &space, steps);
        }
}

/*  Adds what is left of a space without the paths over all of these links. Nothing is left where
 *  paths are fixed: there is only one between two vertices. */
static void routes_next_best_part (routes_t *self, size_t need, const space_t *space,
                                   const hopeless_t *hopeless, uint64_t *steps)
{
    if (self->order == PATH_FIXED)
        return;
    for (size_t i = 0; i < hopeless->links_count; i++) {
        space_t without = *space;
        if (without.barred_count == BARRED_MAX) {
            self->unproven = true;
            return;
        }
        without.barred [without.barred_count++] = hopeless->links [i];
        add_space (self, need, &without, steps);
    }
}

static bool lies_on (const path_t *path, size_t link)
{
    for (size_t i = 0; i < path->links_count; i++)
        if (path->links [i] == link)
            return true;
    return false;
}

/*  Finds links that a path must not use all together and that this path uses all; NULL when there
 *  are none. */
static const hopeless_t *find_hopeless (const routed_need_t *self, const path_t *path)
{
    for (size_t h = 0; h < self->hopeless_count; h++) {
        size_t on = 0;
        while (on < self->hopeless [h].links_count && lies_on (path, self->hopeless [h].links [on]))
            on++;
        if (on == self->hopeless [h].links_count)
            return &self->hopeless [h];
    }
    return NULL;
}

static space_t take_lightest (routed_need_t *self)
{
    size_t lightest = 0;
    for (size_t i = 1; i < self->spaces_count; i++)
        if (self->spaces [i].weight < self->spaces [lightest].weight)
            lightest = i;
    space_t space = self->spaces [lightest];
    self->spaces [lightest] = self->spaces [--self->spaces_count];
    return space;
}

void routes_note_hopeless (routes_t *self, size_t need)
{
    routed_need_t *connection = &self->connections [need];
    if (connection->hopeless_count == HOPELESS_MAX) {
        connection->hopeless_count--; /* the oldest goes */
        memmove (connection->hopeless, connection->hopeless + 1,
                 connection->hopeless_count * sizeof *connection->hopeless);
    }
    hopeless_t *hopeless = &connection->hopeless [connection->hopeless_count++];
    hopeless->links_count = 0;
    for (size_t i = 0; i < connection->route.links_count; i++)
        if (connection->hinders >> i & 1)
            hopeless->links [hopeless->links_count++] = connection->route.links [i];
}

const space_t *routes_find_further (routes_t *self, size_t need, int64_t bound, uint64_t *steps)
{
    routed_need_t *connection = &self->connections [need];
    if (!connection->spread)
        add_first_spaces (self, need, steps);
    else if (connection->hopeless_count > 0)
        routes_next_best_part (self, need, &connection->space,
                               &connection->hopeless [connection->hopeless_count - 1], steps);
    connection->spread = true;
    while (connection->spaces_count > 0) {
        connection->space = take_lightest (connection);
        if (connection->space.weight >= bound)
            return NULL;
        const hopeless_t *hopeless = find_hopeless (connection, &connection->space.path);
        if (!hopeless)
            return &connection->space;
        routes_next_best_part (self, need, &connection->space, hopeless, steps);
    }
    return NULL;
}
