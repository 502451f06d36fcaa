/*  voting - puts a proposal to the vote and learns from refusals (T3, T4).
 *
 *  When every vote is yes, the decision is logged and driven, and the user is told once all have
 *  acknowledged (T6). After a no, the refusals correct the snapshot and the next plan follows under
 *  a new txid: it replaces the holds of this one where it still needs them, and they are aborted
 *  elsewhere.
 */
#include "candidates.h"
#include "must.h"
#include "phases.h"
#include "repair_attempt.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  What follows from a refused round; the higher one counts. */
typedef enum {
    LESSON_PLAN_AGAIN,   /* the snapshot is corrected: another plan may be accepted */
    LESSON_LOCATE_AGAIN, /* the reservation was changing: locate it again */
    LESSON_LOOK,         /* the home has an answer, or another attempt is in progress */
    LESSON_CONFLICT,     /* the request id was used with another body */
    LESSON_NO_HOME,      /* the home does not answer, so the outcome is unknown */
    LESSON_GIVE_UP,      /* asking again would not change the answer */
} lesson_t;

/*  --- a site's or domain's no --- */

static void note_reason (pending_t *self, const participant_ref_t *party, const refusal_t *refusal)
{
    const char *resource = *refusal->resource ? refusal->resource : party->name;
    reason_t *reason = answer_reason (&self->answer, refusal->need, resource, "%s: %s%s%s",
                                      party->name, refusal_reason_word (refusal->reason),
                                      *refusal->text ? ": " : "", refusal->text);
    reason->from_ms = refusal->from_ms;
    reason->until_ms = refusal->until_ms;
    reason->wanted = refusal->wanted;
    reason->free = refusal->free;
}

/*  What is free of a resource such as "ams/thin"; NULL when this source has no such resource. */
static free_profile_t *free_profile_named (snapshot_t *snapshot, size_t source,
                                           const char *resource)
{
    const char *slash = strrchr (resource, '/');
    return snapshot_free_profile (snapshot, source, slash ? slash + 1 : resource);
}

/*  In its own words, where it has some. */
static void learn_refused (pending_t *self, size_t source, const refusal_t *refusal)
{
    lessons_learn (&self->plan.lessons, self->plan.snapshot, source, 0,
                   *refusal->text ? refusal->text : refusal_reason_word (refusal->reason));
}

static void learn_fresh (pending_t *self, size_t source, const refusal_t *refusal)
{
    for (size_t i = 0; i < refusal->fresh_count; i++) {
        free_profile_t *free_profile =
          snapshot_free_profile (self->plan.snapshot, source, refusal->fresh [i].resource);
        if (free_profile)
            free_profile_patch (free_profile, &refusal->fresh [i]);
    }
}

static void learn_short (pending_t *self, size_t source, const refusal_t *refusal)
{
    learn_fresh (self, source, refusal);
    free_profile_t *free_profile =
      free_profile_named (self->plan.snapshot, source, refusal->resource);
    if (free_profile && refusal->from_ms < refusal->until_ms)
        free_profile_deny (free_profile, refusal->from_ms, refusal->until_ms, refusal->wanted);
    else if (refusal->fresh_count == 0)
        learn_refused (self, source, refusal);
}

/*  It says that the plan came too late, but by our clock there is time left: its clock is ahead,
 *  and will be in the next round. */
static bool clock_ahead (const pending_t *self, const moment_t *now, const refusal_t *refusal)
{
    const plan_t *plan = &self->vote.attempt->plan;
    return refusal->reason == REFUSAL_LATE && now->wall_ms < plan->decide_by_ms &&
           now->wall_ms < plan->edge_ms;
}

/*  Later plans start that much later there: by how late the vote was, and by how long this round
 *  took. A source is left out when no plan could wait long enough for its clock, or when this plan,
 *  made before (algorithm ip has a list of them), did not wait as was learned already. */
static void learn_ahead (pending_t *self, const moment_t *now, size_t source,
                         const refusal_t *refusal)
{
    const plan_t *plan = &self->vote.attempt->plan;
    int64_t round_ms = self->vote.round_ms, decide_ms = self->pendings->settings->decide_ms;
    int64_t given_ms = plan->decide_by_ms - now->wall_ms + round_ms;
    bool near = refusal->free <= 0 && refusal->free > -decide_ms &&
                given_ms >= self->plan.snapshot->sources [source].ahead_ms;
    if (near && given_ms + round_ms - refusal->free <= decide_ms)
        lessons_learn_ahead (&self->plan.lessons, self->plan.snapshot, source,
                             round_ms - refusal->free);
    else
        lessons_learn (&self->plan.lessons, self->plan.snapshot, source, 0, "its clock is ahead");
}

static lesson_t learn_refusal (pending_t *self, const moment_t *now, size_t source,
                               const refusal_t *refusal)
{
    if (self->operation == OPERATION_RESERVE && source != SIZE_MAX &&
        clock_ahead (self, now, refusal)) {
        learn_ahead (self, now, source, refusal);
        return LESSON_PLAN_AGAIN;
    }
    switch (refusal->reason) {
    case REFUSAL_BUSY_CHANGE:
    case REFUSAL_STALE_VERSION:
    case REFUSAL_NO_RESERVATION:
    case REFUSAL_ENDED: /* somebody took this planner for dead and ended this attempt (T7, T8) */
        return self->operation == OPERATION_RESERVE ? LESSON_PLAN_AGAIN : LESSON_LOCATE_AGAIN;
    case REFUSAL_LATE:
        return self->operation == OPERATION_RELEASE ? LESSON_LOCATE_AGAIN : LESSON_PLAN_AGAIN;
    default:
        break;
    }
    if (self->operation == OPERATION_RELEASE)
        return LESSON_GIVE_UP;
    if (source == SIZE_MAX) /* it has part of the reservation already, so no plan can avoid it */
        return LESSON_GIVE_UP;
    if (refusal->reason == REFUSAL_CLAIM_ANSWERED) /* the request's home has forgotten it (T2) */
        return LESSON_GIVE_UP;
    if (refusal->reason == REFUSAL_SHORT)
        learn_short (self, source, refusal);
    else if (refusal->reason == REFUSAL_LIMIT && refusal->from_ms < refusal->until_ms)
        /* The limit on uncommitted holds is reached for now (hold_quota.h). A source that only
         * discloses windows teaches nothing: the same plan may be accepted after the pause, because
         * most holds end soon. */
        learn_fresh (self, source, refusal);
    else if (refusal->reason == REFUSAL_TOO_NEAR && refusal->from_ms > now->wall_ms)
        lessons_learn (&self->plan.lessons, self->plan.snapshot, source,
                       refusal->from_ms - now->wall_ms, NULL);
    else
        learn_refused (self, source, refusal);
    return LESSON_PLAN_AGAIN;
}

static lesson_t learn_party (pending_t *self, const moment_t *now, const participant_ref_t *party,
                             const vote_t *vote)
{
    size_t source =
      self->plan.snapshot ? snapshot_source (self->plan.snapshot, party->name) : SIZE_MAX;
    switch (vote->kind) {
    case VOTE_YES:
    case VOTE_WAITING:
        return LESSON_PLAN_AGAIN;
    case VOTE_REFUSED:
        note_reason (self, party, &vote->refusal);
        return learn_refusal (self, now, source, &vote->refusal);
    case VOTE_SILENT:
    case VOTE_LOST:
    case VOTE_WRONG:
        answer_reason (&self->answer, "", party->name, "%s: %s", party->name, vote->why);
        self->vote.unheard = self->vote.unheard || vote->kind == VOTE_SILENT;
        if (source != SIZE_MAX)
            lessons_learn (&self->plan.lessons, self->plan.snapshot, source, 0, vote->why);
        return self->operation == OPERATION_RESERVE ? LESSON_PLAN_AGAIN : LESSON_LOCATE_AGAIN;
    }
    return LESSON_PLAN_AGAIN;
}

/*  --- the home's no (T2) --- */

static lesson_t learn_home (pending_t *self, const participant_ref_t *party, const vote_t *vote)
{
    switch (vote->kind) {
    case VOTE_YES:
    case VOTE_WAITING:
        return LESSON_PLAN_AGAIN;
    case VOTE_REFUSED:
        break;
    default:
        answer_reason (&self->answer, "", party->name, "%s: %s", party->name, vote->why);
        return LESSON_NO_HOME;
    }
    switch (vote->refusal.reason) {
    case REFUSAL_CONFLICT:
        return LESSON_CONFLICT;
    case REFUSAL_CLAIM_ANSWERED:
        return LESSON_LOOK;
    case REFUSAL_CLAIM_BUSY:
        return pending_takes_remains (self, vote->refusal.holder) ? LESSON_PLAN_AGAIN : LESSON_LOOK;
    case REFUSAL_ENDED:
    case REFUSAL_LATE:
        return LESSON_PLAN_AGAIN;
    default:
        note_reason (self, party, &vote->refusal);
        return LESSON_GIVE_UP;
    }
}

static lesson_t learn (pending_t *self, const moment_t *now)
{
    lesson_t gravest = LESSON_PLAN_AGAIN;
    self->answer.alternatives_count = 0;
    for (size_t i = 0; i < self->vote.attempt->count; i++) {
        const participant_ref_t *party = &self->vote.attempt->voters [i].party;
        const vote_t *vote = &self->vote.attempt->voters [i].vote;
        lesson_t lesson = strcmp (party->name, self->receipt.name.home) == 0
                            ? learn_home (self, party, vote)
                            : learn_party (self, now, party, vote);
        gravest = lesson > gravest ? lesson : gravest;
    }
    return gravest;
}

/*  --- what follows --- */

static void count_no (pending_t *self)
{
    static const char *const counters [REFUSAL_REASONS] = {
      [REFUSAL_SHORT] = "no_short",
      [REFUSAL_TOO_NEAR] = "no_too_near",
      [REFUSAL_OUTSIDE] = "no_outside",
      [REFUSAL_UNKNOWN_RESOURCE] = "no_unknown_resource",
      [REFUSAL_LIMIT] = "no_limit",
      [REFUSAL_MAY_NOT] = "no_may_not",
      [REFUSAL_BUSY_CHANGE] = "no_busy_change",
      [REFUSAL_STALE_VERSION] = "no_stale_version",
      [REFUSAL_LATE] = "no_late",
      [REFUSAL_ENDED] = "no_ended",
      [REFUSAL_CONFLICT] = "no_conflict",
      [REFUSAL_CLAIM_BUSY] = "no_claim_busy",
      [REFUSAL_CLAIM_ANSWERED] = "no_claim_answered",
      [REFUSAL_STORE_FULL] = "no_store_full",
      [REFUSAL_NO_RESERVATION] = "no_no_reservation",
      [REFUSAL_FENCED] = "no_fenced",
    };
    service_t *service = self->pendings->service;
    for (size_t i = 0; i < self->vote.attempt->count; i++) {
        const vote_t *vote = &self->vote.attempt->voters [i].vote;
        if (vote->kind == VOTE_REFUSED && counters [vote->refusal.reason])
            service_count (service, counters [vote->refusal.reason], 1);
        else if (vote->kind == VOTE_SILENT)
            service_count (service, "no_silent", 1);
        else if (vote->kind == VOTE_LOST || vote->kind == VOTE_WRONG)
            service_count (service, "no_not_understood", 1);
    }
}

/*  reason: index of this round's first one. */
static void log_no (pending_t *self, size_t reason)
{
    char text [TXID_TEXT_BYTES];
    const plan_t *plan = &self->vote.attempt->plan;
    outbox_log (self->pendings->service->outbox, LEVEL_INFO,
                "txn %s voting->aborted reservation=%s request=%s round=%u why=%s",
                txid_text (&plan->txid, text), plan->reservation, self->receipt.name.full,
                self->vote.rounds,
                reason < self->answer.reasons_count ? self->answer.reasons [reason].text : "-");
}

void pending_again (pending_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->pendings->settings;
    const algorithm_t *algorithm = self->plan.algorithm;
    if (!algorithm->again || (algorithm->has_next && !algorithm->has_next (self))) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    if (self->vote.rounds >= settings->attempts_max) {
        answer_reason (&self->answer, "", "", "gave up after %u rounds of votes",
                       settings->attempts_max);
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    self->vote.contended = true;
    pending_pause (self, now, self->vote.rounds,
                   self->operation == OPERATION_RESERVE ? STEP_NEXT : STEP_LOCATE);
}

void pending_next (pending_t *self, const moment_t *now)
{
    self->plan.algorithm->again (self, now);
}

/*  When time ran out before all had voted, the voters may be far away: give the next plan twice as
 *  long. */
static void give_time (pending_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    if (timekeeper_most (&pendings->service->timekeeper, now) <
        self->vote.attempt->plan.decide_by_ms)
        return;
    self->vote.unheard = true;
    if (self->vote.votable_ms < pendings->settings->decide_ms)
        self->vote.votable_ms *= 2;
}

static void voting_refused (pending_t *self, const moment_t *now)
{
    if (!self->plan.algorithm->keeps_reasons)
        self->answer.reasons_count = 0;
    size_t told = self->answer.reasons_count;
    self->vote.round_ms = now->mono_ms - self->vote.begun_ms + 1;
    lesson_t lesson = learn (self, now);
    give_time (self, now);
    count_no (self);
    log_no (self, told);
    attempt_destroy (&self->vote.attempt);
    switch (lesson) {
    case LESSON_PLAN_AGAIN:
    case LESSON_LOCATE_AGAIN:
        pending_go (self, now, STEP_AGAIN);
        break;
    case LESSON_LOOK:
        pending_go (self, now, STEP_LOOK);
        break;
    case LESSON_CONFLICT:
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
        answer_reason (&self->answer, "", self->receipt.name.home,
                       "this request id was used before for another request");
        pending_tell (self, now, ANSWER_CONFLICT);
        break;
    case LESSON_NO_HOME:
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
        pending_tell (self, now, ANSWER_UNKNOWN);
        break;
    case LESSON_GIVE_UP:
        pending_go (self, now, STEP_GIVE_UP);
        break;
    }
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
    service_count (self->pendings->service, "told_committed", 1);
    pending_log (self, LEVEL_INFO, "committed", "");
    packed_t answer = self->vote.proposal.answer;
    pending_tell_packed (self, packed_bytes (answer));
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
static before_t before_change (const pending_t *self)
{
    before_t lent = {0}, before;
    const plan_t *plan = &locate_newest (self->base.locate)->plan;
    lent.parts = must (calloc (PARTICIPANTS_MAX, sizeof *lent.parts));
    for (size_t i = 0; i < self->base.locate->count && lent.parts_count < PARTICIPANTS_MAX; i++) {
        const located_part_t *part = &self->base.locate->parts [i];
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
    before_t before = change ? before_change (self) : (before_t){0};
    self->vote.txid = plan->txid;
    bool decided =
      coordinator_decide (self->pendings->coordinator, now, plan, self->vote.attempt->mono_by_ms,
                          plan->end_ms, change ? &before : NULL, voting_on_settled, self);
    codec_clear (&before_codec, &before);
    if (!decided)
        return false;
    self->vote.decided = true;
    service_count (self->pendings->service, "decided", 1);
    service_count (self->pendings->service, "rounds_of_decided", self->vote.rounds);
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
        give_time (self, now);
        log_no (self, 0);
        attempt_destroy (&self->vote.attempt);
        pending_go (self, now, STEP_AGAIN);
        return;
    }
    attempt_destroy (&self->vote.attempt);
    pending_clear_planning (self);
    /* The decided plan needs no holds of earlier rounds. */
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
}

void pending_vote (pending_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    proposal_t *proposal = &self->vote.proposal;
    char text [TXID_TEXT_BYTES];
    assert (!self->vote.attempt);
    self->vote.rounds++;
    self->vote.begun_ms = now->mono_ms;
    service_count (pendings->service, "rounds", 1);
    outbox_log (pendings->service->outbox, LEVEL_DEBUG,
                "txn %s voting reservation=%s request=%s participants=%zu round=%u",
                txid_text (&proposal->plan.txid, text), proposal->plan.reservation,
                self->receipt.name.full, proposal->plan.participants_count, self->vote.rounds);
    snprintf (self->reservation, sizeof self->reservation, "%s", proposal->plan.reservation);
    trail_abort (&self->trail, pendings->coordinator, now, &proposal->plan,
                 self->receipt.name.home);
    self->vote.attempt = attempt_new (pendings->service, pendings->coordinator, pendings->settings,
                                      now, &proposal->plan, proposal->parts, &self->trail,
                                      self->vote.contended, voting_on_voted, self);
    free (proposal->parts);
    proposal->parts = NULL;
}
