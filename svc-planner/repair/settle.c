/*  settle - a transaction that its coordinator does not end: find out what has become of it (T7),
 *  or end it in the coordinator's place, without its store (T8).
 *
 *  The plan lists the participants to ask; one that has the plan sends it. Without a fence the
 *  coordinator is asked, then every participant, just as a participant in doubt does. The answer
 *  only tells what was found; participants in doubt find it out by themselves. With a fence:
 *
 *      fence all, again and again until all have answered
 *          somebody has committed        -> log the commit here, drive it as if it were ours
 *          nobody has, or one has aborted -> abort those who have voted
 *
 *  A planner also does this, unasked, to a decision of its own that another planner has fenced and
 *  does not finish: nobody else would, and aborting it is as good an end as any (T8).
 *
 *  The epoch only orders planners that settle the same plan at once. They can't come to different
 *  ends: once all are fenced, nobody commits unless a participant has committed already.
 */
#include "settle.h"

#include "access.h"
#include "participant_ref.h"
#include "read_request.h"
#include "settle_wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 500 /* pause before silent participants are asked again, jittered */

typedef struct {
    uint64_t call;
    bool answered; /* state is what it said last */
    bool fenced;   /* in this round: with our epoch, or its state is final */
    command_state_t state;
} settle_slot_t;

typedef struct {
    read_request_t read_request;
    settle_order_t order;
    plan_t plan;
    settle_slot_t slots [PARTICIPANTS_MAX];
    size_t waiting;
    uint64_t call; /* for the plan, or to the coordinator */
    uint32_t epoch;
    uint32_t epoch_seen; /* the highest epoch of a fence that refused ours */
    outcome_t outcome;   /* decided here, or found */
    bool adopted;        /* this planner's coordinator drives it */
    uint64_t timer;
    uint64_t limit_timer;
} settle_t;

static void settle_ask_all (settle_t *self, const moment_t *now);

static void settle_free (read_request_t *read_request)
{
    settle_t *self = (settle_t *) read_request;
    service_t *service = read_request->read_requests->service;
    timers_cancel (service->timers, self->timer);
    timers_cancel (service->timers, self->limit_timer);
    calls_cancel (service->calls, self->call);
    for (size_t i = 0; i < self->plan.participants_count; i++)
        calls_cancel (service->calls, self->slots [i].call);
    if (self->adopted)
        coordinator_disown (read_request->read_requests->coordinator, &self->order.txid);
    codec_clear (&plan_codec, &self->plan);
    free (self);
}

static void settle_tell (settle_t *self, outcome_t outcome, bool done, const char *format, ...)
  __attribute__ ((format (printf, 4, 5)));

static void settle_tell (settle_t *self, outcome_t outcome, bool done, const char *format, ...)
{
    service_t *service = self->read_request.read_requests->service;
    char txid [TXID_TEXT_BYTES];
    settle_answer_t answer = {.txid = self->order.txid,
                              .outcome = outcome,
                              .done = done,
                              .voices_count = self->plan.participants_count};
    va_list values;
    va_start (values, format);
    vsnprintf (answer.text, sizeof answer.text, format, values);
    va_end (values);
    for (size_t i = 0; i < answer.voices_count; i++)
        answer.voices [i] = (settle_voice_t){.participant = self->plan.participants [i].name,
                                             .answered = self->slots [i].answered,
                                             .state = self->slots [i].state};
    outbox_log (service->outbox, LEVEL_INFO, "settle %s fence=%d by=%s why=%s",
                txid_text (&self->order.txid, txid), self->order.fence, self->read_request.actor,
                answer.text);
    read_request_tell (&self->read_request, codec_encode (&settle_answer_codec, &answer));
}

static uint64_t settle_ask (settle_t *self, const moment_t *now, const participant_ref_t *party,
                            const char *service_name, const char *method, packed_t body,
                            uint32_t tries, call_done_fn *done, uint64_t token)
{
    const read_requests_t *read_requests = self->read_request.read_requests;
    call_order_t order =
      participant_ref_order (party, read_requests->settings, service_name, method);
    order.tries_max = tries;
    return service_ask (read_requests->service, now, &order, body, done, self, token);
}

/*  --- the end --- */

static const participant_ref_t *settle_silent (const settle_t *self)
{
    for (size_t i = 0; i < self->plan.participants_count; i++)
        if (!self->slots [i].answered)
            return &self->plan.participants [i];
    return NULL;
}

static void settle_on_limit (void *owner, const moment_t *now, uint64_t token)
{
    (void) now;
    (void) token;
    settle_t *self = owner;
    self->limit_timer = 0;
    const participant_ref_t *party = settle_silent (self);
    if (self->outcome != OUTCOME_LOST)
        settle_tell (self, self->outcome, false,
                     "%s, but not every participant has acknowledged yet",
                     self->outcome == OUTCOME_COMMITTED ? "committed" : "aborted");
    else
        settle_tell (self, OUTCOME_LOST, false,
                     "not known: %.63s does not answer, and every participant must",
                     party                                ? party->name
                     : self->plan.participants_count == 0 ? self->order.participant
                                                          : "somebody");
}

/*  A commit that came too late at an edge was decided, too. */
static bool says_committed (const settle_slot_t *slot)
{
    return slot->answered &&
           (slot->state == COMMAND_COMMITTED || slot->state == COMMAND_EDGE_REFUSED);
}

static bool says_aborted (const settle_slot_t *slot)
{
    return slot->answered && (slot->state == COMMAND_ABORTED || slot->state == COMMAND_EXPIRED);
}

static bool any (const settle_t *self, bool (*says) (const settle_slot_t *slot))
{
    for (size_t i = 0; i < self->plan.participants_count; i++)
        if (says (&self->slots [i]))
            return true;
    return false;
}

static void on_driven (void *owner, const moment_t *now, decision_end_t end, const char *text)
{
    (void) now;
    settle_t *self = owner;
    self->adopted = false;
    for (size_t i = 0; i < self->plan.participants_count; i++)
        if (end == DECISION_END_COMMITTED)
            self->slots [i].state = COMMAND_COMMITTED;
    if (end == DECISION_END_COMMITTED)
        settle_tell (self, OUTCOME_COMMITTED, true, "committed by all");
    else
        settle_tell (self, OUTCOME_COMMITTED, true,
                     "committed, but not kept by every participant: %s", text);
}

static void commit (settle_t *self, const moment_t *now)
{
    coordinator_t *coordinator = self->read_request.read_requests->coordinator;
    self->outcome = OUTCOME_COMMITTED;
    if (coordinator_outcome (coordinator, &self->order.txid, NULL) != OUTCOME_LOST) {
        /* Our fence refuses this planner's own commits, too, until they carry its epoch (T9). */
        coordinator_raise (coordinator, &self->order.txid, self->epoch);
        settle_tell (self, OUTCOME_COMMITTED, false,
                     "committed; this planner is carrying it out already");
        return;
    }
    plan_t plan;
    codec_copy (&plan_codec, &plan, &self->plan);
    self->adopted = true;
    coordinator_adopt (coordinator, now, &plan, self->epoch, on_driven, self);
}

static void settle_on_aborted (void *owner, const moment_t *now, uint64_t token,
                               const call_result_t *result)
{
    (void) now;
    settle_t *self = owner;
    settle_slot_t *slot = &self->slots [token];
    command_answer_t answer;
    slot->call = 0;
    if (call_take (result, &command_answer_codec, &answer, NULL)) {
        slot->state = answer.state;
        codec_clear (&command_answer_codec, &answer);
    }
    if (--self->waiting > 0)
        return;
    for (size_t i = 0; i < self->plan.participants_count; i++)
        if (!says_aborted (&self->slots [i])) {
            settle_tell (self, OUTCOME_ABORTED, false, "aborted, but %.63s has not acknowledged",
                         self->plan.participants [i].name);
            return;
        }
    settle_tell (self, OUTCOME_ABORTED, true, "aborted by all");
}

static void abort_all (settle_t *self, const moment_t *now)
{
    self->outcome = OUTCOME_ABORTED;
    for (size_t i = 0; i < self->plan.participants_count; i++) {
        settle_slot_t *slot = &self->slots [i];
        if (says_aborted (slot))
            continue;
        self->waiting++;
        slot->call =
          settle_ask (self, now, &self->plan.participants [i], "Participant", "Abort",
                      codec_encode (&decision_request_codec,
                                    &(decision_request_t){self->order.txid, self->epoch}),
                      self->read_request.read_requests->settings->tries_max, settle_on_aborted, i);
    }
    if (self->waiting == 0)
        settle_tell (self, OUTCOME_ABORTED, true, "aborted by all");
}

/*  --- fence --- */

static void settle_on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    settle_t *self = owner;
    self->timer = 0;
    settle_ask_all (self, now);
}

static void settle_again (settle_t *self, const moment_t *now)
{
    service_t *service = self->read_request.read_requests->service;
    int64_t pause_ms = AGAIN_MS / 2 + (int64_t) prng_below (&service->prng, AGAIN_MS);
    self->timer = timers_set (service->timers, now->mono_ms + pause_ms, settle_on_again, self, 0);
}

static bool all_fenced (const settle_t *self)
{
    for (size_t i = 0; i < self->plan.participants_count; i++)
        if (!self->slots [i].fenced)
            return false;
    return true;
}

static void end_round (settle_t *self, const moment_t *now)
{
    if (!self->order.fence) {
        if (any (self, says_committed))
            settle_tell (self, OUTCOME_COMMITTED, false,
                         "committed: participants in doubt find it out by themselves");
        else if (any (self, says_aborted))
            settle_tell (self, OUTCOME_ABORTED, false,
                         "aborted: participants in doubt find it out by themselves");
        else if (settle_silent (self))
            settle_tell (self, OUTCOME_LOST, false, "not known: %.63s does not answer",
                         settle_silent (self)->name);
        else
            settle_tell (self, OUTCOME_PENDING, false,
                         "all have voted, and nobody knows the decision");
        return;
    }
    if (self->epoch_seen >= self->epoch && self->epoch_seen < UINT32_MAX) {
        self->epoch = self->epoch_seen + 1; /* what was fenced with the old epoch does not count */
        for (size_t i = 0; i < self->plan.participants_count; i++)
            self->slots [i].fenced = false;
    }
    if (!all_fenced (self))
        settle_again (self, now);
    else if (any (self, says_committed))
        commit (self, now);
    else
        abort_all (self, now);
}

static void settle_take_answer (settle_t *self, settle_slot_t *slot, const command_answer_t *answer)
{
    slot->answered =
      answer->refusal.reason == REFUSAL_NONE || answer->refusal.reason == REFUSAL_FENCED;
    slot->state = answer->state;
    slot->fenced = answer->refusal.reason == REFUSAL_NONE;
    if (answer->refusal.reason == REFUSAL_FENCED && answer->epoch > self->epoch_seen)
        self->epoch_seen = answer->epoch;
}

static void settle_on_answer (void *owner, const moment_t *now, uint64_t token,
                              const call_result_t *result)
{
    settle_t *self = owner;
    settle_slot_t *slot = &self->slots [token];
    command_answer_t answer;
    slot->call = 0;
    /* Only the store named in the plan answers the call: no other can speak for it (T16). */
    if (call_take (result, &command_answer_codec, &answer, NULL)) {
        if (txid_compare (&answer.txid, &self->order.txid) == 0)
            settle_take_answer (self, slot, &answer);
        codec_clear (&command_answer_codec, &answer);
    }
    if (--self->waiting == 0)
        end_round (self, now);
}

/*  Ask every participant that is not fenced yet. */
static void settle_ask_all (settle_t *self, const moment_t *now)
{
    bool fence = self->order.fence;
    for (size_t i = 0; i < self->plan.participants_count; i++) {
        settle_slot_t *slot = &self->slots [i];
        if (fence && slot->fenced)
            continue;
        self->waiting++;
        packed_t body =
          fence
            ? codec_encode (&fence_request_codec, &(fence_request_t){self->order.txid, self->epoch,
                                                                     self->plan.decide_by_ms})
            : codec_encode (&resolve_request_codec,
                            &(resolve_request_t){self->order.txid, self->plan.decide_by_ms});
        slot->call =
          settle_ask (self, now, &self->plan.participants [i], "Participant",
                      fence ? "Fence" : "Resolve", body, fence ? 1 : 2, settle_on_answer, i);
    }
}

/*  --- the coordinator, and the plan --- */

static void settle_on_coordinator (void *owner, const moment_t *now, uint64_t token,
                                   const call_result_t *result)
{
    (void) token;
    settle_t *self = owner;
    outcome_answer_t said;
    self->call = 0;
    bool told = call_take (result, &outcome_answer_codec, &said, NULL) &&
                txid_compare (&said.txid, &self->order.txid) == 0;
    if (told && said.outcome == OUTCOME_COMMITTED)
        settle_tell (self, said.outcome, said.done, "its coordinator says that it is committed");
    else if (told && said.outcome == OUTCOME_ABORTED)
        settle_tell (
          self, said.outcome, false,
          "its coordinator says that it is aborted: participants in doubt find it out by "
          "themselves");
    else
        settle_ask_all (self, now);
}

static void settle_begin (settle_t *self, const moment_t *now)
{
    const read_requests_t *read_requests = self->read_request.read_requests;
    bool done;
    bool ours =
      memcmp (self->order.txid.store, read_requests->service->store.id, STORE_ID_BYTES) == 0;
    outcome_t outcome = coordinator_outcome (read_requests->coordinator, &self->order.txid, &done);
    if (ours || outcome == OUTCOME_COMMITTED)
        settle_tell (self, outcome, done,
                     ours ? "this planner is its coordinator and ends it by itself"
                          : "committed; this planner is carrying it out already");
    else if (self->order.fence)
        settle_ask_all (self, now);
    else
        self->call = settle_ask (
          self, now, &self->plan.coordinator, "Coordinator", "Outcome",
          codec_encode (&decision_request_codec, &(decision_request_t){self->order.txid, 0}), 2,
          settle_on_coordinator, 0);
}

static void on_plan (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    (void) token;
    settle_t *self = owner;
    char why [WHY_BYTES];
    self->call = 0;
    if (result->status != CALL_OK)
        settle_tell (self, OUTCOME_LOST, false, "%.63s did not send the plan: %.100s",
                     self->order.participant, result->reason);
    else if (!command_told_decode (result->body, &self->plan, why))
        settle_tell (self, OUTCOME_LOST, false, "%.63s sent a plan that can't be read: %s",
                     self->order.participant, why);
    else if (txid_compare (&self->plan.txid, &self->order.txid) != 0)
        settle_tell (self, OUTCOME_LOST, false, "%.63s knows no plan with this txid",
                     self->order.participant);
    else
        settle_begin (self, now);
}

static settle_t *settle_start (settle_t *self, const moment_t *now, const settle_order_t *order)
{
    const read_requests_t *read_requests = self->read_request.read_requests;
    self->order = *order;
    self->epoch = 1;
    self->outcome = OUTCOME_LOST;
    self->limit_timer = timers_set (read_requests->service->timers,
                                    now->mono_ms + read_requests->settings->request_limit_ms,
                                    settle_on_limit, self, 0);
    return self;
}

void planner_on_barred (void *owner, const moment_t *now, const plan_t *plan)
{
    read_requests_t *read_requests = owner;
    settle_order_t order = {.txid = plan->txid, .fence = true};
    memcpy (order.participant, plan->participants [0].name, sizeof order.participant);
    service_count (read_requests->service, "barred", 1);
    settle_t *self =
      settle_start (read_request_own (read_requests, sizeof *self, settle_free), now, &order);
    codec_copy (&plan_codec, &self->plan, plan);
    settle_ask_all (self, now);
}

void planner_on_settle (void *owner, const moment_t *now, const request_t *request, void *body)
{
    read_requests_t *read_requests = owner;
    const settle_order_t *order = body;
    if (!may (read_requests->access, VERB_ADMINISTER, request->actor, request->actor, "")) {
        service_refuse (read_requests->service, request, CALL_DENIED,
                        "%.63s is not an administrator of this planner", request->actor);
        return;
    }
    settle_t *self = read_request_new (read_requests, request, sizeof *self, settle_free);
    if (!self)
        return;
    settle_start (self, now, order);
    packed_t asked = codec_encode (&commands_request_codec,
                                   &(commands_request_t){.only_set = true, .only = order->txid});
    self->call = service_ask (read_requests->service, now,
                              &(call_order_t){.peer = self->order.participant,
                                              .service = "Participant",
                                              .method = "Commands",
                                              .timeout_ms = read_requests->settings->try_ms,
                                              .tries_max = read_requests->settings->tries_max},
                              asked, on_plan, self, 0);
}
