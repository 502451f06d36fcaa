/*  free_capacity - resources, offered or only recorded, and their calendars. */
#include "free_capacity.h"

#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
