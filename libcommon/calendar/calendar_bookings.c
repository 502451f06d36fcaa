/*  bookings - slots in chunks, so that the table grows by little and nothing in it ever moves. */
#include "calendar_bookings.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>

static_assert (sizeof (booking_t) == 24, "the table is most of what a booking costs");
static_assert (CALENDAR_HORIZON_MS < INT64_C (1) << 47, "an instant fits 48 bits");

static booking_t *booking_in (const bookings_t *self, uint32_t slot)
{
    assert (slot < self->slots);
    return &self->chunks [slot / CHUNK_BOOKINGS][slot % CHUNK_BOOKINGS];
}

static uint32_t booking_generation (const booking_t *booking)
{
    return (uint32_t) booking->generation_high << 16 | (uint32_t) booking->generation_low;
}

static void booking_set_generation (booking_t *booking, uint32_t generation)
{
    booking->generation_low = generation & UINT16_MAX;
    booking->generation_high = generation >> 16;
}

/*  Generations begin at 1 and skip 0 when they wrap, so no id is 0. */
static booking_id_t id_of (const booking_t *booking, uint32_t slot)
{
    return (uint64_t) booking_generation (booking) << 32 | slot;
}

static void chunk_add (bookings_t *self)
{
    if (self->chunks_count == self->chunks_room) {
        uint32_t room = self->chunks_room > 0 ? 2 * self->chunks_room : 4;
        booking_t **chunks = must (realloc (self->chunks, room * sizeof (void *)));
        self->chunks = chunks;
        self->chunks_room = room;
    }
    booking_t *chunk = must (calloc (CHUNK_BOOKINGS, sizeof *chunk));
    self->chunks [self->chunks_count++] = chunk;
}

void bookings_init (bookings_t *self)
{
    *self = (bookings_t){.count = 0};
}

void bookings_free (bookings_t *self)
{
    for (uint32_t i = 0; i < self->chunks_count; i++)
        free (self->chunks [i]);
    free (self->chunks);
    bookings_init (self);
}

static uint32_t slot_take (bookings_t *self)
{
    if (self->free > 0) {
        uint32_t slot = self->free - 1;
        self->free = (uint32_t) booking_in (self, slot)->from;
        return slot;
    }
    if (self->slots == self->chunks_count * CHUNK_BOOKINGS)
        chunk_add (self);
    uint32_t slot = self->slots++;
    booking_set_generation (booking_in (self, slot), 1);
    return slot;
}

booking_id_t bookings_add (bookings_t *self, interval_t over, int64_t quantity)
{
    assert (quantity > 0 && over.from < over.until);
    assert (over.from >= -CALENDAR_HORIZON_MS && over.until <= CALENDAR_HORIZON_MS);
    uint32_t slot = slot_take (self);
    booking_t *booking = booking_in (self, slot);
    booking->from = over.from;
    booking->until = over.until;
    booking->quantity = quantity;
    self->count++;
    return id_of (booking, slot);
}

const booking_t *bookings_find (const bookings_t *self, booking_id_t id)
{
    uint32_t slot = (uint32_t) (id & UINT32_MAX);
    if (slot >= self->slots)
        return NULL;
    booking_id_t current;
    const booking_t *booking = bookings_at (self, slot, &current);
    return booking && current == id ? booking : NULL;
}

void bookings_remove (bookings_t *self, booking_id_t id)
{
    assert (bookings_find (self, id));
    uint32_t slot = (uint32_t) (id & UINT32_MAX);
    booking_t *booking = booking_in (self, slot);
    uint32_t generation = booking_generation (booking) + 1;
    booking_set_generation (booking, generation > 0 ? generation : 1);
    booking->quantity = 0;
    booking->from = self->free;
    self->free = slot + 1;
    self->count--;
}

const booking_t *bookings_at (const bookings_t *self, uint32_t slot, booking_id_t *id)
{
    const booking_t *booking = booking_in (self, slot);
    if (booking->quantity == 0)
        return NULL;
    *id = id_of (booking, slot);
    return booking;
}

size_t bookings_bytes (const bookings_t *self)
{
    return self->chunks_room * sizeof (void *) +
           (size_t) self->chunks_count * CHUNK_BOOKINGS * sizeof (booking_t);
}
