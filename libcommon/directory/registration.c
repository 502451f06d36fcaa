/*  registration - one registrar for each GIS: what was told there last, and when to tell it again.
 */
#include "registration.h"

#include "directory_wire.h"
#include "must.h"
#include "restore_guard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    REGISTRAR_NEW,
    REGISTRAR_LISTED,
    REGISTRAR_SILENT,
    REGISTRAR_REFUSED
} registrar_state_t;

static const char *const registrar_words [] = {"new", "listed", "silent", "refused"};

typedef struct {
    registration_t *registration;
    char *endpoint;
    registrar_state_t state;
    uint64_t call;  /* in flight; 0 = none */
    int64_t gap_ms; /* an entry changed since is told after this gap; INT64_MAX = unchanged */
    uint64_t timer;
    int64_t due_ms;  /* of the timer; INT64_MAX = not set */
    int64_t sent_ms; /* monotonic */
    uint32_t failures;
    bool homes_told;
    bool skew_known;
    int64_t skew_ms;
} registrar_t;

struct registration {
    calls_t *calls;
    outbox_t *outbox;
    timers_t *timers;
    prng_t *prng;
    restore_guard_t *restore_guard; /* NULL: no marks */
    registration_homes_fn *homes;   /* NULL: nobody asks for them */
    void *homes_owner;
    free_summary_fn *summary; /* NULL: none is told */
    void *summary_owner;
    registrar_t *registrars;
    size_t desks_count;
    bool announcing;
    bool withdrawn; /* for good: the process ends */
    directory_entry_t entry;
    packed_t packed; /* the entry, to see whether it changes */
};

static void registrar_move (registrar_t *registrar, registrar_state_t to, const char *reason)
{
    if (registrar->state == to)
        return;
    outbox_log (
      registrar->registration->outbox, to == REGISTRAR_LISTED ? LEVEL_INFO : LEVEL_WARNING,
      "announce %s gis=%s %s->%s%s%.200s", registrar->registration->entry.name, registrar->endpoint,
      registrar_words [registrar->state], registrar_words [to], *reason ? " reason=" : "", reason);
    registrar->state = to;
}

static void registration_on_due (void *owner, const moment_t *now, uint64_t token);

static void registrar_schedule (registrar_t *registrar, int64_t due_ms)
{
    timers_t *timers = registrar->registration->timers;
    timers_cancel (timers, registrar->timer);
    registrar->due_ms = due_ms;
    registrar->timer = timers_set (timers, due_ms, registration_on_due, registrar, 0);
}

/*  The time less up to a part of it, so that services that were started together do not stay in
 *  step. */
static int64_t jitter (const registrar_t *registrar, int64_t ms, uint64_t part)
{
    return ms - (int64_t) prng_below (registrar->registration->prng, (uint64_t) ms / part + 1);
}

static int64_t registration_backoff_ms (registrar_t *registrar)
{
    int64_t ms = pause_doubled (CALL_BACKOFF_MS, CALL_BACKOFF_MS_MAX, registrar->failures++);
    return jitter (registrar, ms, 2);
}

/*  The GIS read its clock between our sending and our hearing: half of that time is the best guess.
 */
static void measure_skew (registrar_t *registrar, const moment_t *now, int64_t gis_wall_ms)
{
    int64_t way_ms = (now->mono_ms - registrar->sent_ms) / 2;
    registrar->skew_ms = gis_wall_ms - (now->wall_ms - way_ms);
    registrar->skew_known = true;
}

static size_t registrar_number (const registrar_t *registrar)
{
    return (size_t) (registrar - registrar->registration->registrars);
}

/*  Returns when to announce again. */
static int64_t registrar_answered (registrar_t *registrar, const moment_t *now,
                                   const call_result_t *result)
{
    announce_answer_t answer;
    restore_guard_t *restore_guard = registrar->registration->restore_guard;
    char why [WHY_BYTES];
    if (result->status == CALL_TIMED_OUT || result->status == CALL_OVERLOADED) {
        registrar_move (registrar, REGISTRAR_SILENT, result->reason);
        return now->mono_ms + registration_backoff_ms (registrar);
    }
    if (result->status != CALL_OK) {
        registrar_move (registrar, REGISTRAR_REFUSED, result->reason);
        if (restore_guard && result->status == CALL_DENIED)
            restore_guard_denied (restore_guard, now);
        return now->mono_ms + jitter (registrar, ANNOUNCE_REFUSED_MS, 10);
    }
    if (!codec_decode (&announce_answer_codec, &answer, result->body, why)) {
        registrar_move (registrar, REGISTRAR_REFUSED, why);
        return now->mono_ms + jitter (registrar, ANNOUNCE_REFUSED_MS, 10);
    }
    registrar->failures = 0;
    if (registrar->registration->homes && answer.homes_count > 0)
        registrar->registration->homes (registrar->registration->homes_owner, registrar->endpoint,
                                        answer.homes, answer.homes_count);
    registrar->homes_told |= answer.homes_count > 0;
    measure_skew (registrar, now, answer.wall_ms);
    registrar_move (registrar, REGISTRAR_LISTED, "");
    if (restore_guard)
        restore_guard_heard (restore_guard, now, registrar_number (registrar),
                             answer.before_set ? &answer.before : NULL, answer.replaced);
    int64_t beat_ms = answer.lease_ms / 3 > ANNOUNCE_GAP_MS ? answer.lease_ms / 3 : ANNOUNCE_GAP_MS;
    codec_clear (&announce_answer_codec, &answer);
    return now->mono_ms + jitter (registrar, beat_ms, 10);
}

static bool registrar_barred (const registrar_t *registrar)
{
    const restore_guard_t *restore_guard = registrar->registration->restore_guard;
    return restore_guard && restore_guard_state (restore_guard) == RESTORE_GUARD_BACKUP;
}

static void registration_on_answer (void *owner, const moment_t *now, uint64_t token,
                                    const call_result_t *result)
{
    (void) token;
    registrar_t *registrar = owner;
    registrar->call = 0;
    int64_t due_ms = registrar_answered (registrar, now, result);
    if (registrar_barred (registrar))
        return; /* nobody should come to a restored backup */
    if (registrar->gap_ms < INT64_MAX && registrar->state == REGISTRAR_LISTED &&
        due_ms > registrar->sent_ms + registrar->gap_ms)
        due_ms = registrar->sent_ms + registrar->gap_ms;
    registrar_schedule (registrar, due_ms);
}

static uint64_t registrar_call (registrar_t *registrar, const moment_t *now, const char *method,
                                packed_t body, call_done_fn *done)
{
    call_order_t order = {.endpoint = registrar->endpoint,
                          .service = "Gis",
                          .method = method,
                          .actor = registrar->registration->entry.name,
                          .body = {.data = body.data, .size = body.size},
                          .timeout_ms = ANNOUNCE_TRY_MS,
                          .lasting = true,
                          .tries_max = 1};
    uint64_t call = calls_start (registrar->registration->calls, now, &order, done, registrar, 0);
    free (body.data);
    return call;
}

static void registrar_send (registrar_t *registrar, const moment_t *now)
{
    registration_t *self = registrar->registration;
    announcement_t announcement = {.entry = self->packed,
                                   .lease_ms = DIRECTORY_LEASE_MS,
                                   .wall_ms = now->wall_ms,
                                   .homes = self->homes && !registrar->homes_told};
    if (self->summary)
        announcement.summary = self->summary (self->summary_owner, now);
    if (self->restore_guard) {
        announcement.mark = restore_guard_mark (self->restore_guard);
        announcement.seen = announcement.mark.row > 0 &&
                            restore_guard_seen (self->restore_guard, registrar_number (registrar));
    }
    registrar->gap_ms = INT64_MAX;
    registrar->sent_ms = now->mono_ms;
    registrar->call =
      registrar_call (registrar, now, "Announce", codec_encode (&announcement_codec, &announcement),
                      registration_on_answer);
}

static void registration_on_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    registrar_t *registrar = owner;
    registrar->timer = 0;
    registrar->due_ms = INT64_MAX;
    if (!registrar_barred (registrar))
        registrar_send (registrar, now);
}

/*  Tells the entry soon: at once, or when the gap since the last time has passed. */
static void registrar_hurry (registrar_t *registrar, const moment_t *now, int64_t gap_ms)
{
    if (registrar_barred (registrar))
        return;
    if (gap_ms < registrar->gap_ms)
        registrar->gap_ms = gap_ms;
    if (registrar->call != 0)
        return; /* its answer schedules the next */
    int64_t due_ms = now->mono_ms;
    if (registrar->state != REGISTRAR_NEW && due_ms < registrar->sent_ms + gap_ms)
        due_ms = registrar->sent_ms + gap_ms;
    if (due_ms < registrar->due_ms)
        registrar_schedule (registrar, due_ms);
}

registration_t *registration_new (calls_t *calls, outbox_t *outbox, timers_t *timers, prng_t *prng,
                                  const char *const *gis_endpoints, size_t gis_count)
{
    assert (calls && outbox && timers && prng);
    registration_t *self = must (calloc (1, sizeof *self));
    self->calls = calls;
    self->outbox = outbox;
    self->timers = timers;
    self->prng = prng;
    self->registrars = must (calloc (gis_count + 1, sizeof *self->registrars));
    self->desks_count = gis_count;
    for (size_t i = 0; i < gis_count; i++)
        self->registrars [i] = (registrar_t){
          .registration = self, .endpoint = must (strdup (gis_endpoints [i])), .due_ms = INT64_MAX};
    return self;
}

/*  What that GIS remembered has been checked: it should know so before the next heartbeat. */
static void on_seen (void *owner, const moment_t *now, size_t gis)
{
    registration_t *self = owner;
    registrar_hurry (&self->registrars [gis], now, ANNOUNCE_GAP_MS);
}

void registration_guard (registration_t *self, restore_guard_t *restore_guard)
{
    self->restore_guard = restore_guard;
    restore_guard_on_seen (restore_guard, on_seen, self);
    restore_guard_expect (restore_guard, self->desks_count);
}

void registration_ask_homes (registration_t *self, registration_homes_fn *told, void *owner)
{
    self->homes = told;
    self->homes_owner = owner;
}

void registration_summarise (registration_t *self, free_summary_fn *summary, void *owner)
{
    self->summary = summary;
    self->summary_owner = owner;
}

bool registration_hears (const registration_t *self)
{
    for (size_t i = 0; i < self->desks_count; i++)
        if (self->registrars [i].state != REGISTRAR_SILENT)
            return true;
    return false;
}

void registration_destroy (registration_t **self_p)
{
    registration_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->desks_count; i++) {
        calls_cancel (self->calls, self->registrars [i].call);
        timers_cancel (self->timers, self->registrars [i].timer);
        free (self->registrars [i].endpoint);
    }
    free (self->registrars);
    codec_clear (&directory_entry_codec, &self->entry);
    free (self->packed.data);
    free (self);
    *self_p = NULL;
}

void registration_announce (registration_t *self, const moment_t *now,
                            const directory_entry_t *entry)
{
    assert (self && now && entry && *entry->name && *entry->endpoint && entry->start > 0);
    if (self->withdrawn)
        return;
    packed_t packed = codec_encode (&directory_entry_codec, entry);
    if (self->announcing && packed.size == self->packed.size &&
        memcmp (packed.data, self->packed.data, packed.size) == 0) {
        free (packed.data);
        return;
    }
    directory_entry_t as_before = *entry;
    as_before.in_progress = self->entry.in_progress;
    packed_t but_load = codec_encode (&directory_entry_codec, &as_before);
    bool load_only = self->announcing && but_load.size == self->packed.size &&
                     memcmp (but_load.data, self->packed.data, but_load.size) == 0;
    free (but_load.data);

    directory_entry_t copy;
    codec_copy (&directory_entry_codec, &copy, entry);
    codec_clear (&directory_entry_codec, &self->entry);
    free (self->packed.data);
    self->entry = copy;
    self->packed = packed;
    self->announcing = true;
    for (size_t i = 0; i < self->desks_count; i++)
        registrar_hurry (&self->registrars [i], now,
                         load_only ? ANNOUNCE_LOAD_MS : ANNOUNCE_GAP_MS);
}

void registration_withdraw (registration_t *self, const moment_t *now)
{
    withdraw_t withdraw = {.start = self->entry.start, .stops = true};
    memcpy (withdraw.name, self->entry.name, sizeof withdraw.name);
    memcpy (withdraw.store, self->entry.store, sizeof withdraw.store);
    for (size_t i = 0; self->announcing && i < self->desks_count; i++) {
        registrar_t *registrar = &self->registrars [i];
        calls_cancel (self->calls, registrar->call);
        timers_cancel (self->timers, registrar->timer);
        registrar->call = registrar->timer = 0;
        registrar_call (registrar, now, "Withdraw", codec_encode (&withdraw_codec, &withdraw),
                        NULL);
    }
    self->announcing = false;
    self->withdrawn = true;
}

const directory_entry_t *registration_entry (const registration_t *self)
{
    return self->announcing ? &self->entry : NULL;
}

void registration_remind (registration_t *self, const moment_t *now, size_t gis)
{
    assert (gis < self->desks_count);
    if (self->announcing && self->registrars [gis].call == 0)
        registrar_hurry (&self->registrars [gis], now, ANNOUNCE_GAP_MS);
}

int64_t registration_skew_ms (const registration_t *self, size_t gis)
{
    if (gis < self->desks_count && self->registrars [gis].skew_known)
        return self->registrars [gis].skew_ms;
    for (size_t i = 0; i < self->desks_count; i++)
        if (self->registrars [i].skew_known)
            return self->registrars [i].skew_ms;
    return 0;
}
