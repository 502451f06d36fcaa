/*  storage - asks the site what is wanted, and reports files and transfers to it. */
#include "storage_state.h"

#include "member.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define REPORT_MS      250 /* until the site has told another value */
#define BACKOFF_MS     100
#define BACKOFF_MS_MAX 2000

/*  --- polling the site --- */

void storage_news (storage_t *self, const moment_t *now, bool at_once)
{
    agent_poll_news (self->agent_poll, now, at_once ? 0 : self->report_ms);
}

static packed_t storage_ask (void *owner, const agent_poll_question_t *question)
{
    storage_t *self = owner;
    stored_file_t *files = must (calloc (STORED_FILES_MAX, sizeof *files));
    if (question->said.seen == 0) /* its site may have been started anew: from the first */
        self->files_seen = 0;
    storage_attend_t attend = {.question = question->said,
                               .bytes_max = self->bytes_max,
                               .bytes_used = files_bytes (self) + transfers_bytes (self),
                               .guest = self->settings.guest,
                               .files = files,
                               .files_count = files_told (self, files, STORED_FILES_MAX)};
    snprintf (attend.node, sizeof attend.node, "%s", self->settings.name);
    snprintf (attend.data, sizeof attend.data, "%s", self->service->data);
    if (!self->settings.guest)
        snprintf (attend.folder, sizeof attend.folder, "%s", self->settings.folder);
    attend.arrivals = arrivals_report (self, &attend.arrivals_count);
    attend.receipts = transfers_report (self, &attend.receipts_count);
    packed_t body = codec_encode (&storage_attend_codec, &attend);
    codec_clear (&storage_attend_codec, &attend);
    return body;
}

static bool storage_take (void *owner, const moment_t *now, const agent_poll_question_t *question,
                          bytes_t body, agent_poll_answer_t *answer, char why [WHY_BYTES])
{
    (void) question;
    storage_t *self = owner;
    storage_wanted_t wanted;
    if (!codec_decode (&storage_wanted_codec, &wanted, body, why))
        return false;
    *answer = (agent_poll_answer_t){.number = wanted.number, .attend_ms = wanted.attend_ms};
    self->report_ms = wanted.report_ms;
    self->files_seen = wanted.files_seen;
    files_heard (self, wanted.files_seen);
    transfers_want (self, now, &wanted);
    files_want (self, now, &wanted);
    arrivals_want (self, now, &wanted);
    codec_clear (&storage_wanted_codec, &wanted);
    return true;
}

/*  --- work --- */

uint64_t storage_order (storage_t *self, const char *kind, const storage_work_t *work)
{
    packed_t arguments = codec_encode (&storage_work_codec, work);
    uint64_t number = ++self->numbers;
    outbox_work (self->service->outbox, number, kind, packed_bytes (arguments));
    free (arguments.data);
    return number;
}

static void storage_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) now;
    (void) token;
    storage_t *self = owner;
    self->looking = files_look (self);
}

/*  room 0: it could not be looked at. */
static void storage_looked (storage_t *self, const moment_t *now, uint64_t room)
{
    uint64_t before = self->bytes_max;
    self->looking = 0;
    if (room > 0)
        self->bytes_max = room < self->settings.bytes_max ? room : self->settings.bytes_max;
    if (self->bytes_max != before)
        storage_news (self, now, false);
    timers_set (self->service->timers, now->mono_ms + self->settings.look_ms, storage_look, self,
                0);
}

static bool storage_on_work (void *owner, const moment_t *now, const event_t *event)
{
    storage_t *self = owner;
    storage_result_t result = {0};
    char why [WHY_BYTES] = "";
    if (!event->work.ok)
        snprintf (why, sizeof why, "%.*s",
                  (int) (event->work.result.size < 250 ? event->work.result.size : 250),
                  (const char *) event->work.result.data);
    else if (!codec_decode (&storage_result_codec, &result, event->work.result, why))
        result = (storage_result_t){0};
    if (*why) {
        outbox_log (self->service->outbox, LEVEL_WARNING, "work failed why=\"%.250s\"", why);
        service_count (self->service, "works_failed", 1);
    }
    if (event->work.work == self->looking) {
        storage_looked (self, now, result.content.size);
        files_looked (self, &result);
        codec_clear (&storage_result_codec, &result);
        return true;
    }
    return transfers_on_work (self, now, event->work.work) ||
           arrivals_on_work (self, now, event->work.work, &result, why) ||
           files_on_work (self, now, event->work.work, &result, why);
}

/*  --- the life of the core --- */

static void storage_on_start (void *owner, const moment_t *now)
{
    storage_t *self = owner;
    if (!self->settings.guest && self->settings.look_ms > 0)
        storage_looked (self, now, self->settings.room);
    files_start (self, now);
    arrivals_start (self, now);
    agent_poll_start (self->agent_poll, now);
}

static void storage_destroy (void *owner)
{
    storage_t *self = owner;
    ordered_end (&self->transfers, free);
    files_end (self);
    ordered_end (&self->arrivals, free);
    agent_poll_destroy (&self->agent_poll);
    service_destroy (&self->service);
    free (self);
}

void storage_core (const storage_settings_t *settings, core_t *core)
{
    assert (settings->name && settings->folder);
    storage_t *self = must (calloc (1, sizeof *self));
    self->settings = *settings;
    char name [NAME_BYTES_MAX + 1];
    snprintf (name, sizeof name, "storage/%.54s", settings->name);
    self->service = member_new (name, NULL, 0);
    self->report_ms = REPORT_MS;
    self->bytes_max = settings->bytes_max;
    self->agent_poll =
      agent_poll_new (self->service, &(agent_poll_settings_t){.service = "Chain",
                                                              .sites = settings->sites,
                                                              .sites_count = settings->sites_count,
                                                              .backoff_ms = BACKOFF_MS,
                                                              .backoff_ms_max = BACKOFF_MS_MAX,
                                                              .ask = storage_ask,
                                                              .take = storage_take,
                                                              .owner = self});
    files_init (self);
    self->arrivals = ordered_by_text (offsetof (arrival_t, wanted.path));
    self->transfers = ordered_by_bytes (offsetof (transfer_t, wanted.id), CHAIN_ID_BYTES);
    service_at_start (self->service, storage_on_start, self);
    service_on_work (self->service, storage_on_work, self);
    service_on_flow (self->service, transfers_on_flow, self);
    *core = service_core (self, storage_destroy);
}
