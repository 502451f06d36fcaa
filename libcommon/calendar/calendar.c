/*  calendar - the level that bookings add up to.
 *
 *  What is free is the capacity less the booked level, and only the level is kept, so a change of
 *  capacity costs nothing. A booking is two touches of the tree of changes: up by its quantity at
 *  its beginning, down at its end.
 */
#include "calendar_changes.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>

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

/*  What may be asked. */
static const changes_t *changes_of (const calendar_t *self)
{
    assert (!self->starting);
    return &self->changes;
}

calendar_t *calendar_new (int64_t capacity)
{
    calendar_t *self = must (calloc (1, sizeof *self));
    calendar_set_capacity (self, capacity);
    changes_init (&self->changes);
    return self;
}

void calendar_destroy (calendar_t **self_p)
{
    assert (self_p);
    calendar_t *self = *self_p;
    if (!self)
        return;
    changes_free (&self->changes);
    free (self->touches);
    free (self);
    *self_p = NULL;
}

void calendar_book (calendar_t *self, interval_t over, int64_t quantity)
{
    assert (quantity > 0 && within_horizon (over));
    if (self->starting) {
        self->touches =
          must_grow (self->touches, self->bookings, &self->touches_room, 2 * sizeof *self->touches);
        touch_t *touch = &self->touches [2 * self->bookings++];
        touch [0] = (touch_t){stamp_at (over.from), quantity};
        touch [1] = (touch_t){stamp_at (over.until), -quantity};
        return;
    }
    assert (changes_most (&self->changes, over, 0) <= CALENDAR_QUANTITY_MAX - quantity);
    changes_book (&self->changes, over, quantity);
    self->bookings++;
}

void calendar_starting (calendar_t *self, bool on)
{
    assert (!on || !self->starting);
    bool collected = self->starting && self->bookings > 0;
    self->starting = on && self->bookings == 0;
    if (!collected)
        return;
    changes_build (&self->changes, self->touches, 2 * self->bookings);
    free (self->touches);
    self->touches = NULL;
    self->touches_room = 0;
    assert (changes_most (&self->changes, (interval_t){INT64_MIN, INT64_MAX}, 0) <=
            CALENDAR_QUANTITY_MAX);
}

void calendar_release (calendar_t *self, interval_t over, int64_t quantity)
{
    assert (self->bookings > 0 && !self->starting);
    changes_untouch (&self->changes, over.from, quantity);
    changes_untouch (&self->changes, over.until, -quantity);
    if (--self->bookings > 0)
        return;
    /* Instants that have lost count of their touches (TOUCHES_MAX) go with the last booking. */
    changes_free (&self->changes);
    changes_init (&self->changes);
}

size_t calendar_bookings (const calendar_t *self)
{
    return self->bookings;
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
    return self->capacity - changes_most (changes_of (self), over, 0);
}

int64_t calendar_most (const calendar_t *self, interval_t over)
{
    assert (over.from < over.until);
    return self->capacity - changes_lowest (changes_of (self), over);
}

bool calendar_fits (const calendar_t *self, interval_t over, int64_t quantity)
{
    int64_t limit = level_limit (self, quantity);
    return limit >= 0 && changes_most (changes_of (self), over, limit) == limit;
}

static size_t gaps (const calendar_t *self, interval_t window, int64_t duration_ms,
                    int64_t quantity, bool starts_only, interval_t *found, size_t found_max)
{
    assert (duration_ms > 0);
    if (window.from >= window.until)
        return 0;
    gaps_wanted_t wanted = {.window = window,
                            .duration_ms = duration_ms,
                            .limit = level_limit (self, quantity),
                            .starts_only = starts_only};
    return changes_gaps (changes_of (self), &wanted, found, found_max);
}

bool calendar_short (const calendar_t *self, interval_t over, int64_t quantity, interval_t *piece)
{
    if (calendar_fits (self, over, quantity))
        return false;
    interval_t enough [2];
    size_t count = calendar_spans (self, over, 1, quantity, enough, 2);
    *piece = over;
    if (count > 0 && enough [0].from > over.from)
        piece->until = enough [0].from;
    else if (count > 0)
        *piece = (interval_t){enough [0].until, count > 1 ? enough [1].from : over.until};
    return true;
}

bool calendar_first (const calendar_t *self, interval_t window, int64_t duration_ms,
                     int64_t quantity, int64_t *start)
{
    interval_t gap;
    if (!gaps (self, window, duration_ms, quantity, true, &gap, 1))
        return false;
    *start = gap.from;
    return true;
}

size_t calendar_spans (const calendar_t *self, interval_t window, int64_t duration_ms,
                       int64_t quantity, interval_t *spans, size_t spans_max)
{
    return gaps (self, window, duration_ms, quantity, false, spans, spans_max);
}

size_t calendar_profile (const calendar_t *self, interval_t over, int64_t *times, int64_t *free,
                         size_t steps_max)
{
    if (over.from >= over.until)
        return 0;
    cursor_t cursor = changes_seek (changes_of (self), over.from);
    int64_t time = over.from;
    int64_t told = 0;
    size_t count = 0;
    do {
        if (count > 0 && cursor.level == told)
            continue; /* changes at that instant cancel out */
        told = cursor.level;
        if (count < steps_max) {
            times [count] = time;
            free [count] = self->capacity - told;
        }
        count++;
    } while (cursor_next (&cursor, &time) && time < over.until);
    return count;
}

double calendar_booked (const calendar_t *self, interval_t over)
{
    if (over.from >= over.until)
        return 0;
    double booked = 0;
    cursor_t cursor = changes_seek (changes_of (self), over.from);
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
