/*  host_in_memory - one core under a host made of memory: a store of records, a clock that stands
 *  still until a test turns it, an alarm. The other effects of a core - replies, calls, hints - are
 *  handed to the maker of the host. No socket, no file, no clock.
 */
#ifndef MUSUBI_TEST_HOST_IN_MEMORY_H
#define MUSUBI_TEST_HOST_IN_MEMORY_H

#include "core.h"
#include "must.h"
#include "service.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- the store --- */

typedef struct {
    uint8_t table;
    packed_t key;
    packed_t value;
} host_in_memory_kept_t;

typedef struct {
    host_in_memory_kept_t *list; /* ascending by table and key, as a store hands them over */
    size_t count;
    size_t room;
} records_t;

static inline bytes_t kept_bytes (packed_t from)
{
    return (bytes_t){.data = from.data, .size = from.size};
}

static inline packed_t kept_copy (bytes_t from)
{
    packed_t copy = {.data = must (malloc (from.size + 1)), .size = from.size};
    if (from.size > 0)
        memcpy (copy.data, from.data, from.size);
    return copy;
}

static inline int kept_compare (const host_in_memory_kept_t *kept, uint8_t table, bytes_t key)
{
    if (kept->table != table)
        return kept->table < table ? -1 : 1;
    size_t shorter = kept->key.size < key.size ? kept->key.size : key.size;
    int order = shorter > 0 ? memcmp (kept->key.data, key.data, shorter) : 0;
    return order ? order : (kept->key.size > key.size) - (kept->key.size < key.size);
}

/*  The place of the first record that is not before this key. */
static inline size_t records_at (const records_t *self, uint8_t table, bytes_t key)
{
    size_t from = 0, until = self->count;
    while (from < until) {
        size_t middle = (from + until) / 2;
        if (kept_compare (&self->list [middle], table, key) < 0)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

/*  NULL when there is none. */
static inline host_in_memory_kept_t *records_find (const records_t *self, uint8_t table,
                                                   bytes_t key)
{
    size_t at = records_at (self, table, key);
    bool there = at < self->count && kept_compare (&self->list [at], table, key) == 0;
    return there ? &self->list [at] : NULL;
}

static inline void records_put (records_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    host_in_memory_kept_t *kept = records_find (self, table, key);
    if (!kept) {
        size_t at = records_at (self, table, key);
        self->list = must_grow (self->list, self->count, &self->room, sizeof *self->list);
        kept = &self->list [at];
        memmove (kept + 1, kept, (self->count++ - at) * sizeof *kept);
        *kept = (host_in_memory_kept_t){.table = table, .key = kept_copy (key)};
    }
    free (kept->value.data);
    kept->value = kept_copy (value);
}

static inline void records_delete (records_t *self, uint8_t table, bytes_t key)
{
    host_in_memory_kept_t *kept = records_find (self, table, key);
    if (!kept)
        return;
    free (kept->key.data);
    free (kept->value.data);
    memmove (kept, kept + 1, (size_t) (&self->list [--self->count] - kept) * sizeof *kept);
}

/*  Does what an EFFECT_PUT or EFFECT_DELETE says. */
static inline void records_change (records_t *self, const effect_t *effect)
{
    if (effect->kind == EFFECT_PUT)
        records_put (self, effect->record.table, effect->record.key, effect->record.value);
    else
        records_delete (self, effect->record.table, effect->record.key);
}

static inline size_t records_in (const records_t *self, uint8_t table)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        count += self->list [i].table == table;
    return count;
}

static inline void records_clear (records_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free (self->list [i].key.data);
        free (self->list [i].value.data);
    }
    free (self->list);
    *self = (records_t){0};
}

static inline records_t records_copy (const records_t *from)
{
    records_t copy = {0};
    for (size_t i = 0; i < from->count; i++)
        records_put (&copy, from->list [i].table, kept_bytes (from->list [i].key),
                     kept_bytes (from->list [i].value));
    return copy;
}

/*  --- the host --- */

/*  Records that the core wants to see. */
typedef struct {
    read_order_t order;
    packed_t from;
} host_in_memory_read_t;

typedef struct {
    core_t core;
    moment_t now;
    int64_t alarm_ms; /* monotonic; INT64_MAX = none */
    store_identity_t store;
    records_t records;
    size_t puts; /* of records, ever */
    size_t deletes;

    bool keeps_rows; /* of the ledger, with the records */

    /*  What it reads, but for the ledger, is handed over at the end of each step; or when the test
     *  says so. */
    host_in_memory_read_t *reads;
    size_t reads_count;
    size_t reads_room;
    bool reads_late;

    /*  Takes every effect but alarms, changes of records, and reading them; takes rows of the
     *  ledger, too, when they are not kept with the records. */
    void (*take) (void *owner, const effect_t *effect);
    void *owner;
} memory_host_t;

/*  A service by itself as a core. */
static inline void service_as_core_step (void *self, const moment_t *now, const event_t *event)
{
    service_step (self, now, event);
}

static inline bool service_as_core_next (void *self, effect_t *effect)
{
    return service_next (self, effect);
}

static inline void service_as_core_destroy (void *self)
{
    service_t *service = self;
    service_destroy (&service);
}

static inline core_t service_as_core (service_t *service)
{
    return (core_t){.self = service,
                    .step = service_as_core_step,
                    .next = service_as_core_next,
                    .destroy = service_as_core_destroy};
}

static inline memory_host_t memory_host (int64_t wall_ms, int64_t mono_ms,
                                         void (*take) (void *owner, const effect_t *effect),
                                         void *owner)
{
    return (memory_host_t){.now = {.wall_ms = wall_ms,
                                   .mono_ms = mono_ms,
                                   .store_free_bytes = 1 << 30,
                                   .store_bytes = 1 << 30},
                           .alarm_ms = INT64_MAX,
                           .take = take,
                           .owner = owner};
}

static inline void memory_host_take (memory_host_t *self, const effect_t *effect)
{
    bool write = effect->kind == EFFECT_PUT || effect->kind == EFFECT_DELETE;
    if (effect->kind == EFFECT_TIMER) {
        self->alarm_ms = effect->timer.mono_ms;
    } else if (effect->kind == EFFECT_READ && effect->read.table != TABLE_LEDGER) {
        self->reads =
          must_grow (self->reads, self->reads_count, &self->reads_room, sizeof *self->reads);
        self->reads [self->reads_count++] =
          (host_in_memory_read_t){.order = effect->read, .from = kept_copy (effect->read.from)};
    } else if (!write || (effect->record.table == TABLE_LEDGER && !self->keeps_rows)) {
        self->take (self->owner, effect);
    } else {
        records_change (&self->records, effect);
        self->puts += effect->kind == EFFECT_PUT;
        self->deletes += effect->kind == EFFECT_DELETE;
    }
}

static inline void memory_host_drain (memory_host_t *self)
{
    effect_t effect;
    while (self->core.next (self->core.self, &effect))
        memory_host_take (self, &effect);
}

/*  Takes the oldest read out. */
static inline host_in_memory_read_t memory_host_read (memory_host_t *self)
{
    host_in_memory_read_t read = self->reads [0];
    memmove (self->reads, self->reads + 1, --self->reads_count * sizeof *self->reads);
    if (self->reads_count == 0) {
        free (self->reads);
        self->reads = NULL;
        self->reads_room = 0;
    }
    return read;
}

static inline void memory_host_forget_reads (memory_host_t *self)
{
    while (self->reads_count > 0)
        free (memory_host_read (self).from.data);
}

/*  Hands over one record that was asked for, or none when there is none from there on. */
static inline void memory_host_show (memory_host_t *self)
{
    host_in_memory_read_t read = memory_host_read (self);
    assert (read.order.most == 1);
    size_t at = records_at (&self->records, read.order.table, kept_bytes (read.from));
    const host_in_memory_kept_t *kept =
      at < self->records.count && self->records.list [at].table == read.order.table
        ? &self->records.list [at]
        : NULL;
    row_t row = {0};
    event_t event = {.kind = EVENT_ROWS, .rows = {.read = read.order.read, .rows = &row}};
    if (kept) {
        row = (row_t){.key = kept_bytes (kept->key), .value = kept_bytes (kept->value)};
        event.rows.count = 1;
        event.rows.more =
          at + 1 < self->records.count && self->records.list [at + 1].table == read.order.table;
    }
    self->core.step (self->core.self, &self->now, &event);
    free (read.from.data);
    memory_host_drain (self);
}

static inline void memory_host_show_all (memory_host_t *self)
{
    while (self->reads_count > 0 && !self->reads_late)
        memory_host_show (self);
}

static inline void memory_host_step (memory_host_t *self, const event_t *event)
{
    self->core.step (self->core.self, &self->now, event);
    memory_host_drain (self);
    memory_host_show_all (self);
}

static inline void memory_host_recall (memory_host_t *self, const host_in_memory_kept_t *kept,
                                       void (*step) (void *owner, const event_t *event))
{
    step (self->owner, &(event_t){.kind = EVENT_RECORD,
                                  .record = {.table = kept->table,
                                             .key = kept_bytes (kept->key),
                                             .value = kept_bytes (kept->value)}});
}

/*  A row of the ledger with another one behind it is not handed over (core.h). */
static inline bool memory_host_wanted (const records_t *loaded, size_t i)
{
    return loaded->list [i].table != TABLE_LEDGER || i + 1 == loaded->count ||
           loaded->list [i + 1].table != TABLE_LEDGER;
}

/*  Starts a new process of the core on the present records, and on the last row of its ledger when
 *  that is kept elsewhere; its events come from endpoint/events. Each record is loaded in a step of
 *  its own. When the process dies and is replaced in such a step, this load ends there. */
static inline void memory_host_boot (memory_host_t *self, const host_in_memory_kept_t *last_row,
                                     const char *endpoint,
                                     void (*step) (void *owner, const event_t *event))
{
    uint32_t start = ++self->store.start;
    char events [128];
    snprintf (events, sizeof events, "%s/events", endpoint);
    self->alarm_ms = INT64_MAX;
    memory_host_forget_reads (self);
    records_t loaded = records_copy (&self->records); /* steps may change them */
    for (size_t i = 0; i < loaded.count && self->store.start == start; i++)
        if (memory_host_wanted (&loaded, i))
            memory_host_recall (self, &loaded.list [i], step);
    records_clear (&loaded);
    if (last_row && self->store.start == start)
        memory_host_recall (self, last_row, step);
    if (self->store.start == start)
        step (self->owner,
              &(event_t){.kind = EVENT_START,
                         .start = {.store = self->store, .endpoint = endpoint, .events = events}});
}

static inline void memory_host_turn (memory_host_t *self, int64_t to_mono_ms)
{
    if (to_mono_ms <= self->now.mono_ms)
        return;
    self->now.wall_ms += to_mono_ms - self->now.mono_ms;
    self->now.mono_ms = to_mono_ms;
}

static inline void memory_host_ring (memory_host_t *self,
                                     void (*step) (void *owner, const event_t *event))
{
    self->alarm_ms = INT64_MAX;
    step (self->owner, &(event_t){.kind = EVENT_TIMER});
}

/*  Time passes, alarm by alarm. */
static inline void memory_host_pass (memory_host_t *self, int64_t ms,
                                     void (*step) (void *owner, const event_t *event))
{
    int64_t end_ms = self->now.mono_ms + ms;
    for (int alarms = 0; self->alarm_ms <= end_ms; alarms++) {
        assert (alarms < 100000);
        memory_host_turn (self, self->alarm_ms);
        memory_host_ring (self, step);
    }
    memory_host_turn (self, end_ms);
}

#endif
