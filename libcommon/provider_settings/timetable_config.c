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

static const char *const disclosures [] = {"profile", "windows", NULL};

static const setting_t terms_rows [] = {
  SET_CHOICE (free_capacity_terms_t, disclosure, "disclosure", DISCLOSE_PROFILE, disclosures,
              "profile: tells how much is free; windows: tells only whether given windows fit"),
  SET_DURATION (free_capacity_terms_t, lead_ms, "lead", 5 * MS_SECOND, 0, MS_DAY,
                "how far ahead a reservation must start at least"),
  SET_DURATION (free_capacity_terms_t, horizon_ms, "horizon", 365 * MS_DAY, MS_SECOND,
                100 * MS_YEAR, "how far ahead a reservation may end at most"),
};

static const void *terms_rule (void *settings, char why [WHY_BYTES])
{
    const free_capacity_terms_t *terms = settings;
    if (terms->lead_ms < terms->horizon_ms)
        return NULL;
    snprintf (why, WHY_BYTES, "must be longer than lead");
    return &terms->horizon_ms;
}

const setting_table_t terms_table = SETTING_TABLE (free_capacity_terms_t, terms_rows, terms_rule);

static const setting_t provider_file_rows [] = {
  SET_TEXT (provider_file_t, gis, "gis", "", "endpoints of the directories, separated by commas"),
  SET_TEXT (provider_file_t, administrators, "administrators", "",
            "actors that may change capacity and end others' holds, separated by commas"),
  SET_INSIDE (provider_file_t, terms, "", free_capacity_terms_t, &terms_table),
};
const setting_table_t provider_file_table =
  SETTING_TABLE (provider_file_t, provider_file_rows, NULL);

/*  Accounts, administrators and directories. */
static bool provider_words_read (const config_t *config, const provider_file_t *file,
                                 provider_words_t *read, access_t *access,
                                 char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < file->accounts_count; i++) {
        const account_section_t *account = &file->accounts [i];
        if (!account->actors)
            return config_refuse (config, &account->name, why,
                                  "name the actors that have this account");
        name_list_add (&read->accounts, account->actors, "");
        const char *twice = name_list_twice (&read->accounts);
        if (twice)
            return config_refuse (config, &account->name, why, "%s has an account already", twice);
    }
    name_list_add (&read->administrators, file->administrators, "");
    name_list_add (&read->gis, file->gis, "");
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

bool provider_config_read (const config_t *config, const provider_file_t *file, const char *kind,
                           const char *what, provider_words_t *words, provider_settings_t *settings,
                           char why [LONG_WHY_BYTES])
{
    if (!name_read (file->name, kind, what, words->name, why) ||
        !provider_words_read (config, file, words, &settings->access, why))
        return false;
    settings->name = words->name;
    settings->gis_endpoints = (const char *const *) words->gis.words;
    settings->gis_count = words->gis.count;
    return true;
}

void provider_words_clear (provider_words_t *self)
{
    name_list_clear (&self->accounts);
    name_list_clear (&self->administrators);
    name_list_clear (&self->gis);
}

plus_limits_t plus_limits_of (const plus_limits_t *plus, const provider_settings_t *provider)
{
    plus_limits_t limits = *plus;
    limits.asked_ms = provider->participant.retention_ms;
    return limits;
}

bool attributes_config_read (const config_t *config, const attribute_setting_t *sections,
                             size_t sections_count, attribute_t **attributes, size_t *count,
                             char why [LONG_WHY_BYTES])
{
    attribute_t *read = must (calloc (sections_count + 1, sizeof *read));
    *attributes = NULL;
    for (size_t i = 0; i < sections_count; i++) {
        const attribute_setting_t *section = &sections [i];
        if (strlen (section->name) > NAME_BYTES_MAX || !section->value || !*section->value ||
            strlen (section->value) > ATTRIBUTE_VALUE_BYTES_MAX) {
            free (read);
            return config_refuse (config, &section->name, why,
                                  "an attribute has a name of at most %d bytes and a value of 1 to "
                                  "%d",
                                  NAME_BYTES_MAX, ATTRIBUTE_VALUE_BYTES_MAX);
        }
        snprintf (read [i].name, sizeof read [i].name, "%s", section->name);
        snprintf (read [i].value, sizeof read [i].value, "%s", section->value);
    }
    *attributes = read;
    *count = sections_count;
    return true;
}
