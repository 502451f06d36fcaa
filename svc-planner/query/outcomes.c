/*  outcomes - asks how one commit ended. */
#include "outcomes.h"

#include "must.h"
#include "participant_ref.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  It is waited for so long, as a share of a request's time: half of what is left for closing. */
#define COORDINATOR_SHARE 12

struct outcomes {
    service_t *service;
    const planner_settings_t *settings;
    plan_t plan;
    uint64_t calls [PARTICIPANTS_MAX + 1]; /* the last one is the coordinator's */
    uint64_t timer;                        /* until then the coordinator is waited for */
    size_t waiting;
    bool said [PARTICIPANTS_MAX]; /* which participants said "committed" */
    size_t committed;
    bool all_done;
    bool unheard; /* the coordinator was silent */
    bool gone;
    outcomes_done_fn *done;
    void *owner;
};

static void cancel_calls (outcomes_t *self)
{
    for (size_t i = 0; i <= PARTICIPANTS_MAX; i++) {
        calls_cancel (self->service->calls, self->calls [i]);
        self->calls [i] = 0;
    }
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
}

/*  Once the outcome is clear nobody else is waited for: the coordinator may be dead for good. */
static void outcomes_on_outcome (void *owner, const moment_t *now, uint64_t token,
                                 const call_result_t *result)
{
    outcomes_t *self = owner;
    outcome_answer_t said;
    bool of_participant = token < self->plan.participants_count;
    self->calls [token] = 0;
    bool told = call_take (result, &outcome_answer_codec, &said, NULL);
    self->unheard = self->unheard || (!of_participant && result->status == CALL_TIMED_OUT);
    bool committed = told && said.outcome == OUTCOME_COMMITTED;
    self->all_done = self->all_done || (committed && said.done);
    if (of_participant) {
        self->said [token] = committed;
        self->committed += committed;
        self->gone = self->gone || result->status == CALL_WRONG_STORE ||
                     (told && (said.outcome == OUTCOME_LOST || said.outcome == OUTCOME_ABORTED));
    }
    bool complete = self->all_done || self->committed == self->plan.participants_count;
    if (--self->waiting > 0 && !complete)
        return;
    cancel_calls (self);
    self->done (self->owner, now,
                complete     ? OUTCOMES_COMPLETE
                : self->gone ? OUTCOMES_GONE
                             : OUTCOMES_OPEN);
}

static void outcomes_ask (outcomes_t *self, const moment_t *now, size_t at,
                          const participant_ref_t *party, const char *service_name)
{
    packed_t body =
      codec_encode (&decision_request_codec, &(decision_request_t){self->plan.txid, 0});
    self->waiting++;
    call_order_t order = participant_ref_order (party, self->settings, service_name, "Outcome");
    order.tries_max = 2;
    self->calls [at] =
      service_ask (self->service, now, &order, body, outcomes_on_outcome, self, at);
}

/*  A coordinator that is dead for good must not take all the time that a request has. */
static void outcomes_on_time (void *owner, const moment_t *now, uint64_t token)
{
    outcomes_t *self = owner;
    self->timer = 0;
    if (self->calls [token] == 0)
        return;
    calls_cancel (self->service->calls, self->calls [token]);
    outcomes_on_outcome (self, now, token, &(call_result_t){.status = CALL_TIMED_OUT});
}

static void outcomes_ask_all (outcomes_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->plan.participants_count; i++)
        outcomes_ask (self, now, i, &self->plan.participants [i], "Participant");
    if (self->unheard)
        return;
    outcomes_ask (self, now, PARTICIPANTS_MAX, &self->plan.coordinator, "Coordinator");
    self->timer = timers_set (self->service->timers,
                              now->mono_ms + self->settings->request_limit_ms / COORDINATOR_SHARE,
                              outcomes_on_time, self, PARTICIPANTS_MAX);
}

outcomes_t *outcomes_new (service_t *service, const planner_settings_t *settings,
                          const moment_t *now, const plan_t *plan, outcomes_done_fn *done,
                          void *owner)
{
    assert (plan->participants_count <= PARTICIPANTS_MAX);
    outcomes_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    codec_copy (&plan_codec, &self->plan, plan);
    self->done = done;
    self->owner = owner;
    outcomes_ask_all (self, now);
    return self;
}

void outcomes_again (outcomes_t *self, const moment_t *now)
{
    memset (self->said, 0, sizeof self->said);
    self->committed = 0;
    self->all_done = self->gone = false;
    outcomes_ask_all (self, now);
}

void outcomes_destroy (outcomes_t **self_p)
{
    outcomes_t *self = *self_p;
    if (!self)
        return;
    cancel_calls (self);
    codec_clear (&plan_codec, &self->plan);
    free (self);
    *self_p = NULL;
}

const participant_ref_t *outcomes_awaited (const outcomes_t *self, size_t at)
{
    for (size_t i = 0; i < self->plan.participants_count; i++)
        if (!self->said [i] && at-- == 0)
            return &self->plan.participants [i];
    return NULL;
}
