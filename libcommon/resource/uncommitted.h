/*  uncommitted - how much of each resource is held and not committed: in all, by each planner, and
 *  for each actor; and when that is too much.
 *
 *  To hold and never commit is the cheapest way to keep others out. So the uncommitted holds of one
 *  planner, or for one actor, or all of them, take at most a share of what there is of a resource
 *  at any instant. One hold alone may have all of it: a request for a whole site must be possible.
 *  What a change takes beyond what its reservation has is what counts. Each question costs the
 *  logarithm of the holds. Pure.
 */
#ifndef MUSUBI_UNCOMMITTED_H
#define MUSUBI_UNCOMMITTED_H

#include "room.h"

/*  In percent of a resource's quantity, rounded up to a whole one; 0 or 100: no other limit than
 *  what there is. The names in refusals are those in participant.h. */
typedef struct {
    uint32_t share;             /* uncommitted_share */
    uint32_t share_per_planner; /* uncommitted_share_per_planner */
    uint32_t share_per_actor;   /* uncommitted_share_per_actor */
} uncommitted_limits_t;

#define UNCOMMITTED_LIMITS_DEFAULT                                                                 \
    {                                                                                              \
        .share = 90, .share_per_planner = 75, .share_per_actor = 75                                \
    }

typedef struct {
    char planner [NAME_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
} holder_t;

typedef struct uncommitted uncommitted_t;

/*  The room is borrowed for life. */
uncommitted_t *uncommitted_new (const room_t *room, const uncommitted_limits_t *limits);
void uncommitted_destroy (uncommitted_t **self_p);

/*  Where a hold would take more than its share. */
typedef struct {
    const char *limit; /* its name */
    size_t resource;
    interval_t over;
    int64_t wanted; /* beyond what the reservation has there */
    int64_t free;   /* of the share; >= 0 */
    int64_t before; /* what the reservation has there */
} excess_t;

/*  Would these changes, held by this holder, exceed a share? True with where. */
bool uncommitted_excess (const uncommitted_t *self, const holder_t *holder,
                         const changes_t *changes, excess_t *excess);

/*  Held from now on; no more. What was added is taken off with the same stretches. */
void uncommitted_add (uncommitted_t *self, const holder_t *holder, const stretches_t *stretches);
void uncommitted_take_off (uncommitted_t *self, const holder_t *holder,
                           const stretches_t *stretches);

#endif
