/*  calendar - how much of one resource is free, over time.
 *
 *  Time is cut into half-open intervals [from, until), in milliseconds since the epoch. A booking
 *  takes a quantity throughout its interval. Questions never change the calendar; their cost grows
 *  with the logarithm of the bookings held. One thread at a time. Pure.
 *
 *  A B+-tree of (time, change): each subtree carries the sum and the least and greatest running sum
 *  of its changes, so that a booking is two point updates whatever its length.
 */
#ifndef MUSUBI_CALENDAR_H
#define MUSUBI_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t from;
    int64_t until;
} interval_t;

typedef struct calendar calendar_t;

/*  Nothing is booked further than this from the epoch, before or after (4459 years). Questions may
 *  be about any time: beyond the horizon all is free. */
#define CALENDAR_HORIZON_MS ((INT64_C (1) << 47) - 2)

/*  Largest capacity, and the most that can be booked at one instant. */
#define CALENDAR_QUANTITY_MAX (INT64_C (1) << 61)

/*  New calendar, wholly free. It grows with its bookings. The capacity is in
 *  [0, CALENDAR_QUANTITY_MAX]. The caller owns it: end it with calendar_destroy (). */
calendar_t *calendar_new (int64_t capacity);
void calendar_destroy (calendar_t **self_p);

/*  Take quantity (> 0) over an interval within the horizon, whether it is free or not; at no
 *  instant more than CALENDAR_QUANTITY_MAX. */
void calendar_book (calendar_t *self, interval_t over, int64_t quantity);

/*  Gives back a booking, named by what was booked. It can't fail: the room it may need was
 *  reserved when it was booked. */
void calendar_release (calendar_t *self, interval_t over, int64_t quantity);

/*  From true to false bookings are only collected, and nothing may be asked or given back: a start
 *  that books a million puts them in order all at once, at a tenth of the cost. Of no effect where
 *  something is booked already. */
void calendar_starting (calendar_t *self, bool on);

size_t calendar_bookings (const calendar_t *self);
int64_t calendar_capacity (const calendar_t *self);

/*  Capacity may fall below what is booked: least free is then negative. */
void calendar_set_capacity (calendar_t *self, int64_t capacity);

/*  Least free quantity over a non-empty interval. */
int64_t calendar_least (const calendar_t *self, interval_t over);

/*  The most that is free at any instant of a non-empty interval. */
int64_t calendar_most (const calendar_t *self, interval_t over);

/*  Is quantity free throughout the non-empty interval? */
bool calendar_fits (const calendar_t *self, interval_t over, int64_t quantity);

/*  If not: where, the first maximal piece of the interval in which less is free. */
bool calendar_short (const calendar_t *self, interval_t over, int64_t quantity, interval_t *piece);

/*  Earliest start in [window.from, window.until - duration_ms] at which quantity is free for
 *  duration_ms (> 0); window.from itself counts. False when there is none. One forward pass that
 *  skips subtrees wholly free, wholly short, or too brief. */
bool calendar_first (const calendar_t *self, interval_t window, int64_t duration_ms,
                     int64_t quantity, int64_t *start);

/*  Maximal spans inside the window, each at least duration_ms long, in which quantity is free,
 *  ascending; at most spans_max. Returns how many. */
size_t calendar_spans (const calendar_t *self, interval_t window, int64_t duration_ms,
                       int64_t quantity, interval_t *spans, size_t spans_max);

/*  Free quantity over the interval as steps: times [i] to times [i + 1] (the last to over.until)
 *  has free [i]; times [0] = over.from; neighbours differ. Writes at most steps_max and returns how
 *  many there are in all. */
size_t calendar_profile (const calendar_t *self, interval_t over, int64_t *times, int64_t *free,
                         size_t steps_max);

/*  Booked quantity x time over the interval (units x ms), as a double: for utilisation. */
double calendar_booked (const calendar_t *self, interval_t over);

#endif
