/*  routes_state - what the files of routes share: routes_build.c makes it, routes_single.c finds
 *  the best path for each pair of options by itself, routes_next_best.c the next ones, routes.c
 *  lays one route after the other.
 */
#ifndef MUSUBI_ROUTES_STATE_H
#define MUSUBI_ROUTES_STATE_H

#include "link_view.h"
#include "routes.h"
#include "weights.h"

#include <assert.h>

/*  Steps of one search for a path: two or three look at each end of each link; a latency limit
 *  takes more. Never more than the whole search has. */
#define PATH_STEPS_LEAST  50000
#define PATH_STEPS_A_LINK 16

/*  The best path between two options, without the request's other connections. */
typedef struct {
    uint64_t round; /* counts starts: the one that this is known for */
    bool found;
    int64_t weight;
    size_t from;     /* vertex */
    size_t links_at; /* into alone_links */
    size_t links_count;
} single_t;

typedef struct {
    size_t from; /* vertex */
    int64_t weight;
    size_t links_count;
    size_t links [PATH_HOPS_MAX];
} route_t;

static_assert (PATH_HOPS_MAX <= 64, "the links of a route fit into 64 bits");

/*  Links that a path must not use all together: the rest could not be had with that. */
#define HOPELESS_MAX 16 /* of one need at a time; more are forgotten */
typedef struct {
    size_t links [PATH_HOPS_MAX];
    size_t links_count;
} hopeless_t;

/*  All paths between two vertices that avoid some links, and the best of them. */
#define SPACES_MAX 256 /* of one need at a time; beyond that "no plan" is not proven */
#define BARRED_MAX 32
typedef struct {
    size_t ends [2];
    size_t barred [BARRED_MAX];
    size_t barred_count;
    path_t path;
    int64_t weight;
} space_t;

/*  A network need. */
typedef struct {
    size_t ends [2]; /* compute needs */
    size_t view;
    bool apart; /* the ends can't be on one site */
    present_path_t present;
    single_t *alone; /* by option of the one end and of the other; like connections share it */
    bool shares;
    int64_t least; /* a lower bound of what its path weighs */

    bool open;
    bool routed;
    uint64_t hinders; /* links of the route, as bits, that hinder other needs */
    hopeless_t hopeless [HOPELESS_MAX];
    size_t hopeless_count;
    size_t places [2];
    single_t *best;
    bool tried;
    bool spread;     /* the first spaces were made */
    space_t *spaces; /* spaces that may hold a path still to be tried */
    size_t spaces_count;
    size_t spaces_made;
    size_t spaces_room;
    space_t space; /* the space that the route is from, once there are spaces */
    route_t route;
} routed_need_t;

/*  A need's path uses a link: a list for each link, the latest first. */
typedef struct {
    size_t need;
    size_t next; /* 1 + its index; 0 = none */
} link_use_t;

struct routes {
    const snapshot_t *snapshot;
    const graph_t *graph;
    path_order_t order;
    uint64_t path_steps_max; /* of one question */
    link_view_t *views;
    size_t views_count;
    routed_need_t *connections;
    size_t connections_count;
    size_t *vertices_from; /* by place and one more: where its vertices begin in `vertices` */
    size_t *vertices;      /* of the sites of places */
    bool any_present;      /* some need has a path already */
    size_t *uses_of;       /* by link: into uses */
    link_use_t *uses;
    size_t uses_count;
    size_t *alone_links;
    size_t alone_links_count;
    size_t alone_links_room;
    uint64_t round;
    bool unproven;
    path_finder_t *seeker; /* finds best paths; kept to reuse its memory */
    bool *barred;          /* by link, while a space is searched */
    path_t *kept;          /* by network need */
};

/*  A need that a path is sought for, by itself or beside the others. */
typedef struct {
    const routes_t *routes;
    size_t need;
    bool alone;
} asker_t;

static inline void routes_spend (uint64_t *steps, uint64_t spent)
{
    *steps -= spent < *steps ? spent : *steps;
}

static inline link_view_t *routes_view (const routes_t *self, size_t need)
{
    return &self->views [self->connections [need].view];
}

/*  The vertices of the site of a place: 0 ... count - 1. */
static inline size_t routes_vertices (const routes_t *self, size_t place)
{
    return self->vertices_from [place + 1] - self->vertices_from [place];
}

static inline size_t routes_vertex (const routes_t *self, size_t place, size_t i)
{
    return self->vertices [self->vertices_from [place] + i];
}

/*  Mbit/s of a link that the others leave to a need; negative: it may not be used. */
int64_t routes_room_beside (const routes_t *self, size_t need, size_t link);

/*  The question for a path between two vertices; the asker must outlive it. */
path_question_t routes_question (const routes_t *self, asker_t *asker, size_t from, size_t to);

/*  Finds the best path, within path_steps_max. */
path_state_t routes_seek (routes_t *self, const path_question_t *question, path_t *path,
                          uint64_t *steps);

int64_t routes_weigh (const routes_t *self, size_t need, const size_t *links, size_t count);
bool routes_on_one_site (const routes_t *self, const routed_need_t *connection);

/*  The next path beside the others that could help and weighs less than bound, lightest first. When
 *  the rest can't be had with it, call routes_note_hopeless before asking for the next. */
const space_t *routes_find_further (routes_t *self, size_t need, int64_t bound, uint64_t *steps);
void routes_note_hopeless (routes_t *self, size_t need);

/*  The best path between the options at which the need is open. */
const single_t *routes_find_alone (routes_t *self, size_t need, uint64_t *steps);

#endif
