/*  admission - may a reservation have what it asks for? If not, the refusal says why in a way that
 *  helps to plan again.
 *
 *  Only what goes beyond what the reservation already holds is judged: a running reservation may be
 *  extended or shrunk, as long as its past stays as it is.
 */
#ifndef MUSUBI_ADMISSION_H
#define MUSUBI_ADMISSION_H

#include "free_capacity.h"
#include "hold_quota.h"

/*  What a part asks of one resource. */
typedef struct {
    char need [NAME_BYTES_MAX + 1]; /* of the request */
    char resource [NAME_BYTES_MAX + 1];
    uint32_t amount;   /* asked: CPUs, Mbit/s */
    uint32_t quantity; /* that gives it: nodes, Mbit/s */
    int64_t from_ms;
    int64_t until_ms; /* gap not included */
} admission_want_t;

typedef struct {
    refusal_reason_t reason; /* REFUSAL_NONE: yes */
    size_t resource;
    interval_t over; /* where it does not fit, gap included */
    int64_t wanted;  /* of that resource throughout */
    int64_t free;    /* the least that is free there, what is held included */
} verdict_t;

/*  Judges the changes from what is held to what is asked: OUTSIDE is looked for first, then
 *  TOO_NEAR, then SHORT. For a decided commit that missed its edge (T9) only free capacity counts.
 *  What has begun may be given back altogether by a release, but not by a modify (R10). */
typedef enum { JUDGED_PLAINLY, JUDGED_MODIFY, JUDGED_LATE } judged_as_t;
verdict_t admission_judge (const free_capacity_t *room, const moment_t *now,
                           const interval_changes_t *changes, judged_as_t as);

/*  What a part asks, and what is known of the request it serves. */
typedef struct {
    const admission_want_t *wishes;
    size_t wishes_count;
    const interval_list_t *held; /* of the same reservation; counts as free */
    interval_t frame;            /* in which the request may be placed; empty = not known */
} admission_request_t;

/*  Puts a verdict (not NONE) into a refusal: need, interval, free quantity, and the fresh profile
 *  of every resource that is named. The profiles begin one length of the part before it and end
 *  four lengths after its start, or with the request's frame if that is wider, and have at most
 *  steps_max steps in all. Where only windows are disclosed, the refusal tells the asked window and
 *  no quantity. */
void admission_refuse (const free_capacity_t *room, const moment_t *now, const verdict_t *verdict,
                       const admission_request_t *asked, size_t steps_max, refusal_t *refusal);

/*  Puts an excess of uncommitted holds into a refusal: REFUSAL_LIMIT with the limit's name, need,
 *  interval and, unless only windows are disclosed, what the share leaves there as fresh profile.
 */
void admission_refuse_excess (const free_capacity_t *room, const excess_t *excess,
                              const admission_request_t *asked, refusal_t *refusal);

#endif
