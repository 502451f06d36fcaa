/*  objective - unit costs by price, weight, power or quality. */
#include "objective.h"

#include "directory.h"
#include "must.h"
#include "participant_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AVAILABILITY "availability"
#define POWER        "power"
#define PARTS        1000000 /* lack of availability, and watts, are counted in millionths */
#define UNIT_MAX     (INT64_C (1) << 40)

/*  The attribute of this name as a number; negative when there is none. */
static double number_of (const attribute_t *attributes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (strcmp (attributes [i].name, name) != 0)
            continue;
        double value = strtod (attributes [i].value, &end);
        return *end || end == attributes [i].value || !isfinite (value) || value < 0 ? -1 : value;
    }
    return -1;
}

/*  Its power, or its lack of availability, in PARTS; -1 when it is not stated. */
static int64_t parts_of (const attribute_t *attributes, size_t count, objective_weighing_t by)
{
    double value = number_of (attributes, count, by == OBJECTIVE_POWER ? POWER : AVAILABILITY);
    if (value < 0)
        return -1;
    if (by == OBJECTIVE_QUALITY)
        value = value > 1 ? 0 : 1 - value;
    value = value * PARTS + 0.5;
    return value >= (double) UNIT_MAX ? UNIT_MAX : (int64_t) value;
}

static int64_t objective_weight_of (const ip_settings_t *settings, const char *name)
{
    for (size_t i = 0; i < settings->weights_count; i++)
        if (strcmp (settings->weights [i].name, name) == 0)
            return settings->weights [i].number;
    return 1;
}

static int64_t weighed (const ip_settings_t *settings, objective_weighing_t by, int64_t price,
                        const char *name)
{
    int64_t weight = by == OBJECTIVE_WEIGHTS ? objective_weight_of (settings, name) : 1;
    price = price < UNIT_MAX ? price : UNIT_MAX;
    return price > UNIT_MAX / weight ? UNIT_MAX : price * weight;
}

static int64_t place_unit (const snapshot_t *snapshot, const directory_t *directory,
                           const ip_settings_t *settings, objective_weighing_t by, size_t at)
{
    const site_class_t *place = &snapshot->places [at];
    const char *name = snapshot->sources [place->source].party.name;
    if (by == OBJECTIVE_PRICE || by == OBJECTIVE_WEIGHTS)
        return weighed (settings, by, place->price, participant_ref_short_name (name));
    const directory_entry_t *entry = directory_find (directory, name);
    const node_class_t *class =
      entry && entry->site ? site_class (entry->site, place->class_name) : NULL;
    return class ? parts_of (class->attributes, class->attributes_count, by) : -1;
}

static int64_t link_unit (const snapshot_t *snapshot, const ip_settings_t *settings,
                          objective_weighing_t by, size_t at)
{
    const graph_link_t *link = graph_link (snapshot->graph, at);
    if (by == OBJECTIVE_PRICE || by == OBJECTIVE_WEIGHTS)
        return weighed (settings, by, link->link->price, link->domain);
    return parts_of (link->link->attributes, link->link->attributes_count, by);
}

/*  What states nothing counts as much as the worst that is stated, not as 0. */
static void fill_untold (int64_t *units, size_t count)
{
    int64_t most = 1;
    for (size_t i = 0; i < count; i++)
        most = units [i] > most ? units [i] : most;
    for (size_t i = 0; i < count; i++)
        units [i] = units [i] < 0 ? most : units [i];
}

void unit_costs_weigh (unit_costs_t *self, const snapshot_t *snapshot, const directory_t *directory,
                       const ip_settings_t *settings, objective_weighing_t by)
{
    self->places = must (calloc (snapshot->places_count + 1, sizeof *self->places));
    self->links = must (calloc (snapshot->links_count + 1, sizeof *self->links));
    for (size_t i = 0; i < snapshot->places_count; i++)
        self->places [i] = place_unit (snapshot, directory, settings, by, i);
    for (size_t i = 0; i < snapshot->links_count; i++)
        self->links [i] = link_unit (snapshot, settings, by, i);
    fill_untold (self->places, snapshot->places_count);
    fill_untold (self->links, snapshot->links_count);
}

void unit_costs_clear (unit_costs_t *self)
{
    free (self->places);
    free (self->links);
    *self = (unit_costs_t){0};
}
