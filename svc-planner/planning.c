/*  planning - from a request to a plan: candidates from the directory, one survey, the search in
 *  slices.
 *
 *  The directory only says who is worth asking (T16); what is free the sites themselves say, and
 *  what is promised only their votes do.
 */
#include "errand.h"
#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VOTE_MS 1000 /* a plan must be votable for so long before its edge */

/*  Networks and data come with services that this federation has none of yet. */
static bool has_services (errand_t *self)
{
    const user_request_t *request = &self->request;
    for (size_t i = 0; i < request->network_count; i++) {
        reason_t *reason =
          answer_reason (&self->answer, request->network [i].ends [0], "network",
                         "no network domains in this federation: %s and %s can't be linked",
                         request->network [i].ends [0], request->network [i].ends [1]);
        reason->wanted = request->network [i].mbps;
    }
    for (size_t i = 0; i < request->data_count; i++)
        answer_reason (&self->answer, request->data [i].at, "data",
                       "no replica services in this federation: %.120s can't be brought to %s",
                       request->data [i].file, request->data [i].at);
    return request->network_count == 0 && request->data_count == 0;
}

/*  --- candidates --- */

/*  The sites in random order: equal ones are tried equally, and many planners at once don't all
 *  run for the same. */
static const directory_entry_t **shuffled_sites (errand_t *self, size_t *count)
{
    service_t *service = self->planner->service;
    const directory_entry_t **sites = NULL;
    size_t room = 0;
    *count = 0;
    const directory_entry_t *entry = directory_next (service->directory, "lis", NULL);
    for (; entry; entry = directory_next (service->directory, "lis", entry)) {
        if (!entry->site)
            continue;
        if (*count == room) {
            room = room ? 2 * room : 16;
            sites = must (realloc (sites, room * sizeof *sites));
        }
        sites [(*count)++] = entry;
    }
    for (size_t i = *count; i > 1; i--) {
        size_t other = prng_below (&service->prng, i);
        const directory_entry_t *kept = sites [i - 1];
        sites [i - 1] = sites [other];
        sites [other] = kept;
    }
    return sites;
}

static int64_t price_least (const directory_entry_t *entry)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < entry->site->classes_count; i++)
        if (entry->site->classes [i].price < least)
            least = entry->site->classes [i].price;
    return least;
}

static int compare_prices (const void *a, const void *b)
{
    int64_t first = price_least (*(const directory_entry_t *const *) a);
    int64_t second = price_least (*(const directory_entry_t *const *) b);
    return (first > second) - (first < second);
}

static void find_candidates (errand_t *self)
{
    size_t count;
    const directory_entry_t **sites = shuffled_sites (self, &count);
    if (user_request_policy (&self->request) == POLICY_COST && count > 1)
        qsort (sites, count, sizeof *sites, compare_prices);
    self->snapshot = snapshot_new (&self->request);
    /* Where the reservation is now comes first: it must not fall to the limit. */
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            bool present = false;
            for (size_t p = 0; self->locate && p < locate_count (self->locate); p++)
                present = present || (locate_part (self->locate, p)->known &&
                                      strcmp (locate_part (self->locate, p)->party.name,
                                              sites [i]->name) == 0);
            if (present == (round == 0))
                snapshot_consider (self->snapshot, sites [i],
                                   self->planner->settings.candidates_max);
        }
    }
    free (sites);
}

static void apply_lesson (snapshot_t *snapshot, const site_lesson_t *lesson)
{
    size_t site = snapshot_source (snapshot, lesson->name);
    if (site == SIZE_MAX)
        return;
    if (lesson->lead_ms > snapshot->sources [site].lead_ms)
        snapshot->sources [site].lead_ms = lesson->lead_ms;
    if (lesson->left_out)
        snapshot_leave_out (snapshot, site, lesson->why);
}

void errand_learn_site (errand_t *self, size_t site, int64_t lead_ms, const char *why)
{
    const char *name = self->snapshot->sources [site].party.name;
    size_t at = 0;
    while (at < self->lessons_count && strcmp (self->lessons [at].name, name) != 0)
        at++;
    if (at == SITE_LESSONS_MAX)
        at--; /* the last one makes room: it costs a round at most */
    else if (at == self->lessons_count)
        self->lessons [self->lessons_count++] = (site_lesson_t){0};
    site_lesson_t *lesson = &self->lessons [at];
    snprintf (lesson->name, sizeof lesson->name, "%s", name);
    if (lead_ms > lesson->lead_ms)
        lesson->lead_ms = lead_ms;
    if (why) {
        lesson->left_out = true;
        snprintf (lesson->why, sizeof lesson->why, "%s", why);
    }
    apply_lesson (self->snapshot, lesson);
}

/*  Each need that nowhere in the federation could be had, ever. */
static bool possible (errand_t *self)
{
    bool all = true;
    for (size_t i = 0; i < self->request.compute_count; i++) {
        const need_options_t *options = &self->snapshot->needs [i];
        const compute_need_t *need = &self->request.compute [i];
        if (options->options_count > 0)
            continue;
        all = false;
        if (!options->site_known && *need->site) {
            answer_reason (&self->answer, need->id, need->site, "no site '%s' is known",
                           need->site);
        } else if (!options->site_known) {
            answer_reason (&self->answer, need->id, "", "no site is known");
        } else if (!options->class_known) {
            answer_reason (&self->answer, need->id, need->site,
                           "no class of nodes meets its requirements");
        } else {
            reason_t *reason = answer_reason (&self->answer, need->id, need->site,
                                              "no class has %" PRIu32 " CPUs: at most %" PRIu64,
                                              need->cpus, options->cpus_most);
            reason->wanted = need->cpus;
            reason->free = (int64_t) options->cpus_most;
        }
    }
    return all;
}

/*  --- where a changed reservation is now --- */

static size_t need_of (const user_request_t *request, const char *id)
{
    for (size_t i = 0; i < request->compute_count; i++)
        if (strcmp (request->compute [i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

static void find_present (errand_t *self, const moment_t *now)
{
    memset (self->present, 0, sizeof self->present);
    for (size_t p = 0; p < locate_count (self->locate); p++) {
        const located_part_t *part = locate_part (self->locate, p);
        size_t site = part->known ? snapshot_source (self->snapshot, part->party.name) : SIZE_MAX;
        for (size_t b = 0; site != SIZE_MAX && b < part->record.bookings_count; b++) {
            const compute_booking_t *booking = &part->record.bookings [b];
            size_t need = need_of (&self->request, booking->need);
            size_t place = snapshot_place (self->snapshot, site, booking->class_name);
            if (need == SIZE_MAX || place == SIZE_MAX)
                continue;
            self->present [need] =
              (present_t){.set = true, .pinned = booking->from_ms <= now->wall_ms, .place = place};
        }
    }
}

/*  --- search --- */

static void explain_short (errand_t *self, size_t need, size_t place, int64_t nodes)
{
    const compute_need_t *wanted = &self->request.compute [need];
    char resource [2 * NAME_BYTES_MAX + 2] = "";
    int64_t cpus = 0;
    if (place != SIZE_MAX) {
        const place_t *at = &self->snapshot->places [place];
        const source_t *site = &self->snapshot->sources [at->source];
        snprintf (resource, sizeof resource, "%s/%s", party_short_name (site->party.name),
                  at->class_name);
        cpus = nodes * at->cpus_per_node;
    }
    reason_t *reason = answer_reason (
      &self->answer, wanted->id, resource,
      "%" PRIu32 " CPUs are nowhere free for %" PRId64 " s in the frame: at most %" PRId64,
      wanted->cpus, need_duration (&self->request, need) / 1000, cpus);
    reason->from_ms = self->starts.earliest_ms + wanted->offset_ms;
    reason->until_ms =
      self->starts.latest_ms + wanted->offset_ms + need_duration (&self->request, need);
    reason->wanted = wanted->cpus;
    reason->free = cpus;
    if (cpus > 0)
        answer_alternative (&self->answer, self->starts.earliest_ms,
                            "need %s with %" PRId64 " CPUs instead of %" PRIu32, wanted->id, cpus,
                            wanted->cpus);
}

/*  Why there is no plan, need by need; and who did not answer. */
static void explain (errand_t *self)
{
    bool alone = true;
    for (size_t i = 0; i < self->request.compute_count; i++) {
        size_t place;
        int64_t nodes;
        if (search_alone (self->search, i, &place, &nodes))
            continue;
        alone = false;
        explain_short (self, i, place, nodes);
    }
    if (alone)
        answer_reason (&self->answer, "", "",
                       "each need could be had alone, but not all at one start%s",
                       self->request.distinct_sites ? " on distinct sites" : "");
    for (size_t i = 0; i < self->snapshot->sources_count; i++)
        if (self->snapshot->sources [i].left_out)
            answer_reason (&self->answer, "", self->snapshot->sources [i].party.name,
                           "left out: %s", self->snapshot->sources [i].why);
}

static void on_replan (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    self->pause_timer = 0;
    errand_plan (self, now);
}

/*  Nothing fits what we know. If some site was not waited for, wait for it. If others were at it
 * too, what they held may be free again by now: then look once more, having let go of our own
 * holds. */
static void not_found (errand_t *self, const moment_t *now)
{
    if (self->hasty) {
        self->patient = true;
        errand_pause (self, now, 1, on_replan);
        return;
    }
    if (self->contended && self->rounds < self->planner->settings.attempts_max) {
        self->contended = false;
        trail_abort (&self->trail, self->planner->coordinator, now, NULL, self->name.home);
        errand_pause (self, now, self->rounds, on_replan);
        return;
    }
    self->answer.reasons_count = 0;
    self->answer.alternatives_count = 0;
    explain (self);
    errand_give_up (self, now);
}

static void found (errand_t *self, const moment_t *now)
{
    if (self->dry_run) {
        self->answer.reasons_count = 0;
        answer_of_choice (self, &self->answer);
        errand_tell (self, now, ANSWER_PLANNED);
        return;
    }
    if (propose_choice (self, now))
        errand_vote (self, now);
    else
        errand_give_up (self, now);
}

static void on_slice (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    const planner_settings_t *settings = &self->planner->settings;
    self->pause_timer = 0;
    switch (search_run (self->search, settings->search_slice_steps)) {
    case SEARCH_MORE:
        /* Not at once: everything else that is due has its turn first. */
        service_count (self->planner->service, "search_slices", 1);
        self->pause_timer =
          timers_set (self->planner->service->timers, now->mono_ms + 1, on_slice, self, 0);
        break;
    case SEARCH_FOUND:
        found (self, now);
        break;
    case SEARCH_NONE:
        not_found (self, now);
        break;
    case SEARCH_UNKNOWN:
        self->answer.reasons_count = 0;
        answer_reason (&self->answer, "", "",
                       "no plan found within search_steps_max = %" PRIu64
                       " steps: whether there is one is unknown",
                       settings->search_steps_max);
        errand_give_up (self, now);
        break;
    }
}

static int64_t magnitude (int64_t value)
{
    return value < 0 ? -value : value;
}

void errand_search (errand_t *self, const moment_t *now)
{
    const planner_settings_t *settings = &self->planner->settings;
    service_t *service = self->planner->service;
    search_order_t order = {
      .starts = self->starts,
      .policy = user_request_policy (&self->request),
      .soonest_ms = timekeeper_most (&service->timekeeper, now) + settings->guard_ms + VOTE_MS +
                    magnitude (directory_skew_ms (service->directory)),
      .check_from_ms = self->check_from_ms,
      .present = self->kind == ERRAND_MODIFY ? self->present : NULL,
      .steps_max = settings->search_steps_max,
    };
    search_destroy (&self->search);
    self->search = search_new (self->snapshot, &order, &service->prng);
    on_slice (self, now, 0);
}

static void on_surveyed (void *owner, const moment_t *now, bool hasty)
{
    errand_t *self = owner;
    self->hasty = hasty;
    survey_destroy (&self->survey);
    if (self->kind == ERRAND_MODIFY)
        self->check_from_ms = now->wall_ms;
    errand_search (self, now);
}

/*  The frame in wall time; a change without a window keeps its start, and that may have passed. */
static bool resolve (errand_t *self)
{
    char why [WHY_BYTES];
    if (self->kind == ERRAND_MODIFY && !self->patch.window_set)
        return true; /* modify.c has set it */
    if (user_request_resolve (&self->request, &self->planner->settings, self->begun_wall_ms,
                              &self->starts, why))
        return true;
    answer_reason (&self->answer, "", "", "%s", why);
    return false;
}

void errand_plan (errand_t *self, const moment_t *now)
{
    errand_clear_planning (self);
    if (!has_services (self) || !resolve (self)) {
        errand_give_up (self, now);
        return;
    }
    find_candidates (self);
    if (!possible (self)) {
        errand_give_up (self, now);
        return;
    }
    for (size_t i = 0; i < self->lessons_count; i++)
        apply_lesson (self->snapshot, &self->lessons [i]);
    if (self->kind == ERRAND_MODIFY)
        find_present (self, now);
    self->keep_until_ms = self->starts.latest_ms + user_request_span (&self->request);
    survey_order_t order = {.snapshot = self->snapshot,
                            .starts = self->starts,
                            .reservation = self->kind == ERRAND_MODIFY ? self->reservation : "",
                            .suspects = &self->planner->suspects,
                            .patient = self->patient};
    self->survey =
      survey_new (self->planner->service, &self->planner->settings, now, &order, on_surveyed, self);
}
