/*  hold_quota - how much of each resource is held and not committed, in all, by each planner and
 *  for each actor; and when that is too much.
 *
 *  To hold and never commit is the cheapest way to keep others out. So the uncommitted holds of one
 *  planner, or for one actor, or all together, take at most a share of a resource at any instant. A
 *  single hold may still have all of it, because a request for a whole site must be possible. Only
 *  what a change takes beyond what its reservation has counts. Each question costs the logarithm of
 *  the holds. Pure.
 */
#ifndef MUSUBI_HOLD_QUOTA_H
#define MUSUBI_HOLD_QUOTA_H

#include "free_capacity.h"

/*  In percent of a resource's quantity, rounded up to a whole unit; 0 or 100: no limit of its own.
 *  participant.h has their names in refusals. */
typedef struct {
    uint32_t share;             /* uncommitted_share */
    uint32_t share_per_planner; /* uncommitted_share_per_planner */
    uint32_t share_per_actor;   /* uncommitted_share_per_actor */
} hold_quota_limits_t;

typedef struct {
    char planner [NAME_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
} holder_t;

typedef struct hold_quota hold_quota_t;

/*  room is borrowed for life. */
hold_quota_t *hold_quota_new (const free_capacity_t *room, const hold_quota_limits_t *limits);
void hold_quota_destroy (hold_quota_t **self_p);

/*  Where a hold would take more than its share. */
typedef struct {
    const char *limit; /* its name */
    size_t resource;
    interval_t over;
    int64_t wanted; /* beyond what the reservation has there */
    int64_t free;   /* of the share; >= 0 */
    int64_t before; /* what the reservation has there */
} excess_t;

/*  Would these changes exceed a share, held by this holder? True with where. */
bool hold_quota_excess (const hold_quota_t *self, const holder_t *holder,
                        const interval_changes_t *changes, excess_t *excess);

/*  Held from now on; no longer held. What was added is taken off with the same intervals. */
void hold_quota_add (hold_quota_t *self, const holder_t *holder, const interval_list_t *stretches);
void hold_quota_take_off (hold_quota_t *self, const holder_t *holder,
                          const interval_list_t *stretches);

#endif
