/*  verify - a home says that a request was committed, but not that all have acknowledged (T6).
 *
 *      complete                              -> the answer kept at the home
 *      some part is gone, all is over, and
 *      either its repair has released it, or
 *      its window has passed                 -> refused: it failed (T10); never said of a release
 *      anything else                         -> in progress: ask again. A repair that has come to
 *                                               its end has told the home
 *
 *  A part at its edge looks gone, and may still be committed; and of a reservation whose window has
 *  passed nothing is left anywhere, failed or not. So once nothing is left and nothing pending, all
 *  are asked again how they ended: that does not change any more.
 */
#include "errand.h"

#include "must.h"
#include "outcomes.h"
#include "party.h"

#include <stdlib.h>

typedef struct verify {
    errand_t *errand;
    claim_look_t look;
    outcomes_t *outcomes;
    locate_t *locate;
    bool over; /* nothing is left anywhere, nor pending */
} verify_t;

static void ask_outcomes (verify_t *self, const moment_t *now);

void verify_destroy (verify_t **self_p)
{
    verify_t *self = *self_p;
    if (!self)
        return;
    outcomes_destroy (&self->outcomes);
    locate_destroy (&self->locate);
    claim_look_clear (&self->look);
    free (self);
    *self_p = NULL;
}

static void tell_in_progress (errand_t *errand, const moment_t *now, const outcomes_t *outcomes)
{
    const party_t *party = outcomes ? outcomes_awaited (outcomes, 0) : NULL;
    for (size_t i = 0; party; party = outcomes_awaited (outcomes, ++i)) {
        char words [PARTY_WORDS_BYTES];
        answer_reason (&errand->answer, "", party->name,
                       "committed, but %s has not acknowledged yet: ask again",
                       party_words (party->name, words));
    }
    if (errand->answer.reasons_count == 0)
        answer_reason (&errand->answer, "", "",
                       "committed, but not acknowledged by all yet: ask again");
    errand_tell (errand, now, ANSWER_IN_PROGRESS);
}

/*  Will no repair put it right any more? */
static bool given_up (const verify_t *self, const moment_t *now)
{
    const plan_t *plan = self->look.holder;
    const part_record_t *newest = locate_newest (self->locate);
    int64_t end_ms = plan->end_ms > plan->edge_ms ? plan->end_ms : plan->edge_ms;
    if (newest && newest->plan_set && newest->plan.operation == OPERATION_RELEASE &&
        txid_compare (&newest->plan.repairs, &plan->txid) == 0)
        return true;
    return timekeeper_least (&self->errand->errands->service->timekeeper, now) >= end_ms;
}

static void on_located (void *owner, const moment_t *now)
{
    verify_t *self = owner;
    errand_t *errand = self->errand;
    located_t verdict = locate_verdict (self->locate);
    /* A release can't fail: at its edge, which is the window's end, there is nothing to give back
     * any more, and its commit is still taken. */
    const plan_t *plan = self->look.holder;
    bool release = plan->operation == OPERATION_RELEASE;
    bool over = verdict == LOCATED_OVER || verdict == LOCATED_NOWHERE;
    if (release || !over || !given_up (self, now)) {
        tell_in_progress (errand, now, self->outcomes);
        return;
    }
    self->over = true;
    locate_destroy (&self->locate);
    ask_outcomes (self, now);
}

static void look_what_is_left (verify_t *self, const moment_t *now)
{
    const errands_t *errands = self->errand->errands;
    self->locate = locate_new (errands->service, errands->settings, NULL, now,
                               self->look.holder->reservation, self->look.holder, on_located, self);
}

static void on_outcomes (void *owner, const moment_t *now, outcomes_verdict_t verdict)
{
    verify_t *self = owner;
    errand_t *errand = self->errand;
    const errands_t *errands = errand->errands;
    switch (verdict) {
    case OUTCOMES_COMPLETE:
        service_count (errands->service, "told_again", 1);
        errand_log (errand, LEVEL_INFO, "told-again", "");
        errand_tell_packed (
          errand, (bytes_t){.data = self->look.answer.data, .size = self->look.answer.size});
        break;
    case OUTCOMES_GONE:
        if (!self->over) {
            look_what_is_left (self, now);
            break;
        }
        answer_reason (&errand->answer, "", "",
                       "failed: some part could not be kept, and the rest was released");
        errand_tell (errand, now, ANSWER_REFUSED);
        break;
    case OUTCOMES_OPEN:
        tell_in_progress (errand, now, self->outcomes);
        break;
    }
}

static void ask_outcomes (verify_t *self, const moment_t *now)
{
    const errands_t *errands = self->errand->errands;
    outcomes_destroy (&self->outcomes);
    self->outcomes =
      outcomes_new (errands->service, errands->settings, now, self->look.holder, on_outcomes, self);
}

void errand_verify (errand_t *errand, const moment_t *now, claim_look_t *look)
{
    errand->answer.reasons_count = 0;
    if (!look->holder) {
        tell_in_progress (errand, now, NULL);
        return;
    }
    verify_t *self = must (calloc (1, sizeof *self));
    self->errand = errand;
    self->look = *look;
    *look = (claim_look_t){0};
    errand->verify = self;
    ask_outcomes (self, now);
}
