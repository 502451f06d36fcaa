/*  calendar_trial - a calendar and a plain array side by side, driven by bytes.
 *
 *  The plain calendar has one number per tick: what is booked there. Every answer of the real one
 *  is compared with what a walk over the ticks says. The bytes choose the operations, so the fuzzer
 *  and the unit test with its seeds run the same trial; running out of bytes ends it.
 *
 *  A tick is a number of milliseconds, and the first may lie anywhere up to the ends of the
 *  horizon.
 */
#ifndef MUSUBI_CALENDAR_TRIAL_H
#define MUSUBI_CALENDAR_TRIAL_H

#include "calendar_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  Like an assert, and prints what was being done. */
#define TRIAL(condition, trial)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf (stderr, "calendar differs at step %zu, line %d: %s\n", (trial)->steps,        \
                     __LINE__, #condition);                                                        \
            abort ();                                                                              \
        }                                                                                          \
    } while (0)

enum {
    TRIAL_TICKS_MAX = 4096,
    TRIAL_SPANS_MAX = 16,
    TRIAL_BURST_MAX = 255,
    TRIAL_CHECK_EVERY = 32, /* with more bookings than TRIAL_SMALL */
    TRIAL_SMALL = 100,
};

typedef struct {
    uint32_t from; /* ticks */
    uint32_t until;
    int64_t quantity;
} trial_booking_t;

typedef struct {
    const uint8_t *bytes;
    size_t left;
    size_t steps;

    calendar_t *calendar;
    int64_t origin;
    int64_t tick_ms;
    uint32_t ticks;
    int64_t unit; /* quantities are multiples of this */

    int64_t capacity;
    uint32_t bookings_max;
    int64_t *booked; /* per tick */
    trial_booking_t *bookings;
    uint32_t bookings_count;
    uint32_t since_check;
} trial_t;

/*  A number below the bound, of two bytes; 0 when they have run out. */
static uint32_t trial_below (trial_t *self, uint32_t bound)
{
    uint32_t number = 0;
    for (int i = 0; i < 2 && self->left > 0; i++, self->left--)
        number = number << 8 | *self->bytes++;
    return number % bound;
}

static uint32_t trial_byte (trial_t *self)
{
    if (self->left == 0)
        return 0;
    self->left--;
    return *self->bytes++;
}

static int64_t trial_time (const trial_t *self, uint32_t tick)
{
    return self->origin + (int64_t) tick * self->tick_ms;
}

static interval_t trial_interval (const trial_t *self, uint32_t from, uint32_t until)
{
    return (interval_t){.from = trial_time (self, from), .until = trial_time (self, until)};
}

/*  Some ticks [from, until), short ones more often. */
static void trial_ticks (trial_t *self, uint32_t *from, uint32_t *until)
{
    uint32_t length = trial_byte (self);
    *from = trial_below (self, self->ticks);
    length = length < 128 ? length % 16 + 1 : trial_below (self, self->ticks) + 1;
    *until = *from + length < self->ticks ? *from + length : self->ticks;
}

static int64_t plain_least (const trial_t *self, uint32_t from, uint32_t until)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = from; i < until; i++) {
        int64_t free_there = self->capacity - self->booked [i];
        least = free_there < least ? free_there : least;
    }
    return least;
}

static void plain_add (trial_t *self, uint32_t from, uint32_t until, int64_t quantity)
{
    for (uint32_t i = from; i < until; i++)
        self->booked [i] += quantity;
}

/*  End of the stretch from this tick on in which the quantity is free; the tick itself if none. */
static uint32_t plain_stretch (const trial_t *self, uint32_t from, uint32_t until, int64_t quantity)
{
    while (from < until && self->capacity - self->booked [from] >= quantity)
        from++;
    return from;
}

static void trial_booked_one (trial_t *self, uint32_t from, uint32_t until, int64_t quantity,
                              bool forced)
{
    int64_t least = plain_least (self, from, until);
    if (self->bookings_count == self->bookings_max ||
        (forced && self->capacity - least > CALENDAR_QUANTITY_MAX - quantity))
        return;
    taking_t taking = {trial_interval (self, from, until), quantity};
    if (forced)
        calendar_book (self->calendar, taking.over, taking.quantity);
    else
        TRIAL (calendar_take (self->calendar, taking) == (least >= quantity), self);
    if (!forced && least < quantity)
        return;
    plain_add (self, from, until, quantity);
    self->bookings [self->bookings_count++] = (trial_booking_t){from, until, quantity};
}

static void trial_book (trial_t *self, bool forced)
{
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    trial_booked_one (self, from, until, (trial_below (self, 64) + 1) * self->unit, forced);
}

/*  Many bookings at once, evenly spread: few bytes make a tall tree. */
static void trial_book_burst (trial_t *self)
{
    uint32_t count = trial_byte (self);
    uint32_t from = trial_below (self, self->ticks);
    uint32_t stride = trial_below (self, 64) + 1;
    uint32_t length = trial_byte (self) % 32 + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t until = from + length < self->ticks ? from + length : self->ticks;
        trial_booked_one (self, from, until, self->unit, i % 8 == 0);
        from = (from + stride) % self->ticks;
    }
}

static void trial_release_one (trial_t *self, uint32_t at)
{
    trial_booking_t *booking = &self->bookings [at];
    calendar_release (self->calendar, trial_interval (self, booking->from, booking->until),
                      booking->quantity);
    plain_add (self, booking->from, booking->until, -booking->quantity);
    *booking = self->bookings [--self->bookings_count];
}

static void trial_release (trial_t *self, uint32_t count)
{
    for (; count > 0 && self->bookings_count > 0; count--)
        trial_release_one (self, trial_below (self, self->bookings_count));
}

/*  Releases all bookings that begin in some ticks, so that whole leaves and their parents go. */
static void trial_release_range (trial_t *self)
{
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    for (uint32_t i = self->bookings_count; i > 0; i--) {
        const trial_booking_t *booking = &self->bookings [i - 1];
        if (booking->from >= from && booking->from < until)
            trial_release_one (self, i - 1);
    }
}

static void trial_set_capacity (trial_t *self)
{
    self->capacity = trial_below (self, 1024) * self->unit;
    calendar_set_capacity (self->calendar, self->capacity);
    TRIAL (calendar_capacity (self->calendar) == self->capacity, self);
}

/*  As a start books all again: it must be the same to every question, and to every release. */
static void trial_start_again (trial_t *self)
{
    calendar_destroy (&self->calendar);
    self->calendar = calendar_new (self->capacity);
    calendar_starting (self->calendar, true);
    for (uint32_t i = 0; i < self->bookings_count; i++) {
        const trial_booking_t *booking = &self->bookings [i];
        calendar_book (self->calendar, trial_interval (self, booking->from, booking->until),
                       booking->quantity);
    }
    calendar_starting (self->calendar, false);
    calendar_check (self->calendar);
}

static void trial_ask_least (trial_t *self)
{
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    int64_t least = plain_least (self, from, until);
    interval_t over = trial_interval (self, from, until);
    TRIAL (calendar_least (self->calendar, over) == least, self);
    TRIAL (calendar_fits (self->calendar, over, least), self);
    TRIAL (!calendar_fits (self->calendar, over, least + 1), self);
}

/*  Quantities that are free at some instants and not at others. */
static int64_t trial_quantity (trial_t *self)
{
    return self->capacity - trial_below (self, 256) * self->unit;
}

static void trial_ask_first (trial_t *self)
{
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    uint32_t duration = trial_below (self, trial_byte (self) % 64 + 1) + 1;
    int64_t quantity = trial_quantity (self);

    uint32_t expected = from;
    bool exists = false;
    while (expected + duration <= until && !exists) {
        uint32_t end = plain_stretch (self, expected, until, quantity);
        exists = end >= expected + duration;
        expected = exists ? expected : end + 1;
    }
    int64_t start = 0;
    bool found = calendar_first (self->calendar, trial_interval (self, from, until),
                                 duration * self->tick_ms, quantity, &start);
    TRIAL (found == exists, self);
    TRIAL (!found || start == trial_time (self, expected), self);
}

static void trial_ask_spans (trial_t *self)
{
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    uint32_t duration = trial_below (self, trial_byte (self) % 64 + 1) + 1;
    int64_t quantity = trial_quantity (self);
    size_t spans_max = trial_byte (self) % (TRIAL_SPANS_MAX + 1);
    interval_t spans [TRIAL_SPANS_MAX];
    size_t count = calendar_spans (self->calendar, trial_interval (self, from, until),
                                   duration * self->tick_ms, quantity, spans, spans_max);
    size_t expected = 0;
    for (uint32_t at = from; at < until && expected < spans_max; at++) {
        uint32_t end = plain_stretch (self, at, until, quantity);
        if (end >= at + duration) {
            TRIAL (expected < count, self);
            TRIAL (spans [expected].from == trial_time (self, at), self);
            TRIAL (spans [expected].until == trial_time (self, end), self);
            expected++;
        }
        at = end;
    }
    TRIAL (count == expected, self);
}

static void trial_ask_profile (trial_t *self)
{
    static int64_t times [TRIAL_TICKS_MAX];
    static int64_t free_then [TRIAL_TICKS_MAX];
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    size_t max = trial_byte (self) < 64 ? trial_below (self, 8) : TRIAL_TICKS_MAX;
    size_t count =
      calendar_profile (self->calendar, trial_interval (self, from, until), times, free_then, max);
    size_t expected = 0;
    double booked = 0;
    for (uint32_t i = from; i < until; i++) {
        booked += (double) self->booked [i] * (double) self->tick_ms;
        if (i > from && self->booked [i] == self->booked [i - 1])
            continue;
        if (expected < max) {
            TRIAL (times [expected] == trial_time (self, i), self);
            TRIAL (free_then [expected] == self->capacity - self->booked [i], self);
        }
        expected++;
    }
    TRIAL (count == expected, self);

    double told = calendar_booked (self->calendar, trial_interval (self, from, until));
    TRIAL (told >= booked * (1 - 1e-9) && told <= booked * (1 + 1e-9), self);
}

static void trial_ask_short (trial_t *self)
{
    uint32_t from;
    uint32_t until;
    trial_ticks (self, &from, &until);
    int64_t quantity = trial_byte (self) < 64 ? 0 : trial_quantity (self);
    interval_t piece;
    bool told =
      calendar_short (self->calendar, trial_interval (self, from, until), quantity, &piece);
    uint32_t hit = plain_stretch (self, from, until, quantity);
    TRIAL (told == (hit < until), self);
    if (!told)
        return;
    uint32_t end = hit;
    while (end < until && self->capacity - self->booked [end] < quantity)
        end++;
    TRIAL (piece.from == trial_time (self, hit) && piece.until == trial_time (self, end), self);
}

static void trial_step (trial_t *self)
{
    switch (trial_byte (self) % 25) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        trial_book (self, false);
        break;
    case 5:
        trial_book (self, true);
        break;
    case 6:
    case 7:
        trial_book_burst (self);
        break;
    case 8:
    case 9:
    case 10:
        trial_release (self, 1);
        break;
    case 11:
        trial_release (self, trial_byte (self) / 4);
        break;
    case 12:
        trial_release_range (self);
        break;
    case 13:
        trial_set_capacity (self);
        break;
    case 14:
    case 15:
        trial_ask_least (self);
        break;
    case 16:
    case 17:
    case 18:
        trial_ask_first (self);
        break;
    case 19:
    case 20:
        trial_ask_spans (self);
        break;
    case 21:
    case 22:
        trial_ask_profile (self);
        break;
    case 23:
        trial_ask_short (self);
        break;
    default:
        trial_start_again (self);
    }
}

/*  The world of a trial, from its first bytes. */
static void trial_begin (trial_t *self)
{
    static const int64_t tick_ms [] = {1, 2, 1000, INT64_C (3600000)};
    static const uint32_t ticks [] = {7, 64, 600, TRIAL_TICKS_MAX};
    static const uint32_t bookings_max [] = {20, 300, 3000, 12000};
    static const int64_t units [] = {1, CALENDAR_QUANTITY_MAX / 1024};

    uint32_t shape = trial_byte (self);
    self->tick_ms = tick_ms [shape % 4];
    self->ticks = ticks [shape / 4 % 4];
    self->bookings_max = bookings_max [shape / 16 % 4];
    self->unit = units [shape / 64 % 2];
    int64_t length = self->ticks * self->tick_ms;
    const int64_t origins [] = {0, INT64_C (1796115600000), -CALENDAR_HORIZON_MS,
                                CALENDAR_HORIZON_MS - length};
    self->origin = origins [trial_byte (self) % 4];

    self->capacity = 64 * self->unit;
    self->calendar = calendar_new (self->capacity);
    self->booked = calloc (self->ticks, sizeof *self->booked);
    self->bookings = calloc (self->bookings_max, sizeof *self->bookings);
    if (!self->booked || !self->bookings)
        abort ();
}

static void calendar_trial (const uint8_t *bytes, size_t size)
{
    trial_t trial = {.bytes = bytes, .left = size};
    trial_begin (&trial);
    while (trial.left > 0) {
        trial_step (&trial);
        trial.steps++;
        TRIAL (calendar_bookings (trial.calendar) == trial.bookings_count, &trial);
        TRIAL (calendar_bytes (trial.calendar) > 0, &trial);
        if (trial.bookings_count <= TRIAL_SMALL || ++trial.since_check >= TRIAL_CHECK_EVERY) {
            calendar_check (trial.calendar);
            trial.since_check = 0;
        }
    }
    trial_release (&trial, trial.bookings_count);
    calendar_check (trial.calendar);
    calendar_destroy (&trial.calendar);
    TRIAL (!trial.calendar, &trial);
    free (trial.booked);
    free (trial.bookings);
}

#endif
