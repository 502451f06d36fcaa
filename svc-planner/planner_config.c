/*  planner_config - from keys to settings. */
#include "planner_config.h"

#include "directory.h"
#include "must.h"
#include "name_list.h"
#include "planner.h"
#include "planner_limits.h"
#include "zpl.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MAX 1024 /* weights, levels, and users of levels */
#define EVERYBODY "*"

static_assert (ZPL_NAME_BYTES_MAX <= NAME_BYTES_MAX, "a section's name is short enough");

/*  ip/weights/ams = 10 */
typedef struct {
    const char *name;
    uint32_t number;
} weight_section_t;

/*  ip/levels/low/… */
typedef struct {
    const char *name;
    const char *users;
    uint32_t visible;
} level_section_t;

typedef struct {
    const char *name;
    const char *gis;
    const char *administrators;
    weight_section_t *weights;
    size_t weights_count;
    level_section_t *levels;
    size_t levels_count;
    planner_settings_t numbers;
} planner_file_t;

static const setting_t weight_rows [] = {
  SET_NAME (weight_section_t, name),
  SET_COUNT (weight_section_t, number, "", 1, 1, 1000000,
             "ip with balance weights: what the prices of this site or domain are multiplied by"),
};
static const setting_table_t weight_table = SETTING_TABLE (weight_section_t, weight_rows, NULL);

static const setting_t level_rows [] = {
  SET_NAME (level_section_t, name),
  SET_COUNT (level_section_t, visible, "visible", 100, 1, 100,
             "ip: percent of what is free that plans of this service level's users may use (C)"),
  SET_TEXT (level_section_t, users, "users", "",
            "ip: the users of this service level, separated by commas; * = all that have no other"),
};
static const setting_table_t level_table = SETTING_TABLE (level_section_t, level_rows, NULL);

static const setting_t planner_file_rows [] = {
  SET_TEXT (planner_file_t, name, "name", NULL,
            "for people only; in the federation a planner's name is its store's id"),
  SET_TEXT_NEEDED (planner_file_t, gis, "gis", "endpoints of the directories, separated by commas"),
  SET_TEXT (planner_file_t, administrators, "administrators", "",
            "actors that see every reservation's details, separated by commas"),
  SET_INSIDE (planner_file_t, numbers, "", planner_settings_t, &planner_table),
  SET_EACH (planner_file_t, weights, weights_count, "ip/weights", weight_section_t, &weight_table,
            NAMED_MAX),
  SET_EACH (planner_file_t, levels, levels_count, "ip/levels", level_section_t, &level_table,
            NAMED_MAX),
};

/*  What who has no level may use is said by the level of everybody. */
static const void *planner_file_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    planner_file_t *file = settings;
    for (size_t i = 0; i < file->levels_count; i++) {
        name_list_auto_t users = name_list_of (file->levels [i].users, "");
        if (name_list_has (&users, EVERYBODY))
            file->numbers.ip.visible = file->levels [i].visible;
    }
    return NULL;
}

const setting_table_t planner_file_table =
  SETTING_TABLE (planner_file_t, planner_file_rows, planner_file_rule);

/*  The lists among the settings, while they are read. */
typedef struct {
    name_list_t gis;
    name_list_t administrators;
    name_list_t users;
    named_number_t weights [NAMED_MAX];
    named_number_t visible_to [NAMED_MAX];
} lists_t;

static void lists_destroy (lists_t *self)
{
    name_list_clear (&self->gis);
    name_list_clear (&self->administrators);
    name_list_clear (&self->users);
    free (self);
}

static void add_number (named_number_t *numbers, size_t *count, const char *name, uint32_t number)
{
    named_number_t *to = &numbers [(*count)++];
    snprintf (to->name, sizeof to->name, "%s", name);
    to->number = number;
}

static void read_weights (const planner_file_t *file, lists_t *lists, ip_settings_t *ip)
{
    ip->weights = lists->weights;
    for (size_t i = 0; i < file->weights_count; i++)
        add_number (lists->weights, &ip->weights_count, file->weights [i].name,
                    file->weights [i].number);
}

static bool read_levels (const config_t *config, const planner_file_t *file, lists_t *lists,
                         ip_settings_t *ip, char why [LONG_WHY_BYTES])
{
    name_list_t *users = &lists->users;
    ip->visible_to = lists->visible_to;
    for (size_t i = 0; i < file->levels_count; i++) {
        const level_section_t *level = &file->levels [i];
        size_t before = users->count;
        name_list_add (users, level->users, "");
        const char *twice = name_list_twice (users);
        if (twice)
            return config_refuse (config, &level->users, why, "%s has a level already", twice);
        if (users->count > NAMED_MAX || name_list_too_long (users, NAME_BYTES_MAX))
            return config_refuse (config, &level->users, why,
                                  "levels have at most %d users, with names of at most %d bytes",
                                  NAMED_MAX, NAME_BYTES_MAX);
        for (size_t k = before; k < users->count; k++)
            if (strcmp (users->words [k], EVERYBODY) != 0)
                add_number (lists->visible_to, &ip->visible_to_count, users->words [k],
                            level->visible);
    }
    return true;
}

static uint32_t processors (void)
{
    long count = sysconf (_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > SOLVERS_MAX ? SOLVERS_MAX : (uint32_t) count;
}

static bool read_lists (const config_t *config, const planner_file_t *file, lists_t *lists,
                        planner_settings_t *settings, char why [LONG_WHY_BYTES])
{
    name_list_add (&lists->gis, file->gis, "");
    name_list_add (&lists->administrators, file->administrators, "");
    settings->gis_endpoints = (const char *const *) lists->gis.words;
    settings->gis_count = lists->gis.count;
    settings->administrators = (const char *const *) lists->administrators.words;
    settings->administrators_count = lists->administrators.count;
    read_weights (file, lists, &settings->ip);
    if (settings->gis_count == 0)
        return config_refuse (config, &file->gis, why, "must name at least one directory");
    return words_right (&lists->gis, "gis", ENDPOINT_BYTES_MAX, why) &&
           words_right (&lists->administrators, "administrators", NAME_BYTES_MAX, why) &&
           read_levels (config, file, lists, &settings->ip, why);
}

static bool core_make (const config_t *config, bool finishing, core_t *core,
                       char why [LONG_WHY_BYTES])
{
    const planner_file_t *file = config_settings (config, &planner_file_table);
    planner_settings_t settings = file->numbers;
    settings.finishing = finishing;
    if (settings.ip.workers == 0)
        settings.ip.workers = processors ();
    lists_t *lists = must (calloc (1, sizeof *lists));
    bool good = read_lists (config, file, lists, &settings, why);
    if (good)
        planner_core (&settings, core);
    lists_destroy (lists);
    return good;
}

bool planner_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    return core_make (config, false, core, why);
}

bool finisher_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    return core_make (config, true, core, why);
}
