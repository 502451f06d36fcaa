/*  roster - listings by name, each with the timer of its lease. */
#include "roster.h"

#include "access.h"
#include "gis_wire.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FORGET_EVERY_MS 60000

/*  --- those listed once: a record for each name of the kinds that are remembered --- */

/*  What is told of that name has changed by the passing of time. */
typedef void absence_changed_fn (void *owner, const char *name);

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

/*  It is listed no more; it was heard of last, or stopped, at that wall time. */
static void absences_left (absences_t *self, const char *name, int64_t since_ms, bool stopped)
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

static absences_t *absences_new (service_t *service, const absences_limits_t *limits,
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

static void absences_destroy (absences_t **self_p)
{
    absences_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->rows, free);
    free (self);
    *self_p = NULL;
}

static void absences_listed (absences_t *self, const directory_entry_t *entry)
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

static bool absences_forget (absences_t *self, const withdraw_t *withdraw)
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

typedef struct {
    listing_t listing; /* first: a listing handed out is this */
    roster_t *roster;
    int64_t until_ms; /* monotonic */
    int64_t heard_ms; /* monotonic */
    uint64_t timer;
} roster_entry_t;

struct roster {
    service_t *service;
    absences_t *absences;
    ordered_t *members;    /* by name */
    ordered_t *summarised; /* those whose summary has changed, by the number of the last change */
    uint64_t summaries;    /* such changes so far */
    uint32_t entries_max;
    size_t bytes;
    uint64_t number;
    char (*log) [NAME_BYTES_MAX + 1]; /* whom change number N was about: at N % ROSTER_LOG_MAX */
};

static void roster_publish (roster_t *self, const char *name, delta_told_t told)
{
    told.number = ++self->number;
    snprintf (self->log [told.number % ROSTER_LOG_MAX], sizeof *self->log, "%s", name);
    packed_t delta = codec_encode (&delta_told_codec, &told);
    outbox_publish (self->service->outbox, "directory",
                    (bytes_t){.data = delta.data, .size = delta.size});
    free (delta.data);
}

static void roster_member_free (roster_entry_t *member)
{
    roster_t *self = member->roster;
    timers_cancel (self->service->timers, member->timer);
    ordered_remove (self->members, member->listing.entry.name);
    ordered_remove (self->summarised, &member->listing.summarised);
    self->bytes -= member->listing.packed.size;
    codec_clear (&directory_entry_codec, &member->listing.entry);
    free (member->listing.packed.data);
    free (member->listing.summary.data);
    free (member);
}

/*  It is not listed; perhaps it is remembered. */
static void tell_gone (void *owner, const char *name)
{
    roster_t *self = owner;
    const absence_t *absent = absences_find (self->absences, name);
    delta_told_t told = {.gone = true, .name = name, .remembered = absent != NULL};
    if (absent)
        told.absent = *absent;
    roster_publish (self, name, told);
}

static void member_gone (roster_entry_t *member, const char *cause)
{
    roster_t *self = member->roster;
    char name [NAME_BYTES_MAX + 1];
    memcpy (name, member->listing.entry.name, sizeof name);
    outbox_log (self->service->outbox, LEVEL_INFO, "entry %s listed->gone cause=%s", name, cause);
    service_count (self->service, "entries", -1);
    roster_member_free (member);
    tell_gone (self, name);
}

/*  Heartbeats move until_ms and leave the timer alone; it looks again when it fires too early. */
static void roster_on_lease (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    roster_entry_t *member = owner;
    member->timer = 0;
    if (now->mono_ms >= member->until_ms) {
        service_count (member->roster->service, "leases_ended", 1);
        absences_left (member->roster->absences, member->listing.entry.name,
                       now->wall_ms - (now->mono_ms - member->heard_ms), false);
        member_gone (member, "lease");
        return;
    }
    member->timer =
      timers_set (member->roster->service->timers, member->until_ms, roster_on_lease, member, 0);
}

static void member_lease (roster_entry_t *member, const moment_t *now, int64_t lease_ms)
{
    timers_t *timers = member->roster->service->timers;
    int64_t until_ms = lease_ms == ROSTER_FOR_EVER ? INT64_MAX : now->mono_ms + lease_ms;
    bool sooner = until_ms < member->until_ms;
    member->heard_ms = now->mono_ms;
    member->until_ms = until_ms;
    if (until_ms == INT64_MAX || (member->timer != 0 && !sooner))
        return;
    timers_cancel (timers, member->timer);
    member->timer = timers_set (timers, until_ms, roster_on_lease, member, 0);
}

static roster_entry_t *roster_position (const roster_t *self, const char *name)
{
    return ordered_find (self->members, name);
}

static bool roster_same_store (const directory_entry_t *a, const directory_entry_t *b)
{
    return memcmp (a->store, b->store, STORE_ID_BYTES) == 0;
}

static roster_answer_t roster_check (const roster_t *self, const moment_t *now,
                                     const roster_entry_t *old, const directory_entry_t *entry,
                                     size_t size)
{
    size_t old_size = old ? old->listing.packed.size : 0;
    if (old && !roster_same_store (&old->listing.entry, entry) && now->mono_ms < old->until_ms)
        return ROSTER_HELD;
    if (old && roster_same_store (&old->listing.entry, entry) &&
        entry->start < old->listing.entry.start)
        return ROSTER_STALE;
    if (!old && ordered_count (self->members) >= self->entries_max)
        return ROSTER_FULL;
    if (self->bytes - old_size + size > GIS_TABLE_BYTES_MAX)
        return ROSTER_FULL;
    return ROSTER_OK;
}

/*  Logs it. A planner tells its load with each heartbeat, which is of no interest to people. */
static void tell_listed (const roster_t *self, const directory_entry_t *old,
                         const directory_entry_t *entry)
{
    bool moved = !old || old->start != entry->start || !roster_same_store (old, entry) ||
                 strcmp (old->endpoint, entry->endpoint) != 0;
    outbox_log (self->service->outbox, moved ? LEVEL_INFO : LEVEL_DEBUG,
                "entry %s %s->listed endpoint=%s start=%u", entry->name, old ? "listed" : "absent",
                entry->endpoint, entry->start);
}

static roster_entry_t *member_new (roster_t *self, directory_entry_t *entry)
{
    roster_entry_t *member = must (calloc (1, sizeof *member));
    member->roster = self;
    member->until_ms = INT64_MAX;
    member->listing.entry = *entry;
    *entry = (directory_entry_t){0};
    ordered_add (self->members, member->listing.entry.name, member);
    service_count (self->service, "entries", 1);
    return member;
}

/*  The name, which is the key, stays the same. */
static void member_replace (roster_entry_t *member, directory_entry_t *entry)
{
    codec_clear (&directory_entry_codec, &member->listing.entry);
    member->listing.entry = *entry;
    *entry = (directory_entry_t){0};
}

roster_t *roster_new (service_t *service, uint32_t entries_max, const absences_limits_t *limits)
{
    roster_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->entries_max = entries_max;
    self->absences = absences_new (service, limits, tell_gone, self);
    self->log = must (calloc (ROSTER_LOG_MAX, sizeof *self->log));
    self->members = ordered_by_text (offsetof (roster_entry_t, listing.entry.name));
    self->summarised = ordered_by_number (offsetof (roster_entry_t, listing.summarised));
    return self;
}

void roster_destroy (roster_t **self_p)
{
    roster_t *self = *self_p;
    if (!self)
        return;
    for (roster_entry_t *member; (member = ordered_after (self->members, NULL));)
        roster_member_free (member);
    absences_destroy (&self->absences);
    ordered_destroy (&self->members);
    ordered_destroy (&self->summarised);
    free (self->log);
    free (self);
    *self_p = NULL;
}

roster_answer_t roster_list (roster_t *self, const moment_t *now, directory_entry_t *entry,
                             packed_t *packed, int64_t lease_ms)
{
    assert (self && now && *entry->name && packed->size > 0 && lease_ms > 0);
    roster_entry_t *member = roster_position (self, entry->name);
    roster_answer_t answer = roster_check (self, now, member, entry, packed->size);
    if (answer != ROSTER_OK)
        return answer;

    tell_listed (self, member ? &member->listing.entry : NULL, entry);
    if (member)
        member_replace (member, entry);
    else
        member = member_new (self, entry);
    self->bytes = self->bytes - member->listing.packed.size + packed->size;
    free (member->listing.packed.data);
    member->listing.packed = *packed;
    *packed = (packed_t){0};
    roster_publish (self, member->listing.entry.name,
                    (delta_told_t){.listed = true, .entry = member->listing.packed});
    member_lease (member, now, lease_ms);
    absences_listed (self->absences, &member->listing.entry);
    return ROSTER_OK;
}

bool roster_keep (roster_t *self, const moment_t *now, const char *name, bytes_t packed,
                  int64_t lease_ms)
{
    roster_entry_t *member = roster_position (self, name);
    if (!member || member->listing.packed.size != packed.size ||
        memcmp (member->listing.packed.data, packed.data, packed.size) != 0)
        return false;
    if (member->until_ms != INT64_MAX)
        member_lease (member, now, lease_ms);
    return true;
}

void roster_withdraw (roster_t *self, const moment_t *now, const withdraw_t *withdraw)
{
    roster_entry_t *member = roster_position (self, withdraw->name);
    bool listed = member && member->until_ms != INT64_MAX &&
                  member->listing.entry.start == withdraw->start &&
                  memcmp (member->listing.entry.store, withdraw->store, STORE_ID_BYTES) == 0;
    if (listed && withdraw->stops)
        absences_left (self->absences, withdraw->name, now->wall_ms, true);
    bool forgotten = !withdraw->stops && absences_forget (self->absences, withdraw);
    if (listed)
        member_gone (member, withdraw->stops ? "stopped" : "withdrawn");
    else if (forgotten)
        tell_gone (self, withdraw->name);
}

const absences_t *roster_absences (const roster_t *self)
{
    return self->absences;
}

const listing_t *roster_find (const roster_t *self, const char *name)
{
    const roster_entry_t *member = roster_position (self, name);
    return member ? &member->listing : NULL;
}

const listing_t *roster_after (const roster_t *self, const char *name)
{
    const roster_entry_t *member = ordered_after (self->members, name);
    return member ? &member->listing : NULL;
}

void roster_summarise (roster_t *self, const char *name, bytes_t summary)
{
    roster_entry_t *member = roster_position (self, name);
    packed_t *kept = &member->listing.summary;
    if (kept->size == summary.size &&
        (summary.size == 0 || memcmp (kept->data, summary.data, summary.size) == 0))
        return;
    ordered_remove (self->summarised, &member->listing.summarised);
    free (kept->data);
    *kept = packed_copy (summary);
    member->listing.summarised = ++self->summaries;
    ordered_add (self->summarised, &member->listing.summarised, member);
}

const listing_t *roster_summarised (const roster_t *self, uint64_t number)
{
    const roster_entry_t *member = ordered_after (self->summarised, &number);
    return member ? &member->listing : NULL;
}

uint64_t roster_number (const roster_t *self)
{
    return self->number;
}

static int roster_by_name (const void *a, const void *b)
{
    return strcmp (a, b);
}

size_t roster_changed (const roster_t *self, uint64_t number,
                       char names [ROSTER_LOG_MAX][NAME_BYTES_MAX + 1])
{
    assert (number < self->number);
    size_t kept = 0, count = 0;
    if (self->number - number > ROSTER_LOG_MAX)
        return SIZE_MAX;
    for (uint64_t n = number + 1; n <= self->number; n++)
        memcpy (names [count++], self->log [n % ROSTER_LOG_MAX], sizeof *names);
    qsort (names, count, sizeof *names, roster_by_name);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp (names [kept - 1], names [i]) != 0)
            memmove (names [kept++], names [i], sizeof *names);
    return kept;
}
