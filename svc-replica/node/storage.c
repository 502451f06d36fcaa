/*  storage - the questions, one after another. The site holds each until there is something new; an
 *  agent with news gives up the question that waits there and asks a new one.
 */
#include "storage_state.h"

#include "call.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEND_MS      10000 /* until the site has told its own */
#define REPORT_MS      250
#define ANSWER_MS      5000 /* an answer may be so much later than the site meant it */
#define BACKOFF_MS     100  /* doubles, with jitter of half */
#define BACKOFF_MS_MAX 2000

/*  --- asking --- */

static void on_answer (void *owner, const moment_t *now, uint64_t token,
                       const call_result_t *result);

static void ask (storage_t *self, const moment_t *now)
{
    stored_file_t *files = must (calloc (STORED_FILES_MAX, sizeof *files));
    storage_attend_t attend = {.start = self->service->store.start,
                               .number = ++self->number,
                               .seen = self->seen,
                               .bytes_max = self->settings.bytes_max,
                               .bytes_used = files_bytes (self) + transfers_bytes (self),
                               .guest = self->settings.guest,
                               .files = files,
                               .files_count = files_told (self, files, STORED_FILES_MAX)};
    snprintf (attend.node, sizeof attend.node, "%s", self->settings.name);
    snprintf (attend.data, sizeof attend.data, "%s", self->service->data);
    memcpy (attend.store, self->service->store.id, STORE_ID_BYTES);
    attend.receipts = transfers_report (self, &attend.receipts_count);
    packed_t body = storage_attend_encode (&attend);
    storage_attend_clear (&attend);
    calls_cancel (self->service->calls, self->call);
    self->asked_ms = now->mono_ms;
    self->call = calls_start (self->service->calls, now,
                              &(call_order_t){.peer = "",
                                              .endpoint = self->settings.sites [self->at],
                                              .service = "Chain",
                                              .method = "Attend",
                                              .actor = self->actor,
                                              .request_id = "",
                                              .body = {.data = body.data, .size = body.size},
                                              .timeout_ms = self->attend_ms + ANSWER_MS,
                                              .tries_max = 1},
                              on_answer, self, 0);
    free (body.data);
}

static void on_ask (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    storage_t *self = owner;
    self->ask_timer = 0;
    self->backs_off = false;
    ask (self, now);
}

static void ask_at (storage_t *self, int64_t mono_ms)
{
    timers_cancel (self->service->timers, self->ask_timer);
    self->ask_ms = mono_ms;
    self->ask_timer = timers_set (self->service->timers, mono_ms, on_ask, self, 0);
}

/*  A timer that is due fires at the end of the step that set it. */
void storage_news (storage_t *self, const moment_t *now, bool at_once)
{
    int64_t at_ms = self->asked_ms + self->report_ms;
    if (at_once || at_ms < now->mono_ms)
        at_ms = now->mono_ms;
    if (self->backs_off || (self->ask_timer != 0 && self->ask_ms <= at_ms))
        return; /* it will be told with that question */
    ask_at (self, at_ms);
}

/*  --- answers --- */

static void no_answer (storage_t *self, const moment_t *now, const char *why)
{
    int64_t most_ms = BACKOFF_MS << (self->failures < 6 ? self->failures : 6);
    most_ms = most_ms < BACKOFF_MS_MAX ? most_ms : BACKOFF_MS_MAX;
    int64_t wait_ms =
      most_ms / 2 + (int64_t) prng_below (&self->service->prng, (uint64_t) most_ms / 2 + 1);
    if (self->failures == 0)
        outbox_log (self->service->outbox, LEVEL_WARNING, "site %s does not answer why=\"%.200s\"",
                    self->settings.sites [self->at], why);
    self->failures++;
    self->seen = 0;
    self->at = (self->at + 1) % self->settings.sites_count;
    self->backs_off = true;
    ask_at (self, now->mono_ms + wait_ms);
}

static void carry_out (storage_t *self, const moment_t *now, const storage_wanted_t *wanted)
{
    self->failures = 0;
    self->attend_ms = wanted->attend_ms;
    self->report_ms = wanted->report_ms;
    self->seen = wanted->number;
    self->files_seen = wanted->files_seen;
    files_heard (self, wanted->files_seen);
    transfers_want (self, now, wanted);
    files_want (self, now, wanted);
    storage_news (self, now, true); /* the next question, which waits there */
}

static void on_answer (void *owner, const moment_t *now, uint64_t token,
                       const call_result_t *result)
{
    (void) token;
    storage_t *self = owner;
    storage_wanted_t wanted;
    char why [WHY_BYTES];
    self->call = 0;
    if (result->status != CALL_OK) {
        no_answer (self, now, result->reason);
    } else if (!storage_wanted_decode (&wanted, result->body, why)) {
        no_answer (self, now, why);
    } else {
        carry_out (self, now, &wanted);
        storage_wanted_clear (&wanted);
    }
}

/*  --- work --- */

uint64_t storage_order (storage_t *self, const char *kind, const storage_work_t *work)
{
    packed_t arguments = storage_work_encode (work);
    uint64_t number = ++self->numbers;
    outbox_work (self->service->outbox, number, kind,
                 (bytes_t){.data = arguments.data, .size = arguments.size});
    free (arguments.data);
    return number;
}

static bool on_work (void *owner, const moment_t *now, const event_t *event)
{
    storage_t *self = owner;
    storage_result_t result = {0};
    char why [WHY_BYTES] = "";
    if (!event->work.ok)
        snprintf (why, sizeof why, "%.*s",
                  (int) (event->work.result.size < 250 ? event->work.result.size : 250),
                  (const char *) event->work.result.data);
    else if (!storage_result_decode (&result, event->work.result, why))
        result = (storage_result_t){0};
    if (*why) {
        outbox_log (self->service->outbox, LEVEL_WARNING, "work failed why=\"%.250s\"", why);
        service_count (self->service, "works_failed", 1);
    }
    return transfers_on_work (self, now, event->work.work) ||
           files_on_work (self, now, event->work.work, &result, why);
}

/*  --- the life of the core --- */

static void on_start (void *owner, const moment_t *now)
{
    storage_t *self = owner;
    files_start (self, now);
    ask (self, now);
}

static void storage_step (void *owner, const moment_t *now, const event_t *event)
{
    storage_t *self = owner;
    service_step (self->service, now, event);
}

static bool storage_next (void *owner, effect_t *effect)
{
    storage_t *self = owner;
    return service_next (self->service, effect);
}

static char *copy_of (const char *text)
{
    return text ? must (strdup (text)) : NULL;
}

static void settings_clear (storage_settings_t *settings)
{
    for (size_t i = 0; i < settings->sites_count; i++)
        free ((char *) settings->sites [i]);
    free ((char **) settings->sites);
    free ((char *) settings->name);
    free ((char *) settings->folder);
    free ((char *) settings->gives_file);
    free ((char *) settings->gives_path);
    free ((char *) settings->takes_file);
    free ((char *) settings->takes_path);
}

static void settings_copy (storage_settings_t *to, const storage_settings_t *from)
{
    *to = *from;
    to->name = copy_of (from->name);
    to->folder = copy_of (from->folder);
    to->gives_file = copy_of (from->gives_file);
    to->gives_path = copy_of (from->gives_path);
    to->takes_file = copy_of (from->takes_file);
    to->takes_path = copy_of (from->takes_path);
    char **sites = must (calloc (from->sites_count + 1, sizeof *sites));
    for (size_t i = 0; i < from->sites_count; i++)
        sites [i] = copy_of (from->sites [i]);
    to->sites = (const char *const *) sites;
}

static void storage_destroy (void *owner)
{
    storage_t *self = owner;
    transfers_end (self);
    files_end (self);
    service_destroy (&self->service);
    settings_clear (&self->settings);
    free (self);
}

void storage_core (const storage_settings_t *settings, core_t *core)
{
    assert (settings->sites_count > 0 && settings->name && settings->folder);
    storage_t *self = must (calloc (1, sizeof *self));
    settings_copy (&self->settings, settings);
    snprintf (self->actor, sizeof self->actor, "storage/%.54s", settings->name);
    self->service = service_new (self->actor, NULL, 0);
    self->attend_ms = ATTEND_MS;
    self->report_ms = REPORT_MS;
    files_init (self);
    transfers_init (self);
    service_at_start (self->service, on_start, self);
    service_on_work (self->service, on_work, self);
    service_on_flow (self->service, transfers_on_flow, self);
    *core = (core_t){
      .self = self, .step = storage_step, .next = storage_next, .destroy = storage_destroy};
}
