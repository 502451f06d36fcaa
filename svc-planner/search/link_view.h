/*  link_view - the links of a snapshot as one network need sees them: which it may use, what they
 *  cost it, and how much room they have for it at a start.
 *
 *  Needs that see the same share one view.
 */
#ifndef MUSUBI_LINK_VIEW_H
#define MUSUBI_LINK_VIEW_H

#include "search_order.h"

/*  Owns its lists: link_view_clear. */
typedef struct {
    const snapshot_t *snapshot;
    int64_t begin_ms; /* when the connection carries, counted from the start */
    int64_t end_ms;
    int64_t check_from_ms; /* earlier times have passed and need no room */
    uint32_t mbps;
    int64_t latency_us_max;
    int64_t *opens_ms; /* by link: first start at which it may be used; INT64_MAX = never */
    int64_t *cost;     /* by link: what the need pays for it; 0 where prices do not weigh */
    int64_t *nearest;  /* by vertex: the least cost of any link at it */
    bool costly;       /* some link costs anything */
    int64_t **costs;   /* by vertex, once asked for: least cost from there to each vertex */
    size_t costs_count;
    size_t *step_at; /* by link: the first step of its profile that has not passed */

    int64_t start_ms; /* what follows is of this start */
    bool looked;      /* start_ms is set */
    int64_t from_ms;  /* the part of [begin, end) that is still to come: [from_ms, until_ms) */
    int64_t until_ms;
    int64_t *room; /* by link: Mbit/s free for this need alone; negative: not to be used */
    bool grouped;
    size_t *groups; /* by vertex: another vertex that links with room connect it to, or itself */
} link_view_t;

/*  priced: do prices weigh at all? */
void link_view_init (link_view_t *self, const snapshot_t *snapshot, const search_order_t *order,
                     size_t network_need, bool priced);
void link_view_clear (link_view_t *self);

bool link_view_same (const link_view_t *self, const link_view_t *other);

/*  Works out what follows from this start. */
void link_view_at (link_view_t *self, int64_t start_ms);

/*  Is there a path between these vertices whose links all have room, however long it is? */
bool link_view_joins (link_view_t *self, size_t from, size_t to);

/*  Connected vertices form groups. groups [v] is another vertex of v's group, or v itself when v
 *  represents the group. Returns the representative. */
static inline size_t link_group (size_t *groups, size_t vertex)
{
    while (groups [vertex] != vertex)
        vertex = groups [vertex] = groups [groups [vertex]];
    return vertex;
}

/*  The next start after this one at which some link has more room or begins to be usable; INT64_MAX
 *  when there is none. Ask with ascending times. */
int64_t link_view_next_start (link_view_t *self, int64_t after_ms, uint64_t *steps);

/*  A lower bound of what a path between these vertices costs, whatever is free. */
int64_t link_view_least_cost (link_view_t *self, size_t from, size_t to);

/*  A lower bound of what a path from a vertex of one set to a different one of the other costs. */
int64_t link_view_least_between (const link_view_t *self, const bool *from, const bool *to);

#endif
