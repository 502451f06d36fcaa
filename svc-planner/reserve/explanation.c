/*  explanation - why there is no plan, need by need: what is short and when, which sources were
 *  left out, and where domains disagree.
 */
#include "explanation.h"

#include "connections.h"
#include "domain_conflicts.h"
#include "must.h"
#include "participant_ref.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CONFLICTS_TOLD_MAX 4
#define EXAMINED_AT_ONCE   8 /* network needs in one slice: each takes a search */

/*  "ams/thin", "ams/disk-1". */
static void place_resource (const snapshot_t *snapshot, size_t place,
                            char resource [RESOURCE_BYTES])
{
    const site_class_t *at = &snapshot->places [place];
    snprintf (resource, RESOURCE_BYTES, "%s/%s",
              participant_ref_short_name (snapshot->sources [at->source].party.name),
              at->class_name);
}

/*  --- needs that can never be met --- */

static void explain_no_site (explanation_t *self, const compute_need_t *need)
{
    char name [2 * NAME_BYTES_MAX], since [TIMETEXT_BYTES];
    snprintf (name, sizeof name, "lis/%s", need->site);
    const absence_t *absent = directory_absent (self->directory, name);
    if (absent)
        answer_reason (self->answer, need->id, need->site, "site '%s' %s %s", need->site,
                       absent->stopped ? "stopped at" : "is silent since",
                       timetext_format (absent->since_ms / 1000 * 1000, since));
    else
        answer_reason (self->answer, need->id, need->site, "no site '%s' is known", need->site);
}

static void explain_no_class (explanation_t *self, size_t at)
{
    const need_options_t *options = &self->snapshot->needs [at];
    const compute_need_t *need = &self->request->compute [at];
    if (!options->site_known && *need->site) {
        explain_no_site (self, need);
    } else if (!options->site_known) {
        answer_reason (self->answer, need->id, "", "no site is known");
    } else if (!options->class_known) {
        answer_reason (self->answer, need->id, need->site,
                       "no class of nodes meets its requirements");
    } else {
        reason_t *reason = answer_reason (self->answer, need->id, need->site,
                                          "no class has %" PRIu32 " CPUs: the largest has %" PRIu64,
                                          need->cpus, options->cpus_most);
        reason->wanted = need->cpus;
        reason->free = (int64_t) options->cpus_most;
    }
}

static bool has_option_at (const snapshot_t *snapshot, size_t need, size_t source)
{
    for (size_t i = 0; i < snapshot->needs [need].options_count; i++)
        if (snapshot->places [snapshot->needs [need].options [i].place].source == source)
            return true;
    return false;
}

/*  Could both ends be at one site, where they need no network? */
static bool may_be_local (const explanation_t *self, size_t at)
{
    const snapshot_t *snapshot = self->snapshot;
    size_t ends [2] = {network_need_end (snapshot->request, at, 0),
                       network_need_end (snapshot->request, at, 1)};
    for (size_t i = 0; !self->request->distinct_sites && i < snapshot->sources_count; i++)
        if (has_option_at (snapshot, ends [0], i) && has_option_at (snapshot, ends [1], i))
            return true;
    return false;
}

static bool ends_possible (const explanation_t *self, size_t at)
{
    const snapshot_t *snapshot = self->snapshot;
    for (int end = 0; end < 2; end++)
        if (snapshot->needs [network_need_end (snapshot->request, at, end)].options_count == 0)
            return false;
    return true;
}

/*  Without network domains, ends can be linked only within one site. */
static bool linkable (const explanation_t *self, size_t at)
{
    return self->snapshot->links_count > 0 || !ends_possible (self, at) || may_be_local (self, at);
}

static void explain_unlinkable (explanation_t *self, size_t at)
{
    const network_need_t *need = &self->snapshot->request->network [at];
    reason_t *reason = answer_reason (
      self->answer, need->id, "network",
      "no network domain is known: %s and %s can't be linked from one site to another",
      need->data > 0 ? "a site that has the file" : need->ends [0], need->ends [1]);
    reason->wanted = need->mbps;
}

/*  --- needs for storage --- */

/*  "200 MB of era5/2020.nc", "room for 3000000000 bytes". */
static const char *storage_words (const explanation_t *self, size_t need,
                                  char words [SENTENCE_BYTES])
{
    const derived_t *derived = &self->snapshot->request->compute [need].derived;
    if (derived->data > 0)
        snprintf (words, SENTENCE_BYTES, "file %.120s of %" PRIu64 " bytes",
                  self->request->data [derived->data - 1].file,
                  self->request->data [derived->data - 1].size);
    else
        snprintf (words, SENTENCE_BYTES, "room for %" PRIu64 " bytes",
                  self->request->space [derived->space - 1].bytes);
    return words;
}

/*  No storage node of a site where its compute need could be can ever have it. */
static void explain_no_storage (explanation_t *self, size_t at)
{
    const snapshot_t *snapshot = self->snapshot;
    const need_options_t *options = &snapshot->needs [at];
    const compute_need_t *need = &snapshot->request->compute [at];
    const char *beside = self->request->compute [need->derived.at].id;
    char words [SENTENCE_BYTES];
    storage_words (self, at, words);
    if (snapshot->needs [need->derived.at].options_count == 0)
        return; /* that is told of the compute need */
    reason_t *reason =
      !options->site_known
        ? answer_reason (self->answer, need->id, "storage",
                         "%s: no site where %s could be keeps files", words, beside)
        : answer_reason (self->answer, need->id, "storage",
                         "%s: takes %" PRIu32 " MiB of %s storage node; the largest where %s could "
                         "be has %" PRIu64,
                         words, need->cpus, need->derived.everywhere ? "each" : "a", beside,
                         options->cpus_most);
    reason->wanted = need->cpus;
    reason->free = (int64_t) options->cpus_most;
}

/*  The option at which the file is there soonest. */
static const option_t *soonest_option (const need_options_t *options)
{
    const option_t *soonest = &options->options [0];
    for (size_t i = 1; i < options->options_count; i++)
        if (options->options [i].before_ms < soonest->before_ms)
            soonest = &options->options [i];
    return soonest;
}

/*  The file can't be there in time, wherever its compute need is. False: it can. */
static bool explain_staging (explanation_t *self, size_t at)
{
    const snapshot_t *snapshot = self->snapshot;
    const compute_need_t *need = &snapshot->request->compute [at];
    const option_t *option = soonest_option (&snapshot->needs [at]);
    char words [SENTENCE_BYTES], resource [RESOURCE_BYTES], time [TIMETEXT_BYTES];
    int64_t from_ms, until_ms;
    option_interval (snapshot, at, option, self->starts.latest_ms, &from_ms, &until_ms);
    if (need->derived.data == 0 || from_ms >= self->soonest_ms)
        return false;
    storage_words (self, at, words);
    place_resource (snapshot, option->place, resource);
    if (option->before_ms == STAGING_NEVER)
        answer_reason (self->answer, need->id, resource,
                       "%s: no site that has it can be reached from a site where %s could be",
                       words, self->request->compute [need->derived.at].id);
    else
        answer_reason (self->answer, need->id, resource,
                       "%s: takes %s to come to %s, and the latest start leaves less", words,
                       timetext_format_duration (option->before_ms, time), resource);
    return true;
}

/*  It is free nowhere for so long: how much at most, on which node and when. */
static void explain_storage_short (explanation_t *self, size_t at, size_t place, int64_t mib)
{
    const snapshot_t *snapshot = self->snapshot;
    const compute_need_t *need = &snapshot->request->compute [at];
    const option_t *option = soonest_option (&snapshot->needs [at]);
    char words [SENTENCE_BYTES], resource [RESOURCE_BYTES], time [TIMETEXT_BYTES];
    int64_t from_ms, until_ms;
    place_resource (snapshot, place == SIZE_MAX ? option->place : place, resource);
    option_interval (snapshot, at, option, self->starts.earliest_ms, &from_ms, &until_ms);
    reason_t *reason = answer_reason (
      self->answer, need->id, resource,
      "%s: %" PRIu32 " MiB are free on no storage node for %s within the time frame; on %s %" PRId64
      " at most",
      storage_words (self, at, words), need->cpus,
      timetext_format_duration (until_ms - from_ms, time), resource, mib);
    reason->from_ms = from_ms;
    reason->until_ms = until_ms + self->starts.latest_ms - self->starts.earliest_ms;
    reason->wanted = need->cpus;
    reason->free = mib;
}

static void explain_impossible (explanation_t *self, size_t at)
{
    if (at < self->request->compute_count)
        explain_no_class (self, at);
    else
        explain_no_storage (self, at);
}

bool explanation_possible (explanation_t *self)
{
    const snapshot_t *snapshot = self->snapshot;
    bool all = true;
    for (size_t i = 0; i < snapshot->request->compute_count; i++) {
        if (snapshot->needs [i].options_count > 0 ||
            snapshot->request->compute [i].derived.kind == DERIVED_SOURCE)
            continue;
        all = false;
        explain_impossible (self, i);
    }
    for (size_t i = 0; i < snapshot->request->network_count; i++) {
        if (linkable (self, i))
            continue;
        all = false;
        explain_unlinkable (self, i);
    }
    return all;
}

/*  --- needs that can't be met within the time frame --- */

/*  How many of a need's places answered and were not left out; with silent, how many did not
 *  answer. */
static size_t count_places (const snapshot_t *snapshot, size_t need, bool silent)
{
    const need_options_t *options = &snapshot->needs [need];
    size_t count = 0;
    for (size_t i = 0; i < options->options_count; i++) {
        const source_t *source =
          &snapshot->sources [snapshot->places [options->options [i].place].source];
        count += silent ? source->silent : !source->silent && !source->left_out;
    }
    return count;
}

/*  Nobody who was asked may be used; each is told with the reason, by explanation_tell. */
static void explain_left_out (explanation_t *self, size_t need)
{
    const compute_need_t *wanted = &self->snapshot->request->compute [need];
    answer_reason (self->answer, wanted->id, wanted->site,
                   "it can be at none of the %zu places that could have it, for the reasons below",
                   self->snapshot->needs [need].could);
}

static void explain_short (explanation_t *self, size_t need, size_t place, int64_t nodes)
{
    const compute_need_t *wanted = &self->request->compute [need];
    const need_options_t *options = &self->snapshot->needs [need];
    char resource [RESOURCE_BYTES];
    int64_t cpus = 0;
    snprintf (resource, sizeof resource, "%s", wanted->site);
    if (place == SIZE_MAX && options->options_count == 1)
        place = options->options [0].place; /* the only place, where nothing is free */
    if (place != SIZE_MAX) {
        place_resource (self->snapshot, place, resource);
        cpus = nodes * self->snapshot->places [place].cpus_per_node;
    }
    char where [64] = "nowhere free", text [TIMETEXT_BYTES];
    size_t told = count_places (self->snapshot, need, false);
    if (told < options->could)
        snprintf (where, sizeof where, "free at none of the %zu places that answered", told);
    reason_t *reason = answer_reason (
      self->answer, wanted->id, resource,
      "%" PRIu32 " CPUs are %s for %s within the time frame: at most %" PRId64, wanted->cpus, where,
      timetext_format_duration (need_duration (self->request, need), text), cpus);
    reason->from_ms = self->starts.earliest_ms + wanted->offset_ms;
    reason->until_ms =
      self->starts.latest_ms + wanted->offset_ms + need_duration (self->request, need);
    reason->wanted = wanted->cpus;
    reason->free = cpus;
}

/*  When every site for the need requires more notice than even the latest start gives: the site
 *  that requires least. Else NULL. */
static const source_t *explanation_too_near (const explanation_t *self, size_t need)
{
    const need_options_t *options = &self->snapshot->needs [need];
    int64_t latest_ms = self->starts.latest_ms + user_request_offset_least (self->request);
    int64_t notice_ms = latest_ms - self->soonest_ms;
    const source_t *least = NULL;
    for (size_t i = 0; i < options->options_count; i++) {
        size_t at = self->snapshot->places [options->options [i].place].source;
        const source_t *source = &self->snapshot->sources [at];
        if (source->left_out)
            continue;
        if (source->lead_ms <= notice_ms)
            return NULL;
        least = !least || source->lead_ms < least->lead_ms ? source : least;
    }
    return least;
}

static void explain_late (explanation_t *self, size_t need, const source_t *source)
{
    char words [PARTICIPANT_REF_WORDS_BYTES];
    reason_t *reason =
      answer_reason (self->answer, self->request->compute [need].id, source->party.name,
                     "the start is too near: %s must be told %" PRId64 " s ahead",
                     participant_ref_words (source->party.name, words), source->lead_ms / 1000);
    reason->wanted = self->request->compute [need].cpus;
}

static void explain_connection (explanation_t *self, size_t at, const blocked_t *blocked)
{
    const network_need_t *need = &self->snapshot->request->network [at];
    char resource [RESOURCE_BYTES] = "network";
    if (blocked->link != SIZE_MAX)
        link_resource (self->snapshot->graph, blocked->link, resource);
    const char *from = need->data > 0 ? "a site that has the file" : need->ends [0];
    reason_t *reason =
      answer_reason (self->answer, need->id, resource, "%" PRIu32 " Mbit/s between %s and %s: %s",
                     need->mbps, from, need->ends [1], blocked->why);
    reason->from_ms = blocked->from_ms;
    reason->until_ms = blocked->until_ms;
    reason->wanted = need->mbps;
    reason->free = blocked->free;
}

/*  Could the need be met if it were the only one? If not, *place and *nodes are search_alone's. */
static bool alone (const explanation_t *self, size_t need, size_t *place, int64_t *nodes)
{
    *place = SIZE_MAX;
    *nodes = 0;
    return self->snapshot->needs [need].options_count > 0 &&
           search_alone (self->search, need, place, nodes);
}

static bool ends_alone (const explanation_t *self, size_t at)
{
    const user_request_t *request = self->snapshot->request;
    size_t place;
    int64_t nodes;
    return alone (self, network_need_end (request, at, 0), &place, &nodes) &&
           alone (self, network_need_end (request, at, 1), &place, &nodes);
}

void explanation_examine_anew (explanation_t *self)
{
    obstacles_t *obstacles = self->obstacles;
    free (obstacles->list);
    obstacles->list =
      must (calloc (self->snapshot->request->network_count + 1, sizeof *obstacles->list));
    obstacles->examined = 0;
}

bool explanation_examine (explanation_t *self)
{
    size_t count = self->snapshot->request->network_count;
    for (size_t i = 0; i < EXAMINED_AT_ONCE && self->obstacles->examined < count; i++) {
        size_t at = self->obstacles->examined++;
        obstacle_t *obstacle = &self->obstacles->list [at];
        obstacle->set = ends_alone (self, at) && linkable (self, at) &&
                        !search_connection_alone (self->search, at, &obstacle->blocked);
    }
    return self->obstacles->examined == count;
}

/*  A reason for each need of CPUs or storage that can't be met even alone. */
static bool explain_needs (explanation_t *self)
{
    const snapshot_t *snapshot = self->snapshot;
    bool all = true;
    for (size_t i = 0; i < snapshot->request->compute_count; i++) {
        const derived_t *derived = &snapshot->request->compute [i].derived;
        const source_t *late = NULL;
        size_t place;
        int64_t nodes;
        if (derived->kind == DERIVED_SOURCE || alone (self, i, &place, &nodes))
            continue;
        all = false;
        if (derived->kind == DERIVED_NOT && !self->changes)
            late = explanation_too_near (self, i);
        if (snapshot->needs [i].options_count == 0)
            explain_impossible (self, i);
        else if (late)
            explain_late (self, i, late);
        else if (count_places (snapshot, i, false) + count_places (snapshot, i, true) == 0 &&
                 need_unasked (&snapshot->needs [i]) == 0)
            explain_left_out (self, i);
        else if (derived->kind == DERIVED_NOT)
            explain_short (self, i, place, nodes);
        else if (!explain_staging (self, i))
            explain_storage_short (self, i, place, nodes);
    }
    return all;
}

/*  A reason for each connection that can't be had although its ends can. */
static bool explain_connections (explanation_t *self)
{
    bool all = true;
    for (size_t i = 0; i < self->snapshot->request->network_count; i++) {
        if (self->obstacles->list [i].set)
            explain_connection (self, i, &self->obstacles->list [i].blocked);
        else if (!linkable (self, i))
            explain_unlinkable (self, i);
        else
            continue;
        all = false;
    }
    return all;
}

/*  Disagreements of domains, those first that touch a path of a connection that can't be had; when
 *  every connection could be had alone, those that touch any connection. */
static void explain_conflicts (explanation_t *self)
{
    const snapshot_t *snapshot = self->snapshot;
    size_t needs [EXAMINED_AT_ONCE], needs_count = 0;
    size_t conflicts [CONFLICTS_TOLD_MAX];
    for (int all = 0; all < 2 && needs_count == 0; all++)
        for (size_t i = 0; i < snapshot->request->network_count && needs_count < EXAMINED_AT_ONCE;
             i++)
            if (all || self->obstacles->list [i].set)
                needs [needs_count++] = i;
    size_t count =
      domain_conflicts_rank (snapshot, needs, needs_count, conflicts, CONFLICTS_TOLD_MAX);
    for (size_t i = 0; i < count; i++)
        answer_reason (self->answer, "", graph_conflict_vertex (snapshot->graph, conflicts [i]),
                       "no path crosses this point, because domains disagree about it: %s",
                       graph_conflict (snapshot->graph, conflicts [i]));
}

bool explanation_in_doubt (const explanation_t *self)
{
    const snapshot_t *snapshot = self->snapshot;
    bool sites = self->unheard, domains = false;
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        const source_t *source = &snapshot->sources [i];
        *(source->kind == SOURCE_DOMAIN ? &domains : &sites) |= source->silent;
    }
    for (size_t i = 0; i < snapshot->request->compute_count; i++) {
        size_t place;
        int64_t nodes;
        if (count_places (snapshot, i, true) == 0 && !alone (self, i, &place, &nodes))
            return false;
    }
    for (size_t i = 0; i < snapshot->request->network_count; i++)
        if (self->obstacles->list [i].set && !domains &&
            count_places (snapshot, network_need_end (snapshot->request, i, 0), true) == 0 &&
            count_places (snapshot, network_need_end (snapshot->request, i, 1), true) == 0)
            return false;
    return sites || domains || self->broken;
}

void explanation_tell_unasked (explanation_t *self)
{
    char limit [TIMETEXT_BYTES];
    for (size_t i = 0; self->snapshot && i < self->request->compute_count; i++) {
        const need_options_t *options = &self->snapshot->needs [i];
        if (need_unasked (options) > 0)
            answer_reason (self->answer, self->request->compute [i].id, "",
                           "%zu of %zu places that could have it were not asked: "
                           "at most %" PRIu32 " are, within limits/request = %s",
                           need_unasked (options), options->could, self->settings->asked_max,
                           timetext_format_duration (self->settings->request_limit_ms, limit));
    }
}

void explanation_tell (explanation_t *self)
{
    bool needs = explain_needs (self);
    bool connections = explain_connections (self);
    if (needs && connections && self->proven)
        answer_reason (self->answer, "", "",
                       "each need is free by itself, but not all of them at one start%s",
                       self->request->distinct_sites ? " on distinct sites" : "");
    explanation_tell_unasked (self);
    for (size_t i = 0; i < self->snapshot->sources_count; i++)
        if (self->snapshot->sources [i].left_out)
            answer_reason (self->answer, "", self->snapshot->sources [i].party.name, "left out: %s",
                           self->snapshot->sources [i].why);
    if (self->snapshot->request->network_count > 0 && (needs || !connections))
        explain_conflicts (self);
}
