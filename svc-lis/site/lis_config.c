/*  lis_config - the rows of a site's file, and how they become its core. */
#include "lis_config.h"

#include "must.h"
#include "runner_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT 1000000 /* micro-credits */

static const setting_t lis_rows [] = {
  SET_INSIDE (lis_settings_t, provider, "", provider_settings_t, &provider_table),
  SET_FIXED (lis_settings_t, provider.limits.questions.profile_steps_max,
             "limits/profile_steps_max", 16384),
  SET_FIXED (lis_settings_t, provider.limits.bookings.fresh_steps_max, "limits/fresh_steps_max",
             2048),
  SET_INSIDE (lis_settings_t, plus, "", plus_limits_t, &plus_table),
};

static const void *lis_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    calendar_service_limits_t *questions =
      &((lis_settings_t *) settings)->provider.limits.questions;
    questions->windows_max = 64;
    questions->resources_max = SITE_CLASSES_MAX;
    questions->quantity_max = NODES_MAX;
    return NULL;
}

const setting_table_t lis_table = SETTING_TABLE (lis_settings_t, lis_rows, lis_rule);

static const setting_t lis_file_rows [] = {
  SET_TEXT_NEEDED (lis_file_t, common.name, "name",
                   "the site's name in the federation, such as ams"),
  SET_INSIDE (lis_file_t, common, "", provider_file_t, &provider_file_table),
  SET_DURATION (lis_file_t, common.terms.gap_ms, "cleaning_gap", 0, 0, MS_DAY,
                "time that nodes stay free after each booking"),
  SET_EACH (lis_file_t, common.accounts, common.accounts_count, "accounts", account_section_t,
            &charged_account_table, ACCOUNT_SECTIONS_MAX),
  SET_INSIDE (lis_file_t, machines, "", machines_settings_t, &machines_table),
  SET_INSIDE (lis_file_t, nodes, "nodes/", nodes_terms_t, &nodes_table),
  SET_INSIDE (lis_file_t, opening, "opening/", opening_settings_t, &opening_table),
  SET_INSIDE (lis_file_t, queue, "", queue_limits_t, &queue_table),
  SET_INSIDE (lis_file_t, sharing, "", sharing_limits_t, &sharing_table),
  SET_INSIDE (lis_file_t, numbers, "", lis_settings_t, &lis_table),
};

static const void *lis_file_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    lis_file_t *file = settings;
    file->queue.warning_ms = file->opening.warning_ms;
    file->queue.grace_ms = file->opening.grace_ms;
    file->queue.retention_ms = file->numbers.provider.participant.retention_ms;
    return NULL;
}

const setting_table_t lis_file_table = SETTING_TABLE (lis_file_t, lis_file_rows, lis_file_rule);

static bool class_read (const config_t *config, const class_section_t *section, node_class_t *class,
                        char why [LONG_WHY_BYTES])
{
    if (strlen (section->name) > NAME_BYTES_MAX)
        return config_refuse (config, &section->name, why, "a name has at most %d bytes",
                              NAME_BYTES_MAX);
    snprintf (class->name, sizeof class->name, "%s", section->name);
    class->nodes = section->nodes;
    class->cpus_per_node = section->cpus_per_node;
    class->price = llround (section->price * CREDIT);
    return attributes_config_read (config, section->attributes, section->attributes_count,
                                   &class->attributes, &class->attributes_count, why);
}

static bool classes_read (const config_t *config, const machines_settings_t *machines, site_t *site,
                          char why [LONG_WHY_BYTES])
{
    if (machines->classes_count == 0)
        return config_refuse (config, &machines->classes, why,
                              "a site has 1 to %d classes of nodes", SITE_CLASSES_MAX);
    site->classes = must (calloc (machines->classes_count, sizeof *site->classes));
    bool good = true;
    for (size_t i = 0; i < machines->classes_count && good; i++)
        good =
          class_read (config, &machines->classes [i], &site->classes [site->classes_count++], why);
    return good;
}

static bool lis_settings_read (const config_t *config, const lis_file_t *file,
                               provider_words_t *words, lis_settings_t *settings,
                               char why [LONG_WHY_BYTES])
{
    const free_capacity_terms_t *terms = &file->common.terms;
    if (!provider_config_read (config, &file->common, "lis", "site", words, &settings->provider,
                               why))
        return false;
    settings->plus = plus_limits_of (&settings->plus, &settings->provider);
    settings->site = (site_t){.disclosure = terms->disclosure,
                              .lead_ms = terms->lead_ms,
                              .horizon_ms = terms->horizon_ms,
                              .cleaning_gap_ms = terms->gap_ms};
    return classes_read (config, &file->machines, &settings->site, why);
}

bool lis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const lis_file_t *file = config_settings (config, &lis_file_table);
    provider_words_t words = {.name = ""};
    lis_settings_t settings = file->numbers;
    runner_settings_t runner = {0};
    bool runs = false;
    bool good = lis_settings_read (config, file, &words, &settings, why) &&
                runner_config_read (config, file, &settings.site, &runs, &runner, why);
    settings.runner = runs ? &runner : NULL;
    if (good)
        lis_core (&settings, core);
    runner_config_clear (&runner);
    provider_words_clear (&words);
    codec_clear (&site_codec, &settings.site);
    return good;
}
