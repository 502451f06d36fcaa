/*  algorithm_backtracking - bbr and bir: a request planned as S0 does it, and put to the vote once.
 *
 *  The first start tried is w_interval after the receipt, unless the user names a time; planning
 *  ends by then. After a refused vote there is no other plan: the same search would find the same
 *  plan again, since nothing has changed but its own tentative state.
 */
#include "algorithm.h"
#include "backtracking.h"
#include "connections.h"
#include "must.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    finder_order_t order;
    backtracking_t *search;
    backtracking_end_t end;
} backtracking_finder_t;

/*  --- reasons --- */

static void algorithm_backtracking_explain (const void *finder, answer_t *answer)
{
    const backtracking_finder_t *self = finder;
    const starts_t *starts = self->order.starts;
    char wait [TIMETEXT_BYTES];
    timetext_format_duration (self->order.pendings->settings->backtrack_wait_ms, wait);
    if (starts->earliest_ms > starts->latest_ms)
        answer_reason (
          answer, "", "",
          "%s tries no start before backtrack/wait = %s from now, and the latest start "
          "allowed is earlier",
          self->order.algorithm->name, wait);
    else if (self->end == BACKTRACKING_LATE)
        answer_reason (answer, "", "", "%s found no plan within backtrack/wait = %s",
                       self->order.algorithm->name, wait);
    else
        answer_reason (answer, "", "",
                       "%s found no plan; its search tries each choice once, so there may be one "
                       "that algorithm auto finds",
                       self->order.algorithm->name);
}

static bool told_of (const answer_t *answer, const char *need)
{
    for (size_t i = 0; i < answer->reasons_count; i++)
        if (strcmp (answer->reasons [i].need, need) == 0)
            return true;
    return false;
}

/*  A hold that was refused, in its participant's words. */
static reason_t *explain_refusal (const backtracking_finder_t *self, answer_t *answer,
                                  const char *need, const hindrance_t *met)
{
    const tentative_refusal_t *refusal = &met->refusal;
    if (refusal->reason == REFUSAL_NONE)
        return answer_reason (answer, need, refusal->party,
                              "%s did not answer when %s asked it for a hold", refusal->party,
                              self->order.algorithm->name);
    reason_t *reason = answer_reason (
      answer, need, *refusal->resource ? refusal->resource : refusal->party,
      "refused the hold that %s asked for: %s%s%s", self->order.algorithm->name,
      refusal_reason_word (refusal->reason), *refusal->text ? ": " : "", refusal->text);
    reason->free = refusal->free;
    return reason;
}

static reason_t *explain_place (const backtracking_finder_t *self, answer_t *answer,
                                const compute_need_t *need)
{
    bool storage = need->derived.kind == DERIVED_STORAGE;
    return answer_reason (answer, need->id, "",
                          "no %s had %" PRIu32 " %s in this time when %s asked",
                          storage ? "storage node" : "place", need->cpus, storage ? "MiB" : "CPUs",
                          self->order.algorithm->name);
}

/*  The link that was too full, with what the last query says is free; or that there was no path.
 */
static reason_t *explain_link (const backtracking_finder_t *self, answer_t *answer,
                               const network_need_t *need, const hindrance_t *met)
{
    char resource [RESOURCE_BYTES] = "network";
    int64_t free = 0;
    if (met->link != SIZE_MAX) {
        const free_profile_t *free_profile = &self->order.snapshot->links [met->link].free_profile;
        link_resource (self->order.snapshot->graph, met->link, resource);
        free = free_profile_least (free_profile, met->from_ms, met->until_ms);
    }
    reason_t *reason = answer_reason (
      answer, need->id, resource,
      "%" PRIu32 " Mbit/s between %s and %s: not free on the path that %s tried last", need->mbps,
      need->ends [0], need->ends [1], self->order.algorithm->name);
    reason->free = free;
    return reason;
}

static void complete_reason (reason_t *reason, const hindrance_t *met, uint32_t wanted)
{
    reason->from_ms = met->from_ms;
    reason->until_ms = met->until_ms;
    reason->wanted = wanted;
}

/*  For each need without a reason yet: the last obstacle that the search met. */
static void algorithm_backtracking_explain_rest (const void *finder, answer_t *answer)
{
    const backtracking_finder_t *self = finder;
    const user_request_t *request = self->order.snapshot->request;
    const hindrance_t *met = backtracking_hindrances (self->search, false);
    for (size_t i = 0; i < request->compute_count; i++, met++) {
        const compute_need_t *need = &request->compute [i];
        if (met->set && need->derived.kind != DERIVED_SOURCE && !told_of (answer, need->id))
            complete_reason (met->refused ? explain_refusal (self, answer, need->id, met)
                                          : explain_place (self, answer, need),
                             met, need->cpus);
    }
    met = backtracking_hindrances (self->search, true);
    for (size_t i = 0; i < request->network_count; i++, met++) {
        const network_need_t *need = &request->network [i];
        if (met->set && !told_of (answer, need->id))
            complete_reason (met->refused ? explain_refusal (self, answer, need->id, met)
                                          : explain_link (self, answer, need, met),
                             met, need->mbps);
    }
}

/*  --- the search --- */

static void on_searched (void *owner, const moment_t *now, backtracking_end_t end)
{
    static const finder_end_t ends [] = {[BACKTRACKING_FOUND] = FINDER_FOUND,
                                         [BACKTRACKING_NONE] = FINDER_UNPROVEN,
                                         [BACKTRACKING_LATE] = FINDER_LATE};
    backtracking_finder_t *self = owner;
    choice_t choice = {0};
    self->end = end;
    if (end == BACKTRACKING_FOUND)
        choice = backtracking_choice (self->search);
    self->order.ended (self->order.owner, now, ends [end], &choice);
}

static void algorithm_backtracking_begin (const finder_order_t *order, const moment_t *now,
                                          void **finder)
{
    const pendings_t *pendings = order->pendings;
    const planner_settings_t *settings = pendings->settings;
    const frame_t *window = &order->request->window;
    bool incremental = order->algorithm == &algorithm_bir;
    const instant_t *first = window->start.set ? &window->start : &window->earliest;
    bool named = first->set && !first->from_now; /* the user has named an absolute start */
    starts_t starts = *order->starts;
    int64_t ready_ms = order->begun_wall_ms + settings->backtrack_wait_ms;
    if (!named && starts.earliest_ms < ready_ms)
        starts.earliest_ms = ready_ms;
    /* Without a latest start, the deadline alone bounds the starts, need by need, as in the paper.
     */
    if (!window->start.set && !window->latest.set && starts.deadline_ms < INT64_MAX)
        starts.latest_ms = INT64_MAX;
    order->starts->earliest_ms = starts.earliest_ms;
    int64_t ends_ms = starts.earliest_ms < ready_ms ? starts.earliest_ms : ready_ms;
    backtracking_finder_t *self = *finder = must (calloc (1, sizeof *self));
    self->order = *order;
    self->search = backtracking_new (
      &(backtracking_order_t){.service = pendings->service,
                              .settings = settings,
                              .coordinator = pendings->coordinator,
                              .unresponsive = pendings->unresponsive,
                              .snapshot = order->snapshot,
                              .actor = order->actor,
                              .request_id = order->request_id,
                              .starts = starts,
                              .soonest_ms = named ? order->search.soonest_ms : ready_ms,
                              .policy = user_request_policy (order->request),
                              /* A dry run holds nothing, but counts what it would hold. */
                              .incremental = incremental && !order->dry_run,
                              .counts_own =
                                settings->backtrack_own || (incremental && order->dry_run),
                              .limit_mono_ms = now->mono_ms + (ends_ms - now->wall_ms),
                              .trail = order->trail},
      now, on_searched, self);
}

static void algorithm_backtracking_destroy (void *finder)
{
    backtracking_finder_t *self = finder;
    backtracking_destroy (&self->search);
    free (self);
}

const algorithm_t algorithm_bbr = {
  .name = "bbr",
  .asks_itself = true,
  .one_round = true,
  .begin = algorithm_backtracking_begin,
  .explain = algorithm_backtracking_explain,
  .explain_rest = algorithm_backtracking_explain_rest,
  .destroy = algorithm_backtracking_destroy,
};

const algorithm_t algorithm_bir = {
  .name = "bir",
  .asks_itself = true,
  .one_round = true,
  .begin = algorithm_backtracking_begin,
  .explain = algorithm_backtracking_explain,
  .explain_rest = algorithm_backtracking_explain_rest,
  .destroy = algorithm_backtracking_destroy,
};
