/*  agent_poll - asks the questions, one after another.
 *
 *  With one_store the first question says only who asks. Its answer shows which store the site has;
 *  nothing in that answer is carried out. All later questions are for that store alone; if another
 *  store answers, everything begins anew.
 */
#include "agent_poll.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ATTEND_MS 10000 /* until the site has told its own value */
#define ANSWER_MS 5000  /* how much longer than attend_ms an answer may take */

struct agent_poll {
    service_t *service;
    agent_poll_settings_t settings;
    char **sites;
    agent_poll_question_t question; /* the last */
    size_t at;                      /* which of the endpoints */
    bool store_known;
    uint8_t store [STORE_ID_BYTES];
    uint64_t call; /* under way; 0 = none */
    uint64_t timer;
    int64_t timer_ms; /* the time that it is set for */
    bool backs_off;
    uint32_t failures;    /* in a row */
    call_status_t failed; /* the last of them */
    int64_t attend_ms;
};

agent_poll_t *agent_poll_new (service_t *service, const agent_poll_settings_t *settings)
{
    assert (settings->sites_count > 0 && settings->ask && settings->take);
    agent_poll_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = *settings;
    self->sites = must (calloc (settings->sites_count, sizeof *self->sites));
    for (size_t i = 0; i < settings->sites_count; i++)
        self->sites [i] = must (strdup (settings->sites [i]));
    self->attend_ms = ATTEND_MS;
    return self;
}

void agent_poll_destroy (agent_poll_t **self_p)
{
    agent_poll_t *self = *self_p;
    for (size_t i = 0; i < self->settings.sites_count; i++)
        free (self->sites [i]);
    free (self->sites);
    free (self);
    *self_p = NULL;
}

const char *agent_poll_endpoint (const agent_poll_t *self)
{
    return self->sites [self->at];
}

const uint8_t *agent_poll_store (const agent_poll_t *self)
{
    return self->store_known ? self->store : NULL;
}

/*  --- asking --- */

static void agent_poll_on_answer (void *owner, const moment_t *now, uint64_t token,
                                  const call_result_t *result);

static void agent_poll_ask (agent_poll_t *self, const moment_t *now)
{
    self->question.said.start = self->service->store.start;
    memcpy (self->question.said.store, self->service->store.id, STORE_ID_BYTES);
    self->question.said.number++;
    self->question.bare = self->settings.one_store && !self->store_known;
    self->question.asked_ms = now->mono_ms;
    packed_t body = self->settings.ask (self->settings.owner, &self->question);
    calls_cancel (self->service->calls, self->call);
    self->call = service_ask (self->service, now,
                              &(call_order_t){.endpoint = agent_poll_endpoint (self),
                                              .to_store = agent_poll_store (self),
                                              .service = self->settings.service,
                                              .method = "Attend",
                                              .timeout_ms = self->attend_ms + ANSWER_MS,
                                              .tries_max = 1},
                              body, agent_poll_on_answer, self, 0);
}

void agent_poll_start (agent_poll_t *self, const moment_t *now)
{
    agent_poll_ask (self, now);
}

static void agent_poll_on_timer (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_poll_t *self = owner;
    self->timer = 0;
    self->backs_off = false;
    agent_poll_ask (self, now);
}

static void ask_at (agent_poll_t *self, int64_t mono_ms)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer_ms = mono_ms;
    self->timer = timers_set (self->service->timers, mono_ms, agent_poll_on_timer, self, 0);
}

/*  A timer that is due fires at the end of the step that set it. */
void agent_poll_news (agent_poll_t *self, const moment_t *now, int64_t gap_ms)
{
    int64_t at_ms = self->question.asked_ms + gap_ms;
    at_ms = at_ms > now->mono_ms ? at_ms : now->mono_ms;
    if (self->backs_off || (self->settings.one_store && !self->store_known) ||
        (self->timer != 0 && self->timer_ms <= at_ms))
        return; /* it will be told with the next question */
    ask_at (self, at_ms);
}

/*  --- answers --- */

static void no_answer (agent_poll_t *self, const moment_t *now, call_status_t status,
                       const char *why)
{
    int64_t most_ms =
      pause_doubled (self->settings.backoff_ms, self->settings.backoff_ms_max, self->failures);
    int64_t wait_ms =
      most_ms / 2 + (int64_t) prng_below (&self->service->prng, (uint64_t) most_ms / 2 + 1);
    if (self->failures == 0 || status != self->failed)
        outbox_log (self->service->outbox, LEVEL_WARNING, "site %s does not answer why=\"%.200s\"",
                    agent_poll_endpoint (self), why);
    self->failures++;
    self->failed = status;
    self->question.said.seen = 0;
    self->at = (self->at + 1) % self->settings.sites_count;
    self->backs_off = true;
    ask_at (self, now->mono_ms + wait_ms);
}

static void store_changed (agent_poll_t *self, const moment_t *now)
{
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "site %s answers from another store: what its former store wanted is ended",
                agent_poll_endpoint (self));
    self->store_known = false;
    self->question.said.seen = 0;
    ask_at (self, now->mono_ms);
}

/*  Asks again at once: the question waits at the site until there is something to do. */
static void agent_poll_go_on (agent_poll_t *self, const moment_t *now, const call_result_t *result,
                              const agent_poll_answer_t *answer)
{
    if (self->question.bare) {
        memcpy (self->store, result->store, STORE_ID_BYTES);
        self->store_known = true;
    }
    self->failures = 0;
    self->attend_ms = answer->attend_ms;
    self->question.said.seen = self->question.bare ? 0 : answer->number;
    ask_at (self, now->mono_ms);
}

static void agent_poll_on_answer (void *owner, const moment_t *now, uint64_t token,
                                  const call_result_t *result)
{
    (void) token;
    agent_poll_t *self = owner;
    agent_poll_answer_t answer;
    char why [WHY_BYTES];
    self->call = 0;
    if (result->status == CALL_WRONG_STORE && self->store_known)
        store_changed (self, now);
    else if (result->status != CALL_OK)
        no_answer (self, now, result->status, result->reason);
    else if (self->settings.take (self->settings.owner, now, &self->question, result->body, &answer,
                                  why))
        agent_poll_go_on (self, now, result, &answer);
    else
        no_answer (self, now, CALL_BAD_REQUEST, why);
}
