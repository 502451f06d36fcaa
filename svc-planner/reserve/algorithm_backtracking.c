/*  algorithm_backtracking - bbr and bir: a request planned as S0 does it, and put to the vote once.
 *
 *  The first start tried is w_interval after the receipt, unless the user names a time; planning
 *  ends by then. After a refused vote there is no other plan: the same search would find the same
 *  plan again, since nothing has changed but its own tentative state.
 */
#include "backtracking.h"
#include "candidates.h"
#include "connections.h"
#include "must.h"
#include "planning.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    backtracking_t *search;
    backtracking_end_t end;
} algorithm_backtracking_found_t;

/*  --- reasons --- */

static void algorithm_backtracking_explain (pending_t *self)
{
    const algorithm_backtracking_found_t *found = self->plan.found;
    const char *algorithm = self->plan.algorithm->name;
    char wait [TIMETEXT_BYTES];
    timetext_format_duration (self->pendings->settings->backtrack_wait_ms, wait);
    if (self->plan.starts.earliest_ms > self->plan.starts.latest_ms)
        answer_reason (
          &self->answer, "", "",
          "%s tries no start before backtrack/wait = %s from now, and the latest start "
          "allowed is earlier",
          algorithm, wait);
    else if (found->end == BACKTRACKING_LATE)
        answer_reason (&self->answer, "", "", "%s found no plan within backtrack/wait = %s",
                       algorithm, wait);
    else
        answer_reason (&self->answer, "", "",
                       "%s found no plan; its search tries each choice once, so there may be one "
                       "that algorithm auto finds",
                       algorithm);
}

static bool algorithm_backtracking_told_of (const answer_t *answer, const char *need)
{
    for (size_t i = 0; i < answer->reasons_count; i++)
        if (strcmp (answer->reasons [i].need, need) == 0)
            return true;
    return false;
}

/*  A hold that was refused, in its participant's words. */
static reason_t *explain_refusal (pending_t *self, const char *need, const hindrance_t *met)
{
    const tentative_refusal_t *refusal = &met->refusal;
    if (refusal->reason == REFUSAL_NONE)
        return answer_reason (&self->answer, need, refusal->party,
                              "%s did not answer when %s asked it for a hold", refusal->party,
                              self->plan.algorithm->name);
    reason_t *reason = answer_reason (
      &self->answer, need, *refusal->resource ? refusal->resource : refusal->party,
      "refused the hold that %s asked for: %s%s%s", self->plan.algorithm->name,
      refusal_reason_word (refusal->reason), *refusal->text ? ": " : "", refusal->text);
    reason->free = refusal->free;
    return reason;
}

static void explain_place (pending_t *self, size_t need, const hindrance_t *met)
{
    const compute_need_t *wanted = &self->plan.snapshot->request->compute [need];
    bool storage = wanted->derived.kind == DERIVED_STORAGE;
    reason_t *reason = met->refused
                         ? explain_refusal (self, wanted->id, met)
                         : answer_reason (&self->answer, wanted->id, "",
                                          "no %s had %" PRIu32 " %s in this time when %s asked",
                                          storage ? "storage node" : "place", wanted->cpus,
                                          storage ? "MiB" : "CPUs", self->plan.algorithm->name);
    reason->from_ms = met->from_ms;
    reason->until_ms = met->until_ms;
    reason->wanted = wanted->cpus;
}

/*  The link that was too full, with what the last query says is free; or that there was no path.
 */
static reason_t *explain_link (pending_t *self, const network_need_t *need, const hindrance_t *met)
{
    char resource [RESOURCE_BYTES] = "network";
    int64_t free = 0;
    if (met->link != SIZE_MAX) {
        const free_profile_t *free_profile = &self->plan.snapshot->links [met->link].free_profile;
        link_resource (self->plan.snapshot->graph, met->link, resource);
        free = free_profile_least (free_profile, met->from_ms, met->until_ms);
    }
    reason_t *reason = answer_reason (
      &self->answer, need->id, resource,
      "%" PRIu32 " Mbit/s between %s and %s: not free on the path that %s tried last", need->mbps,
      need->ends [0], need->ends [1], self->plan.algorithm->name);
    reason->free = free;
    return reason;
}

static void explain_path (pending_t *self, size_t at, const hindrance_t *met)
{
    const network_need_t *need = &self->plan.snapshot->request->network [at];
    reason_t *reason =
      met->refused ? explain_refusal (self, need->id, met) : explain_link (self, need, met);
    reason->from_ms = met->from_ms;
    reason->until_ms = met->until_ms;
    reason->wanted = need->mbps;
}

/*  For each need without a reason yet: the last obstacle that the search met. */
static void explain_rest (pending_t *self)
{
    const algorithm_backtracking_found_t *found = self->plan.found;
    const user_request_t *request = self->plan.snapshot->request;
    const hindrance_t *met = backtracking_hindrances (found->search, false);
    for (size_t i = 0; i < request->compute_count; i++)
        if (met [i].set && request->compute [i].derived.kind != DERIVED_SOURCE &&
            !algorithm_backtracking_told_of (&self->answer, request->compute [i].id))
            explain_place (self, i, &met [i]);
    met = backtracking_hindrances (found->search, true);
    for (size_t i = 0; i < request->network_count; i++)
        if (met [i].set && !algorithm_backtracking_told_of (&self->answer, request->network [i].id))
            explain_path (self, i, &met [i]);
}

static void algorithm_backtracking_on_surveyed (void *owner, const moment_t *now, bool hasty)
{
    pending_t *self = owner;
    (void) hasty; /* this query waited for everybody */
    availability_query_destroy (&self->plan.query);
    search_order_t order = pending_search_order (self, now);
    self->plan.search = search_new (self->plan.snapshot, &order);
    planning_none (self, now, false);
}

/*  What the search asked says little about the reasons, so everybody is surveyed once more. Our
 *  holds are aborted first: the query would count them as taken. */
static void find_reasons (pending_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    if (pendings->settings->backtrack_terse ||
        self->plan.starts.earliest_ms > self->plan.starts.latest_ms) {
        algorithm_backtracking_explain (self);
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    trail_abort (&self->trail, pendings->coordinator, now, NULL, self->receipt.name.home);
    self->plan.query =
      availability_query_new (pendings->service, pendings->settings, now,
                              &(availability_query_order_t){.snapshot = self->plan.snapshot,
                                                            .starts = self->plan.starts,
                                                            .reservation = "",
                                                            .actor = self->receipt.actor,
                                                            .unresponsive = pendings->unresponsive,
                                                            .patient = true},
                              algorithm_backtracking_on_surveyed, self);
}

static void on_searched (void *owner, const moment_t *now, backtracking_end_t end)
{
    pending_t *self = owner;
    self->answer.reasons_count = 0;
    algorithm_backtracking_found_t *found = self->plan.found;
    found->end = end;
    if (end == BACKTRACKING_FOUND)
        planning_found (self, now, backtracking_choice (found->search));
    else if (end == BACKTRACKING_LATE || !planning_ask_on (self, now))
        find_reasons (self, now);
}

/*  Does the user name an absolute start? */
static bool start_named (const user_request_t *request)
{
    const instant_t *first =
      request->window.start.set ? &request->window.start : &request->window.earliest;
    return first->set && !first->from_now;
}

static void algorithm_backtracking_start (pending_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    const frame_t *window = &self->request.window;
    starts_t starts = self->plan.starts;
    int64_t ready_ms = self->receipt.begun_wall_ms + pendings->settings->backtrack_wait_ms;
    if (!start_named (&self->request) && starts.earliest_ms < ready_ms)
        starts.earliest_ms = ready_ms;
    /* Without a latest start, the deadline alone bounds the starts, need by need, as in the paper.
     */
    if (!window->start.set && !window->latest.set && starts.deadline_ms < INT64_MAX)
        starts.latest_ms = INT64_MAX;
    self->plan.starts.earliest_ms = starts.earliest_ms; /* reasons are given for this frame */
    bool incremental = self->plan.algorithm == &algorithm_bir;
    int64_t ends_ms = starts.earliest_ms < ready_ms ? starts.earliest_ms : ready_ms;
    algorithm_backtracking_found_t *found = self->plan.found = must (calloc (1, sizeof *found));
    found->search = backtracking_new (
      &(backtracking_order_t){
        .service = pendings->service,
        .settings = pendings->settings,
        .coordinator = pendings->coordinator,
        .unresponsive = pendings->unresponsive,
        .snapshot = self->plan.snapshot,
        .actor = self->receipt.actor,
        .request_id = self->receipt.name.full,
        .starts = starts,
        .soonest_ms = start_named (&self->request) ? pending_soonest_ms (self, now) : ready_ms,
        .policy = user_request_policy (&self->request),
        /* A dry run holds nothing, but counts what it would hold. */
        .incremental = incremental && !self->receipt.dry_run,
        .counts_own = pendings->settings->backtrack_own || (incremental && self->receipt.dry_run),
        .limit_mono_ms = now->mono_ms + (ends_ms - now->wall_ms),
        .trail = &self->trail},
      now, on_searched, self);
}

static void algorithm_backtracking_clear (pending_t *self)
{
    algorithm_backtracking_found_t *found = self->plan.found;
    if (found)
        backtracking_destroy (&found->search);
    free (found);
}

const algorithm_t algorithm_bbr = {
  .name = "bbr",
  .asks_itself = true,
  .start = algorithm_backtracking_start,
  .explain = algorithm_backtracking_explain,
  .explain_rest = explain_rest,
  .clear = algorithm_backtracking_clear,
};

const algorithm_t algorithm_bir = {
  .name = "bir",
  .asks_itself = true,
  .start = algorithm_backtracking_start,
  .explain = algorithm_backtracking_explain,
  .explain_rest = explain_rest,
  .clear = algorithm_backtracking_clear,
};
