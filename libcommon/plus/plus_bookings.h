/*  plus_bookings - what a command wants booked, and its edge. Plain values, pure. */
#ifndef MUSUBI_PLUS_BOOKINGS_H
#define MUSUBI_PLUS_BOOKINGS_H

#include "plus_wire.h"
#include "timetable.h"

#define PLUS_NEED "nodes" /* the need that its bookings are for, also where they are of room */

/*  Bookings of one resource, ascending in time; each begins where the one before it ends. */
typedef struct {
    admission_want_t list [BOOKINGS_MAX];
    size_t count;
} plus_bookings_t;

/*  Reads the bookings of a part; an empty part has none. False when they have another form: a
 *  planner made them for several needs or resources, or for a file. */
bool plus_bookings_read (plus_bookings_t *self, const part_reader_t *reader, bytes_t part);

void plus_bookings_new (plus_bookings_t *self, const resource_offer_t *offer,
                        const plus_wish_t *wish);

/*  Changes old as wished; what the wish leaves out stays. A reservation that has begun at now_ms
 *  keeps its start and its past, and another quantity counts from soonest_ms on. False, with
 *  why, when the wish can't be fulfilled. */
bool plus_bookings_change (plus_bookings_t *self, const plus_bookings_t *old,
                           const resource_offer_t *offer, const plus_wish_t *wish, int64_t now_ms,
                           int64_t soonest_ms, char why [WHY_BYTES]);

/*  The first moment at which next needs more than old has. If it never does, *lacks is false and
 *  the end of old is returned. */
int64_t plus_bookings_edge (const plus_bookings_t *old, const plus_bookings_t *next, bool *lacks);

/*  The later end of both. */
int64_t plus_bookings_end (const plus_bookings_t *old, const plus_bookings_t *next);

#endif
