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

#define BUSY        8 /* requests in progress: with more, only dry runs are offered alternatives */
#define QUERY_ROUND 6 /* after so many rounds, ask again: the profiles have grown old */

static finder_ended_fn planning_on_ended;
static void planning_begin (pending_t *self, const moment_t *now);
static void planning_none (pending_t *self, const moment_t *now);

/*  Drop the query and the finder. */
static void planning_clear_search (planning_t *self)
{
    availability_query_destroy (&self->query);
    file_lookup_destroy (&self->lookup);
    search_destroy (&self->search);
    if (self->finder)
        self->algorithm->destroy (self->finder);
    self->finder = NULL;
}

void planning_clear (planning_t *self)
{
    planning_clear_search (self);
    snapshot_destroy (&self->snapshot);
    file_places_destroy (&self->files, self->files_count);
    self->files_count = 0;
}

/*  Storage that stays as it is keeps its place and its beginning. Other storage of what has begun
 *  begins when the change takes effect, and so does what a repair can't bring in time: late.
 *  repair_ms: a repair can bring nothing before this; INT64_MIN: it is none. */
static void planning_keep (planning_t *self, size_t at, int64_t wall_ms, int64_t repair_ms)
{
    compute_need_t *need = &self->snapshot->derived->compute [at];
    need_options_t *options = &self->snapshot->needs [at];
    const present_t *present = &self->present [at];
    int64_t begin_ms = self->starts.earliest_ms + need->offset_ms;
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
    int64_t late_ms = self->effect_ms + longest_ms - begin_ms;
    bool begun = present->pinned || begin_ms <= wall_ms;
    bool missed = begin_ms - longest_ms < repair_ms;
    if (same || late_ms <= 0 || late_ms >= need->duration_ms || !(begun || missed) ||
        (need->derived.data > 0 && repair_ms == INT64_MIN))
        return;
    need->offset_ms += late_ms;
    need->duration_ms -= late_ms;
}

/*  Say how long files are on their way. A change that keeps its start keeps them where they come or
 *  have come to, and since when; what has begun otherwise changes when the change takes effect. */
static void planning_stage (planning_t *self, const planner_settings_t *settings, int64_t wall_ms,
                            int64_t soonest_ms, bool repair)
{
    snapshot_t *snapshot = self->snapshot;
    snapshot_stage (snapshot, self->files);
    soonest_ms += snapshot_lead_ms (snapshot);
    self->effect_ms = soonest_ms + settings->try_ms + settings->margin_ms;
    for (size_t n = snapshot->asked_count; n < snapshot->request->compute_count; n++)
        if (self->keeps_start && snapshot->request->compute [n].derived.kind == DERIVED_STORAGE)
            planning_keep (self, n, wall_ms, repair ? soonest_ms : INT64_MIN);
}

/*  Count in the snapshot what others have noted since those who were asked told what is free. */
static void planning_count (planning_t *self, const pendings_t *pendings)
{
    uint64_t from = self->counted;
    self->counted = pendings->recents.count;
    if (self->algorithm->supposes && !self->alone &&
        recents_take (&pendings->recents, from, pendings->coordinator, self->snapshot))
        self->crowded = true;
}

/*  What is to be asked of whom. */
static candidates_order_t planning_candidates (const pending_t *self, const moment_t *now)
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

static search_order_t planning_search_order (const pending_t *self, const moment_t *now)
{
    policy_t policy = user_request_policy (&self->request);
    bool changes = self->operation == OPERATION_MODIFY;
    return (search_order_t){
      .starts = self->plan.starts,
      .policy = policy == POLICY_QUALITY ? POLICY_TIME : policy, /* quality is ip's */
      .soonest_ms = pending_soonest_ms (self, now),
      .check_from_ms = self->plan.check_from_ms,
      .present = changes ? self->plan.present : NULL,
      .present_paths = changes ? self->plan.present_paths : NULL,
      .prng = &self->pendings->service->prng,
      .steps_max = self->pendings->settings->search_steps_max,
    };
}

/*  Have the algorithm look for a plan on the snapshot. */
static void planning_find (pending_t *self, const moment_t *now)
{
    planning_t *plan = &self->plan;
    finder_order_t order = {.algorithm = plan->algorithm,
                            .pendings = self->pendings,
                            .snapshot = plan->snapshot,
                            .request = &self->request,
                            .actor = self->receipt.actor,
                            .request_id = self->receipt.name.full,
                            .dry_run = self->receipt.dry_run,
                            .begun_wall_ms = self->receipt.begun_wall_ms,
                            .starts = &plan->starts,
                            .search = planning_search_order (self, now),
                            .trail = &self->trail,
                            .ended = planning_on_ended,
                            .owner = self};
    order.search.spread = self->rounds.contended && self->operation == OPERATION_RESERVE;
    planning_count (plan, self->pendings);
    plan->algorithm->begin (&order, now, &plan->finder);
}

/*  The algorithm begins once everybody has answered, or is not waited for any more. */
static void planning_go_on (pending_t *self, const moment_t *now)
{
    if (self->plan.query || self->plan.lookup)
        return;
    if (self->operation == OPERATION_MODIFY)
        self->plan.check_from_ms = now->wall_ms;
    planning_stage (&self->plan, self->pendings->settings, now->wall_ms,
                    pending_soonest_ms (self, now), self->repair_order);
    planning_find (self, now);
}

/*  Everybody has told what is free: for a plan, or for the reasons why none was found. */
static void planning_on_surveyed (void *owner, const moment_t *now, bool hasty)
{
    pending_t *self = owner;
    availability_query_destroy (&self->plan.query);
    if (self->plan.finder) {
        planning_none (self, now);
        return;
    }
    self->plan.hasty = self->plan.hasty || hasty;
    planning_go_on (self, now);
}

/*  It is known where the files are; or the candidate sites have told how soon they could be there.
 */
static void planning_on_looked_up (void *owner, const moment_t *now)
{
    pending_t *self = owner;
    file_lookup_destroy (&self->plan.lookup);
    if (self->plan.snapshot)
        planning_go_on (self, now);
    else
        planning_begin (self, now);
}

/*  Ask where the files are, or (snapshot) how soon they could be at its sites. False: there is
 *  nobody to ask. */
static bool planning_look_up (planning_t *self, const pendings_t *pendings, const moment_t *now,
                              void *owner)
{
    file_lookup_order_t order = {.service = pendings->service,
                                 .settings = pendings->settings,
                                 .unresponsive = pendings->unresponsive,
                                 .files = self->files,
                                 .count = self->files_count,
                                 .snapshot = self->snapshot};
    if (self->files_count > 0)
        self->lookup = file_lookup_new (&order, now, planning_on_looked_up, owner);
    return self->lookup != NULL;
}

/*  Ask all of the snapshot that were not asked yet what is free. For the reasons, everybody is
 *  waited for. */
static void planning_ask (pending_t *self, const moment_t *now)
{
    const pendings_t *pendings = self->pendings;
    availability_query_order_t order = {
      .snapshot = self->plan.snapshot,
      .starts = self->plan.starts,
      .reservation = self->operation == OPERATION_MODIFY ? self->reservation : "",
      .actor = self->receipt.actor,
      .unresponsive = pendings->unresponsive,
      .patient = self->plan.patient || self->plan.finder};
    if (self->plan.algorithm->ask)
        self->plan.algorithm->ask (pendings->settings, &order);
    self->plan.query = availability_query_new (pendings->service, pendings->settings, now, &order,
                                               planning_on_surveyed, self);
}

/*  Ask the candidates that have not been asked yet. */
static void ask_round (pending_t *self, const moment_t *now)
{
    planning_t *plan = &self->plan;
    planning_clear_search (plan);
    lessons_apply (&plan->lessons, plan->snapshot);
    if (self->operation == OPERATION_MODIFY)
        candidates_present (self->base.locate, plan->snapshot, now->wall_ms, plan->present,
                            &plan->present_paths);
    if (self->repair_order)
        repair_attempt_narrow (self->repair_order, plan->snapshot, plan->present);
    planning_count (plan, self->pendings);
    bool looks = planning_look_up (plan, self->pendings, now, self);
    if (!plan->algorithm->asks_itself)
        planning_ask (self, now);
    else if (!looks)
        planning_find (self, now);
}

/*  No plan was found: ask about the next places that have not been asked about yet, and plan again.
 *  False: there are none left, or as many as may be were asked. */
static bool planning_ask_on (pending_t *self, const moment_t *now)
{
    planning_t *plan = &self->plan;
    snapshot_t *snapshot = plan->snapshot;
    uint32_t most = self->pendings->settings->asked_max;
    if (!widen_to_all (snapshot)) {
        bool more = snapshot->outside_ms < INT64_MAX;
        for (size_t i = 0; i < snapshot->asked_count; i++)
            more = more || need_unasked (&snapshot->needs [i]) > 0;
        if (!more || plan->places_most >= most)
            return false;
        plan->places_most = plan->places_most * 2 > most ? most : plan->places_most * 2;
        service_count (self->pendings->service, "asked_on", 1);
        planning_clear_search (plan);
        candidates_order_t order = planning_candidates (self, now);
        candidates_add_sites (&order, snapshot);
        snapshot_join (snapshot);
    }
    ask_round (self, now);
    return true;
}

/*  Does the plan stand on answers? If it needs somebody who was put off, or a place outside the
 *  snapshot may allow an earlier start, ask them and plan again: true. */
static bool planning_confirm (pending_t *self, const moment_t *now, const choice_t *choice)
{
    const planning_t *plan = &self->plan;
    if (!plan->algorithm->supposes)
        return false;
    if (widen_to_plan (plan->snapshot, choice)) {
        service_count (self->pendings->service, "plans_confirmed", 1);
        ask_round (self, now);
        return true;
    }
    int64_t soonest_ms = search_order (plan->algorithm->search (plan->finder))->soonest_ms;
    return widen_misses (plan->snapshot, choice, soonest_ms) && planning_ask_on (self, now);
}

/*  --- what follows from a search --- */

explanation_t planning_explanation (pending_t *self, const moment_t *now)
{
    const algorithm_t *algorithm = self->plan.algorithm;
    return (explanation_t){.request = &self->request,
                           .snapshot = self->plan.snapshot,
                           .search = self->plan.finder && algorithm->search
                                       ? algorithm->search (self->plan.finder)
                                       : self->plan.search,
                           .directory = directory_of (self->pendings->service),
                           .settings = self->pendings->settings,
                           .starts = self->plan.starts,
                           .soonest_ms = pending_soonest_ms (self, now),
                           .changes = self->operation != OPERATION_RESERVE,
                           .proven = self->plan.found == FINDER_NONE,
                           .unheard = self->rounds.unheard,
                           .broken = self->plan.found == FINDER_BROKEN,
                           .obstacles = &self->plan.obstacles,
                           .answer = &self->answer};
}

/*  Reasons are searched in slices, too, because a request may have many needs. */
static void on_examine (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    const algorithm_t *algorithm = self->plan.algorithm;
    self->pause_timer = 0;
    explanation_t explanation = planning_explanation (self, now);
    if (!explanation_examine (&explanation)) {
        self->pause_timer =
          timers_set (self->pendings->service->timers, now->mono_ms + 1, on_examine, self, 0);
        return;
    }
    self->answer.reasons_count = 0;
    self->answer.alternatives_count = 0;
    algorithm->explain (self->plan.finder, &self->answer);
    explanation_tell (&explanation);
    if (algorithm->explain_rest)
        algorithm->explain_rest (self->plan.finder, &self->answer);
    /* A change depends on where the reservation is now, so it is offered no alternatives; a busy
     * planner offers them to dry runs alone. */
    candidates_order_t candidates = planning_candidates (self, now);
    if (self->operation == OPERATION_RESERVE &&
        (self->receipt.dry_run || ordered_count (self->pendings->open) <= BUSY))
        explanation_seek_alternatives (&explanation, &candidates,
                                       planning_search_order (self, now));
    pending_go (self, now, explanation_in_doubt (&explanation) ? STEP_DOUBT : STEP_GIVE_UP);
}

/*  What is known has no room for the request. If the query did not wait for suspects, ask again
 *  and wait for them. If other requests competed, what they held may be free by now: let go of our
 *  own holds and plan once more; what is only on its way to others does not count then. Else give
 *  the reasons. */
static void planning_none (pending_t *self, const moment_t *now)
{
    finder_end_t found = self->plan.found;
    /* A change is located again, so that the time it takes effect is computed from now. */
    pending_step_t anew = self->operation == OPERATION_MODIFY ? STEP_LOCATE : STEP_PLAN;
    if (!self->plan.algorithm->search) {
        search_order_t order = planning_search_order (self, now);
        self->plan.search = search_new (self->plan.snapshot, &order);
    }
    if (planning_ask_on (self, now))
        return;
    if (self->plan.hasty && found != FINDER_UNKNOWN) {
        self->plan.patient = true;
        pending_pause (self, now, 1, anew);
        return;
    }
    if (found == FINDER_NONE && (self->rounds.contended || self->plan.crowded) &&
        self->rounds.count < self->pendings->settings->attempts_max) {
        self->rounds.contended = !self->rounds.contended;
        self->plan.alone = true;
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
        pending_pause (self, now, self->rounds.count, anew);
        return;
    }
    explanation_t explanation = planning_explanation (self, now);
    explanation_examine_anew (&explanation);
    on_examine (self, now, 0);
}

/*  Ask everybody once more, for the reasons. Our holds are aborted first: the query would count
 *  them as taken. */
static void planning_ask_all (pending_t *self, const moment_t *now)
{
    const pendings_t *pendings = self->pendings;
    const planning_t *plan = &self->plan;
    if (pendings->settings->backtrack_terse || plan->starts.earliest_ms > plan->starts.latest_ms) {
        plan->algorithm->explain (plan->finder, &self->answer);
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    trail_abort (&self->trail, pendings->coordinator, now, NULL, self->receipt.name.home);
    planning_ask (self, now);
}

/*  There is a plan: a dry run tells it, any other request puts it to the vote. */
static void planning_found (pending_t *self, const moment_t *now, choice_t choice)
{
    const planning_t *plan = &self->plan;
    if (self->receipt.dry_run) {
        self->answer.reasons_count = 0;
        answer_of_choice (&self->request, plan->snapshot, &choice, &self->answer);
        pending_tell (self, now, ANSWER_PLANNED);
        return;
    }
    do
        if (pending_propose (self, now, &choice)) {
            pending_go (self, now, STEP_VOTE);
            return;
        }
    while (plan->algorithm->next && plan->algorithm->next (plan->finder, &choice));
    pending_go (self, now, STEP_GIVE_UP);
}

static void planning_on_ended (void *owner, const moment_t *now, finder_end_t found,
                               const choice_t *choice)
{
    pending_t *self = owner;
    if (found == FINDER_FOUND) {
        if (!planning_confirm (self, now, choice))
            planning_found (self, now, *choice);
        return;
    }
    self->plan.found = found;
    if (!self->plan.algorithm->asks_itself) {
        planning_none (self, now);
        return;
    }
    self->answer.reasons_count = 0;
    if (found == FINDER_LATE || !planning_ask_on (self, now))
        planning_ask_all (self, now);
}

bool planning_next (planning_t *self, answer_t *answer)
{
    const algorithm_t *algorithm = self->algorithm;
    if (!algorithm->next)
        return !algorithm->one_round;
    if (algorithm->next (self->finder, &self->choice))
        return true;
    answer_reason (answer, "", "", "%s: no other plan on its list is possible any more",
                   algorithm->name);
    return false;
}

void pending_next (pending_t *self, const moment_t *now)
{
    planning_t *plan = &self->plan;
    if (plan->algorithm->next) {
        planning_found (self, now, plan->choice);
    } else if (self->rounds.count < QUERY_ROUND) {
        planning_clear_search (plan);
        planning_find (self, now);
    } else { /* the query would count our own holds as taken */
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
        pending_go (self, now, STEP_PLAN);
    }
}

/*  Tell the request what plans need to know of each file, and say what follows. Without a file that
 *  nobody has there is no plan. One that nobody was heard to have, while somebody was silent, may
 *  be there all the same. */
static pending_step_t learn_files (user_request_t *request, const file_places_t *files,
                                   answer_t *answer)
{
    pending_step_t step = STEP_PLAN;
    for (size_t i = 0; i < request->data_count; i++) {
        if (!files [i].nowhere)
            continue;
        step = STEP_GIVE_UP;
        answer_reason (answer, request->data [i].id, "data",
                       "data[%zu].file: no site has a file %.120s", i, files [i].name);
    }
    for (size_t i = 0; i < request->data_count && step != STEP_GIVE_UP; i++) {
        request->data [i].size = files [i].size;
        memcpy (request->data [i].digest, files [i].digest, DIGEST_BYTES);
        if (files [i].known)
            continue;
        step = STEP_DOUBT;
        answer_reason (answer, request->data [i].id, "data",
                       "data[%zu].file: where %.120s is can't be told now: who could have it "
                       "does not answer",
                       i, files [i].name);
    }
    return step;
}

/*  Plan, now that it is known where the files are. */
static void planning_begin (pending_t *self, const moment_t *now)
{
    pending_step_t step = learn_files (&self->request, self->plan.files, &self->answer);
    if (step != STEP_PLAN) {
        pending_go (self, now, step);
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
    widen_first (self->plan.snapshot, self->pendings->settings->candidates_first);
    self->close.keep_until_ms = self->plan.starts.latest_ms + user_request_span (&self->request);
    ask_round (self, now);
}

void pending_plan (pending_t *self, const moment_t *now)
{
    char why [WHY_BYTES];
    planning_clear (&self->plan);
    self->plan.hasty = self->plan.crowded = false;
    self->plan.alone = self->plan.alone || self->operation != OPERATION_RESERVE;
    self->plan.counted = self->pendings->recents.count;
    self->plan.places_most = self->pendings->settings->candidates_max;
    /* A change without a window keeps its start, which may have passed: change.c has set it. */
    if (!self->plan.keeps_start &&
        !user_request_resolve (&self->request, self->pendings->settings,
                               self->receipt.begun_wall_ms, &self->plan.starts, why)) {
        answer_reason (&self->answer, "", "", "%s", why);
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    self->plan.files_count = self->request.data_count;
    self->plan.files = file_places_new (self->plan.files_count);
    for (size_t i = 0; i < self->plan.files_count; i++)
        memcpy (self->plan.files [i].name, self->request.data [i].file,
                sizeof self->plan.files [i].name);
    if (!planning_look_up (&self->plan, self->pendings, now, self))
        planning_begin (self, now);
}
