/*  algorithm_auto - the planner's own search, in slices, on the answers of one query. */
#include "candidates.h"
#include "planning.h"

#include <inttypes.h>

#define QUERY_ROUND 6 /* after so many rounds, ask again: the profiles have grown old */

static void algorithm_auto_on_slice (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    const planner_settings_t *settings = self->pendings->settings;
    self->pause_timer = 0;
    switch (search_run (self->plan.search, settings->search_slice_steps)) {
    case SEARCH_MORE:
        /* Everything else that is due has its turn first. */
        service_count (self->pendings->service, "search_slices", 1);
        self->pause_timer = timers_set (self->pendings->service->timers, now->mono_ms + 1,
                                        algorithm_auto_on_slice, self, 0);
        break;
    case SEARCH_FOUND:
        if (!planning_confirm (self, now))
            planning_found (self, now, search_choice (self->plan.search));
        break;
    case SEARCH_NONE:
        planning_none (self, now, true);
        break;
    case SEARCH_UNKNOWN:
        planning_unknown (self, now);
        break;
    }
}

static void algorithm_auto_start (pending_t *self, const moment_t *now)
{
    search_order_t order = pending_search_order (self, now);
    order.spread = self->rounds.contended && self->operation == OPERATION_RESERVE;
    search_destroy (&self->plan.search);
    planning_count (self);
    self->plan.search = search_new (self->plan.snapshot, &order);
    algorithm_auto_on_slice (self, now, 0);
}

/*  Search again on the snapshot, which refusals have corrected. */
static void algorithm_auto_again (pending_t *self, const moment_t *now)
{
    if (self->rounds.count < QUERY_ROUND) {
        algorithm_auto_start (self, now);
        return;
    }
    /* The query would count our own holds as taken. */
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
    pending_go (self, now, STEP_PLAN);
}

static void algorithm_auto_explain (pending_t *self)
{
    if (!self->plan.proven)
        answer_reason (&self->answer, "", "",
                       "no plan found within limits/search_steps_max = %" PRIu64
                       " steps: there may be one",
                       self->pendings->settings->search_steps_max);
}

const algorithm_t algorithm_auto = {
  .name = "auto",
  .supposes = true,
  .start = algorithm_auto_start,
  .again = algorithm_auto_again,
  .explain = algorithm_auto_explain,
};
