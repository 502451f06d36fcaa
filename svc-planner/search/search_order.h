/*  search_order - what a search is told: for all of its parts.
 */
#ifndef MUSUBI_SEARCH_ORDER_H
#define MUSUBI_SEARCH_ORDER_H

#include "prng.h"
#include "snapshot.h"

/*  Where a need is now, when a reservation is changed: preferred over every other place. */
typedef struct {
    bool set;
    bool pinned; /* it has begun: no other place will do */
    size_t place;
} present_t;

/*  The path that a network need has now: kept before any other where its ends stay. */
typedef struct {
    bool set;
    bool pinned;                  /* it has begun: no other path will do */
    size_t links [PATH_HOPS_MAX]; /* of the snapshot's graph, from the first end to the second */
    size_t links_count;           /* 0 = both ends are on one site */
} present_path_t;

typedef struct {
    starts_t starts;
    policy_t policy;
    int64_t soonest_ms;       /* a site's part of a plan can't begin before this + its lead */
    int64_t check_from_ms;    /* what lies before needs no capacity: it has passed */
    const present_t *present; /* one a need, or NULL; copied */
    const present_path_t *present_paths; /* one a network need, or NULL; copied */
    bool spread;  /* others are at it: places far apart in price count as equal, by lot (time) */
    prng_t *prng; /* lots are drawn from it; it outlives the search */
    uint64_t steps_max;
} search_order_t;

/*  So many for each link, but no fewer than that, and no more than the whole search has. */
static inline uint64_t search_steps (const snapshot_t *snapshot, const search_order_t *order,
                                     uint64_t a_link, uint64_t least)
{
    uint64_t steps = a_link * snapshot->links_count;
    steps = steps > least ? steps : least;
    return steps < order->steps_max ? steps : order->steps_max;
}

#endif
