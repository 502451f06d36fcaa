/*  admission - may a reservation have what it asks for, and if not, why not, in words that help to
 *  plan again.
 *
 *  Only what goes beyond what the reservation already holds is judged: extending or shrinking one
 *  that is running is allowed, as long as what lies in the past stays as it is.
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
    interval_t over; /* where; the gap is part of it */
    int64_t wanted;  /* of that resource throughout */
    int64_t free;    /* least there is, what is held already included */
} verdict_t;

/*  Judge changes from what is held to what is asked; OUTSIDE is looked for first, then TOO_NEAR,
 *  then SHORT. To a decided commit that missed its edge (T9) only room matters; what has begun may
 *  leave altogether by a release, by a modify it may not (R10). */
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

/*  Put a verdict (not NONE) into a refusal: need, interval and free quantity, and the fresh profile
 *  of every resource that is named, from one length of the part before it to four after its start,
 *  wider if the frame is, in at most steps_max steps. Where only windows are disclosed it tells the
 *  asked window and no quantity. */
void admission_refuse (const free_capacity_t *room, const moment_t *now, const verdict_t *verdict,
                       const admission_request_t *asked, size_t steps_max, refusal_t *refusal);

/*  Put an excess of uncommitted holds into a refusal: REFUSAL_LIMIT by the limit's name, the need
 *  and the interval, and as fresh profile what the share leaves there; unless only windows are
 *  disclosed. */
void admission_refuse_excess (const free_capacity_t *room, const excess_t *excess,
                              const admission_request_t *asked, refusal_t *refusal);

#endif
