/*  voting - puts a proposal to the vote and does what follows from the votes (T3, T4).
 *
 *  When every vote is yes, the decision is logged and driven, and the user is told once all have
 *  acknowledged (T6). After a no, the refusals correct the snapshot and the next plan follows under
 *  a new txid: it replaces the holds of this one where it still needs them, and they are aborted
 *  elsewhere.
 */
#include "must.h"
#include "phases.h"
#include "planning.h"
#include "repair_attempt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- what follows --- */

static void count_no (const attempt_t *attempt)
{
    for (size_t i = 0; i < attempt->count; i++) {
        const char *counter = vote_counter (&attempt->voters [i].vote);
        if (counter)
            service_count (attempt->service, counter, 1);
    }
}

/*  request: its full name. reason: the first one of this round, or NULL. */
static void log_no (const attempt_t *attempt, const char *request, uint32_t round,
                    const reason_t *reason)
{
    char text [TXID_TEXT_BYTES];
    outbox_log (attempt->service->outbox, LEVEL_INFO,
                "txn %s voting->aborted reservation=%s request=%s round=%u why=%s",
                txid_text (&attempt->plan.txid, text), attempt->plan.reservation, request, round,
                reason ? reason->text : "-");
}

void pending_again (pending_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->pendings->settings;
    if (!planning_next (&self->plan, &self->answer)) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    if (self->rounds.count >= settings->attempts_max) {
        answer_reason (&self->answer, "", "", "gave up after %u rounds of votes",
                       settings->attempts_max);
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    self->rounds.contended = true;
    pending_pause (self, now, self->rounds.count,
                   self->operation == OPERATION_RESERVE ? STEP_NEXT : STEP_LOCATE);
}

/*  When time ran out before all had voted, the voters may be far away: give the next plan twice as
 *  long. */
static void give_time (rounds_t *rounds, const attempt_t *attempt, const moment_t *now)
{
    if (timekeeper_most (&attempt->service->timekeeper, now) < attempt->plan.decide_by_ms)
        return;
    rounds->unheard = true;
    if (rounds->votable_ms < attempt->settings->decide_ms)
        rounds->votable_ms *= 2;
}

static void voting_refused (pending_t *self, const moment_t *now)
{
    const attempt_t *attempt = self->vote.attempt;
    answer_t *answer = &self->answer;
    if (!self->plan.algorithm->next) /* else its plans were made at once, and reasons add up */
        answer->reasons_count = 0;
    answer->alternatives_count = 0;
    size_t told = answer->reasons_count;
    self->rounds.took_ms = now->mono_ms - self->rounds.begun_ms + 1;
    votes_t votes = {.attempt = attempt,
                     .rounds = &self->rounds,
                     .snapshot = self->plan.snapshot,
                     .lessons = &self->plan.lessons,
                     .answer = answer};
    votes_verdict_t verdict = votes_learn (&votes, now);
    give_time (&self->rounds, attempt, now);
    count_no (attempt);
    log_no (attempt, self->receipt.name.full, self->rounds.count,
            told < answer->reasons_count ? &answer->reasons [told] : NULL);
    attempt_destroy (&self->vote.attempt);
    switch (verdict) {
    case VOTES_AGAIN:
        pending_go (self, now, STEP_AGAIN);
        return;
    case VOTES_LOOK:
        pending_go (self, now, STEP_LOOK);
        return;
    case VOTES_GIVE_UP:
        pending_go (self, now, STEP_GIVE_UP);
        return;
    case VOTES_CONFLICT:
        answer_reason (answer, "", self->receipt.name.home,
                       "this request id was used before for another request");
        break;
    case VOTES_NO_HOME:
        break;
    }
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
    pending_tell (self, now, verdict == VOTES_CONFLICT ? ANSWER_CONFLICT : ANSWER_UNKNOWN);
}

/*  --- the decision --- */

/*  The decision has ended: every participant has acknowledged; or a repair has ended and the home
 *  has its answer (T10); or another planner has aborted it, so that the claim is free and must be
 *  closed before "refused" is told (T2, T8). */
static void voting_on_settled (void *owner, const moment_t *now, decision_end_t end,
                               const char *text)
{
    pending_t *self = owner;
    self->vote.decided = false;
    if (self->repair_order) {
        repair_attempt_end (self, now, end == DECISION_END_COMMITTED ? REPAIR_SETTLED : REPAIR_LOST,
                            text);
        return;
    }
    if (end == DECISION_END_REPAIRED) {
        service_count (self->pendings->service, "repaired", 1);
        pending_go (self, now, STEP_LOOK);
        return;
    }
    if (end == DECISION_END_FENCED) {
        self->answer.reasons_count = 0;
        answer_reason (&self->answer, "", "", "another planner has ended this transaction: %s",
                       text);
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    if (end == DECISION_END_RELEASED) {
        self->answer.reasons_count = 0;
        answer_reason (&self->answer, "", "", "%s", text);
        service_count (self->pendings->service, "failed", 1);
        pending_tell (self, now, ANSWER_REFUSED);
        return;
    }
    pending_tell_packed (self, "told_committed", "committed", "", self->vote.proposal.answer);
}

/*  What it has booked, and nothing else; lent. */
static part_record_t booked (const located_part_t *part)
{
    const part_record_t *record = &part->record;
    part_record_t booked = {.version = record->version,
                            .state = record->state,
                            .bookings = record->bookings,
                            .bookings_count = record->bookings_count,
                            .circuits = record->circuits,
                            .circuits_count = record->circuits_count,
                            .space = record->space,
                            .space_count = record->space_count};
    memcpy (booked.participant, part->party.name, sizeof booked.participant);
    memcpy (booked.reservation, record->reservation, sizeof booked.reservation);
    return booked;
}

/*  What the reservation is before a change: a repair may have to go back to it (T10). */
static before_t before_change (const locate_t *locate)
{
    before_t lent = {0}, before;
    const plan_t *plan = &locate_newest (locate)->plan;
    lent.parts = must (calloc (PARTICIPANTS_MAX, sizeof *lent.parts));
    for (size_t i = 0; i < locate->count && lent.parts_count < PARTICIPANTS_MAX; i++) {
        const located_part_t *part = &locate->parts [i];
        holding_t holding = holding_of (&part->record);
        if (part->known && !holding_empty (&holding))
            lent.parts [lent.parts_count++] = booked (part);
    }
    lent.request = plan->request; /* NULL when no plan is on record */
    lent.request_size = plan->request_size;
    codec_copy (&before_codec, &before, &lent);
    free (lent.parts);
    return before;
}

static bool voting_decide (pending_t *self, const moment_t *now)
{
    plan_t *plan = &self->vote.attempt->plan;
    bool change = self->operation == OPERATION_MODIFY && !self->repair_order;
    before_t before = change ? before_change (self->base.locate) : (before_t){0};
    self->vote.txid = plan->txid;
    bool decided =
      coordinator_decide (self->pendings->coordinator, now, plan, self->vote.attempt->mono_by_ms,
                          plan->end_ms, change ? &before : NULL, voting_on_settled, self);
    codec_clear (&before_codec, &before);
    if (!decided)
        return false;
    self->vote.decided = true;
    service_count (self->pendings->service, "decided", 1);
    service_count (self->pendings->service, "rounds_of_decided", self->rounds.count);
    return true;
}

static void voting_on_voted (void *owner, const moment_t *now, bool prepared)
{
    pending_t *self = owner;
    if (!prepared) {
        voting_refused (self, now);
        return;
    }
    if (!voting_decide (self, now)) {
        self->answer.reasons_count = 0;
        answer_reason (&self->answer, "", "", "the votes came in too late to decide");
        give_time (&self->rounds, self->vote.attempt, now);
        log_no (self->vote.attempt, self->receipt.name.full, self->rounds.count,
                self->answer.reasons);
        attempt_destroy (&self->vote.attempt);
        pending_go (self, now, STEP_AGAIN);
        return;
    }
    attempt_destroy (&self->vote.attempt);
    planning_clear (&self->plan);
    /* The decided plan needs no holds of earlier rounds. */
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
}

void pending_vote (pending_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    proposal_t *proposal = &self->vote.proposal;
    char text [TXID_TEXT_BYTES];
    assert (!self->vote.attempt);
    self->rounds.count++;
    self->rounds.begun_ms = now->mono_ms;
    service_count (pendings->service, "rounds", 1);
    outbox_log (pendings->service->outbox, LEVEL_DEBUG,
                "txn %s voting reservation=%s request=%s participants=%zu round=%u",
                txid_text (&proposal->plan.txid, text), proposal->plan.reservation,
                self->receipt.name.full, proposal->plan.participants_count, self->rounds.count);
    snprintf (self->reservation, sizeof self->reservation, "%s", proposal->plan.reservation);
    trail_abort (&self->trail, pendings->coordinator, now, &proposal->plan,
                 self->receipt.name.home);
    self->vote.attempt = attempt_new (pendings->service, pendings->coordinator, pendings->settings,
                                      now, &proposal->plan, proposal->parts, &self->trail,
                                      self->rounds.contended, voting_on_voted, self);
    free (proposal->parts);
    proposal->parts = NULL;
}
