/*  algorithm_ip - a request planned as S4 does it: N windows, one query, an integer program for
 *  each window, and the plans put to the vote in the order of their rank.
 *
 *  S4's managers tell what is free at the windows asked, and no table. Here the query is the
 *  planner's usual one: of a profile, the programs read only what is free throughout each window; a
 *  source that discloses windows only is asked about these windows.
 */
#include "candidates.h"
#include "member.h"
#include "must.h"
#include "planning.h"
#include "ranking.h"
#include "solvers.h"
#include "timetext.h"
#include "windows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OVERDUE_MS 750 /* after the time limit: solvers have been killed and reported by then */

typedef struct {
    ranking_t *ranking;
    int64_t until_ms; /* monotonic: no window is begun after this */
    bool begun;       /* the last window, or time has run out */
} algorithm_ip_found_t;

/*  Percent of what is free that the user's service level may see (C). */
static uint32_t visible_to (const pending_t *self)
{
    const ip_settings_t *settings = &self->pendings->settings->ip;
    for (size_t i = 0; i < settings->visible_to_count; i++)
        if (strcmp (settings->visible_to [i].name, self->receipt.actor) == 0)
            return settings->visible_to [i].number;
    return settings->visible;
}

static void algorithm_ip_ask (const pending_t *self, availability_query_order_t *order)
{
    order->starts_most = self->pendings->settings->ip.windows;
    order->visible = visible_to (self);
}

/*  No more than one question to a source that discloses windows only has room for. */
static size_t windows_of (const pending_t *self)
{
    size_t most = windows_starts (self->plan.snapshot, &self->plan.starts);
    size_t windows = self->pendings->settings->ip.windows;
    if (self->plan.starts.earliest_ms == self->plan.starts.latest_ms)
        return 1;
    return windows < most ? windows : most;
}

static void algorithm_ip_tell_none (pending_t *self, const moment_t *now)
{
    const algorithm_ip_found_t *found = self->plan.found;
    self->plan.broken = ranking_tally (found->ranking)->broken;
    search_order_t order = pending_search_order (self, now); /* this search finds the reasons */
    self->plan.search = search_new (self->plan.snapshot, &order);
    planning_none (self, now, false); /* starts between the windows may be possible */
}

/*  The next plan of the list. False: there is none. */
static bool next (pending_t *self, choice_t *choice)
{
    algorithm_ip_found_t *found = self->plan.found;
    if (!ranking_next (found->ranking))
        return false;
    const window_plan_t *plan = ranking_plan (found->ranking);
    *choice = (choice_t){.start_ms = plan->start_ms, .options = plan->choice, .paths = plan->paths};
    return true;
}

static void go_down_the_list (pending_t *self, const moment_t *now)
{
    solvers_forget (self->pendings->solvers, self);
    algorithm_ip_found_t *found = self->plan.found;
    choice_t choice;
    ranking_close (found->ranking);
    if (next (self, &choice))
        planning_found (self, now, choice);
    else
        algorithm_ip_tell_none (self, now);
}

/*  Another process has solved a window. */
static void on_solved (void *owner, const moment_t *now, uint64_t window, bool ok, bytes_t result)
{
    pending_t *self = owner;
    algorithm_ip_found_t *found = self->plan.found;
    ranking_solved (found->ranking, window, ok, result);
    if (!found->begun || ranking_waits (found->ranking))
        return;
    timers_cancel (self->pendings->service->timers, self->pause_timer);
    self->pause_timer = 0;
    go_down_the_list (self, now);
}

static void on_overdue (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    self->pause_timer = 0;
    go_down_the_list (self, now);
}

static void algorithm_ip_on_slice (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    timers_t *timers = self->pendings->service->timers;
    self->pause_timer = 0;
    algorithm_ip_found_t *found = self->plan.found;
    aside_t aside;
    bool more = ranking_step (found->ranking, &aside);
    service_count (self->pendings->service, "programs", 1);
    if (aside.order.data)
        solvers_ask (self->pendings->solvers, now, aside.order, found->until_ms, on_solved, self,
                     aside.window);
    if (more && now->mono_ms < found->until_ms) {
        /* Everything else that is due has its turn first. */
        self->pause_timer = timers_set (timers, now->mono_ms + 1, algorithm_ip_on_slice, self, 0);
        return;
    }
    found->begun = true;
    if (ranking_waits (found->ranking))
        self->pause_timer = timers_set (timers, found->until_ms + OVERDUE_MS, on_overdue, self, 0);
    else
        go_down_the_list (self, now);
}

static void algorithm_ip_start (pending_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->pendings->settings;
    algorithm_ip_found_t *found = self->plan.found = must (calloc (1, sizeof *found));
    found->until_ms = now->mono_ms + settings->ip.time_ms_max;
    found->ranking =
      ranking_new (&(ranking_order_t){.snapshot = self->plan.snapshot,
                                      .directory = directory_of (self->pendings->service),
                                      .settings = &settings->ip,
                                      .search = pending_search_order (self, now),
                                      .policy = user_request_policy (&self->request),
                                      .windows = windows_of (self),
                                      .visible = visible_to (self)},
                   &self->pendings->service->prng);
    algorithm_ip_on_slice (self, now, 0);
}

static bool has_next (pending_t *self)
{
    const algorithm_ip_found_t *found = self->plan.found;
    if (ranking_has_next (found->ranking))
        return true;
    answer_reason (&self->answer, "", "", "ip: no other plan on its list is possible any more");
    return false;
}

static void algorithm_ip_again (pending_t *self, const moment_t *now)
{
    choice_t choice;
    if (next (self, &choice))
        planning_found (self, now, choice);
    else
        pending_go (self, now, STEP_GIVE_UP);
}

static void algorithm_ip_explain (pending_t *self)
{
    const algorithm_ip_found_t *found = self->plan.found;
    const ranking_tally_t *tally = ranking_tally (found->ranking);
    const ip_settings_t *settings = &self->pendings->settings->ip;
    char limit [TIMETEXT_BYTES];
    reason_t *reason = answer_reason (
      &self->answer, "", "",
      "ip: no plan found in %zu windows with a site for each need: %zu have none, %zu are unknown "
      "after %" PRIu64 " steps, %zu were not reached within %s%s%s",
      tally->windows, tally->proven, tally->unknown, settings->steps_max, tally->late,
      timetext_format_duration (settings->time_ms_max, limit), *tally->why ? "; " : "", tally->why);
    reason->from_ms = self->plan.starts.earliest_ms;
    reason->until_ms = self->plan.starts.latest_ms + user_request_span (&self->request);
}

static void algorithm_ip_clear (pending_t *self)
{
    algorithm_ip_found_t *found = self->plan.found;
    solvers_forget (self->pendings->solvers, self);
    if (found)
        ranking_destroy (&found->ranking);
    free (found);
}

const algorithm_t algorithm_ip = {
  .name = "ip",
  .keeps_reasons = true,
  .ask = algorithm_ip_ask,
  .start = algorithm_ip_start,
  .has_next = has_next,
  .again = algorithm_ip_again,
  .next = next,
  .explain = algorithm_ip_explain,
  .clear = algorithm_ip_clear,
};
