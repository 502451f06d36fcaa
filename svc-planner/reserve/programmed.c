/*  programmed - a request planned as S4 does it, by ip: N windows, one question to everybody, an
 *  integer program a window, and the plans put to the vote down the ranked list.
 *
 *  S4's managers tell what is free at the windows asked, and no table. The one question is the
 *  planner's usual one: who discloses profiles is asked for one, of which the programs read what is
 *  free throughout each window and nothing else; who discloses windows only is asked about these.
 */
#include "errand.h"

#include "windows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OVERDUE_MS 750 /* after the limit solvers are killed, and told of, by then */

bool errand_programmed (const errand_t *self)
{
    return self->kind == ERRAND_RESERVE && strcmp (self->request.algorithm, "ip") == 0;
}

/*  The user's service level (C). */
static uint32_t visible_to (const errand_t *self)
{
    const ip_settings_t *settings = &self->errands->settings->ip;
    for (size_t i = 0; i < settings->visible_to_count; i++)
        if (strcmp (settings->visible_to [i].name, self->actor) == 0)
            return settings->visible_to [i].number;
    return settings->visible;
}

void errand_ask_programs (const errand_t *self, survey_order_t *order)
{
    order->starts_most = self->errands->settings->ip.windows;
    order->visible = visible_to (self);
}

/*  No more than were asked about where windows only are disclosed. */
static size_t windows_of (const errand_t *self)
{
    size_t most = windows_starts (self->snapshot, &self->starts);
    size_t windows = self->errands->settings->ip.windows;
    if (self->starts.earliest_ms == self->starts.latest_ms)
        return 1;
    return windows < most ? windows : most;
}

static void tell_none (errand_t *self, const moment_t *now)
{
    search_order_t order =
      errand_search_order (self, now); /* says what is in the way of each need */
    self->search = search_new (self->snapshot, &order);
    errand_not_found (self, now, false); /* other starts may do */
}

static void go_down_the_list (errand_t *self, const moment_t *now)
{
    solvers_forget (self->errands->solvers, self);
    ranking_close (self->ranking);
    if (ranking_has_next (self->ranking))
        errand_next (self, now);
    else
        tell_none (self, now);
}

/*  A window has been solved elsewhere. */
static void on_solved (void *owner, const moment_t *now, uint64_t window, bool ok, bytes_t result)
{
    errand_t *self = owner;
    ranking_solved (self->ranking, window, ok, result);
    if (!self->ranking_begun || ranking_waits (self->ranking))
        return;
    timers_cancel (self->errands->service->timers, self->pause_timer);
    self->pause_timer = 0;
    go_down_the_list (self, now);
}

static void on_overdue (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    self->pause_timer = 0;
    go_down_the_list (self, now);
}

static void on_slice (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    timers_t *timers = self->errands->service->timers;
    self->pause_timer = 0;
    aside_t aside;
    bool more = ranking_step (self->ranking, &aside);
    service_count (self->errands->service, "programs", 1);
    if (aside.order.data)
        solvers_ask (self->errands->solvers, now, aside.order, self->ranking_until_ms, on_solved,
                     self, aside.window);
    if (more && now->mono_ms < self->ranking_until_ms) {
        /* Not at once: everything else that is due has its turn first. */
        self->pause_timer = timers_set (timers, now->mono_ms + 1, on_slice, self, 0);
        return;
    }
    self->ranking_begun = true;
    if (ranking_waits (self->ranking))
        self->pause_timer =
          timers_set (timers, self->ranking_until_ms + OVERDUE_MS, on_overdue, self, 0);
    else
        go_down_the_list (self, now);
}

void errand_rank (errand_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->errands->settings;
    self->ranking_begun = false;
    self->ranking_until_ms = now->mono_ms + settings->ip.time_ms_max;
    self->ranking = ranking_new (&(ranking_order_t){.snapshot = self->snapshot,
                                                    .directory = self->errands->service->directory,
                                                    .settings = &settings->ip,
                                                    .search = errand_search_order (self, now),
                                                    .policy = user_request_policy (&self->request),
                                                    .windows = windows_of (self),
                                                    .visible = visible_to (self)},
                                 &self->errands->service->prng);
    on_slice (self, now, 0);
}

bool errand_has_next (const errand_t *self)
{
    return self->ranking && ranking_has_next (self->ranking);
}

void errand_next (errand_t *self, const moment_t *now)
{
    while (ranking_next (self->ranking)) {
        if (self->dry_run) {
            self->answer.reasons_count = 0;
            answer_of_choice (self, &self->answer);
            errand_tell (self, now, ANSWER_PLANNED);
            return;
        }
        if (propose_choice (self, now)) {
            errand_vote (self, now);
            return;
        }
    }
    errand_give_up (self, now);
}

void errand_explain_ranking (errand_t *self)
{
    const ranking_tally_t *tally = ranking_tally (self->ranking);
    const ip_settings_t *settings = &self->errands->settings->ip;
    reason_t *reason = answer_reason (
      &self->answer, "", "",
      "ip: no plan found in %zu windows with a site for each need: %zu have none, %zu are unknown "
      "after %" PRIu64 " steps, %zu were not looked at in %" PRId64 " ms%s%s",
      tally->windows, tally->proven, tally->unknown, settings->steps_max, tally->late,
      settings->time_ms_max, *tally->why ? "; " : "", tally->why);
    reason->from_ms = self->starts.earliest_ms;
    reason->until_ms = self->starts.latest_ms + user_request_span (&self->request);
}
