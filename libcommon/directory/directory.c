/*  directory - a table of entries, by name, and where it stands in its publisher's stream of
 *  changes.
 *
 *  Changes are applied only in the order of their numbers. Whatever breaks the order (a gap,
 *  another store or start, bytes that can't be read) is settled the same way: by asking for a
 *  snapshot. So is silence, every DIRECTORY_POLL_MS; when the table is up to date, the answer takes
 *  a few bytes. Changes that are heard while a snapshot is under way wait in a backlog.
 *
 *  An entry that another publisher does not list, or the same one after a restart, may just not
 *  have been announced there yet. Such an entry fades after a lease instead of vanishing at once.
 */
#include "directory.h"

#include "access.h"
#include "directory_wire.h"
#include "finder.h"
#include "must.h"
#include "ordered.h"
#include "registration.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_TRY_MS        1000 /* patience with one try of a snapshot's page */
#define ASK_TRIES         2
#define ASK_GAP_MS        100  /* least time between two questions that doubt gives rise to */
#define JOIN_MS           250  /* a subscription takes a moment: ask once more after it */
#define BACKLOG_MAX       4096 /* changes kept while a snapshot is under way */
#define BACKLOG_BYTES_MAX (32u << 20) /* of them all */
#define FOUND_MAX         1024        /* of those that were asked for by name, old ones go then */

typedef struct {
    directory_entry_t entry;
    int64_t fades_ms; /* INT64_MAX: the publisher lists it */
} listed_t;

/*  A change heard while a snapshot is under way, as it came. */
typedef struct {
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    packed_t body;
} own_entry_t;

struct directory {
    calls_t *calls;
    outbox_t *outbox;
    timers_t *timers;
    prng_t *prng;
    registration_t *registration;
    finder_t *finder;                                    /* NULL: it follows the whole */
    char kinds [SNAPSHOT_KINDS_MAX][NAME_BYTES_MAX + 1]; /* it follows beside the finder */
    size_t kinds_count;
    directory_heard_fn *heard; /* NULL: nobody waits */
    void *heard_owner;

    const char *const *gis; /* endpoints */
    size_t gis_count;
    size_t followed; /* index of the one asked */
    uint32_t failures;
    bool silent; /* the one followed last has not answered since */

    ordered_t *table;  /* by name */
    ordered_t *absent; /* absence_t, by name */
    uint64_t turnover; /* of its sites */
    int64_t fading_ms; /* no entry fades before */
    bool known;
    directory_mark_t mark;                /* of the table */
    char events [ENDPOINT_BYTES_MAX + 1]; /* subscribed; "" = none */
    char **homes;
    size_t homes_count;

    uint64_t call;              /* the page asked for; 0 = none */
    directory_snapshot_t pages; /* gathered so far, under the first page's mark */
    own_entry_t *backlog;
    size_t backlog_count;
    size_t backlog_bytes;
    bool ask_again; /* something in doubt came up meanwhile */

    uint64_t timer;
    int64_t due_ms;   /* of the timer */
    bool poll;        /* at the timer, ask only if nothing was heard meanwhile */
    int64_t heard_ms; /* last sign of life of the publisher */
    int64_t asked_ms;
    bool full_told; /* the log knows that the table is full */
};

/*  --- the table --- */

static void summary_free (directory_entry_t *entry)
{
    if (entry->summary)
        codec_clear (&free_summary_codec, entry->summary);
    free (entry->summary);
    entry->summary = NULL;
}

static void known_free (void *thing)
{
    listed_t *known = thing;
    summary_free (&known->entry);
    codec_clear (&directory_entry_codec, &known->entry);
    free (known);
}

/*  Takes the entry's contents over. */
static void table_put (directory_t *self, directory_entry_t *entry)
{
    free (ordered_remove (self->absent, entry->name));
    listed_t *known = ordered_find (self->table, entry->name);
    self->turnover += entry->site || (known && known->entry.site);
    if (known) {
        if (known->entry.start != entry->start ||
            memcmp (known->entry.store, entry->store, STORE_ID_BYTES) != 0)
            summary_free (&known->entry); /* what it offers may be other things now */
        entry->summary = known->entry.summary;
        codec_clear (&directory_entry_codec, &known->entry);
        known->entry = *entry;
    } else if (ordered_count (self->table) < DIRECTORY_ENTRIES_MAX) {
        known = must (calloc (1, sizeof *known));
        known->entry = *entry;
        ordered_add (self->table, known->entry.name, known);
    } else {
        if (!self->full_told)
            outbox_log (self->outbox, LEVEL_WARNING, "directory full entries_max=%d ignored=%s",
                        DIRECTORY_ENTRIES_MAX, entry->name);
        self->full_told = true;
        codec_clear (&directory_entry_codec, entry);
        return;
    }
    known->fades_ms = INT64_MAX;
    *entry = (directory_entry_t){0};
}

static void absent_put (directory_t *self, const absence_t *told)
{
    absence_t *absent = must_copy (told, sizeof *told);
    free (ordered_remove (self->absent, absent->name));
    ordered_add (self->absent, absent->name, absent);
}

static void table_remove (directory_t *self, const char *name)
{
    free (ordered_remove (self->absent, name));
    listed_t *known = ordered_remove (self->table, name);
    if (!known)
        return;
    known_free (known);
    self->turnover++;
    self->full_told = false;
}

static void table_fade (directory_t *self, listed_t *known, int64_t fades_ms)
{
    known->fades_ms = fades_ms;
    self->fading_ms = fades_ms < self->fading_ms ? fades_ms : self->fading_ms;
}

static void table_drop_faded (directory_t *self, const moment_t *now)
{
    if (now->mono_ms < self->fading_ms)
        return;
    self->fading_ms = INT64_MAX;
    char at [NAME_BYTES_MAX + 1] = "";
    for (listed_t *known; (known = ordered_after (self->table, at));) {
        memcpy (at, known->entry.name, sizeof at);
        if (known->fades_ms > now->mono_ms) {
            table_fade (self, known, known->fades_ms);
            continue;
        }
        known_free (ordered_remove (self->table, at));
        self->turnover++;
    }
}

/*  Entries that the snapshot does not list are gone. When the snapshot is of another publisher than
 *  the table, or of another start of it, they begin to fade. */
static void table_forsake (directory_t *self, const moment_t *now,
                           const directory_snapshot_t *snapshot, bool same_publisher)
{
    size_t listed = 0;
    const char *at = NULL;
    for (listed_t *known; (known = ordered_after (self->table, at)); at = known->entry.name) {
        int order = 1;
        while (listed < snapshot->entries_count &&
               (order = strcmp (snapshot->entries [listed].name, known->entry.name)) < 0)
            listed++;
        if (listed < snapshot->entries_count && order == 0)
            continue;
        if (known->fades_ms == INT64_MAX)
            table_fade (self, known, now->mono_ms + (same_publisher ? 0 : DIRECTORY_LEASE_MS));
    }
    table_drop_faded (self, now);
}

/*  --- when to ask --- */

static void directory_on_due (void *owner, const moment_t *now, uint64_t token);

static void schedule (directory_t *self, int64_t due_ms, bool poll)
{
    timers_cancel (self->timers, self->timer);
    self->due_ms = due_ms;
    self->poll = poll;
    self->timer = timers_set (self->timers, due_ms, directory_on_due, self, 0);
}

/*  Polls after some time without a sign of life, less a little, so that services do not stay in
 *  step. */
static void schedule_poll (directory_t *self)
{
    int64_t jitter_ms = (int64_t) prng_below (self->prng, DIRECTORY_POLL_MS / 10);
    schedule (self, self->heard_ms + DIRECTORY_POLL_MS - jitter_ms, true);
}

/*  The table may differ from the publisher's: asks soon, once for all doubts until then, and not
 *  together with all others that missed the same notice. */
static void doubt (directory_t *self, const moment_t *now)
{
    if (self->call != 0) {
        self->ask_again = true;
        return;
    }
    int64_t due_ms = now->mono_ms + (int64_t) prng_below (self->prng, ASK_GAP_MS / 2);
    if (due_ms < self->asked_ms + ASK_GAP_MS)
        due_ms = self->asked_ms + ASK_GAP_MS;
    if (self->poll || due_ms < self->due_ms)
        schedule (self, due_ms, false);
}

/*  --- changes --- */

static bool same_start (const directory_mark_t *mark, const uint8_t *store, uint32_t start)
{
    return mark->start == start && memcmp (mark->store, store, STORE_ID_BYTES) == 0;
}

static void apply (directory_t *self, const moment_t *now, const uint8_t *store, uint32_t start,
                   bytes_t body)
{
    directory_delta_t delta;
    char why [WHY_BYTES];
    if (!same_start (&self->mark, store, start) ||
        !codec_decode (&directory_delta_codec, &delta, body, why)) {
        doubt (self, now);
        return;
    }
    if (delta.number == self->mark.number + 1) {
        self->mark.number++;
        if (delta.gone)
            table_remove (self, delta.name);
        else
            table_put (self, &delta.entry);
        if (delta.gone && delta.remembered)
            absent_put (self, &delta.absent);
    } else if (delta.number > self->mark.number)
        doubt (self, now); /* a gap; a smaller number is known already */
    codec_clear (&directory_delta_codec, &delta);
}

static void backlog_add (directory_t *self, const event_t *event)
{
    if (self->backlog_count == BACKLOG_MAX ||
        self->backlog_bytes + event->notice.body.size > BACKLOG_BYTES_MAX) {
        self->ask_again = true;
        return;
    }
    self->backlog_bytes += event->notice.body.size;
    if (!self->backlog)
        self->backlog = must (calloc (BACKLOG_MAX, sizeof *self->backlog));
    own_entry_t *heard = &self->backlog [self->backlog_count++];
    *heard =
      (own_entry_t){.start = event->notice.store_start, .body = packed_copy (event->notice.body)};
    memcpy (heard->store, event->notice.store, STORE_ID_BYTES);
}

static void backlog_clear (directory_t *self)
{
    for (size_t i = 0; i < self->backlog_count; i++)
        free (self->backlog [i].body.data);
    self->backlog_count = 0;
    self->backlog_bytes = 0;
}

/*  No call is under way now. Changes of another store than the table's come from a publisher that
 *  was just left. */
static void backlog_apply (directory_t *self, const moment_t *now)
{
    assert (self->call == 0);
    for (size_t i = 0; i < self->backlog_count; i++) {
        const own_entry_t *heard = &self->backlog [i];
        if (memcmp (heard->store, self->mark.store, STORE_ID_BYTES) == 0)
            apply (self, now, heard->store, heard->start, packed_bytes (heard->body));
    }
    backlog_clear (self);
    if (self->ask_again)
        doubt (self, now);
    self->ask_again = false;
}

static void ask_over (directory_t *self, const moment_t *now)
{
    backlog_apply (self, now);
    if (self->heard)
        self->heard (self->heard_owner, now);
}

/*  --- snapshots --- */

/*  The publisher's own entry names its PUB socket. True when the subscription is new. */
static bool directory_subscribe (directory_t *self)
{
    const char *events = "";
    const directory_entry_t *gis = NULL;
    while (!self->finder && !*events && (gis = directory_next (self, "gis", gis)))
        if (same_start (&self->mark, gis->store, gis->start))
            events = gis->events;
    if (strcmp (events, self->events) == 0)
        return false;
    if (*self->events)
        outbox_unsubscribe (self->outbox, self->events);
    memcpy (self->events, events, strlen (events) + 1);
    if (*events)
        outbox_subscribe (self->outbox, events);
    return *events != '\0';
}

/*  The list is fixed for the federation's life (T2), so another list is a mistake in somebody's
 *  configuration. */
static void homes_take (void *owner, const char *gis, const char (*homes) [NAME_BYTES_MAX + 1],
                        size_t count)
{
    directory_t *self = owner;
    bool same = count == self->homes_count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp (homes [i], self->homes [i]) == 0;
    if (same)
        return;
    if (self->homes_count > 0)
        outbox_log (self->outbox, LEVEL_ALARM,
                    "homes changed gis=%s: this directory lists other request homes than before; "
                    "the list must never change, so correct homes in its configuration",
                    gis);
    names_clear ((const char *const *) self->homes, self->homes_count);
    self->homes = must (calloc (count + 1, sizeof *self->homes));
    self->homes_count = count;
    for (size_t i = 0; i < count; i++)
        self->homes [i] = must (strdup (homes [i]));
}

/*  Our own entry must be in the table: a GIS that has lost it is told at once, not only with the
 *  next heartbeat. */
static void see_own_entry (directory_t *self, const moment_t *now)
{
    const directory_entry_t *own = registration_entry (self->registration);
    const listed_t *listed = own ? ordered_find (self->table, own->name) : NULL;
    if (own && (!listed || listed->fades_ms != INT64_MAX))
        registration_remind (self->registration, now, self->followed);
}

/*  The pages are whole: they become the table. */
static void snapshot_apply (directory_t *self, const moment_t *now)
{
    directory_snapshot_t *snapshot = &self->pages;
    bool same_publisher = same_start (&self->mark, snapshot->mark.store, snapshot->mark.start);
    table_forsake (self, now, snapshot, same_publisher);
    for (void *absent; (absent = ordered_after (self->absent, NULL));)
        free (ordered_remove (self->absent, ((absence_t *) absent)->name));
    for (size_t i = 0; i < snapshot->absent_count; i++)
        absent_put (self, &snapshot->absent [i]);
    for (size_t i = 0; i < snapshot->entries_count; i++)
        table_put (self, &snapshot->entries [i]);
    self->mark = snapshot->mark;
    homes_take (self, self->gis [self->followed], snapshot->homes, snapshot->homes_count);
    if (!same_publisher)
        outbox_log (self->outbox, LEVEL_INFO,
                    "directory gis=%s followed entries=%zu number=%llu passed_over=%zu",
                    self->gis [self->followed], ordered_count (self->table),
                    (unsigned long long) self->mark.number, snapshot->passed_over);
    codec_clear (&directory_snapshot_codec, snapshot);
    see_own_entry (self, now);
}

static void pages_add (directory_snapshot_t *pages, directory_snapshot_t *page)
{
    if (page->entries_count > 0) {
        size_t count = pages->entries_count + page->entries_count;
        pages->entries = must (realloc (pages->entries, count * sizeof *pages->entries));
        memcpy (&pages->entries [pages->entries_count], page->entries,
                page->entries_count * sizeof *page->entries);
        pages->entries_count = count;
        page->entries_count = 0;
    }
    pages->passed_over += page->passed_over;
    memcpy (pages->last, page->last, sizeof pages->last);
    pages->more = page->more && pages->entries_count < DIRECTORY_ENTRIES_MAX;
    codec_clear (&directory_snapshot_codec, page);
}

static void directory_on_snapshot (void *owner, const moment_t *now, uint64_t token,
                                   const call_result_t *result);

static void ask_page (directory_t *self, const moment_t *now, const char *after)
{
    const directory_entry_t *own = registration_entry (self->registration);
    snapshot_request_t question = {0};
    snprintf (question.after, sizeof question.after, "%s", after);
    if (self->mark.start != 0)
        question.have = self->mark;
    question.changes = true;
    question.kinds = self->kinds;
    question.kinds_count = self->kinds_count;
    packed_t body = codec_encode (&snapshot_request_codec, &question);
    call_order_t order = {.endpoint = self->gis [self->followed],
                          .service = "Gis",
                          .method = "Snapshot",
                          .actor = own ? own->name : "",
                          .body = {.data = body.data, .size = body.size},
                          .timeout_ms = ASK_TRY_MS,
                          .tries_max = ASK_TRIES};
    self->call = calls_start (self->calls, now, &order, directory_on_snapshot, self, 0);
    free (body.data);
}

static void directory_ask (directory_t *self, const moment_t *now)
{
    assert (self->call == 0);
    codec_clear (&directory_snapshot_codec, &self->pages);
    self->asked_ms = now->mono_ms;
    ask_page (self, now, "");
}

/*  This GIS gives no answer that helps: turns to the next one, after a while. */
static void ask_failed (directory_t *self, const moment_t *now, const char *reason)
{
    int64_t ms = pause_doubled (CALL_BACKOFF_MS, CALL_BACKOFF_MS_MAX, self->failures);
    if (!self->silent)
        outbox_log (self->outbox, LEVEL_WARNING,
                    "directory gis=%s silent entries_kept=%zu reason=%.200s",
                    self->gis [self->followed], ordered_count (self->table), reason);
    self->silent = true;
    self->failures++;
    self->followed = (self->followed + 1) % self->gis_count;
    codec_clear (&directory_snapshot_codec, &self->pages);
    schedule (self, now->mono_ms + ms - (int64_t) prng_below (self->prng, (uint64_t) ms / 2 + 1),
              false);
    ask_over (self, now);
}

static void ask_ended (directory_t *self, const moment_t *now)
{
    self->failures = 0;
    self->silent = false;
    self->heard_ms = now->mono_ms;
    if (directory_subscribe (self)) {
        schedule (self, now->mono_ms + JOIN_MS,
                  false); /* fetches what it missed until the subscription stood */
    } else {
        self->known = true;
        schedule_poll (self);
    }
    ask_over (self, now);
}

/*  What was missed since our number, in place of a snapshot. */
static void changes_apply (directory_t *self, const moment_t *now, directory_snapshot_t *page)
{
    bool ours = same_start (&self->mark, page->mark.store, page->mark.start) &&
                page->mark.number >= self->mark.number;
    for (size_t i = 0; ours && i < page->gone_count; i++)
        table_remove (self, page->gone [i]);
    for (size_t i = 0; ours && i < page->entries_count; i++)
        table_put (self, &page->entries [i]);
    for (size_t i = 0; ours && i < page->absent_count; i++)
        absent_put (self, &page->absent [i]);
    if (ours)
        self->mark = page->mark;
    codec_clear (&directory_snapshot_codec, page);
    if (!ours) {
        ask_failed (self, now, "it tells changes of another table than ours");
        return;
    }
    see_own_entry (self, now);
    ask_ended (self, now);
}

/*  One that has begun anew is filled by heartbeats, while the next one has all. It is taken as it
 *  is when all were asked twice in vain. */
static bool began_anew (const directory_t *self, const directory_mark_t *mark)
{
    return self->gis_count > 1 && !self->finder && self->failures < 2 * self->gis_count &&
           mark->start != self->mark.start &&
           memcmp (mark->store, self->mark.store, STORE_ID_BYTES) == 0;
}

/*  Takes one page. The first says where in the stream of changes the pages begin; changes that come
 *  while the others are fetched are in the backlog, and are applied after the pages, in order. */
static void directory_on_page (directory_t *self, const moment_t *now, directory_snapshot_t *page)
{
    bool first = self->pages.mark.start == 0;
    if (first && page->unchanged) {
        bool ours = same_start (&self->mark, page->mark.store, page->mark.start) &&
                    self->mark.number == page->mark.number;
        codec_clear (&directory_snapshot_codec, page);
        if (ours)
            ask_ended (self, now);
        else
            ask_failed (self, now, "it says unchanged about another table than ours");
        return;
    }
    if (first && page->changes) {
        changes_apply (self, now, page);
        return;
    }
    if (first && began_anew (self, &page->mark)) {
        codec_clear (&directory_snapshot_codec, page);
        registration_remind (self->registration, now, self->followed);
        ask_failed (self, now, "it has begun anew and lists few yet");
        return;
    }
    if (!first && !same_start (&self->pages.mark, page->mark.store, page->mark.start)) {
        codec_clear (&directory_snapshot_codec, page);
        directory_ask (self, now); /* the GIS was restarted between two pages */
        return;
    }
    if (!first && (page->more || *page->last) && strcmp (self->pages.last, page->last) >= 0) {
        codec_clear (&directory_snapshot_codec, page);
        ask_failed (self, now, "the page does not continue after the one before");
        return;
    }
    if (first)
        self->pages = *page;
    else
        pages_add (&self->pages, page);
    if (self->pages.more) {
        ask_page (self, now, self->pages.last);
        return;
    }
    snapshot_apply (self, now);
    ask_ended (self, now);
}

static void directory_on_snapshot (void *owner, const moment_t *now, uint64_t token,
                                   const call_result_t *result)
{
    (void) token;
    directory_t *self = owner;
    directory_snapshot_t page;
    char why [WHY_BYTES];
    self->call = 0;
    if (!call_take (result, &directory_snapshot_codec, &page, why))
        ask_failed (self, now, why);
    else
        directory_on_page (self, now, &page);
}

static void directory_on_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    directory_t *self = owner;
    self->timer = 0;
    self->due_ms = INT64_MAX;
    table_drop_faded (self, now);
    if (self->poll && now->mono_ms < self->heard_ms + DIRECTORY_POLL_MS * 9 / 10)
        schedule_poll (self);
    else
        directory_ask (self, now);
}

/*  --- the class --- */

directory_t *directory_new (calls_t *calls, outbox_t *outbox, timers_t *timers, prng_t *prng,
                            const char *const *gis_endpoints, size_t gis_count)
{
    assert (calls && outbox && timers && prng && gis_count > 0);
    directory_t *self = must (calloc (1, sizeof *self));
    self->calls = calls;
    self->outbox = outbox;
    self->timers = timers;
    self->prng = prng;
    self->due_ms = self->fading_ms = INT64_MAX;
    self->table = ordered_by_text (offsetof (listed_t, entry.name));
    self->absent = ordered_by_text (offsetof (absence_t, name));
    self->registration = registration_new (calls, outbox, timers, prng, gis_endpoints, gis_count);
    self->gis = names_copy (gis_endpoints, gis_count);
    self->gis_count = gis_count;
    return self;
}

void directory_destroy (directory_t **self_p)
{
    directory_t *self = *self_p;
    if (!self)
        return;
    calls_cancel (self->calls, self->call);
    timers_cancel (self->timers, self->timer);
    registration_destroy (&self->registration);
    finder_destroy (&self->finder);
    codec_clear (&directory_snapshot_codec, &self->pages);
    backlog_clear (self);
    free (self->backlog);
    names_clear ((const char *const *) self->homes, self->homes_count);
    ordered_end (&self->table, known_free);
    ordered_end (&self->absent, free);
    names_clear (self->gis, self->gis_count);
    free (self);
    *self_p = NULL;
}

/*  What was found is asked for again after a lease, and stays known until then and while nobody
 *  answers. */
static void on_found (void *owner, const moment_t *now, directory_entry_t *entry)
{
    directory_t *self = owner;
    char name [NAME_BYTES_MAX + 1];
    memcpy (name, entry->name, sizeof name);
    listed_t *known = ordered_find (self->table, name);
    if (known && known->fades_ms == INT64_MAX)
        return; /* its changes are followed */
    if (ordered_count (self->table) >= FOUND_MAX)
        table_drop_faded (self, now);
    table_put (self, entry);
    if ((known = ordered_find (self->table, name)))
        table_fade (self, known, now->mono_ms + DIRECTORY_LEASE_MS);
}

void directory_follow_none (directory_t *self)
{
    assert (!self->finder && self->call == 0);
    self->finder =
      finder_new (self->calls, self->timers, self->gis, self->gis_count, on_found, self);
    registration_ask_homes (self->registration, homes_take, self);
}

void directory_follow (directory_t *self, const moment_t *now, const char *kind)
{
    assert (self->finder);
    for (size_t i = 0; i < self->kinds_count; i++)
        if (strcmp (self->kinds [i], kind) == 0)
            return;
    assert (self->kinds_count < SNAPSHOT_KINDS_MAX);
    stpncpy (self->kinds [self->kinds_count++], kind, NAME_BYTES_MAX);
    self->mark = (directory_mark_t){.start = 0}; /* what is had is not the whole of these */
    calls_cancel (self->calls, self->call);
    self->call = 0;
    doubt (self, now);
}

bool directory_refresh (directory_t *self, const moment_t *now)
{
    if (self->kinds_count > 0 && self->call == 0 && !self->silent) {
        timers_cancel (self->timers, self->timer);
        self->timer = 0;
        self->due_ms = INT64_MAX;
        directory_ask (self, now);
    }
    return self->heard && self->call != 0;
}

void directory_on_heard (directory_t *self, directory_heard_fn *heard, void *owner)
{
    self->heard = heard;
    self->heard_owner = owner;
}

void directory_restore_guard (directory_t *self, struct restore_guard *restore_guard)
{
    registration_guard (self->registration, restore_guard);
}

void directory_summarise (directory_t *self, free_summary_fn *summary, void *owner)
{
    registration_summarise (self->registration, summary, owner);
}

void directory_start (directory_t *self, const moment_t *now)
{
    assert (self && now);
    if (self->call == 0 && !self->finder)
        directory_ask (self, now);
}

void directory_notice (directory_t *self, const moment_t *now, const event_t *event)
{
    assert (self && now && event->kind == EVENT_NOTICE);
    if (!*self->events || strcmp (event->notice.topic, "directory") != 0 ||
        strcmp (event->notice.endpoint, self->events) != 0)
        return;
    self->heard_ms = now->mono_ms;
    if (self->call != 0)
        backlog_add (self, event);
    else
        apply (self, now, event->notice.store, event->notice.store_start, event->notice.body);
}

void directory_announce (directory_t *self, const moment_t *now, const directory_entry_t *entry)
{
    assert (self);
    registration_announce (self->registration, now, entry);
}

void directory_withdraw (directory_t *self, const moment_t *now)
{
    registration_withdraw (self->registration, now);
}

const absence_t *directory_absent (const directory_t *self, const char *name)
{
    return ordered_find (self->absent, name);
}

const absence_t *directory_next_absent (const directory_t *self, const absence_t *before)
{
    return ordered_after (self->absent, before ? before->name : NULL);
}

bool directory_known (const directory_t *self)
{
    return self->finder && self->kinds_count == 0 ? self->homes_count > 0 : self->known;
}

const char *directory_address (directory_t *self, const moment_t *now, const char *name)
{
    const listed_t *known = ordered_find (self->table, name);
    if (self->finder && (!known || known->fades_ms <= now->mono_ms))
        finder_want (self->finder, now, name);
    return known && *known->entry.endpoint ? known->entry.endpoint : NULL;
}

const directory_entry_t *directory_find (const directory_t *self, const char *name)
{
    const listed_t *known = ordered_find (self->table, name);
    return known ? &known->entry : NULL;
}

void directory_keep_summary (directory_t *self, const char *name, free_summary_t *summary)
{
    listed_t *known = ordered_find (self->table, name);
    if (known)
        summary_free (&known->entry);
    if (known && summary)
        known->entry.summary = must_copy (summary, sizeof *summary);
    else if (summary)
        codec_clear (&free_summary_codec, summary);
}

uint64_t directory_turnover (const directory_t *self)
{
    return self->turnover;
}

const directory_entry_t *directory_next (const directory_t *self, const char *kind,
                                         const directory_entry_t *before)
{
    char least [NAME_BYTES_MAX + 2] = "";
    if (*kind)
        stpcpy (stpncpy (least, kind, NAME_BYTES_MAX), "/");
    const listed_t *known = ordered_after (self->table, before ? before->name : least);
    return known && name_of_kind (known->entry.name, kind) ? &known->entry : NULL;
}

size_t directory_homes (const directory_t *self, const char *const **homes)
{
    *homes = (const char *const *) self->homes;
    return self->homes_count;
}

bool directory_hears (const directory_t *self)
{
    return self->finder ? registration_hears (self->registration) : !self->silent;
}

int64_t directory_skew_ms (const directory_t *self)
{
    return registration_skew_ms (self->registration, self->followed);
}
