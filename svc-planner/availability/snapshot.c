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
    self->terms = terms ? *terms : staging_terms_default;
    self->derived = request_derive (request, &self->terms);
    self->request = self->derived ? self->derived : request;
    self->asked_count = request->compute_count;
    self->needs = must (calloc (self->request->compute_count, sizeof *self->needs));
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
    if (self->derived)
        user_request_clear (self->derived);
    free (self->derived);
    free (self);
    *self_p = NULL;
}

source_t *snapshot_add_source (snapshot_t *self, const directory_entry_t *entry, source_kind_t kind)
{
    self->sources =
      must_grow (self->sources, self->sources_count, &self->sources_room, sizeof *self->sources);
    source_t *source = &self->sources [self->sources_count++];
    *source = (source_t){.kind = kind};
    snprintf (source->party.name, sizeof source->party.name, "%s", entry->name);
    memcpy (source->party.store, entry->store, STORE_ID_BYTES);
    snprintf (source->party.endpoint, sizeof source->party.endpoint, "%s", entry->endpoint);
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
    size_t first = 0;
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
            if (*need->site && strcmp (need->site, participant_ref_short_name (entry->name)) != 0 &&
                strcmp (need->site, entry->name) != 0)
                continue;
            options->site_known = true;
            if (!good_enough (options, need, class))
                continue;
            options->could++;
            if (options->options_count >= options_max)
                continue;
            if (site == SIZE_MAX)
                site = snapshot_source (self, entry->name);
            if (site == SIZE_MAX)
                site = add_site (self, entry);
            if (place == SIZE_MAX)
                place = snapshot_place (self, site, class->name);
            if (place == SIZE_MAX)
                place = snapshot_add_place (self, site, class);
            if (snapshot_has_option (options, place))
                continue;
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
    if (!self->graph)
        self->graph = graph_new ();
    graph_add (self->graph, participant_ref_short_name (entry->name), entry->domain);
}

size_t snapshot_source (const snapshot_t *self, const char *party_name)
{
    for (size_t i = 0; i < self->sources_count; i++)
        if (strcmp (self->sources [i].party.name, party_name) == 0)
            return i;
    return SIZE_MAX;
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
