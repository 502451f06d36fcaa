/*  link_view - the links of a snapshot as one network need sees them: which it may use, what they
 *  cost it, and how much room they have for it at a start.
 *
 *  Needs that would see the same share one.
 */
#ifndef MUSUBI_LINK_VIEW_H
#define MUSUBI_LINK_VIEW_H

#include "search_order.h"

/*  Owns its lists: link_view_clear. */
typedef struct {
    const snapshot_t *snapshot;
    int64_t begin_ms; /* of the connection, counted from the start */
    int64_t end_ms;
    int64_t check_from_ms; /* what lies before needs no room: it has passed */
    uint32_t mbps;
    int64_t latency_us_max;
    int64_t *opens_ms; /* by link: first start at which it may be used; INT64_MAX = never */
    int64_t *cost;     /* by link: what the need pays for it, as far as that weighs */
    int64_t *nearest;  /* by vertex: the least cost of a link there */
    bool costly;       /* some link costs anything */
    int64_t **costs;   /* by vertex, once asked for: least cost from there to each vertex */
    size_t costs_count;
    size_t *step_at; /* by link: the first step that has not passed */

    int64_t start_ms; /* what follows is of this start */
    bool looked;      /* is known */
    int64_t from_ms;  /* when it carries, as far as that is yet to come: [from_ms, until_ms) */
    int64_t until_ms;
    int64_t *room; /* by link: Mbit/s, were nobody else there; negative: it may not be used */
    bool grouped;
    size_t *groups; /* by vertex: another one of those it hangs together with, by links with room */
} link_view_t;

/*  priced: whether cost weighs at all. */
void link_view_init (link_view_t *self, const snapshot_t *snapshot, const search_order_t *order,
                     size_t network_need, bool priced);
void link_view_clear (link_view_t *self);

bool link_view_same (const link_view_t *self, const link_view_t *other);

/*  Look at this start. */
void link_view_at (link_view_t *self, int64_t start_ms);

/*  Is there a path between these vertices whose links have room, however long? */
bool link_view_joins (link_view_t *self, size_t from, size_t to);

/*  Vertices hang together in groups, each of which has one that stands for all: where groups tells
 *  of each vertex another one of its group, or itself. */
static inline size_t link_group (size_t *groups, size_t vertex)
{
    while (groups [vertex] != vertex)
        vertex = groups [vertex] = groups [groups [vertex]];
    return vertex;
}

/*  The next start after this one at which some link has more room, or may be used at all; INT64_MAX
 *  when there is none. To be asked with ascending times. */
int64_t link_view_next_start (link_view_t *self, int64_t after_ms, uint64_t *steps);

/*  No path between these vertices costs less, whatever is free. */
int64_t link_view_least_cost (link_view_t *self, size_t from, size_t to);

/*  No path between two different vertices, one of each set, costs less. */
int64_t link_view_least_between (const link_view_t *self, const bool *from, const bool *to);

#endif
