/*  confirm - asks how each participant of a commit ended, and what is left of it. */
#include "confirm.h"

#include "locate.h"
#include "must.h"
#include "outcomes.h"

#include <stdlib.h>

struct confirm {
    service_t *service;
    const planner_settings_t *settings;
    const plan_t *plan;
    confirm_done_fn *done;
    void *owner;
    outcomes_t *outcomes;
    locate_t *locate;
    bool over; /* nothing is left or pending anywhere */
};

void confirm_destroy (confirm_t **self_p)
{
    confirm_t *self = *self_p;
    if (!self)
        return;
    outcomes_destroy (&self->outcomes);
    locate_destroy (&self->locate);
    free (self);
    *self_p = NULL;
}

/*  Its repair has released it, or its window has passed. */
static bool given_up (const confirm_t *self, const moment_t *now)
{
    const plan_t *plan = self->plan;
    const part_record_t *newest = locate_newest (self->locate);
    int64_t end_ms = plan->end_ms > plan->edge_ms ? plan->end_ms : plan->edge_ms;
    if (newest && newest->plan_set && newest->plan.operation == OPERATION_RELEASE &&
        txid_compare (&newest->plan.repairs, &plan->txid) == 0)
        return true;
    return timekeeper_least (&self->service->timekeeper, now) >= end_ms;
}

static void confirm_on_located (void *owner, const moment_t *now)
{
    confirm_t *self = owner;
    locate_verdict_t verdict = self->locate->verdict;
    /* A release can't fail: its edge is the window's end, when there is nothing to give back any
     * more, and its commit is still accepted then. */
    bool release = self->plan->operation == OPERATION_RELEASE;
    bool over = verdict == LOCATED_OVER || verdict == LOCATED_NOWHERE;
    if (release || !over || !given_up (self, now)) {
        self->done (self->owner, now, CONFIRM_OPEN);
        return;
    }
    self->over = true;
    locate_destroy (&self->locate);
    outcomes_again (self->outcomes, now);
}

static void confirm_on_outcomes (void *owner, const moment_t *now, outcomes_verdict_t verdict)
{
    confirm_t *self = owner;
    if (verdict == OUTCOMES_COMPLETE)
        self->done (self->owner, now, CONFIRM_COMPLETE);
    else if (verdict == OUTCOMES_OPEN)
        self->done (self->owner, now, CONFIRM_OPEN);
    else if (self->over)
        self->done (self->owner, now, CONFIRM_FAILED);
    else
        self->locate = locate_new (self->service, self->settings, NULL, now,
                                   self->plan->reservation, self->plan, confirm_on_located, self);
}

confirm_t *confirm_new (service_t *service, const planner_settings_t *settings, const moment_t *now,
                        const plan_t *plan, confirm_done_fn *done, void *owner)
{
    confirm_t *self = must (calloc (1, sizeof *self));
    *self = (confirm_t){
      .service = service, .settings = settings, .plan = plan, .done = done, .owner = owner};
    self->outcomes = outcomes_new (service, settings, now, plan, confirm_on_outcomes, self);
    return self;
}

const participant_ref_t *confirm_awaited (const confirm_t *self, size_t at)
{
    return outcomes_awaited (self->outcomes, at);
}
