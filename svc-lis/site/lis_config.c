/*  lis_config - the rows of a site's file, and how they become its core. */
#include "lis_config.h"

#include "batch_config.h"
#include "must.h"
#include "node_names.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert (NODE_NAMES_MAX <= NODES_PLACES_MAX, "a place for each name");
static_assert (NODE_NAME_BYTES_MAX <= NAME_BYTES_MAX, "a place's name");

static bool places_of_class (const config_t *config, const machines_settings_t *machines,
                             size_t class, name_list_t *names, runner_settings_t *settings,
                             char why [LONG_WHY_BYTES])
{
    if (!node_names_read (names, config, &machines->classes [class], why))
        return false;
    settings->places =
      must (reallocarray (settings->places, names->count + 1, sizeof *settings->places));
    for (; settings->places_count < names->count; settings->places_count++) {
        node_place_t *place = &settings->places [settings->places_count];
        *place = (node_place_t){.class = class};
        snprintf (place->name, sizeof place->name, "%s", names->words [settings->places_count]);
    }
    return true;
}

/*  It has the name of the batch system, and comes last. */
static void place_of_batch (const machines_settings_t *machines, name_list_t *names,
                            runner_settings_t *settings)
{
    name_list_add (names, machines->back_end, "");
    settings->places =
      must (reallocarray (settings->places, settings->places_count + 1, sizeof *settings->places));
    node_place_t *place = &settings->places [settings->places_count++];
    *place = (node_place_t){.class = machines->classes_count};
    snprintf (place->name, sizeof place->name, "%s", machines->back_end);
}

static bool places_read (const config_t *config, const machines_settings_t *machines,
                         runner_settings_t *settings, char why [LONG_WHY_BYTES])
{
    name_list_auto_t names = {0};
    bool good = true;
    for (size_t class = 0; class < machines->classes_count && good; class ++)
        good = places_of_class (config, machines, class, &names, settings, why);
    if (good && settings->batch)
        place_of_batch (machines, &names, settings);
    const char *twice = good ? name_list_twice (&names) : NULL;
    if (twice)
        good = config_refuse (config, &machines->classes, why, "two nodes are called %s", twice);
    return good;
}

static void accounts_add (runner_settings_t *settings, const account_t *as,
                          const name_list_t *actors)
{
    settings->accounts =
      must (reallocarray (settings->accounts, settings->accounts_count + actors->count + 1,
                          sizeof *settings->accounts));
    for (size_t i = 0; i < actors->count; i++) {
        account_t *account = &settings->accounts [settings->accounts_count++];
        *account = *as;
        snprintf (account->actor, sizeof account->actor, "%s", actors->words [i]);
    }
}

/*  A word of a section of accounts that stands as it is in commands. */
static bool account_word (const config_t *config, const char *const *member, const char *otherwise,
                          size_t bytes_max, char *word, char why [LONG_WHY_BYTES])
{
    const char *text = *member ? *member : otherwise;
    snprintf (word, bytes_max + 1, "%s", text);
    return (strlen (text) <= bytes_max &&
            strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
              strlen (text) &&
            *text != '-') ||
           config_refuse (config, member, why,
                          "\"%.80s\" should be letters, digits, '.', '_' and '-', at most %zu",
                          text, bytes_max);
}

/*  Sections without actors, and names of them that are too long, were refused when the site's
 *  access was read. */
static bool accounts_read (const config_t *config, const provider_file_t *file,
                           runner_settings_t *settings, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < file->accounts_count; i++) {
        const account_section_t *section = &file->accounts [i];
        account_t as = {.actor = ""};
        snprintf (as.section, sizeof as.section, "accounts/%.50s", section->name);
        if (!account_word (config, &section->user, section->name, ACCOUNT_BYTES_MAX, as.account,
                           why) ||
            !account_word (config, &section->account, "", CHARGED_BYTES_MAX, as.charged, why) ||
            !account_word (config, &section->qos, "", CHARGED_BYTES_MAX, as.qos, why))
            return false;
        name_list_auto_t actors = name_list_of (section->actors, "");
        accounts_add (settings, &as, &actors);
    }
    return true;
}

/*  Only a batch system knows which jobs may be run again. */
static bool clear_read (const config_t *config, const opening_settings_t *opening,
                        runner_settings_t *settings, char why [LONG_WHY_BYTES])
{
    const char *text = opening->clear;
    clear_t *clear = &settings->nodes.clear;
    name_list_add (&settings->end_for, opening->end_for, "");
    if (strcmp (text, "end") == 0 || (!*text && !settings->batch))
        *clear = CLEAR_END;
    else if (strcmp (text, "requeue") == 0 && settings->batch)
        *clear = CLEAR_REQUEUE;
    else if (*text && strcmp (text, "wait") != 0)
        return config_refuse (config, &opening->clear, why, "\"%.80s\" should be wait%s or end",
                              text, settings->batch ? ", requeue" : "");
    settings->openings.clear = *clear == CLEAR_END;
    return settings->end_for.count == 0 || (settings->batch && *clear != CLEAR_END) ||
           config_refuse (config, &opening->end_for, why,
                          settings->batch ? "with opening/clear = end all reservations end jobs"
                                          : "is for a site with a batch system");
}

static void openings_read (const config_t *config, const lis_file_t *file, const site_t *site,
                           runner_settings_t *settings)
{
    openings_limits_t *openings = &settings->openings;
    *openings = openings_limits_of (&file->opening, file->machines.batch.watch_ms);
    bool early = settings->batch && !config_given (config, &file->opening.bind_ms);
    if (settings->batch && strcmp (file->machines.back_end, "commands") != 0) {
        openings->ahead = file->machines.batch.ahead;
        openings->reach_ms = early ? 0 : openings->bind_ms;
    }
    if (early || openings->bind_ms > site->lead_ms)
        openings->bind_ms = site->lead_ms;
    if (settings->batch) /* it is for the batch system to use what its owner does not */
        openings->lend_ms = openings->release_ms = 0;
}

bool runner_config_read (const config_t *config, const lis_file_t *file, const site_t *site,
                         bool *runs, runner_settings_t *settings, char why [LONG_WHY_BYTES])
{
    const char *back_end = file->machines.back_end;
    name_list_auto_t batch_systems = name_list_of (BATCH_SYSTEM_WORDS, "");
    bool batch = name_list_has (&batch_systems, back_end);
    *settings = (runner_settings_t){.nodes = nodes_limits_of (&file->nodes),
                                    .queue = file->queue,
                                    .sharing = file->sharing,
                                    .back_end = back_end_limits_default,
                                    .batch = batch};
    *runs = batch || strcmp (back_end, "runner") == 0;
    if (!*runs && strcmp (back_end, "none") != 0)
        return config_refuse (config, &file->machines.back_end, why,
                              "\"%.80s\" should be none, runner, or one of " BATCH_SYSTEM_WORDS,
                              back_end);
    openings_read (config, file, site, settings);
    return !*runs || (clear_read (config, &file->opening, settings, why) &&
                      places_read (config, &file->machines, settings, why) &&
                      accounts_read (config, &file->common, settings, why));
}

void runner_config_clear (runner_settings_t *self)
{
    free (self->places);
    free (self->accounts);
    name_list_clear (&self->end_for);
    self->places = NULL;
    self->accounts = NULL;
}

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
