/*  absences - one record for each name of the kinds that are remembered, listed or absent. */
#include "absences.h"

#include "access.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FORGET_EVERY_MS 60000

struct absences {
    service_t *service;
    absences_limits_t limits;
    absence_changed_fn *changed;
    void *owner;
    ordered_t *rows; /* by name */
    size_t absent;   /* of them */
};

static void absences_put (absences_t *self, const absence_t *told)
{
    service_put (self->service, TABLE_ABSENCES, text_bytes (told->name),
                 codec_encode (&absence_codec, told));
}

static void absences_on_record (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    absences_t *self = owner;
    absence_t row;
    char why [WHY_BYTES] = "name: twice";
    if (!codec_decode (&absence_codec, &row, value, why) || ordered_find (self->rows, row.name)) {
        service_bad_record (self->service, "absences", why);
        return;
    }
    row.expected = row.since_ms == 0;
    absence_t *kept = must_copy (&row, sizeof row);
    ordered_add (self->rows, kept->name, kept);
    self->absent += kept->since_ms > 0;
}

static void absences_drop (absences_t *self, const char *name)
{
    absence_t *row = ordered_remove (self->rows, name);
    self->absent -= row->since_ms > 0;
    outbox_delete (self->service->outbox, TABLE_ABSENCES, text_bytes (row->name));
    free (row);
}

static void absences_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    absences_t *self = owner;
    char at [NAME_BYTES_MAX + 1] = "";
    for (absence_t *row; (row = ordered_after (self->rows, at));) {
        memcpy (at, row->name, sizeof at);
        bool over = row->since_ms > 0 && row->since_ms + self->limits.remembered_ms <= now->wall_ms;
        bool missed = row->expected;
        if (over)
            absences_drop (self, at);
        else if (missed)
            absences_left (self, at, now->wall_ms - self->limits.grace_ms, false);
        if (over || missed)
            self->changed (self->owner, at);
    }
    timers_set (self->service->timers, now->mono_ms + FORGET_EVERY_MS, absences_on_time, self, 0);
}

static void absences_on_start (void *owner, const moment_t *now)
{
    absences_t *self = owner;
    timers_set (self->service->timers, now->mono_ms + self->limits.grace_ms, absences_on_time, self,
                0);
}

absences_t *absences_new (service_t *service, const absences_limits_t *limits,
                          absence_changed_fn *changed, void *owner)
{
    assert (limits->remembered_max <= ABSENCES_MAX && limits->remembered_ms > 0);
    absences_t *self = must (calloc (1, sizeof *self));
    *self = (absences_t){.service = service, .limits = *limits, .changed = changed, .owner = owner};
    self->rows = ordered_by_text (offsetof (absence_t, name));
    service_load (service, TABLE_ABSENCES, absences_on_record, self);
    service_at_start (service, absences_on_start, self);
    return self;
}

void absences_destroy (absences_t **self_p)
{
    absences_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->rows, free);
    free (self);
    *self_p = NULL;
}

void absences_listed (absences_t *self, const directory_entry_t *entry)
{
    if (name_of_kind (entry->name, "gis") || name_of_kind (entry->name, "planner"))
        return;
    absence_t told = {.start = entry->start,
                      .votes = entry->site || entry->domain || entry->storage};
    memcpy (told.name, entry->name, sizeof told.name);
    memcpy (told.store, entry->store, STORE_ID_BYTES);
    absence_t *row = ordered_find (self->rows, told.name);
    if (!row) {
        row = must (calloc (1, sizeof *row));
        memcpy (row->name, told.name, sizeof told.name);
        ordered_add (self->rows, row->name, row);
    }
    self->absent -= row->since_ms > 0;
    bool same = row->start == told.start && row->votes == told.votes && row->since_ms == 0 &&
                memcmp (row->store, told.store, STORE_ID_BYTES) == 0;
    *row = told;
    if (!same)
        absences_put (self, &told);
}

void absences_left (absences_t *self, const char *name, int64_t since_ms, bool stopped)
{
    absence_t *row = ordered_find (self->rows, name);
    if (!row)
        return;
    self->absent++;
    row->expected = false;
    row->since_ms = since_ms;
    row->stopped = stopped;
    absences_put (self, row);
    if (self->absent <= self->limits.remembered_max)
        return;
    const absence_t *oldest = row;
    for (const absence_t *one = NULL; (one = absences_after (self, one ? one->name : NULL));)
        oldest = one->since_ms < oldest->since_ms ? one : oldest;
    char forgotten [NAME_BYTES_MAX + 1];
    memcpy (forgotten, oldest->name, sizeof forgotten);
    absences_drop (self, forgotten);
    self->changed (self->owner, forgotten);
}

bool absences_forget (absences_t *self, const withdraw_t *withdraw)
{
    const absence_t *row = ordered_find (self->rows, withdraw->name);
    if (!row || row->start != withdraw->start ||
        memcmp (row->store, withdraw->store, STORE_ID_BYTES) != 0)
        return false;
    absences_drop (self, withdraw->name);
    return true;
}

const absence_t *absences_find (const absences_t *self, const char *name)
{
    const absence_t *row = ordered_find (self->rows, name);
    return row && row->since_ms > 0 ? row : NULL;
}

const absence_t *absences_after (const absences_t *self, const char *name)
{
    const absence_t *row = ordered_after (self->rows, name);
    while (row && row->since_ms == 0)
        row = ordered_after (self->rows, row->name);
    return row;
}
