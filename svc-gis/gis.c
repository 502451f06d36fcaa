/*  gis - puts roster and home into one core, and answers questions about the roster.
 *
 *  A GIS lists itself, in its own roster for ever and at the others under leases, so that its name
 *  is found everywhere. It follows no other directory: what it knows was told by the services that
 *  it lists.
 */
#include "gis.h"

#include "access.h"
#include "gis_wire.h"
#include "home.h"
#include "member.h"
#include "must.h"
#include "recall.h"
#include "registration.h"
#include "roster.h"
#include "watermarks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    service_t *service;
    gis_settings_t settings; /* its lists are our copies */
    roster_t *roster;
    watermarks_t *watermarks;
    registration_t *registration; /* at the other GIS */
    home_t *home;
    recall_t *recall;
} gis_t;

static const setting_t gis_rows [] = {
  SET_FIXED_DURATION (gis_settings_t, lease_ms_min, "lease_min", 3 * MS_SECOND),
  SET_DURATION (gis_settings_t, lease_ms_max, "lease_max", 60 * MS_SECOND, 3 * MS_SECOND,
                GIS_LEASE_MS_MOST,
                "longest lease of an entry: a service that died stays listed until its lease ends"),
  SET_FIXED_DURATION (gis_settings_t, absences.remembered_ms, "roster/remembered", 7 * MS_DAY),
  SET_FIXED (gis_settings_t, absences.remembered_max, "roster/remembered_max", 1024),
  SET_COUNT (gis_settings_t, entries_max, "limits/entries_max", 32768, 1, GIS_ENTRIES_MAX,
             "services listed at once; of twice as many it is remembered how far their ledgers had "
             "come (T14)"),
  SET_MERGED (gis_settings_t, watermarks_max, "limits/watermarks_max", "twice limits/entries_max"),
  SET_MERGED (gis_settings_t, closed_max, "limits/closed_max", "16 times limits/holds_max"),
  SET_DURATION (gis_settings_t, recall_wait_ms, "recall/wait", 15 * MS_SECOND, 0, RECALL_MS,
                "how long a home whose store is new lets nobody claim requests, so that services "
                "can tell which requests of an earlier store they have carried out; 0s where a "
                "federation begins and there was none"),
  SET_RESTORE_GUARD_WAIT (gis_settings_t, restore_guard_wait_ms),
  SET_INSIDE (gis_settings_t, limits, "", participant_limits_t, &participant_table),
};

static const void *gis_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    gis_settings_t *gis = settings;
    gis->absences.grace_ms =
      gis->lease_ms_min > DIRECTORY_LEASE_MS ? gis->lease_ms_min : DIRECTORY_LEASE_MS;
    gis->watermarks_max = 2 * gis->entries_max;
    gis->closed_max =
      gis->limits.holds_max > UINT32_MAX / 16 ? UINT32_MAX : 16 * gis->limits.holds_max;
    return NULL;
}

const setting_table_t gis_table = SETTING_TABLE (gis_settings_t, gis_rows, gis_rule);

static bool is_administrator (const gis_t *self, const char *actor)
{
    return may (&self->settings.access, VERB_ADMINISTER, actor, actor, "");
}

static directory_mark_t mark_of (const gis_t *self)
{
    directory_mark_t mark = {.start = self->service->store.start,
                             .number = roster_number (self->roster)};
    memcpy (mark.store, self->service->store.id, STORE_ID_BYTES);
    return mark;
}

/*  --- announce, withdraw --- */

static uint32_t lease_granted (const gis_t *self, uint32_t wanted_ms)
{
    uint32_t lease_ms = wanted_ms ? wanted_ms : DIRECTORY_LEASE_MS;
    if (lease_ms < self->settings.lease_ms_min)
        lease_ms = self->settings.lease_ms_min;
    return lease_ms < self->settings.lease_ms_max ? lease_ms : self->settings.lease_ms_max;
}

static void refuse_listing (gis_t *self, const request_t *request, const char *name,
                            roster_answer_t answer)
{
    service_count (self->service, "announcements_refused", 1);
    switch (answer) {
    case ROSTER_HELD:
        service_refuse (self->service, request, CALL_DENIED,
                        "%s is held by another store until its lease ends", name);
        break;
    case ROSTER_STALE:
        service_refuse (self->service, request, CALL_DENIED,
                        "a later start of the same store is listed as %s", name);
        break;
    default:
        service_refuse (self->service, request, CALL_OVERLOADED,
                        "the directory is full (limits/entries_max): no room for %s", name);
        break;
    }
}

/*  A copy of a store has the same id, and only one of the two can be listed: without a warning
 *  nobody would hear of the other. */
static void warn_of_copy (gis_t *self, const moment_t *now, const announcement_t *announcement)
{
    directory_entry_t entry;
    char why [WHY_BYTES], text [256];
    const listing_t *listed = roster_find (self->roster, announcement->name);
    bytes_t packed = packed_bytes (announcement->entry);
    if (!listed || memcmp (listed->entry.store, announcement->mark.store, STORE_ID_BYTES) != 0 ||
        !codec_decode (&directory_entry_codec, &entry, packed, why))
        return;
    snprintf (text, sizeof text,
              "%.63s is served twice from copies of one store: at %.50s, and at %.50s, which is "
              "listed; stop one of them",
              announcement->name, entry.endpoint, listed->entry.endpoint);
    if (strcmp (entry.endpoint, listed->entry.endpoint) != 0)
        service_warn (self->service, announcement->name, text, now->mono_ms + GIS_COPY_TOLD_MS);
    codec_clear (&directory_entry_codec, &entry);
}

/*  Lists an entry that is new or has changed. False when it is refused, which has been answered. */
static bool list_entry (gis_t *self, const moment_t *now, const request_t *request,
                        announcement_t *announcement, uint32_t lease_ms)
{
    directory_entry_t entry;
    char why [WHY_BYTES];
    bytes_t packed = packed_bytes (announcement->entry);
    if (!codec_decode (&directory_entry_codec, &entry, packed, why))
        return service_refuse (self->service, request, CALL_BAD_REQUEST, "entry.%s", why);
    roster_answer_t answer =
      roster_list (self->roster, now, &entry, &announcement->entry, lease_ms);
    if (answer == ROSTER_OK)
        return true;
    if (answer == ROSTER_STALE)
        warn_of_copy (self, now, announcement);
    refuse_listing (self, request, announcement->name, answer);
    codec_clear (&directory_entry_codec, &entry);
    return false;
}

static void reply_to_announcement (gis_t *self, const request_t *request,
                                   const announcement_t *announcement, announce_answer_t answer)
{
    char homes [GIS_HOMES_MAX][NAME_BYTES_MAX + 1];
    answer.homes = homes;
    answer.homes_count = announcement->homes ? self->settings.homes_count : 0;
    for (size_t i = 0; i < answer.homes_count; i++)
        snprintf (homes [i], sizeof homes [i], "%s", self->settings.homes [i]);
    service_reply (self->service, request, codec_encode (&announce_answer_codec, &answer));
}

/*  The answer tells what is remembered, because only the sender can compare it with its ledger
 *  (T14). A store below that is told so and not listed: nobody should come to a restored backup. */
static void announce_step (gis_t *self, const moment_t *now, const request_t *request,
                           announcement_t *announcement)
{
    announce_answer_t answer = {.lease_ms = lease_granted (self, announcement->lease_ms),
                                .wall_ms = now->wall_ms};
    bytes_t packed = packed_bytes (announcement->entry);
    const char *name = announcement->name;
    const watermark_t *known = watermarks_find (self->watermarks, name);
    watermark_answer_t fits = watermarks_compare (self->watermarks, name, &announcement->mark);
    answer.before_set = known && announcement->mark.row > 0;
    if (answer.before_set)
        answer.before = known->mark;
    answer.replaced = fits == WATERMARK_REPLACED;
    if (fits == WATERMARK_BELOW || fits == WATERMARK_REPLACED) {
        service_count (self->service, "backups_announced", 1);
        warn_of_copy (self, now, announcement);
        outbox_log (self->service->outbox, LEVEL_WARNING, "entry %s not listed row=%llu cause=%s",
                    name, (unsigned long long) announcement->mark.row,
                    answer.replaced ? "replaced" : "restored_backup");
        reply_to_announcement (self, request, announcement, answer);
        return;
    }
    if (!roster_keep (self->roster, now, name, packed, answer.lease_ms) &&
        !list_entry (self, now, request, announcement, answer.lease_ms))
        return;
    recall_listed (self->recall, now, name, known != NULL, announcement->seen);
    if (announcement->seen && recall_told (self->recall, name))
        watermarks_raise (self->watermarks, now, name, &announcement->mark);
    service_count (self->service, "announcements", 1);
    roster_summarise (self->roster, name, packed_bytes (announcement->summary));
    reply_to_announcement (self, request, announcement, answer);
}

static void on_announce (void *owner, const moment_t *now, const request_t *request, void *body)
{
    gis_t *self = owner;
    announcement_t *announcement = body;
    if (announcement->entry.size > GIS_ENTRY_BYTES_MAX) {
        service_refuse (self->service, request, CALL_BAD_REQUEST, "entry: larger than %u bytes",
                        GIS_ENTRY_BYTES_MAX);
    } else if (strcmp (request->actor, announcement->name) == 0 ||
               is_administrator (self, request->actor)) {
        announce_step (self, now, request, announcement);
    } else {
        service_count (self->service, "announcements_refused", 1);
        service_refuse (self->service, request, CALL_DENIED, "%.63s may not announce %s",
                        request->actor, announcement->name);
    }
}

/*  Succeeds also when the entry is not listed, or another start is: what was wanted is so. */
static void gis_on_withdraw (void *owner, const moment_t *now, const request_t *request, void *body)
{
    gis_t *self = owner;
    const withdraw_t *withdraw = body;
    if (strcmp (request->actor, withdraw->name) != 0 && !is_administrator (self, request->actor)) {
        service_refuse (self->service, request, CALL_DENIED, "%.63s may not withdraw %s",
                        request->actor, withdraw->name);
        return;
    }
    roster_withdraw (self->roster, now, withdraw);
    service_reply (self->service, request, (packed_t){0}); /* WithdrawAnswer is empty */
}

/*  --- snapshot, find --- */

static bool of_kinds (const snapshot_request_t *asked, const char *name)
{
    bool of = asked->kinds_count == 0;
    for (size_t i = 0; !of && i < asked->kinds_count; i++)
        of = name_of_kind (name, asked->kinds [i]);
    return of;
}

static void tell_absent (entries_told_t *told, const absence_t *absent)
{
    if (!told->absent)
        told->absent = must (calloc (ABSENCES_MAX, sizeof *told->absent));
    if (told->absent_count < ABSENCES_MAX)
        told->absent [told->absent_count++] = *absent;
}

/*  False when the answer is full: the entry is not in it. */
static bool gis_tell (entries_told_t *told, size_t *bytes, const listing_t *listing)
{
    size_t more = listing->packed.size + 8; /* with its tag and length */
    if (*bytes + more > GIS_PAGE_BYTES || told->count == GIS_PAGE_ENTRIES_MAX)
        return false;
    if (!told->entries)
        told->entries = must (calloc (GIS_PAGE_ENTRIES_MAX, sizeof *told->entries));
    told->entries [told->count++] = listing->packed;
    *bytes += more;
    return true;
}

/*  Tells a follower what it has missed, if the log reaches back so far and one answer holds it. */
static bool tell_changes (const gis_t *self, const snapshot_request_t *asked, entries_told_t *told)
{
    size_t bytes = 0;
    const absences_t *absences = roster_absences (self->roster);
    told->gone = must (calloc (ROSTER_LOG_MAX, sizeof *told->gone));
    size_t changed = roster_changed (self->roster, asked->have.number, told->gone);
    told->changes = changed <= ROSTER_LOG_MAX;
    for (size_t i = 0; told->changes && i < changed; i++) {
        const listing_t *listing = roster_find (self->roster, told->gone [i]);
        const absence_t *absent = absences_find (absences, told->gone [i]);
        if (!of_kinds (asked, told->gone [i]))
            continue;
        if (absent)
            tell_absent (told, absent);
        if (listing)
            told->changes = gis_tell (told, &bytes, listing);
        else
            memmove (told->gone [told->gone_count++], told->gone [i], sizeof *told->gone);
    }
    if (!told->changes)
        told->count = told->gone_count = told->absent_count = 0;
    return told->changes;
}

/*  The first of the kinds asked for whose name is greater. */
static const listing_t *next_of_kinds (const gis_t *self, const snapshot_request_t *asked,
                                       const char *name)
{
    const listing_t *first = asked->kinds_count == 0 ? roster_after (self->roster, name) : NULL;
    for (size_t i = 0; i < asked->kinds_count; i++) {
        char least [NAME_BYTES_MAX + 2];
        snprintf (least, sizeof least, "%s/", asked->kinds [i]);
        const listing_t *next =
          roster_after (self->roster, strcmp (name, least) > 0 ? name : least);
        if (next && name_of_kind (next->entry.name, asked->kinds [i]) &&
            (!first || strcmp (next->entry.name, first->entry.name) < 0))
            first = next;
    }
    return first;
}

static void tell_page (const gis_t *self, const snapshot_request_t *asked, entries_told_t *told)
{
    size_t bytes = 0;
    const listing_t *listing = next_of_kinds (self, asked, asked->after);
    while (listing && gis_tell (told, &bytes, listing))
        listing = next_of_kinds (self, asked, listing->entry.name);
    const absence_t *absent = NULL;
    while (!*asked->after &&
           (absent = absences_after (roster_absences (self->roster), absent ? absent->name : NULL)))
        if (of_kinds (asked, absent->name))
            tell_absent (told, absent);
    told->homes = self->settings.homes;
    told->homes_count = self->settings.homes_count;
    told->more = listing != NULL;
}

static bool same_publisher (const directory_mark_t *a, const directory_mark_t *b)
{
    return a->start == b->start && memcmp (a->store, b->store, STORE_ID_BYTES) == 0;
}

static void gis_on_snapshot (void *owner, const moment_t *now, const request_t *request, void *body)
{
    gis_t *self = owner;
    const snapshot_request_t *asked = body;
    const directory_mark_t *have = &asked->have;
    entries_told_t told = {.mark = mark_of (self)};
    bool of_another = have->start > 0 && self->settings.gis_count == 0 &&
                      memcmp (have->store, told.mark.store, STORE_ID_BYTES) != 0;
    if (of_another) /* with several directories, the other store may be another directory's */
        recall_known (self->recall, now);
    service_count (self->service, "snapshots", 1);
    bool ours = !*asked->after && same_publisher (have, &told.mark);
    told.unchanged = ours && have->number == told.mark.number;
    bool behind = ours && have->number < told.mark.number;
    if (!told.unchanged && !(behind && asked->changes && tell_changes (self, asked, &told)))
        tell_page (self, asked, &told);
    service_reply (self->service, request, entries_told_encode (&snapshot_told_codec, &told));
    free (told.entries);
    free (told.gone);
    free (told.absent);
}

static void on_summaries (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    gis_t *self = owner;
    const directory_mark_t *have = body;
    named_summary_t told [SUMMARIES_MAX];
    summaries_page_t answer = {.summaries = told, .mark = mark_of (self)};
    answer.mark.number = same_publisher (have, &answer.mark) ? have->number : 0;
    const listing_t *listing;
    while ((listing = roster_summarised (self->roster, answer.mark.number)) &&
           answer.summaries_count < SUMMARIES_MAX) {
        named_summary_t *one = &told [answer.summaries_count++];
        memcpy (one->name, listing->entry.name, sizeof one->name);
        one->summary = listing->summary;
        answer.mark.number = listing->summarised;
    }
    answer.more = listing != NULL;
    service_count (self->service, "summaries", 1);
    service_reply (self->service, request, codec_encode (&summaries_page_codec, &answer));
}

/*  A single class must meet all of it: many small classes do not serve one large need. An entry
 *  that is no site has no class, so it is not found by CPUs or attributes. */
static bool site_matches (const site_t *site, const find_t *find)
{
    for (size_t i = 0; site && i < site->classes_count; i++) {
        const node_class_t *class = &site->classes [i];
        uint64_t cpus = (uint64_t) class->nodes * class->cpus_per_node;
        if (cpus >= find->cpus && class_meets (class, find->require, find->require_count))
            return true;
    }
    return false;
}

static bool matches (const directory_entry_t *entry, const find_t *find)
{
    bool any_site = find->require_count == 0 && find->cpus == 0;
    return name_of_kind (entry->name, find->kind) && (any_site || site_matches (entry->site, find));
}

static void find_named (const gis_t *self, const find_t *find, entries_told_t *told)
{
    size_t bytes = 0;
    for (size_t i = 0; i < find->names_count && !told->more; i++) {
        const listing_t *listing = roster_find (self->roster, find->names [i]);
        told->more =
          listing && matches (&listing->entry, find) && !gis_tell (told, &bytes, listing);
    }
}

static void find_any (const gis_t *self, const find_t *find, entries_told_t *told)
{
    size_t bytes = 0;
    const listing_t *listing = roster_after (self->roster, *find->after ? find->after : NULL);
    while (listing && (!matches (&listing->entry, find) || gis_tell (told, &bytes, listing)))
        listing = roster_after (self->roster, listing->entry.name);
    told->more = listing != NULL;
}

static void on_find (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    gis_t *self = owner;
    const find_t *find = body;
    service_count (self->service, "finds", 1);
    entries_told_t told = {.more = false};
    if (find->names_count > 0)
        find_named (self, find, &told);
    else
        find_any (self, find, &told);
    service_reply (self->service, request, entries_told_encode (&find_told_codec, &told));
    free (told.entries);
}

/*  --- the core --- */

static const char *gis_resolve (void *owner, const moment_t *now, const char *peer)
{
    (void) now;
    const listing_t *listing = roster_find (owner, peer);
    return listing ? listing->entry.endpoint : NULL;
}

static void gis_on_start (void *owner, const moment_t *now)
{
    gis_t *self = owner;
    directory_entry_t own = {.start = self->service->store.start};
    memcpy (own.name, self->service->name, sizeof own.name);
    memcpy (own.store, self->service->store.id, STORE_ID_BYTES);
    memcpy (own.endpoint, self->service->endpoint, sizeof own.endpoint);
    memcpy (own.events, self->service->events, sizeof own.events);
    registration_announce (self->registration, now, &own);
    packed_t packed = codec_encode (&directory_entry_codec, &own);
    roster_answer_t answer = roster_list (self->roster, now, &own, &packed, ROSTER_FOR_EVER);
    assert (answer == ROSTER_OK); /* it is the first */
    recall_start (self->recall, now, watermarks_count (self->watermarks) > 0);
}

static gis_settings_t gis_copy_settings (const gis_settings_t *from)
{
    gis_settings_t copy = *from;
    copy.name = must (strdup (from->name));
    copy.homes_count = from->homes_count ? from->homes_count : 1;
    copy.homes = names_copy (from->homes_count ? from->homes : &from->name, copy.homes_count);
    copy.gis_endpoints = names_copy (from->gis_endpoints, from->gis_count);
    access_copy (&copy.access, &from->access);
    return copy;
}

static void free_settings (gis_settings_t *settings)
{
    free ((char *) settings->name);
    names_clear (settings->homes, settings->homes_count);
    names_clear (settings->gis_endpoints, settings->gis_count);
    access_clear (&settings->access);
}

static void gis_destroy (void *owner)
{
    gis_t *self = owner;
    recall_destroy (&self->recall);
    home_destroy (&self->home);
    registration_destroy (&self->registration);
    watermarks_destroy (&self->watermarks);
    roster_destroy (&self->roster);
    service_destroy (&self->service);
    free_settings (&self->settings);
    free (self);
}

static void gis_check_settings (const gis_settings_t *settings)
{
    assert (settings->name && strchr (settings->name, '/'));
    assert (settings->homes_count <= GIS_HOMES_MAX);
    assert (settings->entries_max > 0 && settings->entries_max <= GIS_ENTRIES_MAX);
    assert (settings->lease_ms_min >= GIS_LEASE_MS_LEAST);
    assert (settings->lease_ms_min <= settings->lease_ms_max);
    assert (settings->lease_ms_max <= GIS_LEASE_MS_MOST);
    assert (settings->recall_wait_ms >= 0 && settings->recall_wait_ms <= RECALL_MS);
}

void gis_core (const gis_settings_t *settings, core_t *core)
{
    assert (settings && core);
    gis_check_settings (settings);
    gis_t *self = must (calloc (1, sizeof *self));
    self->settings = gis_copy_settings (settings);
    self->service = member_new (self->settings.name, NULL, 0);
    self->roster = roster_new (self->service, self->settings.entries_max, &self->settings.absences);
    self->registration = registration_new (self->service->calls, self->service->outbox,
                                           self->service->timers, &self->service->prng,
                                           self->settings.gis_endpoints, self->settings.gis_count);
    self->watermarks = watermarks_new (self->service, self->settings.watermarks_max);
    restore_guard_wait (restore_guard_of (self->service), self->settings.restore_guard_wait_ms);
    registration_guard (self->registration, restore_guard_of (self->service));
    calls_resolver (self->service->calls, gis_resolve, self->roster);
    service_at_start (self->service, gis_on_start, self);
    self->home = home_new (self->service, &self->settings.limits, &self->settings.access,
                           self->settings.closed_max);
    self->recall =
      recall_new (self->service, self->home, self->roster, self->settings.recall_wait_ms);
    service_serve (self->service, "Gis", "Announce", &announcement_codec, ALWAYS, on_announce,
                   self);
    service_serve (self->service, "Gis", "Withdraw", &withdraw_codec, ALWAYS, gis_on_withdraw,
                   self);
    service_serve (self->service, "Gis", "Snapshot", &snapshot_request_codec, ALWAYS,
                   gis_on_snapshot, self);
    service_serve (self->service, "Gis", "Summaries", &summaries_question_codec, ALWAYS,
                   on_summaries, self);
    service_serve (self->service, "Gis", "Find", &find_codec, ALWAYS, on_find, self);
    *core = service_core (self, gis_destroy);
}
