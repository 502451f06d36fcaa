/*  decision - sends a commit to each participant until it has answered (T4, T6, T10). */
#include "decision.h"

#include "home_wire.h"
#include "member.h"
#include "must.h"
#include "ordered.h"
#include "participant_ref.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void decision_log_put (service_t *service, const txid_t *txid, const decision_record_t *record)
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    packed_t packed = decision_encode (record);
    bytes_t value = packed_bytes (packed);
    outbox_put (service->outbox, TABLE_DECISIONS, (bytes_t){.data = key, .size = sizeof key},
                value);
    ledger_append (ledger_of (service),
                   &(ledger_entry_t){.kind = LEDGER_DECIDED, .txid = txid, .record = value});
    free (packed.data);
}

void decision_log_delete (service_t *service, const txid_t *txid, bool fenced)
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    outbox_delete (service->outbox, TABLE_DECISIONS, (bytes_t){.data = key, .size = sizeof key});
    ledger_append (ledger_of (service), &(ledger_entry_t){.kind = LEDGER_PRUNED_DECISION,
                                                          .txid = txid,
                                                          .event = fenced ? "fence" : NULL});
}

/*  --- its states ---
 *
 *  A restart ends what was in progress without a step: it has no record, and so it counts as
 *  aborted (presumed abort, T5).
 */

static const char *const state_words [DECISION_STATES] = {
  [DECISION_INITIAL] = "initial",   [DECISION_VOTING] = "voting",
  [DECISION_ABORTED] = "aborted",   [DECISION_DECIDED] = "decided",
  [DECISION_SETTLED] = "settled",   [DECISION_REPAIRING] = "repairing",
  [DECISION_REPAIRED] = "repaired",
};

static const char *const event_words [DECISION_EVENTS] = {
  [DECISION_EVENT_BEGIN] = "begin",       [DECISION_EVENT_DROP] = "drop",
  [DECISION_EVENT_DECIDE] = "decide",     [DECISION_EVENT_ACKNOWLEDGED] = "acknowledged",
  [DECISION_EVENT_LOST] = "lost",         [DECISION_EVENT_AWAITED] = "awaited",
  [DECISION_EVENT_RELEASED] = "released", [DECISION_EVENT_FENCED] = "fenced",
  [DECISION_EVENT_ADOPT] = "adopt",
};

static const state_step_t steps [] = {
  {STATE (DECISION_INITIAL), DECISION_VOTING, .event = DECISION_EVENT_BEGIN},
  {STATE (DECISION_INITIAL), DECISION_DECIDED, .event = DECISION_EVENT_ADOPT},
  {STATE (DECISION_VOTING), DECISION_ABORTED, .event = DECISION_EVENT_DROP},
  {STATE (DECISION_VOTING), DECISION_DECIDED, .event = DECISION_EVENT_DECIDE},
  {STATE (DECISION_DECIDED), DECISION_SETTLED, .event = DECISION_EVENT_ACKNOWLEDGED},
  {STATE (DECISION_DECIDED), DECISION_REPAIRING, .event = DECISION_EVENT_LOST},
  {STATE (DECISION_DECIDED), DECISION_REPAIRING, .event = DECISION_EVENT_AWAITED},
  {STATE (DECISION_DECIDED), DECISION_ABORTED, .event = DECISION_EVENT_FENCED},
  {STATE (DECISION_REPAIRING), DECISION_REPAIRED, .event = DECISION_EVENT_RELEASED},
};
const state_table_t decision_states = {
  .name = "decision", .states = state_words, .events = event_words, STATE_STEPS (steps)};

/*  --- who is told that a transaction is done ---
 *
 *  A list of txids for each participant; all are sent when one timer is due.
 */

#define DONE_TRIES 3

typedef struct {
    participant_ref_t party;
    txid_t *txids;
    size_t count;
    size_t room;
} box_t;

struct done_notices {
    service_t *service;
    const planner_settings_t *settings;
    ordered_t *boxes; /* by party */
    uint64_t timer;
};

static int compare_box (const void *key, const void *thing)
{
    const participant_ref_t *first = key, *second = &((const box_t *) thing)->party;
    int order = strcmp (first->name, second->name);
    return order != 0 ? order : memcmp (first->store, second->store, STORE_ID_BYTES);
}

static void box_free (void *thing)
{
    box_t *box = thing;
    free (box->txids);
    free (box);
}

done_notices_t *done_notices_new (service_t *service, const planner_settings_t *settings)
{
    done_notices_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->boxes = ordered_new (compare_box);
    return self;
}

void done_notices_destroy (done_notices_t **self_p)
{
    done_notices_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->boxes, box_free);
    timers_cancel (self->service->timers, self->timer);
    free (self);
    *self_p = NULL;
}

static void box_send (done_notices_t *self, const moment_t *now, const box_t *box)
{
    for (size_t at = 0; at < box->count; at += DONE_TXIDS_MAX) {
        size_t count = box->count - at < DONE_TXIDS_MAX ? box->count - at : DONE_TXIDS_MAX;
        packed_t body =
          codec_encode (&done_request_codec, &(done_request_t){&box->txids [at], count});
        call_order_t order =
          participant_ref_order (&box->party, self->settings, "Participant", "Done");
        order.tries_max = DONE_TRIES;
        service_ask (self->service, now, &order, body, NULL, self, 0);
    }
}

static void done_notices_on_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    done_notices_t *self = owner;
    self->timer = 0;
    box_t *box;
    while ((box = ordered_after (self->boxes, NULL))) {
        box_send (self, now, box);
        box_free (ordered_remove (self->boxes, &box->party));
    }
}

/*  Tell the participant, with the next message, that the transaction is done. */
static void done_notices_add (done_notices_t *self, const moment_t *now,
                              const participant_ref_t *party, const txid_t *txid)
{
    box_t *box = ordered_find (self->boxes, party);
    if (!box) {
        box = must (calloc (1, sizeof *box));
        box->party = *party;
        ordered_add (self->boxes, &box->party, box);
    }
    box->txids = must_grow (box->txids, box->count, &box->room, sizeof *box->txids);
    box->txids [box->count++] = *txid;
    if (self->timer == 0)
        self->timer = timers_set (self->service->timers, now->mono_ms + self->settings->done_ms,
                                  done_notices_on_due, self, 0);
}

#define AGAIN_MS  2000  /* pause after an answer that does not settle a commit */
#define BARRED_MS 10000 /* how long a fence is tolerated: its planner may still be at work */

void decision_step (decision_phase_t *phase, decision_event_t event, decision_phase_t to)
{
    assert (states_allow (&decision_states, *phase, event, to));
    *phase = to;
}

decision_t *decision_new (coordinator_t *self, decision_record_t *record)
{
    decision_t *decision = must (calloc (1, sizeof *decision));
    decision->coordinator = self;
    decision->record = *record;
    decision->txid = record->plan.txid;
    decision->open = record->plan.participants_count;
    decision->ballots = must (calloc (decision->open, sizeof *decision->ballots));
    ordered_add (self->decisions, &decision->txid, decision);
    return decision;
}

void decision_free (void *thing)
{
    decision_t *decision = thing;
    service_t *service = decision->coordinator->service;
    for (size_t i = 0; i < decision->record.plan.participants_count; i++) {
        calls_cancel (service->calls, decision->ballots [i].call);
        timers_cancel (service->timers, decision->ballots [i].timer);
    }
    free (decision->ballots);
    codec_clear (&decision_codec, &decision->record);
    free (decision);
}

static void send_commit (decision_t *decision, const moment_t *now, size_t at);

void decision_say (const decision_t *decision, log_level_t level, const char *move, const char *why)
{
    char text [TXID_TEXT_BYTES];
    const plan_t *plan = &decision->record.plan;
    outbox_log (decision->coordinator->service->outbox, level,
                "txn %s %s reservation=%s version=%u participants=%zu%s%s",
                txid_text (&decision->txid, text), move, plan->reservation, plan->base_version + 1,
                plan->participants_count, *why ? " why=" : "", why);
}

void decision_move (decision_t *decision, log_level_t level, decision_event_t event,
                    decision_phase_t to, const char *why)
{
    char line [64];
    decision_phase_t from = decision->record.phase;
    decision_step (&decision->record.phase, event, to);
    snprintf (line, sizeof line, "%s->%s", decision_states.states [from],
              decision_states.states [to]);
    decision_say (decision, level, line, why);
}

/*  End the decision, which is gone afterwards, and tell its owner. */
static void decision_leave (decision_t *decision, const moment_t *now, decision_end_t end,
                            const char *text)
{
    coordinator_t *self = decision->coordinator;
    coordinator_told_fn *told = decision->told;
    void *owner = decision->owner;
    ordered_remove (self->decisions, &decision->txid);
    decision_free (decision);
    self->active_ms = now->mono_ms;
    if (told)
        told (owner, now, end, text);
}

/*  The decision is stored as repairing before the repair begins. */
static void begin_repair (decision_t *decision, const moment_t *now, log_level_t level,
                          decision_event_t event, const char *counter)
{
    coordinator_t *self = decision->coordinator;
    decision_move (decision, level, event, DECISION_REPAIRING, decision->record.text);
    service_count (self->service, counter, 1);
    decision_log_put (self->service, &decision->txid, &decision->record);
    if (self->repair)
        self->repair (self->repairer, now, &decision->record);
}

/*  R11: the repairer drives a release on at the participants that were silent; its owner is told
 *  now. */
static void begin_rest (decision_t *decision, const moment_t *now)
{
    coordinator_told_fn *told = decision->told;
    void *owner = decision->owner;
    const plan_t *plan = &decision->record.plan;
    snprintf (decision->record.text, sizeof decision->record.text, "%s did not answer%s",
              plan->awaited [0].name, plan->awaited_count > 1 ? ", nor did others" : "");
    decision->told = NULL;
    begin_repair (decision, now, LEVEL_WARNING, DECISION_EVENT_AWAITED, "releases_awaited");
    if (told)
        told (owner, now, DECISION_END_COMMITTED, "");
}

static void decision_settle (decision_t *decision, const moment_t *now)
{
    coordinator_t *self = decision->coordinator;
    const plan_t *plan = &decision->record.plan;
    for (size_t i = 0; i < plan->participants_count; i++)
        if (!decision->record.lost [i])
            done_notices_add (self->done, now, &plan->participants [i], &decision->txid);
    self->active_ms = now->mono_ms;
    if (plan->awaited_count > 0 && plan->repairs.start == 0) { /* a repair waits by itself */
        begin_rest (decision, now);
        return;
    }
    decision_move (decision, LEVEL_INFO, DECISION_EVENT_ACKNOWLEDGED, DECISION_SETTLED, "");
    completed_keep (self->settled, &decision->txid, decision->record.end_ms, true, false);
    decision_leave (decision, now, DECISION_END_COMMITTED, "");
}

/*  Another planner fenced and aborted it before anybody had committed. Deleting the record makes
 *  this store say "aborted" (T5). Nothing is to be repaired: the other participants were fenced as
 *  well, and the old version of a changed reservation stands. */
static void end_fenced (decision_t *decision, const moment_t *now, size_t at)
{
    service_t *service = decision->coordinator->service;
    char why [SENTENCE_BYTES];
    snprintf (why, sizeof why, "another planner has fenced %s and told it to abort",
              decision->record.plan.participants [at].name);
    decision_move (decision, LEVEL_ALARM, DECISION_EVENT_FENCED, DECISION_ABORTED, why);
    service_count (service, "fenced", 1);
    decision_log_delete (service, &decision->txid, true);
    decision_leave (decision, now, DECISION_END_FENCED, why);
}

/*  Is it a plan made by a repair that is still going on? Then that repair looks for the next plan.
 */
static bool decision_is_repairing (const decision_t *decision)
{
    const plan_t *plan = &decision->record.plan;
    const decision_t *repaired = NULL;
    if (plan->repairs.start > 0)
        repaired = ordered_find (decision->coordinator->decisions, &plan->repairs);
    return repaired && repaired->record.phase == DECISION_REPAIRING;
}

void decision_end_repair (decision_t *decision, const moment_t *now, decision_end_t end,
                          const char *text)
{
    coordinator_t *self = decision->coordinator;
    char words [SENTENCE_BYTES];
    snprintf (words, sizeof words, "%s", text);
    decision_move (decision, LEVEL_INFO, DECISION_EVENT_RELEASED, DECISION_REPAIRED, words);
    decision_log_put (self->service, &decision->txid, &decision->record);
    completed_keep (self->settled, &decision->txid, decision->record.end_ms, false, true);
    decision_leave (decision, now, end, words);
}

/*  A lost part needs a repair if a reservation depends on it. A release has nothing to repair; and
 *  a home that lost the claim of a change has lost only whose request it was. */
static bool to_repair (const decision_t *decision)
{
    const plan_t *plan = &decision->record.plan;
    for (size_t i = 0; i < plan->participants_count; i++) {
        bool home = strcmp (plan->participants [i].name, plan->home) == 0;
        if (decision->record.lost [i] && plan->operation != OPERATION_RELEASE &&
            !(home && plan->operation == OPERATION_MODIFY))
            return true;
    }
    return false;
}

static void ballot_answered (decision_t *decision, const moment_t *now, size_t at)
{
    assert (!decision->ballots [at].answered && decision->open > 0);
    decision->ballots [at].answered = true;
    if (--decision->open > 0)
        return;
    if (!to_repair (decision)) {
        decision_settle (decision, now);
    } else if (decision_is_repairing (decision)) {
        decision_move (decision, LEVEL_ALARM, DECISION_EVENT_LOST, DECISION_REPAIRING,
                       decision->record.text);
        decision_end_repair (decision, now, DECISION_END_RELEASED, decision->record.text);
    } else {
        begin_repair (decision, now, LEVEL_ALARM, DECISION_EVENT_LOST, "repairs");
    }
}

static void ballot_lost (decision_t *decision, const moment_t *now, size_t at, const char *what)
{
    const participant_ref_t *party = &decision->record.plan.participants [at];
    decision->record.lost [at] = true;
    snprintf (decision->record.text, sizeof decision->record.text, "%s %s", party->name, what);
    ballot_answered (decision, now, at);
}

static void decision_on_again (void *owner, const moment_t *now, uint64_t token)
{
    decision_t *decision = owner;
    decision->ballots [token].timer = 0;
    send_commit (decision, now, token);
}

static void commit_again (decision_t *decision, const moment_t *now, size_t at, const char *why)
{
    char text [TXID_TEXT_BYTES];
    coordinator_t *self = decision->coordinator;
    outbox_log (self->service->outbox, LEVEL_WARNING, "txn %s commit unanswered by=%s why=%.200s",
                txid_text (&decision->txid, text), decision->record.plan.participants [at].name,
                why);
    decision->ballots [at].timer =
      timers_set (self->service->timers, now->mono_ms + AGAIN_MS, decision_on_again, decision, at);
}

/*  Another store answers at that address. The participant has lost its store only if the other one
 *  has the participant's name; an address proves nothing (T16). */
static void decision_on_status (void *owner, const moment_t *now, uint64_t token,
                                const call_result_t *result)
{
    decision_t *decision = owner;
    const participant_ref_t *party = &decision->record.plan.participants [token];
    decision->ballots [token].call = 0;
    if (result->status == CALL_OK && status_lost (result->body, result->store, party))
        ballot_lost (decision, now, token, "has lost its store");
    else
        commit_again (decision, now, token, "another service is at its address");
}

static void decision_ask_status (decision_t *decision, const moment_t *now, size_t at)
{
    coordinator_t *self = decision->coordinator;
    call_order_t order =
      participant_ref_status_order (&decision->record.plan.participants [at], self->settings);
    decision->ballots [at].call =
      service_ask (self->service, now, &order, (packed_t){0}, decision_on_status, decision, at);
}

/*  T8: if the planner that set a fence never finishes, because it is dead perhaps, the commit would
 *  be refused for ever. So we fence it ourselves after a while. */
static void refused_fenced (decision_t *decision, const moment_t *now)
{
    coordinator_t *self = decision->coordinator;
    if (!self->on_barred)
        return;
    if (!decision->barred) {
        decision->barred = true;
        decision->barred_until_ms = now->mono_ms + BARRED_MS;
    } else if (now->mono_ms >= decision->barred_until_ms) {
        decision->barred_until_ms = now->mono_ms + self->settings->request_limit_ms + BARRED_MS;
        self->on_barred (self->settler, now, &decision->record.plan);
    }
}

static void decision_take_answer (decision_t *decision, const moment_t *now, size_t at,
                                  const command_answer_t *answer)
{
    if (answer->refusal.reason == REFUSAL_MAY_NOT || answer->refusal.reason == REFUSAL_FENCED) {
        commit_again (decision, now, at, answer->refusal.text);
        if (answer->refusal.reason == REFUSAL_FENCED)
            refused_fenced (decision, now);
        return;
    }
    if (answer->state == COMMAND_ABORTED && answer->epoch > 0 && decision->record.epoch == 0) {
        end_fenced (decision, now, at);
        return;
    }
    switch (answer->state) {
    case COMMAND_COMMITTED:
        ballot_answered (decision, now, at);
        return;
    case COMMAND_EDGE_REFUSED:
        ballot_lost (decision, now, at, "heard of the commit too late, and its window is taken");
        return;
    case COMMAND_UNKNOWN:
    case COMMAND_ABORTED:
    case COMMAND_EXPIRED:
    case COMMAND_REJECTED:
        /* It voted and does not know the vote any more: its window is over and forgotten, or its
         * record is lost. */
        if (timekeeper_least (&decision->coordinator->service->timekeeper, now) >=
            decision->record.end_ms)
            ballot_answered (decision, now, at);
        else
            ballot_lost (decision, now, at, "has lost its vote");
        return;
    default:
        commit_again (decision, now, at, command_state_word (answer->state));
    }
}

static void decision_on_commit (void *owner, const moment_t *now, uint64_t token,
                                const call_result_t *result)
{
    decision_t *decision = owner;
    decision->ballots [token].call = 0;
    if (result->status == CALL_WRONG_STORE) {
        decision_ask_status (decision, now, token);
        return;
    }
    char why [WHY_BYTES];
    command_answer_t answer;
    if (!call_take (result, &command_answer_codec, &answer, why)) {
        commit_again (decision, now, token, why);
    } else {
        decision_take_answer (decision, now, token, &answer);
        codec_clear (&command_answer_codec, &answer);
    }
}

static void send_commit (decision_t *decision, const moment_t *now, size_t at)
{
    coordinator_t *self = decision->coordinator;
    packed_t body = codec_encode (&decision_request_codec,
                                  &(decision_request_t){decision->txid, decision->record.epoch});
    call_order_t order = participant_ref_order (&decision->record.plan.participants [at],
                                                self->settings, "Participant", "Commit");
    order.tries_max = 0; /* for ever */
    decision->ballots [at].call =
      service_ask (self->service, now, &order, body, decision_on_commit, decision, at);
}

void decision_drive (decision_t *decision, const moment_t *now)
{
    for (size_t i = 0; i < decision->record.plan.participants_count; i++)
        send_commit (decision, now, i);
}
