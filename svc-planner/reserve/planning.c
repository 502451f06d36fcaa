/*  planning - from a request to a plan: find candidates in the directory, ask them in one query,
 *  and run an algorithm on their answers. When it finds no plan, ask more candidates or give
 *  reasons.
 */
#include "planning.h"

#include "candidates.h"
#include "explanation.h"
#include "member.h"
#include "must.h"
#include "phases.h"
#include "proposal.h"
#include "repair_attempt.h"
#include "widen.h"

#include <stdlib.h>
#include <string.h>

#define BUSY 8 /* requests in progress: with more, only dry runs are offered alternatives */

/*  Storage that stays as it is keeps its place and its beginning. Other storage of what has begun
 *  begins when the change takes effect, and so does what a repair can't bring in time: late. */
static void planning_keep (pending_t *self, const moment_t *now, size_t at)
{
    compute_need_t *need = &self->plan.snapshot->derived->compute [at];
    need_options_t *options = &self->plan.snapshot->needs [at];
    const present_t *present = &self->plan.present [at];
    int64_t begin_ms = self->plan.starts.earliest_ms + need->offset_ms;
    bool same = false;
    int64_t longest_ms = 0;
    for (size_t i = 0; i < options->options_count; i++) {
        option_t *option = &options->options [i];
        if (present->set && option->place == present->place && present->from_ms <= begin_ms &&
            (present->mib == need->cpus || present->mib == option->nodes)) {
            same = true;
            option->nodes = present->mib;
            option->before_ms = begin_ms - present->from_ms;
        } else if (option->before_ms < STAGING_NEVER && option->before_ms > longest_ms)
            longest_ms = option->before_ms;
    }
    int64_t late_ms = self->plan.effect_ms + longest_ms - begin_ms;
    bool begun = present->pinned || begin_ms <= now->wall_ms;
    bool missed =
      self->repair_order && begin_ms - longest_ms < pending_soonest_ms (self, now) +
                                                      snapshot_lead_ms (self->plan.snapshot);
    if (same || late_ms <= 0 || late_ms >= need->duration_ms || !(begun || missed) ||
        (need->derived.data > 0 && !self->repair_order))
        return;
    need->offset_ms += late_ms;
    need->duration_ms -= late_ms;
}

/*  Say how long files are on their way. A change that keeps its start keeps them where they come or
 *  have come to, and since when; what has begun otherwise changes when the change takes effect. */
static void planning_stage (pending_t *self, const moment_t *now)
{
    snapshot_t *snapshot = self->plan.snapshot;
    const planner_settings_t *settings = self->pendings->settings;
    snapshot_stage (snapshot, self->plan.files);
    self->plan.effect_ms = pending_soonest_ms (self, now) + settings->try_ms +
                           snapshot_lead_ms (snapshot) + settings->margin_ms;
    for (size_t n = self->request.compute_count; n < snapshot->request->compute_count; n++)
        if (self->operation == OPERATION_MODIFY && self->plan.keeps_start &&
            snapshot->request->compute [n].derived.kind == DERIVED_STORAGE)
            planning_keep (self, now, n);
}

/*  Count in the snapshot what others have noted since those who were asked told what is free. */
void planning_count (pending_t *self)
{
    const pendings_t *pendings = self->pendings;
    uint64_t from = self->plan.counted;
    self->plan.counted = pendings->recents.count;
    if (self->operation == OPERATION_RESERVE && self->plan.algorithm->supposes &&
        !self->plan.alone &&
        recents_take (&pendings->recents, from, pendings->coordinator, self->plan.snapshot))
        self->plan.crowded = true;
}

candidates_order_t planning_candidates (const pending_t *self, const moment_t *now)
{
    return (candidates_order_t){.pendings = self->pendings,
                                .base = self->base.locate,
                                .changes = self->operation == OPERATION_MODIFY,
                                .begun_wall_ms = self->receipt.begun_wall_ms,
                                .starts = self->plan.starts,
                                .files = self->plan.files,
                                .places_most = self->plan.places_most,
                                .soonest_ms = pending_soonest_ms (self, now),
                                .supposes = self->plan.algorithm->supposes ? now : NULL};
}

/*  The algorithm starts once everybody has answered, or is not waited for any more. */
static void planning_go_on (pending_t *self, const moment_t *now)
{
    if (self->plan.query || self->plan.lookup)
        return;
    if (self->operation == OPERATION_MODIFY)
        self->plan.check_from_ms = now->wall_ms;
    planning_stage (self, now);
    self->plan.algorithm->start (self, now);
}

static void planning_on_surveyed (void *owner, const moment_t *now, bool hasty)
{
    pending_t *self = owner;
    self->plan.hasty = self->plan.hasty || hasty;
    availability_query_destroy (&self->plan.query);
    planning_go_on (self, now);
}

/*  The candidate sites have told how soon files could be there. */
static void planning_on_staged (void *owner, const moment_t *now)
{
    pending_t *self = owner;
    file_lookup_destroy (&self->plan.lookup);
    planning_go_on (self, now);
}

/*  Ask where the files are, or (snapshot) how soon they could be at its sites. False: there is
 *  nobody to ask. */
static bool planning_look_up (pending_t *self, const moment_t *now, file_lookup_done_fn *done)
{
    if (self->plan.files_count == 0)
        return false;
    file_lookup_order_t order = {.service = self->pendings->service,
                                 .settings = self->pendings->settings,
                                 .unresponsive = self->pendings->unresponsive,
                                 .files = self->plan.files,
                                 .count = self->plan.files_count,
                                 .snapshot = self->plan.snapshot};
    self->plan.lookup = file_lookup_new (&order, now, done, self);
    return self->plan.lookup != NULL;
}

/*  The time frame in wall time. A change without a window keeps its start, which may have passed.
 */
static bool planning_resolve (pending_t *self)
{
    char why [WHY_BYTES];
    if (self->plan.keeps_start)
        return true; /* change.c has set plan.starts */
    if (user_request_resolve (&self->request, self->pendings->settings, self->receipt.begun_wall_ms,
                              &self->plan.starts, why))
        return true;
    answer_reason (&self->answer, "", "", "%s", why);
    return false;
}

/*  Ask the candidates that have not been asked yet. */
static void ask_round (pending_t *self, const moment_t *now)
{
    lessons_apply (&self->plan.lessons, self->plan.snapshot);
    if (self->operation == OPERATION_MODIFY)
        candidates_present (self->base.locate, self->plan.snapshot, now->wall_ms,
                            self->plan.present, &self->plan.present_paths);
    if (self->repair_order)
        repair_attempt_narrow (self->repair_order, self->plan.snapshot, self->plan.present);
    planning_count (self);
    bool looks = planning_look_up (self, now, planning_on_staged);
    if (self->plan.algorithm->asks_itself) {
        if (!looks)
            self->plan.algorithm->start (self, now);
        return;
    }
    availability_query_order_t order = {
      .snapshot = self->plan.snapshot,
      .starts = self->plan.starts,
      .reservation = self->operation == OPERATION_MODIFY ? self->reservation : "",
      .actor = self->receipt.actor,
      .unresponsive = self->pendings->unresponsive,
      .patient = self->plan.patient};
    if (self->plan.algorithm->ask)
        self->plan.algorithm->ask (self, &order);
    self->plan.query = availability_query_new (self->pendings->service, self->pendings->settings,
                                               now, &order, planning_on_surveyed, self);
}

bool planning_ask_on (pending_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->pendings->settings;
    if (widen_to_all (self)) {
        pending_clear_search (self);
        ask_round (self, now);
        return true;
    }
    bool more = self->plan.snapshot->outside_ms < INT64_MAX;
    for (size_t i = 0; i < self->request.compute_count; i++)
        more = more || need_unasked (&self->plan.snapshot->needs [i]) > 0;
    if (!more || self->plan.places_most >= settings->asked_max)
        return false;
    self->plan.places_most *= 2;
    if (self->plan.places_most > settings->asked_max)
        self->plan.places_most = settings->asked_max;
    service_count (self->pendings->service, "asked_on", 1);
    pending_clear_search (self);
    candidates_order_t order = planning_candidates (self, now);
    candidates_add_sites (&order, self->plan.snapshot);
    snapshot_join (self->plan.snapshot);
    ask_round (self, now);
    return true;
}

bool planning_confirm (pending_t *self, const moment_t *now)
{
    if (widen_to_plan (self)) {
        service_count (self->pendings->service, "plans_confirmed", 1);
        pending_clear_search (self);
        ask_round (self, now);
        return true;
    }
    return widen_misses (self) && planning_ask_on (self, now);
}

/*  --- what follows from a search --- */

/*  A change is located again, so that the time it takes effect is computed from now. */
static pending_step_t replan_step (const pending_t *self)
{
    return self->operation == OPERATION_MODIFY ? STEP_LOCATE : STEP_PLAN;
}

explanation_t planning_explanation (pending_t *self, const moment_t *now)
{
    return (explanation_t){.request = &self->request,
                           .snapshot = self->plan.snapshot,
                           .search = self->plan.search,
                           .directory = directory_of (self->pendings->service),
                           .settings = self->pendings->settings,
                           .starts = self->plan.starts,
                           .soonest_ms = pending_soonest_ms (self, now),
                           .changes = self->operation != OPERATION_RESERVE,
                           .proven = self->plan.proven,
                           .unheard = self->rounds.unheard,
                           .broken = self->plan.broken,
                           .obstacles = &self->plan.obstacles,
                           .answer = &self->answer};
}

/*  A change depends on where the reservation is now, so it is offered none; a busy planner offers
 *  them to dry runs alone. */
static void seek_alternatives (const pending_t *self, const moment_t *now,
                               explanation_t *explanation)
{
    candidates_order_t candidates = planning_candidates (self, now);
    if (self->operation == OPERATION_RESERVE &&
        (self->receipt.dry_run || ordered_count (self->pendings->open) <= BUSY))
        explanation_seek_alternatives (explanation, &candidates, pending_search_order (self, now));
}

/*  Reasons are searched in slices, too, because a request may have many needs. */
static void on_examine (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    self->pause_timer = 0;
    explanation_t explanation = planning_explanation (self, now);
    if (!explanation_examine (&explanation)) {
        self->pause_timer =
          timers_set (self->pendings->service->timers, now->mono_ms + 1, on_examine, self, 0);
        return;
    }
    self->answer.reasons_count = 0;
    self->answer.alternatives_count = 0;
    self->plan.algorithm->explain (self);
    explanation_tell (&explanation);
    if (self->plan.algorithm->explain_rest)
        self->plan.algorithm->explain_rest (self);
    seek_alternatives (self, now, &explanation);
    if (explanation_in_doubt (&explanation))
        pending_go (self, now, STEP_DOUBT);
    else
        pending_go (self, now, STEP_GIVE_UP);
}

static void give_reasons (pending_t *self, const moment_t *now, bool proven)
{
    self->plan.proven = proven;
    explanation_t explanation = planning_explanation (self, now);
    explanation_examine_anew (&explanation);
    on_examine (self, now, 0);
}

/*  What is known has no room for the request. If the query did not wait for suspects, ask again
 *  and wait for them. If other requests competed, what they held may be free by now: let go of our
 *  own holds and plan once more; what is only on its way to others does not count then. */
void planning_none (pending_t *self, const moment_t *now, bool proven)
{
    if (planning_ask_on (self, now))
        return;
    if (self->plan.hasty) {
        self->plan.patient = true;
        pending_pause (self, now, 1, replan_step (self));
        return;
    }
    if (proven && (self->rounds.contended || self->plan.crowded) &&
        self->rounds.count < self->pendings->settings->attempts_max) {
        self->rounds.contended = !self->rounds.contended;
        self->plan.alone = true;
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
        pending_pause (self, now, self->rounds.count, replan_step (self));
        return;
    }
    give_reasons (self, now, proven);
}

void planning_unknown (pending_t *self, const moment_t *now)
{
    if (!planning_ask_on (self, now))
        give_reasons (self, now, false);
}

void planning_found (pending_t *self, const moment_t *now, choice_t choice)
{
    const algorithm_t *algorithm = self->plan.algorithm;
    if (self->receipt.dry_run) {
        self->answer.reasons_count = 0;
        answer_of_choice (&self->request, self->plan.snapshot, &choice, &self->answer);
        pending_tell (self, now, ANSWER_PLANNED);
        return;
    }
    do
        if (pending_propose (self, now, &choice)) {
            pending_go (self, now, STEP_VOTE);
            return;
        }
    while (algorithm->next && algorithm->next (self, &choice));
    pending_go (self, now, STEP_GIVE_UP);
}

/*  A reason for each file that nobody has; false: there is one. */
static bool files_exist (pending_t *self)
{
    bool all = true;
    for (size_t i = 0; i < self->plan.files_count; i++) {
        const file_places_t *file = &self->plan.files [i];
        all = all && !file->nowhere;
        if (file->nowhere)
            answer_reason (&self->answer, self->request.data [i].id, "data",
                           "data[%zu].file: no site has a file %.120s", i, file->name);
    }
    return all;
}

/*  What plans need to know of each file. One that nobody was heard to have, while somebody was
 *  silent, may be there all the same. */
static bool files_found (pending_t *self)
{
    bool all = true;
    for (size_t i = 0; i < self->plan.files_count; i++) {
        const file_places_t *file = &self->plan.files [i];
        all = all && file->known;
        self->request.data [i].size = file->size;
        memcpy (self->request.data [i].digest, file->digest, DIGEST_BYTES);
        if (!file->known)
            answer_reason (&self->answer, self->request.data [i].id, "data",
                           "data[%zu].file: where %.120s is can't be told now: who could have it "
                           "does not answer",
                           i, file->name);
    }
    return all;
}

/*  Plan, now that it is known where the files are. */
static void planning_begin (pending_t *self, const moment_t *now)
{
    if (!files_exist (self)) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    if (!files_found (self)) {
        pending_go (self, now, STEP_DOUBT);
        return;
    }
    candidates_order_t order = planning_candidates (self, now);
    self->plan.snapshot = candidates_snapshot (&order, &self->request);
    candidates_log_conflicts (self->pendings, self->plan.snapshot->graph);
    /* A dry run goes on, to name every need that is in the way. */
    explanation_t explanation = planning_explanation (self, now);
    if (!explanation_possible (&explanation) && !self->receipt.dry_run) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    widen_first (self);
    self->close.keep_until_ms = self->plan.starts.latest_ms + user_request_span (&self->request);
    ask_round (self, now);
}

static void planning_on_located (void *owner, const moment_t *now)
{
    pending_t *self = owner;
    file_lookup_destroy (&self->plan.lookup);
    planning_begin (self, now);
}

void pending_plan (pending_t *self, const moment_t *now)
{
    pending_clear_planning (self);
    self->plan.hasty = self->plan.crowded = false;
    self->plan.counted = self->pendings->recents.count;
    self->plan.places_most = self->pendings->settings->candidates_max;
    if (!planning_resolve (self)) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    self->plan.files_count = self->request.data_count;
    self->plan.files = file_places_new (self->plan.files_count);
    for (size_t i = 0; i < self->plan.files_count; i++)
        memcpy (self->plan.files [i].name, self->request.data [i].file,
                sizeof self->plan.files [i].name);
    if (!planning_look_up (self, now, planning_on_located))
        planning_begin (self, now);
}
