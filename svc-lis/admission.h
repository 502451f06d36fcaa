/*  admission - may a reservation have what it asks for, and if not, why not, in words that help to
 *  plan again.
 *
 *  Only what goes beyond what the reservation already holds is judged: extending or shrinking one
 *  that is running is allowed, as long as what lies in the past stays as it is.
 */
#ifndef MUSUBI_ADMISSION_H
#define MUSUBI_ADMISSION_H

#include "room.h"

typedef struct {
    refusal_reason_t reason; /* REFUSAL_NONE: yes */
    size_t class_index;
    interval_t over; /* where; the cleaning gap is part of it */
    int64_t wanted;  /* nodes of that class throughout */
    int64_t free;    /* least there is, what is held already included */
} verdict_t;

/*  Judge changes from what is held to what is asked; OUTSIDE is looked for first, then TOO_NEAR,
 *  then SHORT. late: a decided commit that missed its edge (T9), to which only room matters. */
verdict_t admission_judge (const room_t *room, const moment_t *now, const changes_t *changes,
                           bool late);

/*  What a part asks, and what is known of the request it serves. */
typedef struct {
    const compute_booking_t *bookings;
    size_t bookings_count;
    const stretches_t *held; /* of the same reservation; counts as free */
    interval_t frame;        /* in which the request may be placed; empty = not known */
} asked_t;

/*  Put a verdict (not NONE) into a refusal: need, interval and free quantity, and the fresh profile
 *  of every class that is named, from one length of the part before it to four after its start,
 *  wider if the frame is, in at most steps_max steps. A site that discloses windows only tells the
 *  asked window and no quantity. */
void admission_refuse (const room_t *room, const moment_t *now, const verdict_t *verdict,
                       const asked_t *asked, size_t steps_max, refusal_t *refusal);

#endif
