/*  snapshot_storage - where needs for storage could be, where files could come from, and how long
 *  they are on their way.
 *
 *  A storage is worth a question where the compute need that it is for could be, too.
 */
#include "directory_entry.h"
#include "must.h"
#include "participant_ref.h"
#include "snapshot_state.h"
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const derived_t *storage_derived (const snapshot_t *self, size_t need)
{
    return &self->request->compute [need].derived;
}

static const char *storage_site_name (const snapshot_t *self, size_t place)
{
    return participant_ref_short_name (self->sources [self->places [place].source].party.name);
}

/*  Could this compute need be at the site? */
static bool could_be_at (const snapshot_t *self, size_t need, const char *site)
{
    const need_options_t *options = &self->needs [need];
    for (size_t i = 0; i < options->options_count; i++)
        if (strcmp (storage_site_name (self, options->options [i].place), site) == 0)
            return true;
    return false;
}

static size_t storage_source (snapshot_t *self, const directory_entry_t *entry)
{
    size_t at = snapshot_source (self, entry->name);
    if (at != SIZE_MAX)
        return at;
    source_t *source = snapshot_add_source (self, entry, SOURCE_STORAGE);
    source->disclosure = entry->storage->disclosure;
    source->lead_ms = entry->storage->lead_ms;
    source->horizon_ms = entry->storage->horizon_ms;
    source->asked = true; /* unless some need could have room there */
    return self->sources_count - 1;
}

/*  The first of the places of this storage, which are made when there are none yet. */
static size_t storage_places (snapshot_t *self, const directory_entry_t *entry)
{
    size_t source = storage_source (self, entry);
    size_t first = snapshot_place (self, source, entry->storage->nodes [0].name);
    for (size_t i = 0; first == SIZE_MAX && i < entry->storage->nodes_count; i++) {
        const storage_offer_t *offer = &entry->storage->nodes [i];
        node_class_t class = {.nodes = offer->mib, .cpus_per_node = 1};
        snprintf (class.name, sizeof class.name, "%s", offer->name);
        snapshot_add_place (self, source, &class);
    }
    return first != SIZE_MAX ? first : self->places_count - entry->storage->nodes_count;
}

/*  One option for each node that is large enough; or one for all of them together. */
static void offer_storage (snapshot_t *self, const directory_entry_t *entry, size_t need)
{
    need_options_t *options = &self->needs [need];
    const compute_need_t *wanted = &self->request->compute [need];
    size_t nodes = entry->storage->nodes_count, first = storage_places (self, entry);
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < nodes; i++) {
        uint32_t mib = entry->storage->nodes [i].mib;
        least = mib < least ? mib : least;
        most = mib > most ? mib : most;
    }
    options->site_known = options->class_known = true;
    options->cpus_most = most > options->cpus_most ? most : options->cpus_most;
    self->sources [self->places [first].source].asked = false;
    for (size_t i = 0; !wanted->derived.everywhere && i < nodes; i++)
        if (self->places [first + i].nodes >= wanted->cpus)
            snapshot_add_option (
              options, &(option_t){.place = first + i, .nodes = wanted->cpus, .spread = 1});
    if (wanted->derived.everywhere && least >= wanted->cpus)
        snapshot_add_option (
          options, &(option_t){.place = first, .nodes = wanted->cpus, .spread = (uint32_t) nodes});
}

static void offer_source (snapshot_t *self, const directory_entry_t *entry, size_t need)
{
    size_t source = storage_source (self, entry);
    size_t place = snapshot_place (self, source, "");
    if (place == SIZE_MAX) {
        profile_step_t step = {.from_ms = ALWAYS_FROM_MS};
        place = snapshot_add_place (self, source, &(node_class_t){.cpus_per_node = 1});
        free_profile_set (
          &self->places [place].free_profile,
          &(profile_t){.steps = &step, .steps_count = 1, .until_ms = ALWAYS_UNTIL_MS});
    }
    self->needs [need].site_known = self->needs [need].class_known = true;
    if (!snapshot_has_option (&self->needs [need], place))
        snapshot_add_option (&self->needs [need], &(option_t){.place = place, .spread = 1});
}

void snapshot_consider_storage (snapshot_t *self, const directory_entry_t *entry,
                                const file_places_t *files)
{
    const char *site = participant_ref_short_name (entry->name);
    bool empty = !entry->storage || entry->storage->nodes_count == 0;
    for (size_t n = self->asked_count; !empty && n < self->request->compute_count; n++) {
        const derived_t *derived = storage_derived (self, n);
        if (derived->kind == DERIVED_SOURCE) {
            const file_site_t *at =
              files ? file_places_find (&files [derived->data - 1], site) : NULL;
            if (at && at->has)
                offer_source (self, entry, n);
        } else if (could_be_at (self, derived->at, site) && !could_be_at (self, n, site))
            offer_storage (self, entry, n);
    }
}

/*  --- how long files are on their way --- */

static bool node_has (const snapshot_t *self, const option_t *option, const file_site_t *site)
{
    for (size_t i = 0; i < option->spread; i++)
        if (!file_site_has_node (site, self->places [option->place + i].class_name))
            return false;
    return true;
}

/*  at: what is known of the file at the option's site; NULL = nothing. */
static int64_t stage_option (const snapshot_t *self, const data_need_t *data,
                             const option_t *option, const file_site_t *at)
{
    if (at && at->told && node_has (self, option, at))
        return 0;
    if (at && at->told && !at->has && !*at->staging.source)
        return STAGING_NEVER;
    if (data->mbps > 0 && !(at && at->has))
        return staging_circuit_ms (&self->terms, data->size, data->mbps);
    return staging_ms (&self->terms, data->size, at ? at->staging.bytes_per_s : 0);
}

void snapshot_stage (snapshot_t *self, const file_places_t *files)
{
    self->files = files;
    for (size_t n = self->asked_count; files && n < self->request->compute_count; n++) {
        const derived_t *derived = storage_derived (self, n);
        if (derived->kind != DERIVED_STORAGE || derived->data == 0)
            continue;
        need_options_t *options = &self->needs [n];
        for (size_t i = 0; i < options->options_count; i++) {
            option_t *option = &options->options [i];
            const file_site_t *at = file_places_find (&files [derived->data - 1],
                                                      storage_site_name (self, option->place));
            bool kept = at && at->staging.kept && node_has (self, option, at);
            option->before_ms =
              stage_option (self, &self->request->data [derived->data - 1], option, at);
            option->nodes = kept ? space_mib (0) : self->request->compute [n].cpus;
        }
    }
}

/*  --- derived needs beside those that they are for --- */

int64_t snapshot_lead_ms (const snapshot_t *self)
{
    int64_t lead_ms = 0;
    for (size_t i = 0; i < self->sources_count; i++)
        if (!self->sources [i].left_out && self->sources [i].lead_ms > lead_ms)
            lead_ms = self->sources [i].lead_ms;
    return lead_ms;
}

void option_interval (const snapshot_t *self, size_t need, const option_t *option, int64_t start_ms,
                      int64_t *from_ms, int64_t *until_ms)
{
    *from_ms = start_ms + compute_latest (self->request, need) - option->before_ms;
    *until_ms =
      start_ms + self->request->compute [need].offset_ms + need_duration (self->request, need);
}

/*  How a file comes to an option. */
static void book_file (const snapshot_t *self, const data_need_t *data, const option_t *option,
                       const file_site_t *at, const char *source, space_booking_t *booking)
{
    memcpy (booking->file, data->file, sizeof booking->file);
    memcpy (booking->digest, data->digest, sizeof booking->digest);
    booking->due_ms = booking->from_ms + option->before_ms;
    if (option->before_ms == 0 || strcmp (storage_site_name (self, option->place), source) == 0)
        return; /* it is there, or at another node of the site */
    snprintf (booking->source, sizeof booking->source, "%s",
              *source          ? source
              : at && !at->has ? at->staging.source
                               : "");
    booking->mbps = *source ? data->mbps : 0;
}

space_booking_t snapshot_space_booking (const snapshot_t *self, size_t need, const option_t *option,
                                        uint32_t k, int64_t start_ms, const char *source)
{
    const derived_t *derived = storage_derived (self, need);
    space_booking_t booking = {0};
    option_interval (self, need, option, start_ms, &booking.from_ms, &booking.until_ms);
    snprintf (booking.need, sizeof booking.need, "%s", self->request->compute [need].id);
    snprintf (booking.node, sizeof booking.node, "%s", self->places [option->place + k].class_name);
    if (derived->data == 0) {
        booking.bytes = self->request->space [derived->space - 1].bytes;
        return booking;
    }
    const data_need_t *data = &self->request->data [derived->data - 1];
    bool kept = option->nodes < self->request->compute [need].cpus; /* it is there, and lasts */
    booking.bytes = kept ? 0 : data->size > 0 ? data->size : 1;
    book_file (self, data, option,
               self->files ? file_places_find (&self->files [derived->data - 1],
                                               storage_site_name (self, option->place))
                           : NULL,
               source ? source : "", &booking);
    return booking;
}

bool option_beside (const snapshot_t *self, size_t need, const option_t *option, const option_t *at)
{
    size_t site = self->places [at->place].site;
    if (self->places [option->place].site == site)
        return true;
    if (storage_derived (self, need)->kind != DERIVED_SOURCE)
        return false;
    /* A site that has the file needs no other source. */
    const need_options_t *options = &self->needs [need];
    for (size_t i = 0; i < options->options_count; i++)
        if (self->places [options->options [i].place].site == site)
            return false;
    return true;
}
