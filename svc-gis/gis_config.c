/*  gis_config - from keys to settings. */
#include "gis_config.h"

#include "directory_entry.h"
#include "gis.h"
#include "participant_config.h"
#include "recall.h"

#include <string.h>

#define NAME_SIGNS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define KIND       "gis/"

const config_key_t gis_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "this directory's name in the federation, such as g1"),
  KEY_TEXT ("gis", "", "endpoints of the other directories, separated by commas"),
  KEY_TEXT ("homes", "",
            "the request homes: names of all directories of the federation, in the same order at "
            "each of them; the list must never change; none = this one alone"),
  KEY_TEXT (
    "administrators", "",
    "actors that may announce and withdraw in others' names and end holds, separated by commas"),
  KEY_TEXT ("actors", "*",
            "actors whose requests may have their home here, separated by commas; * = anybody"),
  KEY_DURATION ("lease_min", "3s", GIS_LEASE_MS_LEAST, GIS_LEASE_MS_MOST,
                "shortest lease of an entry"),
  KEY_DURATION ("lease_max", "60s", GIS_LEASE_MS_LEAST, GIS_LEASE_MS_MOST,
                "longest lease of an entry: a service that died stays listed until its lease ends"),
  KEY_DURATION ("roster/remembered", "7d", 1000, 366 * SETTING_DAY_MS,
                "how long a site, domain, storage, index or balancer that is silent or has stopped "
                "is told as that"),
  KEY_INTEGER ("roster/remembered_max", "1024", 0, ABSENCES_MAX,
               "such services told at once; of more, those heard of longest ago are forgotten"),
  KEY_INTEGER ("limits/entries_max", "32768", 1, GIS_ENTRIES_MAX, "services listed at once"),
  KEY_INTEGER ("limits/watermarks_max", "65536", 1, SETTING_COUNT_MOST,
               "services whose watermarks are kept at once: how far their ledgers had come (T14)"),
  KEY_INTEGER ("limits/closed_max", "1000000", 1, SETTING_COUNT_MOST,
               "closed requests kept at once"),
  KEY_DURATION ("recall/wait", "15s", 0, RECALL_MS,
                "how long a home whose store is new lets nobody claim requests, so that services "
                "can tell which requests of an earlier store they have carried out; 0s where a "
                "federation begins and there was none"),
  PARTICIPANT_CONFIG_KEYS,
};
const size_t gis_keys_count = sizeof gis_keys / sizeof *gis_keys;

static name_list_t words_read (const config_t *config, const char *path, const char *prefix)
{
    name_list_t words = {0};
    name_list_add (&words, config_text (config, path), prefix);
    return words;
}

/*  "gis/g1": what stands after the slash ends request ids, so it must be plain. */
static bool gis_config_name_sound (const char *name, const char *key, char why [LONG_WHY_BYTES])
{
    const char *given = name + strlen (KIND);
    size_t length = strlen (given);
    if (length > 0 && length <= NAME_BYTES_MAX - strlen (KIND) &&
        strspn (given, NAME_SIGNS) == length)
        return true;
    return wrong_setting (
      why, "%s: \"%.80s\" is no directory name; use 1 to %zu letters, digits, '.', '_' and '-'",
      key, given, NAME_BYTES_MAX - strlen (KIND));
}

static bool homes_sound (const name_list_t *homes, const char *name, char why [LONG_WHY_BYTES])
{
    bool named = homes->count == 0;
    if (homes->count > GIS_HOMES_MAX)
        return wrong_setting (why, "homes: at most %d", GIS_HOMES_MAX);
    for (size_t i = 0; i < homes->count; i++) {
        if (!gis_config_name_sound (homes->words [i], "homes", why))
            return false;
        for (size_t k = 0; k < i; k++)
            if (strcmp (homes->words [k], homes->words [i]) == 0)
                return wrong_setting (why, "homes: %s is given twice", homes->words [i]);
        named = named || strcmp (homes->words [i], name) == 0;
    }
    if (!named)
        return wrong_setting (why, "homes: must include %s itself", name);
    return true;
}

static bool gis_config_limits_read (const config_t *config, gis_settings_t *settings,
                                    char why [LONG_WHY_BYTES])
{
    settings->lease_ms_min = (uint32_t) config_duration_ms (config, "lease_min");
    settings->lease_ms_max = (uint32_t) config_duration_ms (config, "lease_max");
    settings->absences = (absences_limits_t){
      .remembered_max = (uint32_t) config_integer (config, "roster/remembered_max"),
      .remembered_ms = config_duration_ms (config, "roster/remembered"),
      .grace_ms =
        settings->lease_ms_min > DIRECTORY_LEASE_MS ? settings->lease_ms_min : DIRECTORY_LEASE_MS};
    settings->entries_max = (uint32_t) config_integer (config, "limits/entries_max");
    settings->closed_max = (uint32_t) config_integer (config, "limits/closed_max");
    settings->watermarks_max = (uint32_t) config_integer (config, "limits/watermarks_max");
    settings->recall_wait_ms = config_duration_ms (config, "recall/wait");
    settings->restore_guard_wait_ms = config_duration_ms (config, "standing/wait");
    if (settings->lease_ms_min > settings->lease_ms_max)
        return wrong_setting (why, "lease_min: must not be longer than lease_max");
    return participant_limits_read (config, &settings->limits, why);
}

bool gis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    name_list_auto_t names = words_read (config, "name", KIND);
    name_list_auto_t homes = words_read (config, "homes", KIND);
    name_list_auto_t gis = words_read (config, "gis", "");
    name_list_auto_t actors = words_read (config, "actors", "");
    name_list_auto_t administrators = words_read (config, "administrators", "");
    gis_settings_t settings = {0};
    if (names.count != 1)
        return wrong_setting (why, "name: should be one name, such as g1");
    if (!gis_config_name_sound (names.words [0], "name", why) ||
        !homes_sound (&homes, names.words [0], why) ||
        !words_right (&gis, "gis", ENDPOINT_BYTES_MAX, why) ||
        !words_right (&actors, "actors", NAME_BYTES_MAX, why) ||
        !words_right (&administrators, "administrators", NAME_BYTES_MAX, why) ||
        !gis_config_limits_read (config, &settings, why))
        return false;
    settings.name = names.words [0];
    settings.homes = (const char *const *) homes.words;
    settings.homes_count = homes.count;
    settings.gis_endpoints = (const char *const *) gis.words;
    settings.gis_count = gis.count;
    settings.access = (access_t){
      .accounts = (const char *const *) actors.words,
      .accounts_count = actors.count,
      .administrators = (const char *const *) administrators.words,
      .administrators_count = administrators.count,
    };
    gis_core (&settings, core);
    return true;
}
