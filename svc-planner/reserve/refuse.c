/*  refuse - the end of a request without a commit (T2).
 *
 *  "Refused" is a promise, too: no other attempt of this request may commit any more. So what our
 *  own attempts left at the home is aborted, then the claim is closed there with the refusal as its
 *  answer, and the user is told only after that is flushed. If the home has another answer, that
 *  one is told; if the home is silent, the outcome is unknown. If no plan was found because a site
 *  or domain was silent, nothing is refused: the claim stays open, and the home is asked whether an
 *  earlier attempt has an answer.
 */
#include "phases.h"
#include "planning.h"
#include "repair_attempt.h"
#include "timetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSES_MAX 4 /* tries: holds of our own may have to be aborted in between */

static void refuse_close_claim (pending_t *self, const moment_t *now);

static void on_confirmed (void *owner, const moment_t *now, confirm_verdict_t verdict)
{
    pending_t *self = owner;
    switch (verdict) {
    case CONFIRM_COMPLETE:
        pending_tell_packed (self, "told_again", "told-again", "", self->close.look.answer);
        break;
    case CONFIRM_FAILED:
        answer_reason (&self->answer, "", "",
                       "failed: some part could not be kept, and the rest was released");
        pending_tell (self, now, ANSWER_REFUSED);
        break;
    case CONFIRM_OPEN:
        pending_tell_open (self, now);
        break;
    }
}

/*  The claim is committed but not known to be done: ask everyone whether the transaction is
 *  complete. Takes the look over. */
static void confirm (pending_t *self, const moment_t *now, claim_look_t *look)
{
    self->answer.reasons_count = 0;
    if (!look->holder) {
        pending_tell_open (self, now);
        return;
    }
    self->close.look = *look;
    *look = (claim_look_t){0};
    self->close.confirm = confirm_new (self->pendings->service, self->pendings->settings, now,
                                       self->close.look.holder, on_confirmed, self);
}

/*  The claim is not closed: act on the state in which the home has it. */
static void refuse_follow (pending_t *self, const moment_t *now, claim_look_t *look)
{
    if (look->conflict) {
        self->answer.reasons_count = 0;
        answer_reason (&self->answer, "", self->receipt.name.home,
                       "this request id was used before for another request");
        pending_tell (self, now, ANSWER_CONFLICT);
        return;
    }
    if (look->state == CLAIM_HELD && self->close.giving_up && self->close.tries < CLOSES_MAX &&
        trail_takes_remains (&self->trail, self->pendings->coordinator, look->holder)) {
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
        refuse_close_claim (self, now);
        return;
    }
    switch (look->state) {
    case CLAIM_CLOSED:
    case CLAIM_COMMITTED:
        if (look->state == CLAIM_CLOSED || look->done)
            pending_tell_packed (self, "told_again", "told-again", "", look->answer);
        else
            confirm (self, now, look);
        return;
    case CLAIM_FREE:
        if (self->close.unsure) {
            pending_tell (self, now, ANSWER_UNKNOWN);
            return;
        }
        if (!self->close.giving_up) { /* the other attempt has let go of it */
            pending_go (self, now, STEP_AGAIN);
            return;
        }
        break;
    case CLAIM_HELD:
        break;
    }
    /* Our reasons may only say what the other attempt has taken. */
    self->answer.reasons_count = 0;
    self->answer.alternatives_count = 0;
    answer_reason (&self->answer, "", self->receipt.name.home,
                   "another attempt of this request is in progress: ask again");
    pending_tell (self, now, ANSWER_IN_PROGRESS);
}

static void on_home (void *owner, const moment_t *now, uint64_t closing,
                     const call_result_t *result)
{
    pending_t *self = owner;
    claim_closed_t told;
    char why [WHY_BYTES];
    self->close.call = 0;
    bool heard = result->status == CALL_OK;
    if (!heard || !claim_told_decode (result->body, closing, &told, why)) {
        answer_reason (&self->answer, "", self->receipt.name.home,
                       "the request's home did not %s (%s): ask again",
                       self->close.unsure ? "say whether it was answered before"
                                          : "confirm the refusal",
                       heard ? why : result->reason);
        pending_tell (self, now, ANSWER_UNKNOWN);
        return;
    }
    if (told.closed && told.look.answer.size == 0)
        pending_tell (self, now, ANSWER_REFUSED);
    else if (told.closed) /* by us or by somebody before us; the answer kept at the home counts */
        pending_tell_packed (self, "told_refused", "refused",
                             answer_first_reason (&self->answer, ""), told.look.answer);
    else
        refuse_follow (self, now, &told.look);
    claim_look_clear (&told.look);
}

/*  Close the claim with this refusal; NULL: only look at it. */
static void refuse_ask_home (pending_t *self, const moment_t *now, const packed_t *refusal)
{
    const planner_settings_t *settings = self->pendings->settings;
    claim_asked_t asked = {.actor = self->receipt.actor,
                           .request_id = self->receipt.name.full,
                           .digest = self->receipt.digest,
                           .digest_size = DIGEST_BYTES};
    if (refusal) {
        asked.answer = *refusal;
        asked.keep_until_ms = self->close.keep_until_ms;
    }
    self->close.call =
      service_ask (self->pendings->service, now,
                   &(call_order_t){.peer = self->receipt.name.home,
                                   .service = "Home",
                                   .method = refusal ? "Close" : "Look",
                                   .timeout_ms = settings->try_ms,
                                   .tries_max = settings->tries_max},
                   codec_encode (&claim_asked_codec, &asked), on_home, self, refusal != NULL);
}

static void refuse_on_aborted (void *owner, const moment_t *now, uint64_t token,
                               const call_result_t *result)
{
    (void) token;
    (void) result; /* if it was not aborted, the claim will not close */
    pending_t *self = owner;
    self->close.call = 0;
    refuse_close_claim (self, now);
}

/*  Only holds at the home are left in the trail: abort them one by one, then close or look. */
static void refuse_close_claim (pending_t *self, const moment_t *now)
{
    answer_t *answer = &self->answer;
    if (self->trail.count > 0) {
        trace_t trace = self->trail.traces [--self->trail.count];
        self->close.call = coordinator_abort (self->pendings->coordinator, now, &trace.party,
                                              &trace.txid, refuse_on_aborted, self);
        return;
    }
    self->close.tries++;
    if (self->close.unsure) {
        refuse_ask_home (self, now, NULL);
        return;
    }
    answer->status = ANSWER_REFUSED;
    pending_sign (self, now, answer);
    if (self->operation != OPERATION_RESERVE)
        memcpy (answer->reservation, self->reservation, sizeof answer->reservation);
    packed_t packed = codec_encode (&answer_codec, answer);
    refuse_ask_home (self, now, &packed);
    free (packed.data);
}

static void close_at_home (pending_t *self, const moment_t *now, bool unsure)
{
    self->close.giving_up = true;
    self->close.unsure = unsure;
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
    refuse_close_claim (self, now);
}

void pending_give_up (pending_t *self, const moment_t *now)
{
    pending_stop (self);
    if (self->repair_order) {
        repair_attempt_end (self, now, REPAIR_NO_PLAN,
                            answer_first_reason (&self->answer, "no plan"));
        return;
    }
    if (self->receipt.dry_run) {
        pending_tell (self, now, ANSWER_REFUSED);
        return;
    }
    close_at_home (self, now, false);
}

void pending_doubt (pending_t *self, const moment_t *now)
{
    if (self->repair_order) { /* nobody waits for it who could ask again */
        pending_give_up (self, now);
        return;
    }
    pending_stop (self);
    answer_reason (&self->answer, "", "", "%s: ask again%s",
                   self->plan.found == FINDER_BROKEN
                     ? "a solver that broke down might have found a plan"
                     : "a site or network domain that did not answer may still have it free",
                   self->receipt.dry_run ? "" : " with the same request id");
    if (self->receipt.dry_run) {
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
        pending_tell (self, now, ANSWER_UNKNOWN);
        return;
    }
    close_at_home (self, now, true);
}

void pending_late (pending_t *self, const moment_t *now)
{
    char limit [TIMETEXT_BYTES];
    answer_reason (&self->answer, "", "", "not decided within limits/request = %s",
                   timetext_format_duration (self->pendings->settings->request_limit_ms, limit));
    explanation_t explanation = planning_explanation (self, now);
    explanation_tell_unasked (&explanation);
    /* Did it only run out of time? A release takes nothing from anybody, and a vote that did not
     * come in time is not a no. */
    bool voting = self->vote.attempt && !self->rounds.contended;
    bool only_late = self->operation == OPERATION_RELEASE || self->rounds.unheard || voting;
    pending_go (self, now, only_late && !self->repair_order ? STEP_DOUBT : STEP_GIVE_UP);
}

void pending_look (pending_t *self, const moment_t *now)
{
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
    refuse_ask_home (self, now, NULL);
}
