/*  runner_config - from keys to settings; nodes by name. */
#include "runner_config.h"

#include "must.h"
#include "queue_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  thin-001 …: as many digits as the last one needs, three at least. False when a name is too long.
 */
static bool places_of_class (const site_t *site, size_t class, runner_settings_t *settings,
                             char why [CONFIG_WHY_BYTES])
{
    const node_class_t *of = &site->classes [class];
    int digits = snprintf (NULL, 0, "%u", of->nodes);
    digits = digits > 3 ? digits : 3;
    if (strlen (of->name) + 1 + (size_t) digits > NAME_BYTES_MAX)
        return wrong_setting (why, "classes/%.80s: too long for the names of its nodes", of->name);
    settings->places = must (reallocarray (settings->places, settings->places_count + of->nodes + 1,
                                           sizeof *settings->places));
    for (uint32_t i = 1; i <= of->nodes; i++) {
        node_place_t *place = &settings->places [settings->places_count++];
        *place = (node_place_t){.class = class};
        snprintf (place->name, sizeof place->name, "%.*s-%0*u", NAME_BYTES_MAX - 1 - digits,
                  of->name, digits, i);
    }
    return true;
}

static bool places_read (const site_t *site, runner_settings_t *settings,
                         char why [CONFIG_WHY_BYTES])
{
    for (size_t class = 0; class < site->classes_count; class ++)
        if (!places_of_class (site, class, settings, why))
            return false;
    if (settings->places_count > NODES_PLACES_MAX)
        return wrong_setting (why, "back_end: runner has at most %d nodes", NODES_PLACES_MAX);
    return true;
}

bool runner_config_read (const config_t *config, const site_t *site, bool *runs,
                         runner_settings_t *settings, char why [CONFIG_WHY_BYTES])
{
    const char *back_end = config_text (config, "back_end");
    *settings = (runner_settings_t){.nodes = nodes_limits_default,
                                    .openings = openings_limits_default,
                                    .back_end = back_end_limits_default};
    *runs = strcmp (back_end, "runner") == 0;
    if (!*runs && strcmp (back_end, "none") != 0)
        return wrong_setting (why, "back_end: %.80s is neither none nor runner", back_end);
    openings_limits_t *openings = &settings->openings;
    openings->bind_ms = config_duration_ms (config, "opening/bind");
    openings->warning_ms = config_duration_ms (config, "opening/warning");
    openings->grace_ms = config_duration_ms (config, "opening/grace");
    openings->lend_ms = config_duration_ms (config, "opening/lend");
    openings->release_ms = config_duration_ms (config, "opening/release");
    if (openings->bind_ms > site->lead_ms)
        openings->bind_ms = site->lead_ms;
    return !*runs ||
           (places_read (site, settings, why) && queue_config_read (config, settings, why));
}

void runner_config_clear (runner_settings_t *self)
{
    free (self->places);
    free (self->accounts);
    self->places = NULL;
    self->accounts = NULL;
}
