/*  algorithm_ip - a request planned as S4 does it: N windows, one query, an integer program for
 *  each window, and the plans put to the vote in the order of their rank.
 *
 *  S4's managers tell what is free at the windows asked, and no table. Here the query is the
 *  planner's usual one: of a profile, the programs read only what is free throughout each window; a
 *  source that discloses windows only is asked about these windows.
 */
#include "algorithm.h"
#include "member.h"
#include "must.h"
#include "ranking.h"
#include "solvers.h"
#include "timetext.h"
#include "windows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OVERDUE_MS 750 /* after the time limit: solvers have been killed and reported by then */

typedef struct {
    finder_order_t order;
    ranking_t *ranking;
    int64_t until_ms; /* monotonic: no window is begun after this */
    bool begun;       /* the last window, or time has run out */
    uint64_t timer;   /* of the next slice, or until solvers are overdue */
} ip_finder_t;

/*  Percent of what is free that the user's service level may see (C). */
static uint32_t visible_to (const ip_settings_t *settings, const char *actor)
{
    for (size_t i = 0; i < settings->visible_to_count; i++)
        if (strcmp (settings->visible_to [i].name, actor) == 0)
            return settings->visible_to [i].number;
    return settings->visible;
}

static void algorithm_ip_ask (const planner_settings_t *settings, availability_query_order_t *query)
{
    query->starts_most = settings->ip.windows;
    query->visible = visible_to (&settings->ip, query->actor);
}

/*  No more than one question to a source that discloses windows only has room for. */
static size_t windows_of (const finder_order_t *order)
{
    size_t most = windows_starts (order->snapshot, order->starts);
    size_t windows = order->pendings->settings->ip.windows;
    bool one = order->starts->earliest_ms == order->starts->latest_ms;
    return one ? 1 : windows < most ? windows : most;
}

/*  The next plan of the list. False: there is none. */
static bool algorithm_ip_next (void *finder, choice_t *choice)
{
    ip_finder_t *self = finder;
    if (!ranking_next (self->ranking))
        return false;
    const window_plan_t *plan = ranking_plan (self->ranking);
    *choice = (choice_t){.start_ms = plan->start_ms, .options = plan->choice, .paths = plan->paths};
    return true;
}

static void go_down_the_list (ip_finder_t *self, const moment_t *now)
{
    const finder_order_t *order = &self->order;
    choice_t choice = {0};
    finder_end_t end = FINDER_FOUND;
    timers_cancel (order->pendings->service->timers, self->timer);
    solvers_forget (order->pendings->solvers, self);
    ranking_close (self->ranking);
    if (!algorithm_ip_next (self, &choice)) /* starts between the windows may be possible */
        end = ranking_tally (self->ranking)->broken ? FINDER_BROKEN : FINDER_UNPROVEN;
    order->ended (order->owner, now, end, &choice);
}

/*  Another process has solved a window. */
static void on_solved (void *owner, const moment_t *now, uint64_t window, bool ok, bytes_t result)
{
    ip_finder_t *self = owner;
    ranking_solved (self->ranking, window, ok, result);
    if (self->begun && !ranking_waits (self->ranking))
        go_down_the_list (self, now);
}

static void on_overdue (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    ip_finder_t *self = owner;
    go_down_the_list (self, now);
}

static void algorithm_ip_on_slice (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    ip_finder_t *self = owner;
    service_t *service = self->order.pendings->service;
    self->timer = 0;
    aside_t aside;
    bool more = ranking_step (self->ranking, &aside);
    service_count (service, "programs", 1);
    if (aside.order.data)
        solvers_ask (self->order.pendings->solvers, now, aside.order, self->until_ms, on_solved,
                     self, aside.window);
    if (more && now->mono_ms < self->until_ms) {
        /* Everything else that is due has its turn first. */
        self->timer =
          timers_set (service->timers, now->mono_ms + 1, algorithm_ip_on_slice, self, 0);
        return;
    }
    self->begun = true;
    if (ranking_waits (self->ranking))
        self->timer =
          timers_set (service->timers, self->until_ms + OVERDUE_MS, on_overdue, self, 0);
    else
        go_down_the_list (self, now);
}

static void algorithm_ip_begin (const finder_order_t *order, const moment_t *now, void **finder)
{
    const ip_settings_t *settings = &order->pendings->settings->ip;
    ip_finder_t *self = *finder = must (calloc (1, sizeof *self));
    self->order = *order;
    self->until_ms = now->mono_ms + settings->time_ms_max;
    self->ranking =
      ranking_new (&(ranking_order_t){.snapshot = order->snapshot,
                                      .directory = directory_of (order->pendings->service),
                                      .settings = settings,
                                      .search = order->search,
                                      .policy = user_request_policy (order->request),
                                      .windows = windows_of (order),
                                      .visible = visible_to (settings, order->actor)},
                   &order->pendings->service->prng);
    algorithm_ip_on_slice (self, now, 0);
}

static void algorithm_ip_explain (const void *finder, answer_t *answer)
{
    const ip_finder_t *self = finder;
    const finder_order_t *order = &self->order;
    const ranking_tally_t *tally = ranking_tally (self->ranking);
    const ip_settings_t *settings = &order->pendings->settings->ip;
    char limit [TIMETEXT_BYTES];
    reason_t *reason = answer_reason (
      answer, "", "",
      "ip: no plan found in %zu windows with a site for each need: %zu have none, %zu are unknown "
      "after %" PRIu64 " steps, %zu were not reached within %s%s%s",
      tally->windows, tally->proven, tally->unknown, settings->steps_max, tally->late,
      timetext_format_duration (settings->time_ms_max, limit), *tally->why ? "; " : "", tally->why);
    reason->from_ms = order->starts->earliest_ms;
    reason->until_ms = order->starts->latest_ms + user_request_span (order->request);
}

static void algorithm_ip_destroy (void *finder)
{
    ip_finder_t *self = finder;
    timers_cancel (self->order.pendings->service->timers, self->timer);
    solvers_forget (self->order.pendings->solvers, self);
    ranking_destroy (&self->ranking);
    free (self);
}

const algorithm_t algorithm_ip = {
  .name = "ip",
  .ask = algorithm_ip_ask,
  .begin = algorithm_ip_begin,
  .next = algorithm_ip_next,
  .explain = algorithm_ip_explain,
  .destroy = algorithm_ip_destroy,
};
