/*  participant_in_doubt - votes without a decision (T7).
 *
 *  Ask the coordinator, in the store that made the plan. If that gives no information (silence,
 *  another store, a plan it has lost) or says pending past decide_by, ask all others of the stored
 *  list: what one of them knows to be committed is committed, what has a tombstone at one of them
 *  is aborted. Else wait longer and ask again. Nothing else is evidence: not an address, not an
 *  edge, not time. Once fenced, the coordinator's "committed" is none either: it may have been
 *  decided too late (T8). Its "aborted" still is: what it never logged nobody can have committed.
 */
#include "participant_state.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct doubt {
    plan_t plan;
    uint64_t coordinator; /* the calls under way; 0 = none */
    uint64_t others [PARTICIPANTS_MAX];
    size_t waiting; /* how many of the others have not answered yet */
    uint32_t delay_ms;
};

static void participant_in_doubt_ask_coordinator (command_t *command, const moment_t *now);

static void on_doubt_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    command_t *command = owner;
    command->doubt_timer = 0;
    command_age (command, now);
    participant_in_doubt_ask_coordinator (command, now);
}

void doubt_watch (command_t *self, const moment_t *now, int64_t delay_ms)
{
    timers_t *timers = self->participant->service->timers;
    timers_cancel (timers, self->doubt_timer);
    self->doubt_timer = timers_set (timers, now->mono_ms + delay_ms, on_doubt_time, self, 0);
}

void doubt_end (command_t *self)
{
    service_t *service = self->participant->service;
    timers_cancel (service->timers, self->doubt_timer);
    self->doubt_timer = 0;
    doubt_t *doubt = self->doubt;
    if (!doubt)
        return;
    calls_cancel (service->calls, doubt->coordinator);
    for (size_t i = 0; i < doubt->plan.participants_count; i++)
        calls_cancel (service->calls, doubt->others [i]);
    codec_clear (&plan_codec, &doubt->plan);
    free (doubt);
    self->doubt = NULL;
}

static doubt_t *doubt_begin (command_t *command)
{
    if (!command->doubt) {
        command->doubt = must (calloc (1, sizeof *command->doubt));
        command->doubt->plan = command_plan (command);
        command->doubt->delay_ms = command->participant->limits.doubt_ms;
    }
    return command->doubt;
}

int64_t doubt_delay_ms (command_t *self, uint32_t delay_ms)
{
    prng_t *prng = &self->participant->service->prng;
    return delay_ms - (int64_t) prng_below (prng, delay_ms / 2 + 1);
}

/*  Nothing was learned: the next question comes later. */
static void participant_in_doubt_back_off (command_t *command, const moment_t *now)
{
    participant_t *self = command->participant;
    doubt_t *doubt = command->doubt;
    uint32_t delay_ms = doubt->delay_ms;
    doubt->delay_ms =
      delay_ms > self->limits.doubt_ms_max / 2 ? self->limits.doubt_ms_max : 2 * delay_ms;
    doubt_watch (command, now, doubt_delay_ms (command, delay_ms));
}

static void participant_in_doubt_conclude (command_t *command, const moment_t *now, bool committed,
                                           command_event_t event)
{
    service_count (command->participant->service, "doubts_resolved", 1);
    if (committed)
        command_decide_commit (command, now, event); /* ends the doubt */
    else
        command_move (command, now, COMMAND_ABORTED, event);
}

static uint64_t participant_in_doubt_ask (command_t *command, const moment_t *now,
                                          const participant_ref_t *party, const char *service,
                                          const char *method, packed_t body, call_done_fn *done,
                                          uint64_t token)
{
    service_t *self = command->participant->service;
    return service_ask (self, now,
                        &(call_order_t){
                          .peer = party->name,
                          .endpoint = party->endpoint,
                          .to_store = party->store,
                          .service = service,
                          .method = method,
                          .timeout_ms = ASK_TIMEOUT_MS,
                          .lasting = true,
                          .tries_max = 1,
                        },
                        body, done, command, token);
}

/*  Only the very store that was named can give evidence (T16). */
static bool speaks_for (const call_result_t *result, const participant_ref_t *party)
{
    return result->status == CALL_OK && memcmp (result->store, party->store, STORE_ID_BYTES) == 0;
}

/*  --- the others --- */

static void on_other (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    command_t *command = owner;
    doubt_t *doubt = command->doubt;
    assert (doubt && doubt->waiting > 0 && token < doubt->plan.participants_count);
    doubt->others [token] = 0;
    doubt->waiting--;

    command_answer_t answer;
    char why [WHY_BYTES];
    command_state_t state = COMMAND_UNKNOWN;
    if (speaks_for (result, &doubt->plan.participants [token]) &&
        codec_decode (&command_answer_codec, &answer, result->body, why)) {
        if (txid_compare (&answer.txid, &command->txid) == 0)
            state = answer.state;
        codec_clear (&command_answer_codec, &answer);
    }
    if (state == COMMAND_COMMITTED)
        participant_in_doubt_conclude (command, now, true, EVENT_RESOLVED);
    else if (state == COMMAND_ABORTED || state == COMMAND_EXPIRED)
        participant_in_doubt_conclude (command, now, false, EVENT_RESOLVED);
    else if (doubt->waiting == 0)
        participant_in_doubt_back_off (command, now);
}

static void ask_others (command_t *command, const moment_t *now)
{
    doubt_t *doubt = command->doubt;
    service_t *service = command->participant->service;
    for (size_t i = 0; i < doubt->plan.participants_count; i++) {
        const participant_ref_t *party = &doubt->plan.participants [i];
        if (memcmp (party->store, service->store.id, STORE_ID_BYTES) == 0)
            continue;
        doubt->others [i] = participant_in_doubt_ask (
          command, now, party, "Participant", "Resolve",
          codec_encode (&resolve_request_codec,
                        &(resolve_request_t){command->txid, doubt->plan.decide_by_ms}),
          on_other, i);
        doubt->waiting++;
    }
    if (doubt->waiting == 0)
        participant_in_doubt_back_off (command, now);
}

/*  --- the coordinator --- */

static outcome_t outcome_told (const command_t *command, const participant_ref_t *coordinator,
                               const call_result_t *result, bool *done)
{
    outcome_answer_t told = {0};
    char why [WHY_BYTES];
    bool heard = speaks_for (result, coordinator) &&
                 codec_decode (&outcome_answer_codec, &told, result->body, why);
    *done = told.done;
    return heard && txid_compare (&told.txid, &command->txid) == 0 ? told.outcome : OUTCOME_LOST;
}

static void participant_in_doubt_on_coordinator (void *owner, const moment_t *now, uint64_t token,
                                                 const call_result_t *result)
{
    (void) token;
    command_t *command = owner;
    doubt_t *doubt = command->doubt;
    doubt->coordinator = 0;
    bool done;
    switch (outcome_told (command, &doubt->plan.coordinator, result, &done)) {
    case OUTCOME_COMMITTED:
        if (command->epoch > 0) /* T8: a decision of a lower epoch */
            ask_others (command, now);
        else
            participant_in_doubt_conclude (command, now, true, EVENT_OUTCOME);
        break;
    case OUTCOME_ABORTED:
        participant_in_doubt_conclude (command, now, false, EVENT_OUTCOME);
        break;
    case OUTCOME_PENDING:
        if (command_decide_passed (command, now))
            ask_others (command, now);
        else
            participant_in_doubt_back_off (command, now);
        break;
    case OUTCOME_LOST:
        ask_others (command, now);
        break;
    }
}

static void participant_in_doubt_ask_coordinator (command_t *command, const moment_t *now)
{
    doubt_t *doubt = doubt_begin (command);
    assert (doubt->coordinator == 0 && doubt->waiting == 0);
    service_count (command->participant->service, "doubts_asked", 1);
    doubt->coordinator = participant_in_doubt_ask (
      command, now, &doubt->plan.coordinator, "Coordinator", "Outcome",
      codec_encode (&decision_request_codec, &(decision_request_t){command->txid, 0}),
      participant_in_doubt_on_coordinator, 0);
}

/*  --- acknowledged by all? --- */

static void on_done_told (void *owner, const moment_t *now, uint64_t token,
                          const call_result_t *result)
{
    (void) token;
    command_t *command = owner;
    command->question = 0;
    plan_t plan = command_plan (command);
    bool done;
    outcome_t outcome = outcome_told (command, &plan.coordinator, result, &done);
    /* It forgets a commit only when all have acknowledged, and then presumes abort (T5). */
    if ((outcome == OUTCOME_COMMITTED && done) || outcome == OUTCOME_ABORTED)
        command_mark_done (command, now);
    shelf_later (command); /* others may have marked it meanwhile */
    codec_clear (&plan_codec, &plan);
}

void doubt_ask_done (command_t *self, const moment_t *now)
{
    if (self->question)
        return;
    plan_t plan = command_plan (self);
    self->question = participant_in_doubt_ask (
      self, now, &plan.coordinator, "Coordinator", "Outcome",
      codec_encode (&decision_request_codec, &(decision_request_t){self->txid, 0}), on_done_told,
      0);
    codec_clear (&plan_codec, &plan);
}
