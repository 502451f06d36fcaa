/*  planning - from a request to a plan: candidates from the directory, one survey, the search in
 *  slices.
 *
 *  The directory only says who is worth asking (T16); what is free the sites themselves say, and
 *  what is promised only their votes do.
 */
#include "connections.h"
#include "directory.h"
#include "errand.h"
#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFLICTS_LOGGED_MAX 16 /* disagreements of domains; the rest is counted */

/*  Data come with services that this federation has none of yet. */
static bool has_services (errand_t *self)
{
    const user_request_t *request = &self->request;
    for (size_t i = 0; i < request->data_count; i++)
        answer_reason (&self->answer, request->data [i].at, "data",
                       "no replica services in this federation: %.120s can't be brought to %s",
                       request->data [i].file, request->data [i].at);
    return request->data_count == 0;
}

/*  --- candidates --- */

/*  The sites in random order: equal ones are tried equally, and many planners at once don't all
 *  run for the same. */
static const directory_entry_t **shuffled_sites (errand_t *self, size_t *count)
{
    service_t *service = self->errands->service;
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

static bool present_at (const errand_t *self, const directory_entry_t *entry)
{
    for (size_t p = 0; self->locate && p < locate_count (self->locate); p++)
        if (locate_part (self->locate, p)->known &&
            strcmp (locate_part (self->locate, p)->party.name, entry->name) == 0)
            return true;
    return false;
}

static void add_domains (errand_t *self, snapshot_t *snapshot)
{
    const directory_t *directory = self->errands->service->directory;
    const directory_entry_t *entry = directory_next (directory, "nis", NULL);
    for (; entry; entry = directory_next (directory, "nis", entry))
        if (entry->domain)
            snapshot_consider_domain (snapshot, entry);
    snapshot_join (snapshot);
}

/*  The next sites, up to places_most places a need. */
static void add_sites (errand_t *self, snapshot_t *snapshot)
{
    size_t count;
    const directory_entry_t **sites = shuffled_sites (self, &count);
    if (user_request_policy (snapshot->request) == POLICY_COST && count > 1)
        qsort (sites, count, sizeof *sites, compare_prices);
    for (size_t i = 0; i < snapshot->request->compute_count; i++)
        snapshot->needs [i].could = 0;
    /* Where the reservation is now comes first: it must not fall to the limit. */
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < count; i++)
            if (present_at (self, sites [i]) == (round == 0))
                snapshot_consider (snapshot, sites [i], self->places_most);
    free (sites);
}

snapshot_t *errand_candidates (errand_t *self, const user_request_t *request)
{
    snapshot_t *snapshot = snapshot_new (request);
    add_sites (self, snapshot);
    if (request->network_count > 0)
        add_domains (self, snapshot);
    return snapshot;
}

/*  Domains that describe one point differently: a word to the operators, once until it changes. */
static void log_conflicts (errand_t *self)
{
    errands_t *errands = self->errands;
    const graph_t *graph = self->snapshot->graph;
    size_t count = graph ? graph_conflicts (graph) : 0, size = 0;
    char *all = NULL;
    if (!graph)
        return;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen (graph_conflict (graph, i)) + 1;
        all = must (realloc (all, size + length));
        memcpy (all + size, graph_conflict (graph, i), length);
        size += length;
        all [size - 1] = i + 1 < count ? '\n' : '\0';
    }
    bool same = all && errands->conflicts ? strcmp (all, errands->conflicts) == 0
                                          : !all && !errands->conflicts;
    for (size_t i = 0; !same && i < count && i < CONFLICTS_LOGGED_MAX; i++)
        outbox_log (errands->service->outbox, LEVEL_WARNING,
                    "domains disagree, no path crosses between them there: %s",
                    graph_conflict (graph, i));
    if (!same && count > CONFLICTS_LOGGED_MAX)
        outbox_log (errands->service->outbox, LEVEL_WARNING, "domains disagree at %zu points more",
                    count - CONFLICTS_LOGGED_MAX);
    free (errands->conflicts);
    errands->conflicts = all;
}

static void apply_lesson (snapshot_t *snapshot, const source_lesson_t *lesson)
{
    size_t source = snapshot_source (snapshot, lesson->name);
    if (source == SIZE_MAX)
        return;
    if (lesson->lead_ms > snapshot->sources [source].lead_ms)
        snapshot->sources [source].lead_ms = lesson->lead_ms;
    if (lesson->left_out)
        snapshot_leave_out (snapshot, source, lesson->why);
}

void errand_learn_source (errand_t *self, size_t source, int64_t lead_ms, const char *why)
{
    const char *name = self->snapshot->sources [source].party.name;
    size_t at = 0;
    while (at < self->lessons_count && strcmp (self->lessons [at].name, name) != 0)
        at++;
    if (at == LESSONS_MAX)
        at--; /* the last one makes room: it costs a round at most */
    else if (at == self->lessons_count)
        self->lessons [self->lessons_count++] = (source_lesson_t){0};
    source_lesson_t *lesson = &self->lessons [at];
    snprintf (lesson->name, sizeof lesson->name, "%s", name);
    if (lead_ms > lesson->lead_ms)
        lesson->lead_ms = lead_ms;
    if (why) {
        lesson->left_out = true;
        snprintf (lesson->why, sizeof lesson->why, "%s", why);
    }
    apply_lesson (self->snapshot, lesson);
}

/*  --- where a changed reservation is now --- */

static void find_places (errand_t *self, const moment_t *now)
{
    memset (self->present, 0, sizeof self->present);
    for (size_t p = 0; p < locate_count (self->locate); p++) {
        const located_part_t *part = locate_part (self->locate, p);
        size_t site = part->known ? snapshot_source (self->snapshot, part->party.name) : SIZE_MAX;
        for (size_t b = 0; site != SIZE_MAX && b < part->record.bookings_count; b++) {
            const compute_booking_t *booking = &part->record.bookings [b];
            size_t need = user_request_need (&self->request, booking->need);
            size_t place = snapshot_place (self->snapshot, site, booking->class_name);
            if (need == SIZE_MAX || place == SIZE_MAX)
                continue;
            bool pinned =
              booking->from_ms <= now->wall_ms || self->request.compute [need].stages.count > 0;
            self->present [need] = (present_t){
              .set = true, .pinned = pinned || self->present [need].pinned, .place = place};
        }
    }
}

/*  Does the connection carry already? Then it keeps its path. */
static bool has_begun (const part_record_t *const *records, size_t count, const char *need,
                       int64_t wall_ms)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < records [i]->circuits_count; c++)
            if (strcmp (records [i]->circuits [c].need, need) == 0 &&
                records [i]->circuits [c].from_ms <= wall_ms)
                return true;
    return false;
}

static void find_paths (errand_t *self, const moment_t *now)
{
    size_t count = 0, most = locate_count (self->locate);
    const part_record_t **records = must (calloc (most + 1, sizeof *records));
    for (size_t p = 0; p < most; p++)
        if (locate_part (self->locate, p)->known)
            records [count++] = &locate_part (self->locate, p)->record;
    free (self->present_paths);
    self->present_paths =
      must (calloc (self->request.network_count + 1, sizeof *self->present_paths));
    for (size_t i = 0; i < self->request.network_count; i++) {
        const char *need = self->request.network [i].id;
        present_path_t *path = &self->present_paths [i];
        path->set = connection_links (records, count, need, self->snapshot->graph, path->links,
                                      &path->links_count);
        path->pinned = path->set && (self->request.network [i].stages.count > 0 ||
                                     has_begun (records, count, need, now->wall_ms));
    }
    free (records);
}

/*  --- what follows from a search --- */

static void on_replan (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    self->pause_timer = 0;
    if (self->kind == ERRAND_MODIFY)
        errand_locate (self, now); /* when a change takes effect is reckoned anew */
    else
        errand_plan (self, now);
}

/*  The reasons are looked for in slices, too: a request may have many needs. */
static void on_examine (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    self->pause_timer = 0;
    if (!errand_examine (self)) {
        self->pause_timer =
          timers_set (self->errands->service->timers, now->mono_ms + 1, on_examine, self, 0);
        return;
    }
    self->answer.reasons_count = 0;
    self->answer.alternatives_count = 0;
    if (self->ranking)
        errand_explain_ranking (self);
    else if (self->backtracking)
        errand_explain_backtracking (self);
    else if (!self->proven)
        answer_reason (&self->answer, "", "",
                       "no plan found within search_steps_max = %" PRIu64
                       " steps: whether there is one is unknown",
                       self->errands->settings->search_steps_max);
    errand_explain (self, now);
    if (self->backtracking)
        errand_explain_hindrances (self);
    errand_seek_alternatives (self, now);
    if (errand_in_doubt (self) && !self->mend)
        errand_tell_unknown (self, now);
    else
        errand_give_up (self, now);
}

static void give_reasons (errand_t *self, const moment_t *now, bool proven)
{
    self->proven = proven;
    errand_examine_anew (self);
    on_examine (self, now, 0);
}

/*  Nothing fits what we know. If some site was not waited for, wait for it. If others were at it
 * too, what they held may be free again by now: then look once more, having let go of our own
 * holds. */
void errand_not_found (errand_t *self, const moment_t *now, bool proven)
{
    if (errand_ask_on (self, now))
        return;
    if (self->hasty) {
        self->patient = true;
        errand_pause (self, now, 1, on_replan);
        return;
    }
    if (proven && self->contended && self->rounds < self->errands->settings->attempts_max) {
        self->contended = false;
        trail_abort (&self->trail, self->errands->coordinator, now, NULL, self->name.home);
        errand_pause (self, now, self->rounds, on_replan);
        return;
    }
    give_reasons (self, now, proven);
}

void errand_found (errand_t *self, const moment_t *now)
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
    const planner_settings_t *settings = self->errands->settings;
    self->pause_timer = 0;
    switch (search_run (self->search, settings->search_slice_steps)) {
    case SEARCH_MORE:
        /* Not at once: everything else that is due has its turn first. */
        service_count (self->errands->service, "search_slices", 1);
        self->pause_timer =
          timers_set (self->errands->service->timers, now->mono_ms + 1, on_slice, self, 0);
        break;
    case SEARCH_FOUND:
        errand_found (self, now);
        break;
    case SEARCH_NONE:
        errand_not_found (self, now, true);
        break;
    case SEARCH_UNKNOWN:
        if (!errand_ask_on (self, now))
            give_reasons (self, now, false);
        break;
    }
}

static int64_t magnitude (int64_t value)
{
    return value < 0 ? -value : value;
}

int64_t errand_soonest_ms (const errand_t *self, const moment_t *now)
{
    const service_t *service = self->errands->service;
    return timekeeper_most (&service->timekeeper, now) + self->errands->settings->guard_ms +
           self->votable_ms + magnitude (directory_skew_ms (service->directory));
}

search_order_t errand_search_order (const errand_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->errands->settings;
    policy_t policy = user_request_policy (&self->request);
    return (search_order_t){
      .starts = self->starts,
      .policy = policy == POLICY_QUALITY ? POLICY_TIME : policy, /* quality is ip's */
      .soonest_ms = errand_soonest_ms (self, now),
      .check_from_ms = self->check_from_ms,
      .present = self->kind == ERRAND_MODIFY ? self->present : NULL,
      .present_paths = self->kind == ERRAND_MODIFY ? self->present_paths : NULL,
      .prng = &self->errands->service->prng,
      .steps_max = settings->search_steps_max,
    };
}

void errand_search (errand_t *self, const moment_t *now)
{
    search_order_t order = errand_search_order (self, now);
    order.spread = self->contended && self->kind == ERRAND_RESERVE;
    search_destroy (&self->search);
    self->search = search_new (self->snapshot, &order);
    on_slice (self, now, 0);
}

static void on_surveyed (void *owner, const moment_t *now, bool hasty)
{
    errand_t *self = owner;
    self->hasty = self->hasty || hasty;
    survey_destroy (&self->survey);
    if (self->kind == ERRAND_MODIFY)
        self->check_from_ms = now->wall_ms;
    if (errand_programmed (self))
        errand_rank (self, now);
    else
        errand_search (self, now);
}

/*  The frame in wall time; a change without a window keeps its start, and that may have passed. */
static bool resolve (errand_t *self)
{
    char why [WHY_BYTES];
    if (self->keeps_start)
        return true; /* change.c has set it */
    if (user_request_resolve (&self->request, self->errands->settings, self->begun_wall_ms,
                              &self->starts, why))
        return true;
    answer_reason (&self->answer, "", "", "%s", why);
    return false;
}

/*  Ask those candidates that were not asked yet. */
static void ask_round (errand_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->lessons_count; i++)
        apply_lesson (self->snapshot, &self->lessons [i]);
    if (self->kind == ERRAND_MODIFY) {
        find_places (self, now);
        find_paths (self, now);
    }
    if (self->mend)
        errand_mend_narrow (self);
    if (errand_faithful (self)) {
        errand_backtrack (self, now);
        return;
    }
    survey_order_t order = {.snapshot = self->snapshot,
                            .starts = self->starts,
                            .reservation = self->kind == ERRAND_MODIFY ? self->reservation : "",
                            .suspects = self->errands->suspects,
                            .patient = self->patient};
    if (errand_programmed (self))
        errand_ask_programs (self, &order);
    self->survey =
      survey_new (self->errands->service, self->errands->settings, now, &order, on_surveyed, self);
}

bool errand_ask_on (errand_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->errands->settings;
    bool more = false;
    for (size_t i = 0; i < self->request.compute_count; i++)
        more = more || need_unasked (&self->snapshot->needs [i]) > 0;
    if (!more || self->places_most >= settings->asked_max)
        return false;
    self->places_most += settings->candidates_max;
    if (self->places_most > settings->asked_max)
        self->places_most = settings->asked_max;
    service_count (self->errands->service, "asked_on", 1);
    errand_clear_search (self);
    add_sites (self, self->snapshot);
    snapshot_join (self->snapshot);
    ask_round (self, now);
    return true;
}

void errand_plan (errand_t *self, const moment_t *now)
{
    errand_clear_planning (self);
    self->hasty = false;
    self->places_most = self->errands->settings->candidates_max;
    if (!has_services (self) || !resolve (self)) {
        errand_give_up (self, now);
        return;
    }
    self->snapshot = errand_candidates (self, &self->request);
    log_conflicts (self);
    /* Who only asks is told of every need that is in the way. */
    if (!errand_possible (self) && !self->dry_run) {
        errand_give_up (self, now);
        return;
    }
    self->keep_until_ms = self->starts.latest_ms + user_request_span (&self->request);
    ask_round (self, now);
}
