/*  coordinator - what is in progress, decided and settled, and who may ask about it.
 *
 *  That a decision is settled is stored with the next batch of DONE messages, not at once. A
 *  restart before that only sends the commits again, which is harmless, and no reply waits for the
 *  write.
 */
#include "coordinator.h"

#include "access.h"
#include "decision.h"
#include "member.h"
#include "must.h"
#include "participant_ref.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REST_MS       30000 /* idle time before the store is marked as at rest */
#define PRUNE_EVERY   1000
#define BUSY_KEY_SIZE 1 /* the mark that there may be unfinished business */

static const uint8_t busy_key [BUSY_KEY_SIZE] = {0};

typedef struct {
    uint64_t counter;
    decision_phase_t phase; /* DECISION_VOTING */
} progress_t;

static int compare_decision (const void *key, const void *thing)
{
    return txid_compare (key, &((const decision_t *) thing)->txid);
}

/*  --- records --- */

static void coordinator_on_record (void *owner, bytes_t key, bytes_t value)
{
    coordinator_t *self = owner;
    if (key.size == BUSY_KEY_SIZE) {
        self->busy = true;
        return;
    }
    txid_t txid;
    if (!txid_unpack (&txid, key)) {
        service_bad_record (self->service, "decisions", "key: not a txid");
        return;
    }
    char why [WHY_BYTES];
    decision_record_t record;
    if (!codec_decode (&decision_codec, &record, value, why)) {
        /* Something was decided here: its txid must never be called aborted. */
        service_bad_record (self->service, "decisions", why);
        completed_keep (self->settled, &txid, COMPLETED_END_UNKNOWN, false, true);
        return;
    }
    if (record.phase == DECISION_SETTLED || record.phase == DECISION_REPAIRED)
        completed_keep (self->settled, &txid, record.end_ms, record.phase == DECISION_SETTLED,
                        true);
    else
        decision_new (self, &record);
}

bool coordinator_record_unfinished (uint8_t table, bytes_t key, bytes_t value)
{
    if (table != TABLE_DECISIONS)
        return false;
    if (key.size == BUSY_KEY_SIZE)
        return true;
    char why [WHY_BYTES];
    decision_record_t record;
    if (!codec_decode (&decision_codec, &record, value, why))
        return false;
    bool unfinished = record.phase == DECISION_DECIDED || record.phase == DECISION_REPAIRING;
    codec_clear (&decision_codec, &record);
    return unfinished;
}

/*  --- outcome (T5) --- */

static bool in_progress (const coordinator_t *self, const txid_t *txid)
{
    return txid->start == self->service->store.start &&
           ordered_find (self->progress, &txid->counter);
}

static bool of_this_store (const coordinator_t *self, const txid_t *txid)
{
    const store_identity_t *store = &self->service->store;
    if (memcmp (txid->store, store->id, STORE_ID_BYTES) != 0)
        return false;
    /* A txid that was not given out yet is unknown, too. */
    return txid->start < store->start ||
           (txid->start == store->start && txid->counter <= self->counter);
}

const participant_ref_t *coordinator_awaited (const coordinator_t *self, const txid_t *txid,
                                              size_t at)
{
    const decision_t *decision = ordered_find (self->decisions, txid);
    if (!decision || decision->record.phase != DECISION_DECIDED)
        return NULL;
    for (size_t i = 0; i < decision->record.plan.participants_count; i++)
        if (!decision->ballots [i].answered && at-- == 0)
            return &decision->record.plan.participants [i];
    return NULL;
}

bool coordinator_aborted (const coordinator_t *self, const txid_t *txid)
{
    return of_this_store (self, txid) && !in_progress (self, txid) &&
           !ordered_find (self->decisions, txid) && !completed_has (self->settled, txid, NULL);
}

outcome_t coordinator_outcome (const coordinator_t *self, const txid_t *txid, bool *done)
{
    if (done)
        *done = false;
    if (completed_has (self->settled, txid, done) || ordered_find (self->decisions, txid))
        return OUTCOME_COMMITTED;
    if (in_progress (self, txid))
        return OUTCOME_PENDING;
    return coordinator_aborted (self, txid) ? OUTCOME_ABORTED : OUTCOME_LOST;
}

/*  Planners, administrators and participants may ask; about a plan on record, its participants
 *  only. */
static bool may_ask (const coordinator_t *self, const request_t *request, const txid_t *txid)
{
    access_t access = {.administrators = self->settings->administrators,
                       .administrators_count = self->settings->administrators_count};
    const char *actor = request->actor;
    if (may (&access, VERB_FENCE, actor, actor, "")) /* planners and administrators */
        return true;
    const decision_t *decision = ordered_find (self->decisions, txid);
    if (!decision)
        return may (&access, VERB_OUTCOME, actor, actor, "");
    const plan_t *plan = &decision->record.plan;
    return parties_find (plan->participants, plan->participants_count, actor);
}

static void coordinator_on_outcome (void *owner, const moment_t *now, const request_t *request,
                                    void *body)
{
    coordinator_t *self = owner;
    const decision_request_t *asked = body;
    if (!may_ask (self, request, &asked->txid)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "%.63s may not ask what became of this transaction", request->actor);
        return;
    }
    bool done;
    outcome_t outcome = coordinator_outcome (self, &asked->txid, &done);
    service_reply (
      self->service, request,
      codec_encode (&outcome_answer_codec, &(outcome_answer_t){asked->txid, outcome, done}));
    self->active_ms = now->mono_ms;
    service_count (self->service, "outcomes_asked", 1);
}

/*  --- life --- */

static void coordinator_on_prune (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    coordinator_t *self = owner;
    if (self->stirred)
        self->active_ms = now->mono_ms; /* votes cast a moment ago may be in doubt */
    self->stirred = false;
    completed_store (self->settled); /* of many at once: until then a restart asks all again */
    completed_prune (self->settled, timekeeper_least (&self->service->timekeeper, now));
    if (self->busy && !self->settings->finishing && ordered_count (self->progress) == 0 &&
        coordinator_quiet (self, now, REST_MS))
        coordinator_rest (self);
    timers_set (self->service->timers, now->mono_ms + PRUNE_EVERY, coordinator_on_prune, self, 0);
}

static void coordinator_on_start (void *owner, const moment_t *now)
{
    coordinator_t *self = owner;
    self->active_ms = now->mono_ms;
    timers_set (self->service->timers, now->mono_ms + PRUNE_EVERY, coordinator_on_prune, self, 0);
    decision_t *decision = ordered_after (self->decisions, NULL);
    for (txid_t txid; decision; decision = ordered_after (self->decisions, &txid)) {
        txid = decision->txid; /* a copy: a repair may end the decision at once */
        decision_say (decision, LEVEL_INFO, "resumed", "");
        if (decision->record.phase == DECISION_REPAIRING && self->repair)
            self->repair (self->repairer, now, &decision->record);
        else
            decision_drive (decision, now);
    }
}

/*  For the ledger: is a row's decision still on record? */
static bool coordinator_stands (void *owner, const ledger_subject_t *subject)
{
    const coordinator_t *self = owner;
    return subject->txid_set && (ordered_find (self->decisions, &subject->txid) ||
                                 completed_has (self->settled, &subject->txid, NULL));
}

coordinator_t *coordinator_new (service_t *service, const planner_settings_t *settings)
{
    coordinator_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->progress = ordered_by_number (offsetof (progress_t, counter));
    self->decisions = ordered_new (compare_decision);
    self->settled = completed_new (service, settings);
    self->done = done_notices_new (service, settings);
    service_serve (service, "Coordinator", "Outcome", &decision_request_codec, ALWAYS,
                   coordinator_on_outcome, self);
    service_load (service, TABLE_DECISIONS, coordinator_on_record, self);
    ledger_stands (ledger_of (service), coordinator_stands, self);
    service_at_start (service, coordinator_on_start, self);
    return self;
}

void coordinator_destroy (coordinator_t **self_p)
{
    coordinator_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->progress, free);
    ordered_end (&self->decisions, decision_free);
    completed_destroy (&self->settled);
    done_notices_destroy (&self->done);
    free (self);
    *self_p = NULL;
}

txid_t coordinator_begin (coordinator_t *self)
{
    if (!self->busy)
        outbox_put (self->service->outbox, TABLE_DECISIONS,
                    (bytes_t){.data = busy_key, .size = sizeof busy_key}, (bytes_t){0});
    self->busy = true;
    self->stirred = true;
    txid_t txid = {.start = self->service->store.start, .counter = ++self->counter};
    memcpy (txid.store, self->service->store.id, STORE_ID_BYTES);
    progress_t *progress = must (malloc (sizeof *progress));
    *progress = (progress_t){.counter = txid.counter, .phase = DECISION_INITIAL};
    decision_step (&progress->phase, DECISION_EVENT_BEGIN, DECISION_VOTING);
    ordered_add (self->progress, &progress->counter, progress);
    return txid;
}

static void leave_progress (coordinator_t *self, const txid_t *txid, decision_event_t event,
                            decision_phase_t to)
{
    assert (txid->start == self->service->store.start);
    self->stirred = true;
    progress_t *progress = ordered_remove (self->progress, &txid->counter);
    if (progress)
        decision_step (&progress->phase, event, to);
    free (progress);
}

void coordinator_drop (coordinator_t *self, const txid_t *txid)
{
    leave_progress (self, txid, DECISION_EVENT_DROP, DECISION_ABORTED);
}

void coordinator_sign (const coordinator_t *self, plan_t *plan)
{
    const service_t *service = self->service;
    snprintf (plan->coordinator.name, sizeof plan->coordinator.name, "%s", service->name);
    snprintf (plan->coordinator.endpoint, sizeof plan->coordinator.endpoint, "%s",
              service->endpoint);
    memcpy (plan->coordinator.store, service->store.id, STORE_ID_BYTES);
}

bool coordinator_decide (coordinator_t *self, const moment_t *now, plan_t *plan, int64_t mono_by_ms,
                         int64_t end_ms, before_t *before, coordinator_told_fn *told, void *owner)
{
    assert (in_progress (self, &plan->txid));
    int64_t wall_ms = timekeeper_most (&self->service->timekeeper, now);
    if (wall_ms >= plan->decide_by_ms || now->mono_ms >= mono_by_ms ||
        wall_ms >= plan->edge_ms - self->settings->guard_ms)
        return false;
    decision_record_t record = {.phase = DECISION_DECIDED, .plan = *plan, .end_ms = end_ms};
    *plan = (plan_t){0};
    if (before) {
        record.before = *before;
        *before = (before_t){0};
    }
    decision_t *decision = decision_new (self, &record);
    decision->told = told;
    decision->owner = owner;
    coordinator_made (self, &decision->record.plan.repairs, &decision->record.plan);
    leave_progress (self, &decision->txid, DECISION_EVENT_DECIDE, DECISION_DECIDED);
    decision_log_put (self->service, &decision->txid, &decision->record);
    decision_say (decision, LEVEL_INFO, "voting->decided", "");
    self->active_ms = now->mono_ms;
    decision_drive (decision, now);
    return true;
}

void coordinator_adopt (coordinator_t *self, const moment_t *now, plan_t *plan, uint32_t epoch,
                        coordinator_told_fn *told, void *owner)
{
    assert (epoch > 0 && !of_this_store (self, &plan->txid));
    assert (coordinator_outcome (self, &plan->txid, NULL) == OUTCOME_LOST);
    int64_t end_ms = plan->end_ms > plan->edge_ms ? plan->end_ms : plan->edge_ms;
    decision_record_t record = {
      .phase = DECISION_INITIAL, .plan = *plan, .end_ms = end_ms, .epoch = epoch};
    *plan = (plan_t){0};
    decision_t *decision = decision_new (self, &record);
    decision->told = told;
    decision->owner = owner;
    decision_move (decision, LEVEL_WARNING, DECISION_EVENT_ADOPT, DECISION_DECIDED, "fenced");
    decision_log_put (self->service, &decision->txid, &decision->record);
    self->active_ms = now->mono_ms;
    decision_drive (decision, now);
}

uint64_t coordinator_abort (coordinator_t *self, const moment_t *now,
                            const participant_ref_t *party, const txid_t *txid, call_done_fn *done,
                            void *owner)
{
    assert (!of_this_store (self, txid) || coordinator_aborted (self, txid));
    call_order_t order = participant_ref_order (party, self->settings, "Participant", "Abort");
    return service_ask (self->service, now, &order,
                        codec_encode (&decision_request_codec, &(decision_request_t){*txid, 0}),
                        done, owner, 0);
}

void coordinator_disown (coordinator_t *self, const txid_t *txid)
{
    decision_t *decision = ordered_find (self->decisions, txid);
    if (decision)
        decision->told = NULL;
}

void coordinator_repairer (coordinator_t *self, coordinator_repair_fn *repair, void *owner)
{
    self->repair = repair;
    self->repairer = owner;
}

void coordinator_settler (coordinator_t *self, coordinator_barred_fn *barred, void *owner)
{
    self->on_barred = barred;
    self->settler = owner;
}

/*  The commits sent before are refused once more, then sent again with this epoch. */
void coordinator_raise (coordinator_t *self, const txid_t *txid, uint32_t epoch)
{
    decision_t *decision = ordered_find (self->decisions, txid);
    if (!decision || decision->record.phase != DECISION_DECIDED || epoch <= decision->record.epoch)
        return;
    decision->record.epoch = epoch;
    decision_log_put (self->service, txid, &decision->record);
}

void coordinator_repair_try (coordinator_t *self, const txid_t *txid)
{
    decision_t *decision = ordered_find (self->decisions, txid);
    assert (decision && decision->record.phase == DECISION_REPAIRING);
    decision->record.repair_tries++;
    decision_log_put (self->service, txid, &decision->record);
}

static bool same_parties (const participant_ref_t *a, size_t a_count, const participant_ref_t *b,
                          size_t b_count)
{
    bool same = a_count == b_count;
    for (size_t i = 0; i < a_count && same; i++)
        same = parties_find (b, b_count, a [i].name) != NULL;
    return same;
}

void coordinator_made (coordinator_t *self, const txid_t *txid, const plan_t *made)
{
    decision_t *decision = ordered_find (self->decisions, txid);
    decision_record_t *record = decision ? &decision->record : NULL;
    if (!record || record->phase != DECISION_REPAIRING ||
        record->plan.operation == OPERATION_RELEASE ||
        same_parties (made->participants, made->participants_count, record->made,
                      record->made_count))
        return;
    free (record->made);
    record->made_count = made->participants_count;
    record->made = must (calloc (record->made_count, sizeof *record->made));
    memcpy (record->made, made->participants, record->made_count * sizeof *record->made);
    decision_log_put (self->service, txid, record);
}

void coordinator_repaired (coordinator_t *self, const moment_t *now, const txid_t *txid,
                           decision_end_t end, const char *text)
{
    decision_t *decision = ordered_find (self->decisions, txid);
    assert (decision && decision->record.phase == DECISION_REPAIRING);
    decision_end_repair (decision, now, end, text);
}

bool coordinator_quiet (const coordinator_t *self, const moment_t *now, int64_t linger_ms)
{
    return ordered_count (self->decisions) == 0 && !completed_waits (self->settled) &&
           now->mono_ms - self->active_ms >= linger_ms;
}

void coordinator_rest (coordinator_t *self)
{
    if (!self->busy)
        return;
    self->busy = false;
    outbox_delete (self->service->outbox, TABLE_DECISIONS,
                   (bytes_t){.data = busy_key, .size = sizeof busy_key});
}
