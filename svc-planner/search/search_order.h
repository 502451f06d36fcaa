/*  search_order - what a search and its parts are told. */
#ifndef MUSUBI_SEARCH_ORDER_H
#define MUSUBI_SEARCH_ORDER_H

#include "prng.h"
#include "snapshot.h"

/*  When a reservation is changed: where a need is now. Preferred over every other place. */
typedef struct {
    bool set;
    bool pinned; /* it has begun and can't be moved */
    size_t place;
    int64_t from_ms; /* of storage: when it began or begins to be taken, wall ms */
    uint32_t mib;
} present_t;

/*  The path that a network need has now; preferred over every other one while its ends stay. */
typedef struct {
    bool set;
    bool pinned;                  /* it has begun and can't be changed */
    size_t links [PATH_HOPS_MAX]; /* of the snapshot's graph, from the first end to the second */
    size_t links_count;           /* 0 = both ends are on one site */
} present_path_t;

typedef struct {
    starts_t starts;
    policy_t policy;
    int64_t soonest_ms; /* a site's or domain's part of a plan can't begin before this + its lead */
    int64_t check_from_ms;               /* earlier times have passed and need no capacity */
    const present_t *present;            /* one a need, or NULL; copied */
    const present_path_t *present_paths; /* one a network need, or NULL; copied */
    bool spread;  /* policy time, when others compete: prices are weighted by lot (search.c) */
    prng_t *prng; /* for lots; it outlives the search */
    uint64_t steps_max;
} search_order_t;

/*  a_link steps for each link, at least `least`, at most what the whole search has. */
static inline uint64_t search_steps (const snapshot_t *snapshot, const search_order_t *order,
                                     uint64_t a_link, uint64_t least)
{
    uint64_t steps = a_link * snapshot->links_count;
    steps = steps > least ? steps : least;
    return steps < order->steps_max ? steps : order->steps_max;
}

#endif
