/*  free_capacity - what is free at a participant: one calendar for each of its resources.
 *
 *  A resource is a class of identical nodes at a site, or a link of a network domain. Only a count
 *  over time is kept of it: which nodes a reservation gets is decided when it starts. All intervals
 *  here include the cleaning gap where there is one: a request for [from, until) books [from, until
 *  + gap).
 *
 *  A resource that the configuration no longer has is kept for the bookings recorded in it, with
 *  capacity 0: it is not offered, and nothing new fits. Resources are found by name in the
 *  logarithm of their number. Pure.
 */
#ifndef MUSUBI_FREE_CAPACITY_H
#define MUSUBI_FREE_CAPACITY_H

#include "calendar.h"
#include "free_summary.h"
#include "site.h"
#include "timekeeper.h"
#include "transaction.h"

typedef struct {
    size_t resource; /* index in its room */
    interval_t over;
    int64_t quantity;
    bool in_calendar; /* of the resource */
} resource_interval_t;

/*  The caller owns list: interval_list_clear. */
typedef struct {
    resource_interval_t *list;
    size_t count;
} interval_list_t;

void interval_list_clear (interval_list_t *self);

/*  The part of an ascending list that is about one resource; borrowed. NULL: of nothing. */
interval_list_t interval_list_of_resource (const interval_list_t *self, size_t resource);

/*  Where before and after differ, or both have something: maximal intervals over which both are
 *  constant. */
typedef struct {
    size_t resource;
    interval_t over;
    int64_t before;
    int64_t after;
} interval_change_t;

/*  The caller owns list: interval_changes_clear. Ascending by resource and time. */
typedef struct {
    interval_change_t *list;
    size_t count;
} interval_changes_t;

void interval_changes_clear (interval_changes_t *self);

/*  The changes from one list to another. Either may be in any order; overlapping elements add up.
 */
interval_changes_t interval_list_changes (const interval_list_t *before,
                                          const interval_list_t *after);

/*  What the changes lead to; and what they need beyond what was there: max (before, after) -
 *  before. Both in shortest form. */
interval_list_t interval_changes_after (const interval_changes_t *self);
interval_list_t interval_changes_extra (const interval_changes_t *self);

/*  Is something given back later than then_ms? */
bool interval_changes_free_after (const interval_changes_t *self, int64_t then_ms);

/*  Times of bookings lie between 1970 and the year 4199, where calendars have room to spare. */
#define FREE_CAPACITY_TIME_MS_MAX (INT64_C (1) << 46)

/*  The most skew that is counted against a window: a directory whose clock is far off must not
 *  close the site. */
#define FREE_CAPACITY_SKEW_MS_MAX 60000

/*  What is offered of one resource. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t quantity; /* nodes; Mbit/s */
    uint32_t unit;     /* > 0: what one of it gives. CPUs of a node; 1 for a link */
} resource_offer_t;

/*  How refusals name it: static text. */
typedef struct {
    const char *resource; /* "class", "link" */
    const char *quantity; /* "nodes", "Mbit/s" */
    const char *amount;   /* what is asked for: "CPUs", "Mbit/s" */
} free_capacity_words_t;

typedef struct {
    disclosure_t disclosure;
    int64_t lead_ms;    /* refuses windows nearer than this */
    int64_t horizon_ms; /* books at most this far ahead */
    int64_t gap_ms;     /* kept free after each booking */
} free_capacity_terms_t;

typedef struct {
    const char *name; /* of the site or domain, "ams", without the kind */
    free_capacity_words_t words;
    free_capacity_terms_t terms;
    const resource_offer_t *offers; /* names differ */
    size_t offers_count;
} free_capacity_settings_t;

typedef struct room free_capacity_t;

/*  Times are judged with the timekeeper, which is borrowed for life; the rest is copied. */
free_capacity_t *free_capacity_new (const free_capacity_settings_t *settings,
                                    const timekeeper_t *timekeeper);
void free_capacity_destroy (free_capacity_t **self_p);

const char *free_capacity_name (const free_capacity_t *self);
const free_capacity_words_t *free_capacity_words (const free_capacity_t *self);
const free_capacity_terms_t *free_capacity_terms (const free_capacity_t *self);

/*  How many resources are offered: their indices begin at 0. And one of them, with its present
 *  quantity. */
size_t free_capacity_offers (const free_capacity_t *self);
const resource_offer_t *free_capacity_offer (const free_capacity_t *self, size_t resource);

/*  Index of a resource that is offered; false when there is none of that name. */
bool free_capacity_find (const free_capacity_t *self, const char *name, size_t *resource);

/*  The same for records: a resource that is not offered is added, with capacity 0. */
size_t free_capacity_find_recorded (free_capacity_t *self, const char *name);

const char *free_capacity_resource_name (const free_capacity_t *self, size_t resource);
const calendar_t *free_capacity_calendar (const free_capacity_t *self, size_t resource);

/*  Is more booked of any resource, at an instant from then on, than there is? */
bool free_capacity_overbooked (const free_capacity_t *self, int64_t from_ms);

/*  The new quantity may be less than is booked: then the least that is free is negative. */
void free_capacity_set_quantity (free_capacity_t *self, size_t resource, uint32_t quantity);

/*  The measured difference between our clock and the directory's. */
void free_capacity_set_skew (free_capacity_t *self, int64_t skew_ms);

/*  The present as it counts against a window (the later of both clocks, T15); the first start that
 *  is not too near; the last end within the horizon, gap not included. */
int64_t free_capacity_now_ms (const free_capacity_t *self, const moment_t *now);
int64_t free_capacity_soonest_ms (const free_capacity_t *self, const moment_t *now);
int64_t free_capacity_horizon_ms (const free_capacity_t *self, const moment_t *now);

/*  How much of a resource gives this amount: ceil (amount / unit). */
uint32_t free_capacity_quantity_for (const free_capacity_t *self, size_t resource, uint32_t amount);

/*  As calendar_starting, of all that there are; one that is added meanwhile is as ever. */
void free_capacity_starting (const free_capacity_t *self, bool on);

/*  Puts intervals into the calendars unconditionally, and takes them out again. */
void free_capacity_book (free_capacity_t *self, interval_list_t *stretches);
void free_capacity_release (free_capacity_t *self, interval_list_t *stretches);

/*  What is taken for all but some actors, of whom spares says so: lent for life, and in the
 *  calendars only from free_capacity_as, for an actor that is not one of them, to
 *  free_capacity_as_all. */
typedef struct {
    interval_list_t *list;
    bool (*spares) (void *owner, const char *actor);
    void *owner;
} free_capacity_apart_t;
void free_capacity_apart (free_capacity_t *self, const free_capacity_apart_t *apart);
void free_capacity_as (free_capacity_t *self, const char *actor);
void free_capacity_as_all (free_capacity_t *self);

/*  Grows with every change of a calendar, from 1. */
uint64_t free_capacity_version (const free_capacity_t *self);

/*  --- questions (free_capacity_answers.c) ---
 *
 *  counted: what is to count as free, ascending by resource; NULL = nothing.
 */

/*  The free quantity of a resource, in at most steps_max (> 0) steps. When there are more, the
 *  interval is cut into equal parts, each with the least that is free in it, so that it never tells
 *  more than there is. The caller owns what the profile points to: free_capacity_profile_clear. */
void free_capacity_profile (const free_capacity_t *self, size_t resource, interval_t over,
                            const interval_list_t *counted, size_t steps_max, profile_t *profile);
void free_capacity_profile_clear (profile_t *profile);

/*  The same for many resources (count <= steps_max), which share the steps: those that need few
 *  leave the rest to the others. */
void free_capacity_profiles (const free_capacity_t *self, const size_t *resources, size_t count,
                             interval_t over, const interval_list_t *counted, size_t steps_max,
                             profile_t *profiles);

/*  Least free over a non-empty interval. */
int64_t free_capacity_least (const free_capacity_t *self, size_t resource, interval_t over,
                             const interval_list_t *counted);

/*  What is free at most from then on, as far as it is told: up to FREE_SUMMARY_BYTES_MAX. All of it
 *  is free: nothing is told. The caller clears it. */
void free_capacity_summary (const free_capacity_t *self, int64_t from_ms, free_summary_t *summary);

/*  Spans inside [from, until) such that the quantity could be reserved from every start in
 *  [span.from, span.until - duration_ms], with lead, horizon and gap respected. Writes at most
 *  spans_max, returns how many. */
size_t free_capacity_spans (const free_capacity_t *self, const moment_t *now, size_t resource,
                            int64_t quantity, int64_t duration_ms, interval_t over,
                            interval_t *spans, size_t spans_max);

/*  The booked share of a resource over a non-empty interval, 0 to 1; and of all resources together,
 *  each weighted by what it gives: CPUs, bandwidth. */
double free_capacity_utilisation (const free_capacity_t *self, size_t resource, interval_t over);
double free_capacity_utilisation_all (const free_capacity_t *self, interval_t over);

#endif
