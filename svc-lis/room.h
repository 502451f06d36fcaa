/*  room - what is free at a site: one calendar of nodes for each of its classes.
 *
 *  Nodes of a class are alike, so that a count over time is enough: who gets which node is decided
 *  when the reservation starts. All intervals here include the cleaning gap where it
 *  applies; who asks for [from, until) books [from, until + gap).
 *
 *  A class that the configuration no longer has stays for the bookings recorded in it, with no
 *  nodes: it is not offered and nothing new fits. Pure.
 */
#ifndef MUSUBI_ROOM_H
#define MUSUBI_ROOM_H

#include "site.h"
#include "stretches.h"
#include "timekeeper.h"
#include "transaction.h"

/*  Times of bookings lie between 1970 and the year 4199, where calendars have room to spare. */
#define ROOM_TIME_MS_MAX (INT64_C (1) << 46)

/*  The skew counted against a window is at most this: a directory whose clock is far off must not
 *  close the site. */
#define ROOM_SKEW_MS_MAX 60000

typedef struct room room_t;

/*  name is the site's, "ams", without the kind. Times are judged with the timekeeper, which is
 *  borrowed for life; the rest is copied. */
room_t *room_new (const char *name, const site_t *site, const timekeeper_t *timekeeper);
void room_destroy (room_t **self_p);

const char *room_name (const room_t *self);

/*  What is offered, with the present number of nodes. Borrowed. */
const site_t *room_site (const room_t *self);

/*  Index of a class that is offered; false when there is none of that name. */
bool room_class (const room_t *self, const char *name, size_t *class_index);

/*  The same for records: a class that is not offered is made, without nodes. */
size_t room_class_recorded (room_t *self, const char *name);

const char *room_class_name (const room_t *self, size_t class_index);
const calendar_t *room_calendar (const room_t *self, size_t class_index);

/*  Nodes may become fewer than are booked: least free is negative then. */
void room_set_nodes (room_t *self, size_t class_index, uint32_t nodes);

/*  Measured difference of our clock and the directory's. */
void room_set_skew (room_t *self, int64_t skew_ms);

/*  The present as it counts against a window (the later of both clocks, T15); the first start that
 *  is not too near; the last end that is not beyond the horizon, cleaning gap not counted. */
int64_t room_now_ms (const room_t *self, const moment_t *now);
int64_t room_soonest_ms (const room_t *self, const moment_t *now);
int64_t room_horizon_ms (const room_t *self, const moment_t *now);

/*  Put stretches into the calendars, asking nobody; and take them out again. */
void room_book (room_t *self, stretches_t *stretches);
void room_release (room_t *self, stretches_t *stretches);

/*  Grows with every change of a calendar, from 1. */
uint64_t room_version (const room_t *self);

/*  --- questions; room_questions.c. counted holds nodes that are to count as free; NULL = none. ---
 */

/*  Free nodes of a class in at most steps_max (> 0) steps. When there are more, the interval is
 *  cut into equal parts and each says the least that is free in it: never more than there is. The
 *  caller owns what the profile points to: room_profile_clear. */
void room_profile (const room_t *self, size_t class_index, interval_t over,
                   const stretches_t *counted, size_t steps_max, profile_t *profile);
void room_profile_clear (profile_t *profile);

/*  Spans inside [from, until) such that nodes of the class could be reserved from every start
 *  in [span.from, span.until - duration_ms], lead and horizon and cleaning gap minded. Writes at
 *  most spans_max, returns how many. */
size_t room_spans (const room_t *self, const moment_t *now, size_t class_index, int64_t nodes,
                   int64_t duration_ms, interval_t over, interval_t *spans, size_t spans_max);

/*  Booked share of a class over a non-empty interval, 0 to 1; and of all CPUs of the site. */
double room_utilisation (const room_t *self, size_t class_index, interval_t over);
double room_utilisation_all (const room_t *self, interval_t over);

#endif
