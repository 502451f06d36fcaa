/*  gis_config - from keys to settings. */
#include "gis_config.h"

#include "directory_entry.h"
#include "gis.h"

#include <string.h>

#define NAME_SIGNS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define KIND       "gis/"

typedef struct {
    const char *name;
    const char *gis;
    const char *homes;
    const char *administrators;
    const char *actors;
    gis_settings_t numbers;
} gis_file_t;

static const setting_t gis_file_rows [] = {
  SET_TEXT_NEEDED (gis_file_t, name, "name", "this directory's name in the federation, such as g1"),
  SET_TEXT (gis_file_t, gis, "gis", "", "endpoints of the other directories, separated by commas"),
  SET_TEXT (gis_file_t, homes, "homes", "",
            "the request homes: names of all directories of the federation, in the same order at "
            "each of them; the list must never change; none = this one alone"),
  SET_TEXT (
    gis_file_t, administrators, "administrators", "",
    "actors that may announce and withdraw in others' names and end holds, separated by commas"),
  SET_TEXT (gis_file_t, actors, "actors", "*",
            "actors whose requests may have their home here, separated by commas; * = anybody"),
  SET_INSIDE (gis_file_t, numbers, "", gis_settings_t, &gis_table),
};
const setting_table_t gis_file_table = SETTING_TABLE (gis_file_t, gis_file_rows, NULL);

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

bool gis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const gis_file_t *file = config_settings (config, &gis_file_table);
    name_list_auto_t names = name_list_of (file->name, KIND);
    name_list_auto_t homes = name_list_of (file->homes, KIND);
    name_list_auto_t gis = name_list_of (file->gis, "");
    name_list_auto_t actors = name_list_of (file->actors, "");
    name_list_auto_t administrators = name_list_of (file->administrators, "");
    gis_settings_t settings = file->numbers;
    if (names.count != 1)
        return wrong_setting (why, "name: should be one name, such as g1");
    if (!gis_config_name_sound (names.words [0], "name", why) ||
        !homes_sound (&homes, names.words [0], why) ||
        !words_right (&gis, "gis", ENDPOINT_BYTES_MAX, why) ||
        !words_right (&actors, "actors", NAME_BYTES_MAX, why) ||
        !words_right (&administrators, "administrators", NAME_BYTES_MAX, why))
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
