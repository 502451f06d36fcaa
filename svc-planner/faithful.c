/*  faithful - a request planned as S0 does it, by bbr or bir: from its receipt to a plan that is
 * put to the vote once.
 *
 *  The first start tried is w_interval after the receipt, unless the user names a time; planning
 *  ends by then. A plan that is refused in the vote is not followed by another: with nothing but
 *  its own tentative state changed, the same search would find the same plan again.
 */
#include "errand.h"

#include <stdio.h>
#include <string.h>

bool errand_faithful (const errand_t *self)
{
    return self->kind == ERRAND_RESERVE && (strcmp (self->request.algorithm, "bbr") == 0 ||
                                            strcmp (self->request.algorithm, "bir") == 0);
}

static void on_found (errand_t *self, const moment_t *now)
{
    if (self->dry_run) {
        self->answer.reasons_count = 0;
        answer_of_choice (self, &self->answer);
        errand_tell (self, now, ANSWER_PLANNED);
    } else if (propose_choice (self, now)) {
        errand_vote (self, now);
    } else {
        errand_give_up (self, now);
    }
}

static void on_searched (void *owner, const moment_t *now, backtracking_end_t end)
{
    errand_t *self = owner;
    self->answer.reasons_count = 0;
    switch (end) {
    case BACKTRACKING_FOUND:
        on_found (self, now);
        return;
    case BACKTRACKING_NONE:
        answer_reason (&self->answer, "", "",
                       "%s found no plan; its search tries each choice once, so there may be one: "
                       "'musubi explain' looks at everything",
                       self->request.algorithm);
        break;
    case BACKTRACKING_LATE:
        answer_reason (&self->answer, "", "", "%s found no plan within backtrack/wait = %lld ms",
                       self->request.algorithm,
                       (long long) self->planner->settings.backtrack_wait_ms);
        break;
    }
    errand_give_up (self, now);
}

/*  Named by the user, not reckoned from now. */
static bool start_named (const user_request_t *request)
{
    const instant_t *first =
      request->window.start.set ? &request->window.start : &request->window.earliest;
    return first->set && !first->from_now;
}

void errand_backtrack (errand_t *self, const moment_t *now)
{
    planner_t *planner = self->planner;
    const frame_t *window = &self->request.window;
    starts_t starts = self->starts;
    int64_t ready_ms = self->begun_wall_ms + planner->settings.backtrack_wait_ms;
    if (!start_named (&self->request) && starts.earliest_ms < ready_ms)
        starts.earliest_ms = ready_ms;
    /* Otherwise the deadline alone bounds a start: each need's own, as the paper cuts it. */
    if (!window->start.set && !window->latest.set && starts.deadline_ms < INT64_MAX)
        starts.latest_ms = INT64_MAX;
    int64_t ends_ms = starts.earliest_ms < ready_ms ? starts.earliest_ms : ready_ms;
    self->backtracking = backtracking_new (
      &(backtracking_order_t){.service = planner->service,
                              .settings = &planner->settings,
                              .coordinator = planner->coordinator,
                              .suspects = &planner->suspects,
                              .snapshot = self->snapshot,
                              .actor = self->actor,
                              .request_id = self->name.full,
                              .starts = starts,
                              .policy = user_request_policy (&self->request),
                              /* Who only asks holds nothing. */
                              .incremental =
                                strcmp (self->request.algorithm, "bir") == 0 && !self->dry_run,
                              .limit_mono_ms = now->mono_ms + (ends_ms - now->wall_ms),
                              .trail = &self->trail},
      now, on_searched, self);
}
