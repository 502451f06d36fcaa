/*  calendar - bookings and the level they add up to.
 *
 *  What is free is the capacity less the booked level, and only the level is kept, so a change of
 *  capacity costs nothing. A booking is a row of the table (its name, interval and quantity) and
 *  two touches of the tree of changes: up by its quantity at its beginning, down at its end.
 */
#include "calendar.h"

#include "calendar_bookings.h"
#include "calendar_changes.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>

struct calendar {
    int64_t capacity;
    uint32_t bookings_max;
    bookings_t bookings;
    changes_t changes;
};

/*  The level is in [0, CALENDAR_QUANTITY_MAX] at every instant; between the two touches of a
 *  booking it may be twice that, and a capacity less a level lies between the same bounds. */
static_assert (CALENDAR_QUANTITY_MAX <= INT64_MAX / 3, "sums of levels do not overflow");

static bool within_horizon (interval_t over)
{
    return over.from < over.until && over.from >= -CALENDAR_HORIZON_MS &&
           over.until <= CALENDAR_HORIZON_MS;
}

/*  The greatest level at which so much is still free. */
static int64_t level_limit (const calendar_t *self, int64_t quantity)
{
    if (quantity < -CALENDAR_QUANTITY_MAX)
        quantity = -CALENDAR_QUANTITY_MAX;
    return self->capacity - quantity;
}

calendar_t *calendar_new (int64_t capacity, uint32_t bookings_max)
{
    calendar_t *self = must (malloc (sizeof *self));
    self->bookings_max = bookings_max;
    calendar_set_capacity (self, capacity);
    bookings_init (&self->bookings);
    changes_init (&self->changes);
    return self;
}

void calendar_destroy (calendar_t **self_p)
{
    assert (self_p);
    calendar_t *self = *self_p;
    if (!self)
        return;
    bookings_free (&self->bookings);
    changes_free (&self->changes);
    free (self);
    *self_p = NULL;
}

static booking_id_t booking_add (calendar_t *self, interval_t over, int64_t quantity)
{
    changes_touch (&self->changes, over.from, quantity);
    changes_touch (&self->changes, over.until, -quantity);
    return bookings_add (&self->bookings, over, quantity);
}

calendar_answer_t calendar_book (calendar_t *self, interval_t over, int64_t quantity,
                                 booking_id_t *id)
{
    assert (self && id);
    assert (quantity > 0);

    if (!within_horizon (over))
        return CALENDAR_OUTSIDE;
    if (self->bookings.count >= self->bookings_max)
        return CALENDAR_FULL;
    if (!calendar_fits (self, over, quantity))
        return CALENDAR_SHORT;

    *id = booking_add (self, over, quantity);
    return CALENDAR_OK;
}

calendar_answer_t calendar_force (calendar_t *self, interval_t over, int64_t quantity,
                                  booking_id_t *id)
{
    assert (self && id);
    assert (quantity > 0);

    if (!within_horizon (over))
        return CALENDAR_OUTSIDE;
    if (changes_most (&self->changes, over, 0) > CALENDAR_QUANTITY_MAX - quantity)
        return CALENDAR_OUTSIDE;
    if (self->bookings.count >= self->bookings_max)
        return CALENDAR_FULL;

    *id = booking_add (self, over, quantity);
    return CALENDAR_OK;
}

void calendar_release (calendar_t *self, booking_id_t id)
{
    const booking_t *booking = bookings_find (&self->bookings, id);
    assert (booking);
    changes_untouch (&self->changes, booking->from, booking->quantity);
    changes_untouch (&self->changes, booking->until, -booking->quantity);
    bookings_remove (&self->bookings, id);
    if (self->bookings.count == 0) {
        /* Instants that have lost count of their touches (TOUCHES_MAX) go with the last booking. */
        changes_free (&self->changes);
        changes_init (&self->changes);
    }
}

bool calendar_booking (const calendar_t *self, booking_id_t id, interval_t *over, int64_t *quantity)
{
    const booking_t *booking = bookings_find (&self->bookings, id);
    if (!booking)
        return false;
    *over = (interval_t){.from = booking->from, .until = booking->until};
    *quantity = booking->quantity;
    return true;
}

size_t calendar_bookings (const calendar_t *self)
{
    return self->bookings.count;
}

int64_t calendar_capacity (const calendar_t *self)
{
    return self->capacity;
}

void calendar_set_capacity (calendar_t *self, int64_t capacity)
{
    assert (capacity >= 0 && capacity <= CALENDAR_QUANTITY_MAX);
    self->capacity = capacity;
}

int64_t calendar_least (const calendar_t *self, interval_t over)
{
    assert (over.from < over.until);
    return self->capacity - changes_most (&self->changes, over, 0);
}

bool calendar_fits (const calendar_t *self, interval_t over, int64_t quantity)
{
    int64_t limit = level_limit (self, quantity);
    return limit >= 0 && changes_most (&self->changes, over, limit) == limit;
}

bool calendar_first (const calendar_t *self, interval_t window, int64_t duration_ms,
                     int64_t quantity, int64_t *start)
{
    assert (duration_ms > 0);
    if (window.from >= window.until)
        return false;
    gaps_wanted_t wanted = {
      .window = window,
      .duration_ms = duration_ms,
      .limit = level_limit (self, quantity),
      .starts_only = true,
    };
    interval_t gap;
    if (changes_gaps (&self->changes, &wanted, &gap, 1) == 0)
        return false;
    *start = gap.from;
    return true;
}

size_t calendar_spans (const calendar_t *self, interval_t window, int64_t duration_ms,
                       int64_t quantity, interval_t *spans, size_t spans_max)
{
    assert (duration_ms > 0);
    if (window.from >= window.until)
        return 0;
    gaps_wanted_t wanted = {
      .window = window,
      .duration_ms = duration_ms,
      .limit = level_limit (self, quantity),
    };
    return changes_gaps (&self->changes, &wanted, spans, spans_max);
}

typedef struct {
    int64_t *times;
    int64_t *free;
    size_t max;
    size_t count;
} steps_t;

static void steps_add (steps_t *self, int64_t time, int64_t free_quantity)
{
    if (self->count < self->max) {
        self->times [self->count] = time;
        self->free [self->count] = free_quantity;
    }
    self->count++;
}

size_t calendar_profile (const calendar_t *self, interval_t over, int64_t *times, int64_t *free,
                         size_t steps_max)
{
    if (over.from >= over.until)
        return 0;
    steps_t steps = {.times = times, .free = free, .max = steps_max};
    cursor_t cursor = changes_seek (&self->changes, over.from);
    int64_t told = cursor.level;
    steps_add (&steps, over.from, self->capacity - told);
    int64_t time;
    while (cursor_next (&cursor, &time) && time < over.until) {
        if (cursor.level == told)
            continue; /* changes at that instant cancel out */
        told = cursor.level;
        steps_add (&steps, time, self->capacity - told);
    }
    return steps.count;
}

double calendar_booked (const calendar_t *self, interval_t over)
{
    if (over.from >= over.until)
        return 0;
    double booked = 0;
    cursor_t cursor = changes_seek (&self->changes, over.from);
    int64_t since = over.from;
    int64_t level = cursor.level;
    int64_t time;
    while (cursor_next (&cursor, &time) && time < over.until) {
        booked += (double) level * ((double) time - (double) since);
        since = time;
        level = cursor.level;
    }
    return booked + (double) level * ((double) over.until - (double) since);
}

/*  The first instant in the interval at which more is booked than there is. */
static bool first_overbooked (const calendar_t *self, interval_t over, int64_t *instant)
{
    interval_t sound; /* the first stretch at which nothing is wrong */
    *instant = over.from;
    if (over.from >= over.until)
        return false;
    if (calendar_spans (self, over, 1, 0, &sound, 1) == 0 || sound.from > over.from)
        return true;
    *instant = sound.until;
    return sound.until < over.until;
}

size_t calendar_overbooked (const calendar_t *self, interval_t over, booking_id_t *ids,
                            size_t ids_max)
{
    int64_t instant;
    if (!first_overbooked (self, over, &instant))
        return 0;
    size_t count = 0;
    for (uint32_t slot = 0; slot < self->bookings.slots && count < ids_max; slot++) {
        booking_id_t id;
        const booking_t *booking = bookings_at (&self->bookings, slot, &id);
        if (booking && booking->from <= instant && instant < booking->until)
            ids [count++] = id;
    }
    return count;
}

size_t calendar_bytes (const calendar_t *self)
{
    return sizeof *self + bookings_bytes (&self->bookings) + changes_bytes (&self->changes);
}

/*  One end of a booking. */
typedef struct {
    int64_t time;
    int64_t change;
} end_t;

static int end_compare (const void *a, const void *b)
{
    const end_t *left = a;
    const end_t *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

static size_t ends_list (const calendar_t *self, end_t *ends)
{
    size_t count = 0;
    for (uint32_t slot = 0; slot < self->bookings.slots; slot++) {
        booking_id_t id;
        const booking_t *booking = bookings_at (&self->bookings, slot, &id);
        if (!booking)
            continue;
        assert (bookings_find (&self->bookings, id) == booking);
        ends [count++] = (end_t){.time = booking->from, .change = booking->quantity};
        ends [count++] = (end_t){.time = booking->until, .change = -booking->quantity};
    }
    qsort (ends, count, sizeof *ends, end_compare);
    return count;
}

/*  The tree must say what the table says. */
static void check_changes (const changes_t *changes, const end_t *ends, size_t count)
{
    cursor_t cursor = changes_seek (changes, INT64_MIN);
    int64_t level = 0;
    int64_t time;
    size_t at = 0;
    while (cursor_next (&cursor, &time)) {
        int64_t touches = cursor.leaf->stamps [cursor.at - 1] & TOUCHES_MAX;
        int64_t ends_there = 0;
        for (; at < count && ends [at].time == time; at++) {
            level += ends [at].change;
            ends_there++;
        }
        assert (touches == TOUCHES_MAX || touches == ends_there);
        assert (cursor.level == level);
        assert (level >= 0 && level <= CALENDAR_QUANTITY_MAX);
    }
    assert (at == count && level == 0);
}

void calendar_check (const calendar_t *self)
{
    assert (self->bookings.count <= self->bookings_max);
    changes_check (&self->changes);
    end_t *ends = must (malloc ((2 * (size_t) self->bookings.count + 1) * sizeof *ends));
    size_t count = ends_list (self, ends);
    assert (count == 2 * (size_t) self->bookings.count);
    check_changes (&self->changes, ends, count);
    free (ends);
}
