/*  planning - from a request to a plan: find candidates in the directory, ask them in one query,
 *  and run an algorithm on their answers. When it finds no plan, ask more candidates or give
 *  reasons.
 */
#include "planning.h"

#include "candidates.h"
#include "connections.h"
#include "explanation.h"
#include "must.h"
#include "phases.h"
#include "proposal.h"
#include "repair_attempt.h"

#include <stdlib.h>
#include <string.h>

/*  A file can't be brought anywhere yet: no service of the federation does that for a plan. */
static bool has_services (pending_t *self)
{
    const user_request_t *request = &self->request;
    for (size_t i = 0; i < request->data_count; i++)
        answer_reason (
          &self->answer, request->data [i].at, "data",
          "file %.120s can't be brought to %s: this federation has no replica services",
          request->data [i].file, request->data [i].at);
    return request->data_count == 0;
}

/*  --- where a changed reservation is now --- */

static void planning_find_places (pending_t *self, const moment_t *now)
{
    memset (self->plan.present, 0, sizeof self->plan.present);
    for (size_t p = 0; p < self->base.locate->count; p++) {
        const located_part_t *part = &self->base.locate->parts [p];
        size_t site =
          part->known ? snapshot_source (self->plan.snapshot, part->party.name) : SIZE_MAX;
        for (size_t b = 0; site != SIZE_MAX && b < part->record.bookings_count; b++) {
            const compute_booking_t *booking = &part->record.bookings [b];
            size_t need = user_request_need (&self->request, booking->need);
            size_t place = snapshot_place (self->plan.snapshot, site, booking->class_name);
            if (need == SIZE_MAX || place == SIZE_MAX)
                continue;
            bool pinned =
              booking->from_ms <= now->wall_ms || self->request.compute [need].stages.count > 0;
            self->plan.present [need] = (present_t){
              .set = true, .pinned = pinned || self->plan.present [need].pinned, .place = place};
        }
    }
}

/*  A connection that has begun keeps its path. */
static bool planning_has_begun (const part_record_t *const *records, size_t count, const char *need,
                                int64_t wall_ms)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < records [i]->circuits_count; c++)
            if (strcmp (records [i]->circuits [c].need, need) == 0 &&
                records [i]->circuits [c].from_ms <= wall_ms)
                return true;
    return false;
}

static void find_paths (pending_t *self, const moment_t *now)
{
    size_t count = 0, most = self->base.locate->count;
    const part_record_t **records = must (calloc (most + 1, sizeof *records));
    for (size_t p = 0; p < most; p++)
        if (self->base.locate->parts [p].known)
            records [count++] = &self->base.locate->parts [p].record;
    free (self->plan.present_paths);
    self->plan.present_paths =
      must (calloc (self->request.network_count + 1, sizeof *self->plan.present_paths));
    for (size_t i = 0; i < self->request.network_count; i++) {
        const char *need = self->request.network [i].id;
        present_path_t *path = &self->plan.present_paths [i];
        path->set = connection_links (records, count, need, self->plan.snapshot->graph, path->links,
                                      &path->links_count);
        path->pinned = path->set && (self->request.network [i].stages.count > 0 ||
                                     planning_has_begun (records, count, need, now->wall_ms));
    }
    free (records);
}

/*  --- questions --- */

static void planning_on_surveyed (void *owner, const moment_t *now, bool hasty)
{
    pending_t *self = owner;
    self->plan.hasty = self->plan.hasty || hasty;
    availability_query_destroy (&self->plan.query);
    if (self->operation == OPERATION_MODIFY)
        self->plan.check_from_ms = now->wall_ms;
    self->plan.algorithm->start (self, now);
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
    candidates_apply_lessons (self);
    if (self->operation == OPERATION_MODIFY) {
        planning_find_places (self, now);
        find_paths (self, now);
    }
    if (self->repair_order)
        repair_attempt_narrow (self);
    if (self->plan.algorithm->asks_itself) {
        self->plan.algorithm->start (self, now);
        return;
    }
    availability_query_order_t order = {
      .snapshot = self->plan.snapshot,
      .starts = self->plan.starts,
      .reservation = self->operation == OPERATION_MODIFY ? self->reservation : "",
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
    bool more = false;
    for (size_t i = 0; i < self->request.compute_count; i++)
        more = more || need_unasked (&self->plan.snapshot->needs [i]) > 0;
    if (!more || self->plan.places_most >= settings->asked_max)
        return false;
    self->plan.places_most += settings->candidates_max;
    if (self->plan.places_most > settings->asked_max)
        self->plan.places_most = settings->asked_max;
    service_count (self->pendings->service, "asked_on", 1);
    pending_clear_search (self);
    candidates_add_sites (self, self->plan.snapshot);
    snapshot_join (self->plan.snapshot);
    ask_round (self, now);
    return true;
}

/*  --- what follows from a search --- */

/*  A change is located again, so that the time it takes effect is computed from now. */
static pending_step_t replan_step (const pending_t *self)
{
    return self->operation == OPERATION_MODIFY ? STEP_LOCATE : STEP_PLAN;
}

/*  Reasons are searched in slices, too, because a request may have many needs. */
static void on_examine (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    self->pause_timer = 0;
    if (!pending_examine (self)) {
        self->pause_timer =
          timers_set (self->pendings->service->timers, now->mono_ms + 1, on_examine, self, 0);
        return;
    }
    self->answer.reasons_count = 0;
    self->answer.alternatives_count = 0;
    self->plan.algorithm->explain (self);
    pending_explain (self, now);
    if (self->plan.algorithm->explain_rest)
        self->plan.algorithm->explain_rest (self);
    pending_seek_alternatives (self, now);
    if (pending_in_doubt (self) && !self->repair_order)
        pending_go (self, now, STEP_DOUBT);
    else
        pending_go (self, now, STEP_GIVE_UP);
}

static void give_reasons (pending_t *self, const moment_t *now, bool proven)
{
    self->plan.proven = proven;
    pending_examine_anew (self);
    on_examine (self, now, 0);
}

/*  What is known has no room for the request. If the query did not wait for suspects, ask again
 *  and wait for them. If other requests competed, what they held may be free by now: let go of our
 *  own holds and plan once more. */
void planning_none (pending_t *self, const moment_t *now, bool proven)
{
    if (planning_ask_on (self, now))
        return;
    if (self->plan.hasty) {
        self->plan.patient = true;
        pending_pause (self, now, 1, replan_step (self));
        return;
    }
    if (proven && self->vote.contended &&
        self->vote.rounds < self->pendings->settings->attempts_max) {
        self->vote.contended = false;
        trail_abort (&self->trail, self->pendings->coordinator, now, NULL, self->receipt.name.home);
        pending_pause (self, now, self->vote.rounds, replan_step (self));
        return;
    }
    give_reasons (self, now, proven);
}

void planning_unknown (pending_t *self, const moment_t *now)
{
    if (!planning_ask_on (self, now))
        give_reasons (self, now, false);
}

void planning_found (pending_t *self, const moment_t *now)
{
    const algorithm_t *algorithm = self->plan.algorithm;
    if (self->receipt.dry_run) {
        self->answer.reasons_count = 0;
        answer_of_choice (self, &self->answer);
        pending_tell (self, now, ANSWER_PLANNED);
        return;
    }
    do
        if (propose (self, now)) {
            pending_go (self, now, STEP_VOTE);
            return;
        }
    while (algorithm->next && algorithm->next (self));
    pending_go (self, now, STEP_GIVE_UP);
}

void pending_plan (pending_t *self, const moment_t *now)
{
    pending_clear_planning (self);
    self->plan.hasty = false;
    self->plan.places_most = self->pendings->settings->candidates_max;
    if (!has_services (self) || !planning_resolve (self)) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    self->plan.snapshot = candidates_snapshot (self, &self->request);
    candidates_log_conflicts (self);
    /* A dry run goes on, to name every need that is in the way. */
    if (!pending_possible (self) && !self->receipt.dry_run) {
        pending_go (self, now, STEP_GIVE_UP);
        return;
    }
    self->close.keep_until_ms = self->plan.starts.latest_ms + user_request_span (&self->request);
    ask_round (self, now);
}
