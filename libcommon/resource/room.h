/*  room - what is free at a participant: one calendar for each of its resources.
 *
 *  A resource is a class of identical nodes at a site, or a link of a network domain; a count over
 *  time is all that is kept of it: who gets which node is decided when the reservation starts. All
 *  intervals here include the gap where it applies; who asks for [from, until) books
 *  [from, until + gap).
 *
 *  A resource that the configuration no longer has stays for the bookings recorded in it, with
 *  nothing in it: it is not offered and nothing new fits. Resources are found by name in the
 *  logarithm of their number. Pure.
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

/*  What is offered of one resource. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t quantity; /* nodes; Mbit/s */
    uint32_t unit;     /* > 0: what one of it gives. CPUs of a node; 1 for a link */
} offer_t;

/*  How a refusal speaks of it: static text. */
typedef struct {
    const char *resource; /* "class", "link" */
    const char *quantity; /* "nodes", "Mbit/s" */
    const char *amount;   /* what is asked for: "CPUs", "Mbit/s" */
} room_words_t;

typedef struct {
    disclosure_t disclosure;
    int64_t lead_ms;    /* refuses windows nearer than this */
    int64_t horizon_ms; /* books at most this far ahead */
    int64_t gap_ms;     /* kept free after each booking */
} room_terms_t;

typedef struct {
    const char *name; /* of the site or domain, "ams", without the kind */
    room_words_t words;
    room_terms_t terms;
    const offer_t *offers; /* names differ */
    size_t offers_count;
} room_settings_t;

typedef struct room room_t;

/*  Times are judged with the timekeeper, which is borrowed for life; the rest is copied. */
room_t *room_new (const room_settings_t *settings, const timekeeper_t *timekeeper);
void room_destroy (room_t **self_p);

const char *room_name (const room_t *self);
const room_words_t *room_words (const room_t *self);
const room_terms_t *room_terms (const room_t *self);

/*  How many resources are offered: indices 0 to here. And one of them, with its present quantity.
 */
size_t room_offers (const room_t *self);
const offer_t *room_offer (const room_t *self, size_t resource);

/*  Index of a resource that is offered; false when there is none of that name. */
bool room_find (const room_t *self, const char *name, size_t *resource);

/*  The same for records: a resource that is not offered is made, with nothing in it. */
size_t room_find_recorded (room_t *self, const char *name);

const char *room_resource_name (const room_t *self, size_t resource);
const calendar_t *room_calendar (const room_t *self, size_t resource);

/*  It may become less than is booked: least free is negative then. */
void room_set_quantity (room_t *self, size_t resource, uint32_t quantity);

/*  Measured difference of our clock and the directory's. */
void room_set_skew (room_t *self, int64_t skew_ms);

/*  The present as it counts against a window (the later of both clocks, T15); the first start that
 *  is not too near; the last end that is not beyond the horizon, gap not counted. */
int64_t room_now_ms (const room_t *self, const moment_t *now);
int64_t room_soonest_ms (const room_t *self, const moment_t *now);
int64_t room_horizon_ms (const room_t *self, const moment_t *now);

/*  How much of a resource gives this amount: ceil (amount / unit). */
uint32_t room_quantity_for (const room_t *self, size_t resource, uint32_t amount);

/*  Put stretches into the calendars, asking nobody; and take them out again. */
void room_book (room_t *self, stretches_t *stretches);
void room_release (room_t *self, stretches_t *stretches);

/*  Grows with every change of a calendar, from 1. */
uint64_t room_version (const room_t *self);

/*  --- questions; room_questions.c. counted holds what is to count as free, ascending by resource;
 *  NULL = nothing. --- */

/*  Free quantity of a resource in at most steps_max (> 0) steps. When there are more, the interval
 *  is cut into equal parts and each says the least that is free in it: never more than there is.
 *  The caller owns what the profile points to: room_profile_clear. */
void room_profile (const room_t *self, size_t resource, interval_t over, const stretches_t *counted,
                   size_t steps_max, profile_t *profile);
void room_profile_clear (profile_t *profile);

/*  The same for many (count <= steps_max), which share the steps: those that need few leave theirs
 *  to the others. */
void room_profiles (const room_t *self, const size_t *resources, size_t count, interval_t over,
                    const stretches_t *counted, size_t steps_max, profile_t *profiles);

/*  Least free over a non-empty interval. */
int64_t room_least (const room_t *self, size_t resource, interval_t over,
                    const stretches_t *counted);

/*  Spans inside [from, until) such that the quantity could be reserved from every start in
 *  [span.from, span.until - duration_ms], lead and horizon and gap minded. Writes at most
 *  spans_max, returns how many. */
size_t room_spans (const room_t *self, const moment_t *now, size_t resource, int64_t quantity,
                   int64_t duration_ms, interval_t over, interval_t *spans, size_t spans_max);

/*  Booked share of a resource over a non-empty interval, 0 to 1; and of all that is offered,
 *  each resource weighed by what it gives: of all CPUs, of all bandwidth. */
double room_utilisation (const room_t *self, size_t resource, interval_t over);
double room_utilisation_all (const room_t *self, interval_t over);

#endif
