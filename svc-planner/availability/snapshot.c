/*  snapshot - candidates, and the sites and domains that know what is free. Storage is added in
 *  snapshot_storage.c, links are made in snapshot_links.c.
 */
#include "directory_entry.h"
#include "must.h"
#include "participant_ref.h"
#include "snapshot_state.h"
#include "stages.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_MAX (INT64_C (1) << 50)

snapshot_t *snapshot_new (const user_request_t *request, const staging_terms_t *terms)
{
    snapshot_t *self = must (calloc (1, sizeof *self));
    self->terms = terms ? *terms : SETTINGS_PRESET (staging_terms_t, &staging_table);
    self->derived = request_derive (request, &self->terms);
    self->request = self->derived ? self->derived : request;
    self->asked_count = request->compute_count;
    self->needs = must (calloc (self->request->compute_count, sizeof *self->needs));
    self->outside_ms = self->outside_lead_ms = INT64_MAX;
    return self;
}

void snapshot_destroy (snapshot_t **self_p)
{
    snapshot_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->request->compute_count; i++)
        free (self->needs [i].options);
    for (size_t i = 0; i < self->places_count; i++)
        free_profile_clear (&self->places [i].free_profile);
    for (size_t i = 0; i < self->links_count; i++)
        free_profile_clear (&self->links [i].free_profile);
    graph_destroy (&self->graph);
    free (self->links);
    free (self->needs);
    free (self->places);
    free (self->sources);
    free (self->named);
    if (self->derived)
        user_request_clear (self->derived);
    free (self->derived);
    free (self);
    *self_p = NULL;
}

/*  Where in named the source of this name is, or belongs. */
static size_t snapshot_name_at (const snapshot_t *self, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *at = name; *at; at++)
        hash = (hash ^ (uint8_t) *at) * 1099511628211u;
    size_t at = (size_t) hash & (self->named_room - 1);
    while (self->named [at] && strcmp (self->sources [self->named [at] - 1].party.name, name) != 0)
        at = (at + 1) & (self->named_room - 1);
    return at;
}

/*  Notes the name of the last source; half of the places stay free. */
static void snapshot_note_name (snapshot_t *self)
{
    size_t first = self->sources_count - 1;
    if (self->sources_count * 2 > self->named_room) {
        free (self->named);
        self->named_room = self->named_room ? self->named_room * 2 : 32;
        self->named = must (calloc (self->named_room, sizeof *self->named));
        first = 0;
    }
    for (size_t i = first; i < self->sources_count; i++)
        self->named [snapshot_name_at (self, self->sources [i].party.name)] = (uint32_t) i + 1;
}

source_t *snapshot_add_source (snapshot_t *self, const directory_entry_t *entry, source_kind_t kind)
{
    self->sources =
      must_grow (self->sources, self->sources_count, &self->sources_room, sizeof *self->sources);
    source_t *source = &self->sources [self->sources_count++];
    *source = (source_t){.kind = kind, .useful = kind != SOURCE_DOMAIN};
    snprintf (source->party.name, sizeof source->party.name, "%s", entry->name);
    memcpy (source->party.store, entry->store, STORE_ID_BYTES);
    snprintf (source->party.endpoint, sizeof source->party.endpoint, "%s", entry->endpoint);
    source->put_off = self->supposed.on;
    snapshot_note_name (self);
    return source;
}

static size_t add_site (snapshot_t *self, const directory_entry_t *entry)
{
    source_t *source = snapshot_add_source (self, entry, SOURCE_SITE);
    source->disclosure = entry->site->disclosure;
    source->lead_ms = entry->site->lead_ms;
    source->gap_ms = entry->site->cleaning_gap_ms;
    source->horizon_ms = entry->site->horizon_ms;
    return self->sources_count - 1;
}

/*  The first source of this source's site. */
static size_t snapshot_site_of (const snapshot_t *self, size_t source)
{
    const char *site = participant_ref_short_name (self->sources [source].party.name);
    size_t first = self->derived ? 0 : source;
    while (self->sources [first].kind == SOURCE_DOMAIN ||
           strcmp (participant_ref_short_name (self->sources [first].party.name), site) != 0)
        first++;
    return first;
}

size_t snapshot_add_place (snapshot_t *self, size_t site, const node_class_t *class)
{
    self->places =
      must_grow (self->places, self->places_count, &self->places_room, sizeof *self->places);
    site_class_t *place = &self->places [self->places_count];
    *place = (site_class_t){
      .source = site,
      .site = snapshot_site_of (self, site),
      .nodes = class->nodes,
      .cpus_per_node = class->cpus_per_node,
      .price = class->price,
    };
    snprintf (place->class_name, sizeof place->class_name, "%s", class->name);
    return self->places_count++;
}

/*  --- what is supposed --- */

static const free_summary_t *supposed_summary (const snapshot_t *self,
                                               const free_summary_t *summary)
{
    bool old = summary && llabs (self->supposed.now_ms - summary->from_ms) > FREE_SUMMARY_OLD_MS;
    return old ? NULL : summary;
}

void snapshot_suppose (const snapshot_t *self, free_profile_t *profile,
                       const free_summary_t *summary, size_t resource, uint32_t quantity)
{
    profile_step_t steps [FREE_SUMMARY_SPANS + 2] = {{ALWAYS_FROM_MS, quantity}};
    size_t count = 1;
    summary = supposed_summary (self, summary);
    bytes_t levels = summary ? free_summary_of (summary, resource) : (bytes_t){0};
    for (size_t span = 0; levels.size > 0 && span <= levels.size; span++) {
        uint64_t most = span < levels.size ? free_summary_quantity (levels.data [span]) : quantity;
        int64_t may_be = most < quantity ? (int64_t) most : quantity;
        if (may_be != steps [count - 1].free)
            steps [count++] = (profile_step_t){free_summary_begin (summary->from_ms, span), may_be};
    }
    free_profile_set (
      profile, &(profile_t){.steps = steps, .steps_count = count, .until_ms = ALWAYS_UNTIL_MS});
}

void snapshot_want (snapshot_t *self, size_t source)
{
    if (!self->sources [source].put_off)
        return;
    self->sources [source].put_off = false;
    for (size_t i = 0; i < self->places_count; i++)
        if (self->places [i].source == source)
            free_profile_clear (&self->places [i].free_profile);
    for (size_t i = 0; i < self->links_count; i++)
        if (self->links [i].source == source)
            free_profile_clear (&self->links [i].free_profile);
}

/*  The first start that the site's lead and the request allow. */
static int64_t lead_start (const snapshot_t *self, const site_t *site)
{
    int64_t from_ms =
      self->supposed.soonest_ms + site->lead_ms - user_request_offset_least (self->request);
    int64_t earliest_ms = self->supposed.starts.earliest_ms;
    return from_ms > earliest_ms ? from_ms : earliest_ms;
}

/*  The first start of a need at a class. A need in stages wants less at times: nothing is denied
 *  it.
 */
static int64_t may_start_at (const snapshot_t *self, size_t n, const directory_entry_t *entry,
                             size_t class)
{
    const suppositions_t *supposed = &self->supposed;
    const compute_need_t *need = &self->request->compute [n];
    int64_t from_ms = lead_start (self, entry->site);
    const free_summary_t *summary = supposed_summary (self, entry->summary);
    if (summary && need->stages.count == 0)
        from_ms =
          free_summary_first (summary, class, from_ms + need->offset_ms,
                              need_duration (self->request, n) + entry->site->cleaning_gap_ms,
                              class_nodes_for (&entry->site->classes [class], need->cpus)) -
          need->offset_ms;
    return from_ms <= supposed->starts.latest_ms ? from_ms : INT64_MAX;
}

static bool need_names (const compute_need_t *need, const directory_entry_t *entry)
{
    return !*need->site || strcmp (need->site, participant_ref_short_name (entry->name)) == 0 ||
           strcmp (need->site, entry->name) == 0;
}

static bool good_enough (need_options_t *options, const compute_need_t *need,
                         const node_class_t *class)
{
    if (!class_meets (class, need->require, need->require_count))
        return false;
    uint64_t cpus = (uint64_t) class->nodes * class->cpus_per_node;
    options->class_known = true;
    if (cpus > options->cpus_most)
        options->cpus_most = cpus;
    return cpus >= need->cpus && class_nodes_for (class, need->cpus) <= class->nodes;
}

int64_t snapshot_may_start (const snapshot_t *self, const directory_entry_t *entry)
{
    int64_t first_ms = INT64_MAX;
    for (size_t n = 0; n < self->asked_count; n++) {
        const compute_need_t *need = &self->request->compute [n];
        for (size_t c = 0; c < entry->site->classes_count && need_names (need, entry); c++) {
            need_options_t unused = {0};
            if (!good_enough (&unused, need, &entry->site->classes [c]))
                continue;
            int64_t start_ms = may_start_at (self, n, entry, c);
            first_ms = start_ms < first_ms ? start_ms : first_ms;
        }
    }
    return first_ms;
}

bool snapshot_may_start_at_once (const snapshot_t *self, const directory_entry_t *entry)
{
    return snapshot_may_start (self, entry) == lead_start (self, entry->site);
}

/*  A place does not become an option. */
static void leave_outside (snapshot_t *self, size_t need, const directory_entry_t *entry,
                           size_t class)
{
    int64_t start_ms = may_start_at (self, need, entry, class);
    if (start_ms == INT64_MAX)
        return;
    if (start_ms < self->outside_ms)
        self->outside_ms = start_ms;
    if (entry->site->lead_ms < self->outside_lead_ms)
        self->outside_lead_ms = entry->site->lead_ms;
}

void snapshot_add_option (need_options_t *options, const option_t *option)
{
    options->options = must_grow (options->options, options->options_count, &options->options_room,
                                  sizeof *options->options);
    options->options [options->options_count++] = *option;
}

bool snapshot_has_option (const need_options_t *options, size_t place)
{
    for (size_t i = 0; i < options->options_count; i++)
        if (options->options [i].place == place)
            return true;
    return false;
}

size_t need_unasked (const need_options_t *self)
{
    return self->could > self->options_count ? self->could - self->options_count : 0;
}

void snapshot_consider (snapshot_t *self, const directory_entry_t *entry, size_t options_max)
{
    assert (entry->site);
    size_t site = SIZE_MAX;
    for (size_t c = 0; c < entry->site->classes_count; c++) {
        const node_class_t *class = &entry->site->classes [c];
        size_t place = SIZE_MAX;
        for (size_t n = 0; n < self->asked_count; n++) {
            const compute_need_t *need = &self->request->compute [n];
            need_options_t *options = &self->needs [n];
            if (!need_names (need, entry))
                continue;
            options->site_known = true;
            if (!good_enough (options, need, class))
                continue;
            options->could++;
            if (site == SIZE_MAX)
                site = snapshot_source (self, entry->name);
            if (place == SIZE_MAX && site != SIZE_MAX)
                place = snapshot_place (self, site, class->name);
            if (place != SIZE_MAX && snapshot_has_option (options, place))
                continue;
            if (options->options_count >= options_max) {
                if (self->supposed.on)
                    leave_outside (self, n, entry, c);
                continue;
            }
            if (site == SIZE_MAX)
                site = add_site (self, entry);
            if (place == SIZE_MAX) {
                place = snapshot_add_place (self, site, class);
                if (self->sources [site].put_off)
                    snapshot_suppose (self, &self->places [place].free_profile, entry->summary, c,
                                      class->nodes);
            }
            self->sources [site].asked = false;
            snapshot_add_option (options, &(option_t){.place = place,
                                                      .nodes = class_nodes_for (class, need->cpus),
                                                      .spread = 1});
        }
    }
}

void snapshot_consider_domain (snapshot_t *self, const directory_entry_t *entry)
{
    assert (entry->domain);
    if (self->request->network_count == 0)
        return;
    source_t *source = snapshot_add_source (self, entry, SOURCE_DOMAIN);
    source->disclosure = entry->domain->disclosure;
    source->lead_ms = entry->domain->lead_ms;
    source->horizon_ms = entry->domain->horizon_ms;
    source->summary = entry->summary;
    if (!self->graph)
        self->graph = graph_new ();
    graph_add (self->graph, participant_ref_short_name (entry->name), entry->domain);
}

size_t snapshot_source (const snapshot_t *self, const char *party_name)
{
    uint32_t source = self->named ? self->named [snapshot_name_at (self, party_name)] : 0;
    return source > 0 ? source - 1 : SIZE_MAX;
}

size_t snapshot_place (const snapshot_t *self, size_t source, const char *class_name)
{
    for (size_t i = 0; i < self->places_count; i++)
        if (self->places [i].source == source &&
            strcmp (self->places [i].class_name, class_name) == 0)
            return i;
    return SIZE_MAX;
}

static free_profile_t *link_free_profile (snapshot_t *self, size_t source, const char *name)
{
    const char *domain = participant_ref_short_name (self->sources [source].party.name);
    size_t link = self->links ? graph_find_link (self->graph, domain, name) : SIZE_MAX;
    return link == SIZE_MAX ? NULL : &self->links [link].free_profile;
}

free_profile_t *snapshot_free_profile (snapshot_t *self, size_t source, const char *resource)
{
    if (self->sources [source].kind == SOURCE_DOMAIN)
        return link_free_profile (self, source, resource);
    size_t place = snapshot_place (self, source, resource);
    return place == SIZE_MAX ? NULL : &self->places [place].free_profile;
}

void snapshot_leave_out (snapshot_t *self, size_t source, const char *why)
{
    self->sources [source].left_out = true;
    snprintf (self->sources [source].why, sizeof self->sources [source].why, "%s", why);
}

uint32_t place_nodes (const site_class_t *place, uint32_t cpus)
{
    return cpus / place->cpus_per_node + (cpus % place->cpus_per_node > 0);
}

int64_t snapshot_cost (const snapshot_t *self, size_t need, const option_t *option)
{
    const site_class_t *place = &self->places [option->place];
    phase_t phases [PHASES_MAX];
    size_t count = compute_phases (self->request, need, phases);
    double cost = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t nodes = i + 1 < count ? place_nodes (place, phases [i].amount) : option->nodes;
        double hours = (double) (phases [i].until_ms - phases [i].from_ms) / 3.6e6;
        cost += (double) place->price * (double) nodes * (double) place->cpus_per_node * hours;
    }
    return cost >= (double) COST_MAX ? COST_MAX : (int64_t) (cost + 0.5);
}
