/*  timetable_config - from keys to settings.
 *
 *  Who has a local account is written the other way round than one reads it: the account names the
 *  line and the actors stand in its value, because a name in a ZPL file can't hold every actor's
 *  name, and surely not the star that means anybody.
 */
#include "timetable_config.h"

#include "directory.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNTS_MAX    4096 /* local accounts */
#define CONFIG_PATH_MAX 512

static bool timetable_config_terms_read (const config_t *config, free_capacity_terms_t *terms,
                                         char why [LONG_WHY_BYTES])
{
    *terms = (free_capacity_terms_t){.lead_ms = config_duration_ms (config, "lead"),
                                     .horizon_ms = config_duration_ms (config, "horizon")};
    const char *disclosure = config_text (config, "disclosure");
    if (strcmp (disclosure, "windows") == 0)
        terms->disclosure = DISCLOSE_WINDOWS;
    else if (strcmp (disclosure, "profile") == 0)
        terms->disclosure = DISCLOSE_PROFILE;
    else
        return wrong_setting (why, "disclosure: \"%.80s\" should be profile or windows",
                              disclosure);
    return terms->lead_ms < terms->horizon_ms ||
           wrong_setting (why, "horizon: must be longer than lead");
}

/*  Accounts, administrators and directories. */
static bool provider_words_read (const config_t *config, provider_words_t *read, access_t *access,
                                 char why [LONG_WHY_BYTES])
{
    const char *locals [ACCOUNTS_MAX + 1];
    size_t count = config_names (config, "accounts", locals, ACCOUNTS_MAX + 1);
    if (count > ACCOUNTS_MAX)
        return wrong_setting (why, "accounts: at most %d local accounts", ACCOUNTS_MAX);
    for (size_t i = 0; i < count; i++) {
        char path [CONFIG_PATH_MAX];
        snprintf (path, sizeof path, "accounts/%s", locals [i]);
        const char *actors = config_text (config, path);
        if (!actors)
            return config_wrong (config, path, why, "name the actors that have this account");
        name_list_add (&read->accounts, actors, "");
        const char *twice = name_list_twice (&read->accounts);
        if (twice)
            return config_wrong (config, path, why, "%s has an account already", twice);
    }
    name_list_add (&read->administrators, config_text (config, "administrators"), "");
    name_list_add (&read->gis, config_text (config, "gis"), "");
    *access = (access_t){
      .accounts = (const char *const *) read->accounts.words,
      .accounts_count = read->accounts.count,
      .administrators = (const char *const *) read->administrators.words,
      .administrators_count = read->administrators.count,
    };
    return words_right (&read->accounts, "accounts", NAME_BYTES_MAX, why) &&
           words_right (&read->administrators, "administrators", NAME_BYTES_MAX, why) &&
           words_right (&read->gis, "gis", ENDPOINT_BYTES_MAX, why);
}

bool provider_config_read (const config_t *config, const char *kind, const char *what,
                           provider_words_t *words, free_capacity_terms_t *terms,
                           provider_settings_t *settings, char why [LONG_WHY_BYTES])
{
    if (!config_name_read (config, kind, what, words->name, why) ||
        !timetable_config_terms_read (config, terms, why) ||
        !provider_words_read (config, words, &settings->access, why))
        return false;
    settings->name = words->name;
    settings->gis_endpoints = (const char *const *) words->gis.words;
    settings->gis_count = words->gis.count;
    settings->restore_guard_wait_ms = config_duration_ms (config, "standing/wait");
    return true;
}

void provider_words_clear (provider_words_t *self)
{
    name_list_clear (&self->accounts);
    name_list_clear (&self->administrators);
    name_list_clear (&self->gis);
}

static uint32_t number (const config_t *config, const char *path)
{
    return (uint32_t) config_integer (config, path);
}

bool provider_limits_read (const config_t *config, provider_settings_t *settings,
                           char why [LONG_WHY_BYTES])
{
    settings->limits.bookings = (timetable_limits_t){
      .bookings_max = number (config, "limits/bookings_max"),
      .bookings_per_actor_max = number (config, "limits/bookings_per_actor_max"),
      .fresh_steps_max = number (config, "limits/fresh_steps_max"),
      .hold_quota = {.share = number (config, "limits/uncommitted_share"),
                     .share_per_planner = number (config, "limits/uncommitted_share_per_planner"),
                     .share_per_actor = number (config, "limits/uncommitted_share_per_actor")}};
    settings->limits.questions.profile_steps_max = number (config, "limits/profile_steps_max");
    settings->limits.questions.spans_max = number (config, "limits/spans_max");
    return participant_limits_read (config, &settings->participant, why);
}

plus_limits_t plus_limits_read (const config_t *config)
{
    plus_limits_t limits = plus_limits_default;
    limits.wait_ms = config_duration_ms (config, "plus/wait");
    limits.created_max = number (config, "plus/created_max");
    limits.created_per_actor_max = number (config, "plus/created_per_actor_max");
    limits.asked_max = number (config, "plus/asked_max");
    limits.refused_max = number (config, "plus/refused_max");
    limits.asked_ms = config_duration_ms (config, "limits/retention");
    return limits;
}

bool attributes_config_read (const config_t *config, const char *section, attribute_t **attributes,
                             size_t *count, char why [LONG_WHY_BYTES])
{
    const char *names [CLASS_ATTRIBUTES_MAX + 1];
    *attributes = NULL;
    *count = config_names (config, section, names, CLASS_ATTRIBUTES_MAX + 1);
    if (*count > CLASS_ATTRIBUTES_MAX)
        return config_wrong (config, section, why, "at most %d attributes", CLASS_ATTRIBUTES_MAX);
    attribute_t *read = must (calloc (*count + 1, sizeof *read));
    for (size_t i = 0; i < *count; i++) {
        char path [2 * CONFIG_PATH_MAX];
        snprintf (path, sizeof path, "%s/%s", section, names [i]);
        const char *value = config_text (config, path);
        if (strlen (names [i]) > NAME_BYTES_MAX || !*value ||
            strlen (value) > ATTRIBUTE_VALUE_BYTES_MAX) {
            free (read);
            return config_wrong (config, path, why,
                                 "an attribute has a name of at most %d bytes and a value of 1 to "
                                 "%d",
                                 NAME_BYTES_MAX, ATTRIBUTE_VALUE_BYTES_MAX);
        }
        snprintf (read [i].name, sizeof read [i].name, "%s", names [i]);
        snprintf (read [i].value, sizeof read [i].value, "%s", value);
    }
    *attributes = read;
    return true;
}
