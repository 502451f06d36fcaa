/*  snapshot - candidates and their free profiles, as sorted steps.
 *
 *  Profiles are short (the frame of one request), so they are kept as the arrays that came in and
 *  patched by rebuilding them.
 */
#include "snapshot.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_MAX (INT64_C (1) << 50)

/*  Room for one more in a list that doubles. */
static void *grow (void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 8;
    return must (realloc (list, *room * size));
}

snapshot_t *snapshot_new (const user_request_t *request)
{
    snapshot_t *self = must (calloc (1, sizeof *self));
    self->request = request;
    self->needs = must (calloc (request->compute_count, sizeof *self->needs));
    return self;
}

void snapshot_destroy (snapshot_t **self_p)
{
    snapshot_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->request->compute_count; i++)
        free (self->needs [i].options);
    for (size_t i = 0; i < self->places_count; i++) {
        free (self->places [i].steps);
        free (self->places [i].windows);
    }
    free (self->needs);
    free (self->places);
    free (self->sites);
    free (self);
    *self_p = NULL;
}

const char *party_short_name (const char *party_name)
{
    const char *slash = strchr (party_name, '/');
    return slash ? slash + 1 : party_name;
}

static size_t add_site (snapshot_t *self, const directory_entry_t *entry)
{
    self->sites = grow (self->sites, self->sites_count, &self->sites_room, sizeof *self->sites);
    snapshot_site_t *site = &self->sites [self->sites_count];
    *site = (snapshot_site_t){
      .disclosure = entry->site->disclosure,
      .lead_ms = entry->site->lead_ms,
      .gap_ms = entry->site->cleaning_gap_ms,
      .horizon_ms = entry->site->horizon_ms,
    };
    snprintf (site->party.name, sizeof site->party.name, "%s", entry->name);
    memcpy (site->party.store, entry->store, STORE_ID_BYTES);
    snprintf (site->party.endpoint, sizeof site->party.endpoint, "%s", entry->endpoint);
    return self->sites_count++;
}

static size_t add_place (snapshot_t *self, size_t site, const node_class_t *class)
{
    self->places =
      grow (self->places, self->places_count, &self->places_room, sizeof *self->places);
    place_t *place = &self->places [self->places_count];
    *place = (place_t){
      .site = site,
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

void snapshot_consider (snapshot_t *self, const directory_entry_t *entry, size_t options_max)
{
    assert (entry->site);
    size_t site = SIZE_MAX;
    for (size_t c = 0; c < entry->site->classes_count; c++) {
        const node_class_t *class = &entry->site->classes [c];
        size_t place = SIZE_MAX;
        for (size_t n = 0; n < self->request->compute_count; n++) {
            const compute_need_t *need = &self->request->compute [n];
            need_options_t *options = &self->needs [n];
            if (*need->site && strcmp (need->site, party_short_name (entry->name)) != 0 &&
                strcmp (need->site, entry->name) != 0)
                continue;
            options->site_known = true;
            if (!good_enough (options, need, class) || options->options_count >= options_max)
                continue;
            if (site == SIZE_MAX)
                site = add_site (self, entry);
            if (place == SIZE_MAX)
                place = add_place (self, site, class);
            options->options = grow (options->options, options->options_count,
                                     &options->options_room, sizeof *options->options);
            options->options [options->options_count++] =
              (option_t){.place = place, .nodes = class_nodes_for (class, need->cpus)};
        }
    }
}

size_t snapshot_site (const snapshot_t *self, const char *party_name)
{
    for (size_t i = 0; i < self->sites_count; i++)
        if (strcmp (self->sites [i].party.name, party_name) == 0)
            return i;
    return SIZE_MAX;
}

size_t snapshot_place (const snapshot_t *self, size_t site, const char *class_name)
{
    for (size_t i = 0; i < self->places_count; i++)
        if (self->places [i].site == site && strcmp (self->places [i].class_name, class_name) == 0)
            return i;
    return SIZE_MAX;
}

void snapshot_profile (snapshot_t *self, size_t place, const profile_t *profile)
{
    place_t *to = &self->places [place];
    free (to->steps);
    to->steps = NULL;
    to->steps_count = profile->steps_count;
    to->until_ms = profile->until_ms;
    if (profile->steps_count == 0)
        return;
    to->steps = must (malloc (profile->steps_count * sizeof *to->steps));
    memcpy (to->steps, profile->steps, profile->steps_count * sizeof *to->steps);
}

void snapshot_window (snapshot_t *self, size_t place, window_t window)
{
    place_t *to = &self->places [place];
    to->windows = must (realloc (to->windows, (to->windows_count + 1) * sizeof *to->windows));
    to->windows [to->windows_count++] = window;
}

/*  Append a step, unless it says nothing new. */
static void push_step (place_t *self, int64_t from_ms, int64_t free_nodes)
{
    if (self->steps_count > 0 && self->steps [self->steps_count - 1].free == free_nodes)
        return;
    self->steps [self->steps_count++] = (profile_step_t){.from_ms = from_ms, .free = free_nodes};
}

/*  What the steps say from a time on that lies within them. */
static int64_t steps_at (const profile_step_t *steps, size_t count, int64_t at_ms)
{
    int64_t free_nodes = 0;
    for (size_t i = 0; i < count && steps [i].from_ms <= at_ms; i++)
        free_nodes = steps [i].free;
    return free_nodes;
}

void snapshot_patch (snapshot_t *self, size_t place, const profile_t *fresh)
{
    place_t *to = &self->places [place];
    if (fresh->steps_count == 0 || to->steps_count == 0)
        return;
    int64_t begin_ms = to->steps [0].from_ms;
    int64_t from_ms = fresh->steps [0].from_ms > begin_ms ? fresh->steps [0].from_ms : begin_ms;
    int64_t until_ms = fresh->until_ms < to->until_ms ? fresh->until_ms : to->until_ms;
    if (from_ms >= until_ms)
        return;

    profile_step_t *old = to->steps;
    size_t old_count = to->steps_count;
    to->steps = must (malloc ((old_count + fresh->steps_count + 2) * sizeof *to->steps));
    to->steps_count = 0;
    for (size_t i = 0; i < old_count && old [i].from_ms < from_ms; i++)
        push_step (to, old [i].from_ms, old [i].free);
    push_step (to, from_ms, steps_at (fresh->steps, fresh->steps_count, from_ms));
    for (size_t i = 0; i < fresh->steps_count && fresh->steps [i].from_ms < until_ms; i++)
        if (fresh->steps [i].from_ms > from_ms)
            push_step (to, fresh->steps [i].from_ms, fresh->steps [i].free);
    if (until_ms < to->until_ms)
        push_step (to, until_ms, steps_at (old, old_count, until_ms));
    for (size_t i = 0; i < old_count; i++)
        if (old [i].from_ms > until_ms)
            push_step (to, old [i].from_ms, old [i].free);
    free (old);
}

void snapshot_deny (snapshot_t *self, size_t place, int64_t from_ms, int64_t until_ms,
                    int64_t wanted)
{
    place_t *to = &self->places [place];
    for (size_t i = 0; i < to->windows_count; i++) {
        window_t *window = &to->windows [i];
        if (window->from_ms < until_ms && from_ms < window->until_ms && window->nodes >= wanted)
            window->nodes = wanted - 1;
    }
    if (from_ms >= until_ms || place_least (to, from_ms, until_ms) < wanted)
        return;
    profile_step_t step = {.from_ms = from_ms, .free = wanted - 1};
    snapshot_patch (self, place,
                    &(profile_t){.steps = &step, .steps_count = 1, .until_ms = until_ms});
}

void snapshot_leave_out (snapshot_t *self, size_t site, const char *why)
{
    self->sites [site].left_out = true;
    snprintf (self->sites [site].why, sizeof self->sites [site].why, "%s", why);
}

/*  The last step that begins at or before at_ms; the first when there is none. */
static size_t step_before (const place_t *self, int64_t at_ms)
{
    size_t low = 0, high = self->steps_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (self->steps [middle].from_ms <= at_ms)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t windows_least (const place_t *self, int64_t from_ms, int64_t until_ms)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < self->windows_count; i++) {
        const window_t *window = &self->windows [i];
        if (window->from_ms <= from_ms && window->until_ms >= until_ms && window->nodes > nodes)
            nodes = window->nodes;
    }
    return nodes;
}

int64_t place_least (const place_t *self, int64_t from_ms, int64_t until_ms)
{
    assert (from_ms < until_ms);
    if (self->windows_count > 0)
        return windows_least (self, from_ms, until_ms);
    if (self->steps_count == 0 || from_ms < self->steps [0].from_ms || until_ms > self->until_ms)
        return 0;
    int64_t least = INT64_MAX;
    for (size_t i = step_before (self, from_ms);
         i < self->steps_count && self->steps [i].from_ms < until_ms; i++)
        if (self->steps [i].free < least)
            least = self->steps [i].free;
    return least;
}

int64_t place_utilisation (const place_t *self)
{
    if (self->steps_count == 0 || self->nodes == 0)
        return 0;
    double node_ms = 0;
    for (size_t i = 0; i < self->steps_count; i++) {
        int64_t until_ms = i + 1 < self->steps_count ? self->steps [i + 1].from_ms : self->until_ms;
        node_ms += (double) self->steps [i].free * (double) (until_ms - self->steps [i].from_ms);
    }
    double span_ms = (double) (self->until_ms - self->steps [0].from_ms);
    double share = span_ms > 0 ? 1 - node_ms / span_ms / self->nodes : 0;
    return share <= 0 ? 0 : (int64_t) (share * 1e6);
}

int64_t snapshot_cost (const snapshot_t *self, size_t need, const option_t *option)
{
    const place_t *place = &self->places [option->place];
    double hours = (double) need_duration (self->request, need) / 3.6e6;
    double cost =
      (double) place->price * (double) option->nodes * (double) place->cpus_per_node * hours;
    return cost >= (double) COST_MAX ? COST_MAX : (int64_t) (cost + 0.5);
}
