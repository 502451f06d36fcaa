/*  agent - the questions, one after another. The site holds each until there is something to do; an
 *  agent with news gives up the question that waits there and asks a new one.
 *
 *  The first question of a start says nothing but who asks: its answer tells which store the site
 *  has, and nothing of it is carried out. From the second on, questions are for that store alone.
 */
#include "agent_state.h"

#include "call.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEND_MS      10000 /* until the site has told its own */
#define ANSWER_MS      5000  /* an answer may be so much later than the site meant it */
#define BACKOFF_MS     200   /* doubles, with jitter of half */
#define BACKOFF_MS_MAX 10000
#define SITES_MAX      16

const agent_settings_t agent_settings_default = {
  .keep_ms = 24 * INT64_C (3600000), .look_ms = 5000, .stubborn_ms = 10000};

/*  --- asking --- */

static void on_answer (void *owner, const moment_t *now, uint64_t token,
                       const call_result_t *result);

static void ask (agent_t *self, const moment_t *now)
{
    attend_t attend = {.cpus = self->settings.cpus,
                       .start = self->service->store.start,
                       .number = ++self->number,
                       .seen = self->seen};
    snprintf (attend.node, sizeof attend.node, "%s", self->settings.name);
    snprintf (attend.class_name, sizeof attend.class_name, "%s", self->settings.class_name);
    memcpy (attend.store, self->service->store.id, STORE_ID_BYTES);
    self->bare = !self->site_known;
    if (!self->bare)
        attend.runs = agent_runs_report (self, &attend.runs_count);
    packed_t body = attend_encode (&attend);
    attend_clear (&attend);
    calls_cancel (self->service->calls, self->call);
    self->asked_ms = now->mono_ms;
    self->call = calls_start (self->service->calls, now,
                              &(call_order_t){.peer = "",
                                              .endpoint = self->settings.sites [self->at],
                                              .to_store = self->site_known ? self->site : NULL,
                                              .service = "Nodes",
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
    agent_t *self = owner;
    self->ask_timer = 0;
    self->backs_off = false;
    ask (self, now);
}

static void ask_at (agent_t *self, int64_t mono_ms)
{
    timers_cancel (self->service->timers, self->ask_timer);
    self->ask_timer = timers_set (self->service->timers, mono_ms, on_ask, self, 0);
}

/*  A timer that is due fires at the end of the step that set it. */
void agent_news (agent_t *self, const moment_t *now)
{
    if (self->backs_off || !self->site_known)
        return; /* it will be told with the next question */
    ask_at (self, now->mono_ms);
}

/*  --- answers --- */

static void no_answer (agent_t *self, const moment_t *now, const call_result_t *result)
{
    int64_t most_ms = BACKOFF_MS << (self->failures < 6 ? self->failures : 6);
    most_ms = most_ms < BACKOFF_MS_MAX ? most_ms : BACKOFF_MS_MAX;
    int64_t wait_ms =
      most_ms / 2 + (int64_t) prng_below (&self->service->prng, (uint64_t) most_ms / 2 + 1);
    if (self->failures == 0 || result->status != CALL_TIMED_OUT)
        outbox_log (self->service->outbox, LEVEL_WARNING, "site %s does not answer why=\"%.200s\"",
                    self->settings.sites [self->at], result->reason);
    self->failures++;
    self->seen = 0;
    self->at = (self->at + 1) % self->settings.sites_count;
    self->backs_off = true;
    ask_at (self, now->mono_ms + wait_ms);
}

/*  Another store answers for the site: everything begins anew. */
static void site_new (agent_t *self, const uint8_t store [STORE_ID_BYTES])
{
    memcpy (self->site, store, STORE_ID_BYTES);
    self->site_known = true;
    self->seen = 0;
}

static void carry_out (agent_t *self, const moment_t *now, const call_result_t *result,
                       wanted_t *wanted)
{
    self->failures = 0;
    self->attend_ms = wanted->attend_ms;
    self->lease_ms = wanted->lease_ms;
    snprintf (self->site_name, sizeof self->site_name, "%s", wanted->site);
    if (self->bare) {
        site_new (self, result->store);
    } else {
        /*  Since the question, not since the answer: so the lease ends before the site counts its
         *  runs as lost, however long either was under way. */
        self->lease_until_ms = self->asked_ms + self->lease_ms;
        self->seen = wanted->number;
        agent_runs_want (self, now, wanted);
    }
    ask_at (self, now->mono_ms);
}

static void on_answer (void *owner, const moment_t *now, uint64_t token,
                       const call_result_t *result)
{
    (void) token;
    agent_t *self = owner;
    wanted_t wanted;
    char why [WHY_BYTES];
    self->call = 0;
    if (result->status == CALL_WRONG_STORE && self->site_known) {
        outbox_log (self->service->outbox, LEVEL_ALARM,
                    "site %s has another store: runs of the former are ended",
                    self->settings.sites [self->at]);
        self->site_known = false;
        self->seen = 0;
        ask_at (self, now->mono_ms);
    } else if (result->status != CALL_OK) {
        no_answer (self, now, result);
    } else if (!wanted_decode (&wanted, result->body, why)) {
        call_result_t wrong_answer = {.status = CALL_BAD_REQUEST, .reason = why};
        no_answer (self, now, &wrong_answer);
    } else {
        carry_out (self, now, result, &wanted);
        wanted_clear (&wanted);
    }
}

/*  --- the life of the core --- */

static void on_start (void *owner, const moment_t *now)
{
    agent_t *self = owner;
    agent_runs_start (self, now);
    ask (self, now);
}

static void agent_step (void *owner, const moment_t *now, const event_t *event)
{
    agent_t *self = owner;
    service_step (self->service, now, event);
}

static bool agent_next (void *owner, effect_t *effect)
{
    agent_t *self = owner;
    return service_next (self->service, effect);
}

static void settings_clear (agent_settings_t *settings)
{
    free ((char *) settings->name);
    free ((char *) settings->class_name);
    free ((char *) settings->runs);
    for (size_t i = 0; i < settings->sites_count; i++)
        free ((char *) settings->sites [i]);
    free ((char **) settings->sites);
}

static void agent_destroy (void *owner)
{
    agent_t *self = owner;
    agent_works_end (self);
    agent_runs_end (self);
    service_destroy (&self->service);
    settings_clear (&self->settings);
    free (self);
}

static void settings_copy (agent_settings_t *to, const agent_settings_t *from)
{
    *to = *from;
    to->name = must (strdup (from->name));
    to->class_name = must (strdup (from->class_name));
    to->runs = must (strdup (from->runs));
    char **sites = must (calloc (from->sites_count + 1, sizeof *sites));
    for (size_t i = 0; i < from->sites_count; i++)
        sites [i] = must (strdup (from->sites [i]));
    to->sites = (const char *const *) sites;
}

void agent_core (const agent_settings_t *settings, core_t *core)
{
    assert (settings->sites_count > 0 && settings->look_ms > 0);
    agent_t *self = must (calloc (1, sizeof *self));
    settings_copy (&self->settings, settings);
    snprintf (self->actor, sizeof self->actor, "node/%s", settings->name);
    char name [NAME_BYTES_MAX + 1];
    snprintf (name, sizeof name, "node/%.58s", settings->name);
    self->service = service_new (name, NULL, 0);
    self->attend_ms = ATTEND_MS;
    agent_runs_init (self);
    service_at_start (self->service, on_start, self);
    service_on_work (self->service, agent_on_work, self);
    *core =
      (core_t){.self = self, .step = agent_step, .next = agent_next, .destroy = agent_destroy};
}
