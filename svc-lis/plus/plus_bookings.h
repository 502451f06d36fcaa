/*  plus_bookings - what a plus command wants booked, and its edge. Plain values, pure. */
#ifndef MUSUBI_PLUS_BOOKINGS_H
#define MUSUBI_PLUS_BOOKINGS_H

#include "plus_wire.h"
#include "site.h"

#define PLUS_NEED "nodes" /* the need that its bookings are for */

/*  Ascending in time, each beginning where the one before ends, all of one class. */
typedef struct {
    compute_booking_t list [BOOKINGS_MAX];
    size_t count;
} plus_bookings_t;

/*  Bookings as a part has them. False when they are not of the form above: a planner made them for
 *  several needs or classes. An empty part is one without bookings. */
bool plus_bookings_read (plus_bookings_t *self, bytes_t part);

void plus_bookings_new (plus_bookings_t *self, const node_class_t *class, const plus_wish_t *wish);

/*  old, changed as wished: what is absent in the wish stays. What has begun at now_ms keeps its
 *  start and its past; other nodes count from soonest_ms on. False with why when that can't be
 *  meant. */
bool plus_bookings_change (plus_bookings_t *self, const plus_bookings_t *old,
                           const node_class_t *class, const plus_wish_t *wish, int64_t now_ms,
                           int64_t soonest_ms, char why [WHY_BYTES]);

/*  The first moment at which next needs what old lacks; where it never does, *lacks is false, and
 *  it is old's end. */
int64_t plus_bookings_edge (const plus_bookings_t *old, const plus_bookings_t *next, bool *lacks);

/*  The end of the later of both. */
int64_t plus_bookings_end (const plus_bookings_t *old, const plus_bookings_t *next);

#endif
