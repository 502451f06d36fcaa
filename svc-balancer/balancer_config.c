/*  balancer_config - from keys to settings. */
#include "balancer_config.h"

#include "balancer.h"
#include "directory.h"
#include "name_list.h"

typedef struct {
    const char *name;
    const char *gis;
    balancer_settings_t numbers;
} balancer_file_t;

static const setting_t balancer_file_rows [] = {
  SET_TEXT_NEEDED (
    balancer_file_t, name, "name",
    "this balancer's name in the federation; sites join \"green\" as balancer/green"),
  SET_TEXT_NEEDED (balancer_file_t, gis, "gis",
                   "endpoints of the directories, separated by commas"),
  SET_INSIDE (balancer_file_t, numbers, "", balancer_settings_t, &balancer_table),
};
const setting_table_t balancer_file_table =
  SETTING_TABLE (balancer_file_t, balancer_file_rows, NULL);

bool balancer_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const balancer_file_t *file = config_settings (config, &balancer_file_table);
    char name [NAME_BYTES_MAX + 1];
    name_list_auto_t gis = name_list_of (file->gis, "");
    balancer_settings_t settings = file->numbers;
    if (!name_read (file->name, "balancer", "balancer", name, why) ||
        !words_right (&gis, "gis", ENDPOINT_BYTES_MAX, why))
        return false;
    if (gis.count == 0)
        return config_refuse (config, &file->gis, why, "must name at least one directory");
    settings.name = name;
    settings.gis_endpoints = (const char *const *) gis.words;
    settings.gis_count = gis.count;
    balancer_core (&settings, core);
    return true;
}
