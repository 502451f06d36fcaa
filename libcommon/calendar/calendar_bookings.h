/*  bookings - the table behind a calendar's booking ids.
 *
 *  An id is a slot and the slot's generation, which moves on each time the slot is given back: an
 *  id that was released is recognised, not mistaken for the slot's next tenant. Private to
 *  calendar*.c.
 */
#ifndef MUSUBI_CALENDAR_BOOKINGS_H
#define MUSUBI_CALENDAR_BOOKINGS_H

#include "calendar.h"

/*  24 bytes: an instant needs 48 bits, and the two halves of the generation fill what is left. A
 *  free slot has quantity 0 and the next free slot, plus one, in `from`. */
typedef struct {
    int64_t from : 48;
    uint64_t generation_low : 16;
    int64_t until : 48;
    uint64_t generation_high : 16;
    int64_t quantity;
} booking_t;

enum { CHUNK_BOOKINGS = 256 };

typedef struct {
    booking_t **chunks;
    uint32_t chunks_count;
    uint32_t chunks_room;
    uint32_t slots; /* ever used */
    uint32_t count; /* in use */
    uint32_t free;  /* first free slot, plus one; 0 = none */
} bookings_t;

void bookings_init (bookings_t *self);
void bookings_free (bookings_t *self);

booking_id_t bookings_add (bookings_t *self, interval_t over, int64_t quantity);

/*  NULL when there is none of that name. */
const booking_t *bookings_find (const bookings_t *self, booking_id_t id);

/*  The id must be in use. */
void bookings_remove (bookings_t *self, booking_id_t id);

/*  The booking in a slot below `slots`, with its id; NULL when the slot is free. */
const booking_t *bookings_at (const bookings_t *self, uint32_t slot, booking_id_t *id);

size_t bookings_bytes (const bookings_t *self);

#endif
