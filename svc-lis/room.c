/*  room - the classes of a site, offered or only recorded, and their calendars. */
#include "room.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  The calendars themselves are not what limits bookings: the timetable refuses long before, and a
 *  record must always find its place. */
#define ROOM_CALENDAR_BOOKINGS_MAX 2000000000u

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    calendar_t *calendar;
} room_class_t;

struct room {
    char name [NAME_BYTES_MAX + 1];
    site_t site;           /* its classes are the first of the list below */
    room_class_t *classes; /* then those that are only recorded */
    size_t classes_count;
    const timekeeper_t *timekeeper;
    int64_t skew_ms;
    uint64_t version;
};

static size_t class_add (room_t *self, const char *name, int64_t nodes)
{
    self->classes = reallocarray (self->classes, self->classes_count + 1, sizeof *self->classes);
    if (!self->classes)
        abort ();
    room_class_t *added = &self->classes [self->classes_count];
    snprintf (added->name, sizeof added->name, "%s", name);
    added->calendar = calendar_new (nodes, ROOM_CALENDAR_BOOKINGS_MAX);
    return self->classes_count++;
}

room_t *room_new (const char *name, const site_t *site, const timekeeper_t *timekeeper)
{
    assert (name && site && timekeeper);
    room_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    snprintf (self->name, sizeof self->name, "%s", name);
    site_copy (&self->site, site);
    for (size_t i = 0; i < site->classes_count; i++) {
        assert (site->classes [i].cpus_per_node > 0);
        class_add (self, site->classes [i].name, site->classes [i].nodes);
    }
    self->timekeeper = timekeeper;
    self->version = 1;
    return self;
}

void room_destroy (room_t **self_p)
{
    room_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->classes_count; i++)
        calendar_destroy (&self->classes [i].calendar);
    free (self->classes);
    site_clear (&self->site);
    free (self);
    *self_p = NULL;
}

const char *room_name (const room_t *self)
{
    return self->name;
}

const site_t *room_site (const room_t *self)
{
    return &self->site;
}

bool room_class (const room_t *self, const char *name, size_t *class_index)
{
    for (size_t i = 0; i < self->site.classes_count; i++) {
        if (strcmp (self->site.classes [i].name, name) == 0) {
            *class_index = i;
            return true;
        }
    }
    return false;
}

size_t room_class_recorded (room_t *self, const char *name)
{
    for (size_t i = 0; i < self->classes_count; i++)
        if (strcmp (self->classes [i].name, name) == 0)
            return i;
    return class_add (self, name, 0);
}

const char *room_class_name (const room_t *self, size_t class_index)
{
    assert (class_index < self->classes_count);
    return self->classes [class_index].name;
}

const calendar_t *room_calendar (const room_t *self, size_t class_index)
{
    assert (class_index < self->classes_count);
    return self->classes [class_index].calendar;
}

void room_set_nodes (room_t *self, size_t class_index, uint32_t nodes)
{
    assert (class_index < self->site.classes_count);
    self->site.classes [class_index].nodes = nodes;
    calendar_set_capacity (self->classes [class_index].calendar, nodes);
    self->version++;
}

void room_set_skew (room_t *self, int64_t skew_ms)
{
    /*  Ahead or behind, it can bring the window nearer by as much. */
    if (skew_ms < 0)
        skew_ms = skew_ms > -ROOM_SKEW_MS_MAX ? -skew_ms : ROOM_SKEW_MS_MAX;
    self->skew_ms = skew_ms < ROOM_SKEW_MS_MAX ? skew_ms : ROOM_SKEW_MS_MAX;
}

int64_t room_now_ms (const room_t *self, const moment_t *now)
{
    return timekeeper_most (self->timekeeper, now);
}

int64_t room_soonest_ms (const room_t *self, const moment_t *now)
{
    return room_now_ms (self, now) + self->site.lead_ms + self->skew_ms;
}

int64_t room_horizon_ms (const room_t *self, const moment_t *now)
{
    return timekeeper_least (self->timekeeper, now) + self->site.horizon_ms;
}

void room_book (room_t *self, stretches_t *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        stretch_t *stretch = &stretches->list [i];
        assert (stretch->class_index < self->classes_count && stretch->booking == 0);
        calendar_answer_t answer =
          calendar_force (self->classes [stretch->class_index].calendar, stretch->over,
                          stretch->nodes, &stretch->booking);
        assert (answer == CALENDAR_OK);
    }
    if (stretches->count > 0)
        self->version++;
}

void room_release (room_t *self, stretches_t *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        stretch_t *stretch = &stretches->list [i];
        assert (stretch->class_index < self->classes_count && stretch->booking != 0);
        calendar_release (self->classes [stretch->class_index].calendar, stretch->booking);
        stretch->booking = 0;
    }
    if (stretches->count > 0)
        self->version++;
}

uint64_t room_version (const room_t *self)
{
    return self->version;
}
