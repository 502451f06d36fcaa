/*  free_capacity - resources, offered or only recorded, and their calendars. */
#include "free_capacity.h"

#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void interval_list_clear (interval_list_t *self)
{
    free (self->list);
    *self = (interval_list_t){0};
}

void interval_changes_clear (interval_changes_t *self)
{
    free (self->list);
    *self = (interval_changes_t){0};
}

/*  The first stretch of a resource that is not before this one. */
static size_t stretch_first (const interval_list_t *self, size_t resource)
{
    size_t from = 0;
    size_t until = self->count;
    while (from < until) {
        size_t middle = from + (until - from) / 2;
        if (self->list [middle].resource < resource)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

interval_list_t interval_list_of_resource (const interval_list_t *self, size_t resource)
{
    if (!self)
        return (interval_list_t){0};
    size_t first = stretch_first (self, resource);
    size_t end = first;
    while (end < self->count && self->list [end].resource == resource)
        end++;
    if (first == end)
        return (interval_list_t){0};
    return (interval_list_t){.list = self->list + first, .count = end - first};
}

/*  At an instant, the quantities of one resource move by so much. */
typedef struct {
    size_t resource;
    int64_t at;
    int64_t before;
    int64_t after;
} turn_t;

static int turn_compare (const void *left, const void *right)
{
    const turn_t *a = left;
    const turn_t *b = right;
    if (a->resource != b->resource)
        return a->resource < b->resource ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static size_t turns_add (turn_t *turns, size_t count, const interval_list_t *stretches, bool after)
{
    for (size_t i = 0; i < stretches->count; i++) {
        const resource_interval_t *stretch = &stretches->list [i];
        assert (stretch->over.from < stretch->over.until);
        turn_t up = {
          .resource = stretch->resource,
          .at = stretch->over.from,
          .before = after ? 0 : stretch->quantity,
          .after = after ? stretch->quantity : 0,
        };
        turn_t down = up;
        down.at = stretch->over.until;
        down.before = -up.before;
        down.after = -up.after;
        turns [count++] = up;
        turns [count++] = down;
    }
    return count;
}

/*  Appends it, or lengthens the last one when that has the same quantities and touches it. */
static void interval_changes_add (interval_changes_t *self, const interval_change_t *change)
{
    interval_change_t *last = self->count > 0 ? &self->list [self->count - 1] : NULL;
    if (last && last->resource == change->resource && last->over.until == change->over.from &&
        last->before == change->before && last->after == change->after)
        last->over.until = change->over.until;
    else
        self->list [self->count++] = *change;
}

interval_changes_t interval_list_changes (const interval_list_t *before,
                                          const interval_list_t *after)
{
    size_t turns_max = 2 * (before->count + after->count);
    if (turns_max == 0)
        return (interval_changes_t){0};
    interval_changes_t changes = {.list = must (calloc (turns_max, sizeof *changes.list))};
    if (before->count == 0 && after->count == 1) { /* most reservations, a million at a start */
        const resource_interval_t *only = after->list;
        changes.list [changes.count++] = (interval_change_t){
          .resource = only->resource, .over = only->over, .after = only->quantity};
        return changes;
    }
    memory_auto turn_t *turns = must (calloc (turns_max, sizeof *turns));
    size_t count = turns_add (turns, 0, before, false);
    count = turns_add (turns, count, after, true);
    qsort (turns, count, sizeof *turns, turn_compare);

    /*  Between two neighbouring turns of a resource, both quantities are constant. After the last
     *  turn of a resource both are 0 again. */
    int64_t quantity_before = 0;
    int64_t quantity_after = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        quantity_before += turns [i].before;
        quantity_after += turns [i].after;
        bool empty =
          turns [i].resource != turns [i + 1].resource || turns [i].at == turns [i + 1].at;
        if (empty || (quantity_before == 0 && quantity_after == 0))
            continue;
        interval_changes_add (&changes,
                              &(interval_change_t){.resource = turns [i].resource,
                                                   .over = {turns [i].at, turns [i + 1].at},
                                                   .before = quantity_before,
                                                   .after = quantity_after});
    }
    return changes;
}

/*  The stretches of a quantity that is read off each change; where it is 0 there is none. */
static interval_list_t interval_list_read (const interval_changes_t *changes, bool extra)
{
    if (changes->count == 0)
        return (interval_list_t){0};
    interval_list_t stretches = {.list = must (calloc (changes->count, sizeof *stretches.list))};
    for (size_t i = 0; i < changes->count; i++) {
        const interval_change_t *change = &changes->list [i];
        int64_t quantity = change->after - (extra ? change->before : 0);
        if (quantity <= 0)
            continue;
        resource_interval_t *last =
          stretches.count > 0 ? &stretches.list [stretches.count - 1] : NULL;
        if (last && last->resource == change->resource && last->over.until == change->over.from &&
            last->quantity == quantity)
            last->over.until = change->over.until;
        else
            stretches.list [stretches.count++] = (resource_interval_t){
              .resource = change->resource, .over = change->over, .quantity = quantity};
    }
    if (stretches.count == 0)
        interval_list_clear (&stretches);
    return stretches;
}

interval_list_t interval_changes_after (const interval_changes_t *self)
{
    return interval_list_read (self, false);
}

interval_list_t interval_changes_extra (const interval_changes_t *self)
{
    return interval_list_read (self, true);
}

bool interval_changes_free_after (const interval_changes_t *self, int64_t then_ms)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].after < self->list [i].before && self->list [i].over.until > then_ms)
            return true;
    return false;
}

typedef struct {
    resource_offer_t offer; /* nothing when it is only recorded */
    calendar_t *calendar;
    size_t index; /* in the list */
} free_capacity_resource_t;

struct room {
    char name [NAME_BYTES_MAX + 1];
    free_capacity_words_t words;
    free_capacity_terms_t terms;
    free_capacity_resource_t **resources; /* those offered come first */
    size_t resources_count;
    size_t offers_count;
    ordered_t *by_name;
    const timekeeper_t *timekeeper;
    int64_t skew_ms;
    uint64_t version;
    free_capacity_apart_t apart;
    bool apart_in; /* the calendars */
};

static free_capacity_resource_t *resource_add (free_capacity_t *self, const resource_offer_t *offer)
{
    self->resources =
      must (reallocarray (self->resources, self->resources_count + 1, sizeof *self->resources));
    free_capacity_resource_t *added = must (calloc (1, sizeof *added));
    added->offer = *offer;
    added->calendar = calendar_new (offer->quantity);
    added->index = self->resources_count;
    self->resources [self->resources_count++] = added;
    ordered_add (self->by_name, added->offer.name, added);
    return added;
}

free_capacity_t *free_capacity_new (const free_capacity_settings_t *settings,
                                    const timekeeper_t *timekeeper)
{
    assert (settings && settings->name && timekeeper);
    free_capacity_t *self = must (calloc (1, sizeof *self));
    snprintf (self->name, sizeof self->name, "%s", settings->name);
    self->words = settings->words;
    self->terms = settings->terms;
    self->by_name = ordered_by_text (offsetof (free_capacity_resource_t, offer.name));
    for (size_t i = 0; i < settings->offers_count; i++) {
        assert (settings->offers [i].unit > 0);
        resource_add (self, &settings->offers [i]);
    }
    self->offers_count = settings->offers_count;
    self->timekeeper = timekeeper;
    self->version = 1;
    return self;
}

void free_capacity_destroy (free_capacity_t **self_p)
{
    free_capacity_t *self = *self_p;
    if (!self)
        return;
    ordered_destroy (&self->by_name);
    for (size_t i = 0; i < self->resources_count; i++) {
        calendar_destroy (&self->resources [i]->calendar);
        free (self->resources [i]);
    }
    free (self->resources);
    free (self);
    *self_p = NULL;
}

const char *free_capacity_name (const free_capacity_t *self)
{
    return self->name;
}

const free_capacity_words_t *free_capacity_words (const free_capacity_t *self)
{
    return &self->words;
}

const free_capacity_terms_t *free_capacity_terms (const free_capacity_t *self)
{
    return &self->terms;
}

size_t free_capacity_offers (const free_capacity_t *self)
{
    return self->offers_count;
}

const resource_offer_t *free_capacity_offer (const free_capacity_t *self, size_t resource)
{
    assert (resource < self->offers_count);
    return &self->resources [resource]->offer;
}

bool free_capacity_find (const free_capacity_t *self, const char *name, size_t *resource)
{
    const free_capacity_resource_t *found = ordered_find (self->by_name, name);
    if (!found || found->index >= self->offers_count)
        return false;
    *resource = found->index;
    return true;
}

size_t free_capacity_find_recorded (free_capacity_t *self, const char *name)
{
    const free_capacity_resource_t *found = ordered_find (self->by_name, name);
    if (found)
        return found->index;
    resource_offer_t none = {.unit = 1};
    snprintf (none.name, sizeof none.name, "%s", name);
    return resource_add (self, &none)->index;
}

const char *free_capacity_resource_name (const free_capacity_t *self, size_t resource)
{
    assert (resource < self->resources_count);
    return self->resources [resource]->offer.name;
}

const calendar_t *free_capacity_calendar (const free_capacity_t *self, size_t resource)
{
    assert (resource < self->resources_count);
    return self->resources [resource]->calendar;
}

bool free_capacity_overbooked (const free_capacity_t *self, int64_t from_ms)
{
    interval_t ahead = {from_ms, INT64_MAX};
    for (size_t i = 0; i < self->resources_count; i++)
        if (calendar_least (self->resources [i]->calendar, ahead) < 0)
            return true;
    return false;
}

void free_capacity_set_quantity (free_capacity_t *self, size_t resource, uint32_t quantity)
{
    assert (resource < self->offers_count);
    self->resources [resource]->offer.quantity = quantity;
    calendar_set_capacity (self->resources [resource]->calendar, quantity);
    self->version++;
}

void free_capacity_set_skew (free_capacity_t *self, int64_t skew_ms)
{
    /*  Whether ahead or behind, a clock can bring the window nearer by as much as it is off. */
    if (skew_ms < 0)
        skew_ms = skew_ms > -FREE_CAPACITY_SKEW_MS_MAX ? -skew_ms : FREE_CAPACITY_SKEW_MS_MAX;
    self->skew_ms = skew_ms < FREE_CAPACITY_SKEW_MS_MAX ? skew_ms : FREE_CAPACITY_SKEW_MS_MAX;
}

int64_t free_capacity_now_ms (const free_capacity_t *self, const moment_t *now)
{
    return timekeeper_most (self->timekeeper, now);
}

int64_t free_capacity_soonest_ms (const free_capacity_t *self, const moment_t *now)
{
    return free_capacity_now_ms (self, now) + self->terms.lead_ms + self->skew_ms;
}

int64_t free_capacity_horizon_ms (const free_capacity_t *self, const moment_t *now)
{
    return timekeeper_least (self->timekeeper, now) + self->terms.horizon_ms;
}

uint32_t free_capacity_quantity_for (const free_capacity_t *self, size_t resource, uint32_t amount)
{
    uint32_t unit = free_capacity_offer (self, resource)->unit;
    return amount / unit + (amount % unit != 0);
}

void free_capacity_starting (const free_capacity_t *self, bool on)
{
    for (size_t i = 0; i < self->resources_count; i++)
        calendar_starting (self->resources [i]->calendar, on);
}

void free_capacity_book (free_capacity_t *self, interval_list_t *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        resource_interval_t *stretch = &stretches->list [i];
        assert (stretch->resource < self->resources_count && !stretch->in_calendar);
        calendar_book (self->resources [stretch->resource]->calendar, stretch->over,
                       stretch->quantity);
        stretch->in_calendar = true;
    }
    if (stretches->count > 0)
        self->version++;
}

void free_capacity_release (free_capacity_t *self, interval_list_t *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        resource_interval_t *stretch = &stretches->list [i];
        assert (stretch->resource < self->resources_count && stretch->in_calendar);
        calendar_release (self->resources [stretch->resource]->calendar, stretch->over,
                          stretch->quantity);
        stretch->in_calendar = false;
    }
    if (stretches->count > 0)
        self->version++;
}

void free_capacity_apart (free_capacity_t *self, const free_capacity_apart_t *apart)
{
    self->apart = *apart;
}

void free_capacity_as (free_capacity_t *self, const char *actor)
{
    uint64_t version = self->version;
    self->apart_in = self->apart.list && !self->apart.spares (self->apart.owner, actor);
    if (self->apart_in)
        free_capacity_book (self, self->apart.list);
    self->version = version;
}

void free_capacity_as_all (free_capacity_t *self)
{
    uint64_t version = self->version;
    if (self->apart_in)
        free_capacity_release (self, self->apart.list);
    self->apart_in = false;
    self->version = version;
}

uint64_t free_capacity_version (const free_capacity_t *self)
{
    return self->version;
}
