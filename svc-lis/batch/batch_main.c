/*  batch_main - reads the settings of a batch system's agent and runs it in a host. */
#include "batch_main.h"

#include "agent.h"
#include "batch_back_end.h"
#include "batch_config.h"
#include "batch_works.h"
#include "name_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGENT_WORKERS 8 /* each waits for one command at a time */

typedef struct {
    const char *name;
    const char *system;
    batch_settings_t batch;
    const char *lis;
    const char *runs;
    int64_t look_ms;
    int64_t keep_ms;
} batch_file_t;

static const setting_t batch_file_rows [] = {
  SET_TEXT_NEEDED (batch_file_t, name, "name", "the site's name in the federation, such as ams"),
  SET_TEXT_NEEDED (batch_file_t, system, "system",
                   "the site's back_end, one of " BATCH_SYSTEM_WORDS),
  SET_INSIDE (batch_file_t, batch, "", batch_settings_t, &batch_table),
  SET_TEXT_NEEDED (batch_file_t, lis, "lis",
                   "endpoints of the site's svc-lis, separated by commas"),
  SET_TEXT_NEEDED (
    batch_file_t, runs, "runs",
    "absolute path of the folder that keeps all runs, on a disk that all nodes see there"),
  SET_DURATION (batch_file_t, look_ms, "look", 2 * MS_SECOND, 100, MS_DAY,
                "how often the batch system is asked for its nodes and the runs"),
  SET_AGENT_KEEP (batch_file_t, keep_ms),
};
static const setting_table_t batch_file_table = SETTING_TABLE (batch_file_t, batch_file_rows, NULL);

static const batch_system_t *const *batch_main_systems;
static batch_setup_t batch_main_setup;
static char batch_main_arrivals [1100];

static bool batch_main_fit (const config_t *config, const batch_file_t *file,
                            const batch_system_t *system, char why [LONG_WHY_BYTES])
{
    if (*file->runs != '/' || strlen (file->runs) > 1024)
        return config_refuse (config, &file->runs, why, "should be an absolute path");
    return batch_setup_read (config, file->name, &file->batch, system, false, &file->batch.queue,
                             &batch_main_setup, why);
}

/*  Files of the federation, on a disk that all nodes see. */
static bool batch_main_files (const config_t *config, const batch_settings_t *batch,
                              agent_settings_t *settings, char why [LONG_WHY_BYTES])
{
    const char *shared = batch->inputs_shared;
    settings->storage = batch->inputs_node;
    if (!*shared && !*settings->storage)
        return true;
    snprintf (batch_main_arrivals, sizeof batch_main_arrivals, "%s/arrivals", shared);
    settings->arrivals = batch_main_arrivals;
    if (*shared != '/' || strlen (shared) > 1024)
        return config_refuse (config, &batch->inputs_shared, why,
                              "\"%.80s\" should be an absolute path, beside inputs/node", shared);
    return (*settings->storage && strlen (settings->storage) <= NAME_BYTES_MAX &&
            !strpbrk (settings->storage, " \t")) ||
           config_refuse (config, &batch->inputs_node, why,
                          "\"%.80s\" should be the name of the storage node of inputs/shared",
                          settings->storage);
}

static bool batch_main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const batch_file_t *file = config_settings (config, &batch_file_table);
    const batch_system_t *system = batch_system_find (batch_main_systems, file->system);
    if (!system)
        return config_refuse (config, &file->system, why,
                              "\"%.80s\" should be one of " BATCH_SYSTEM_WORDS, file->system);
    if (!batch_main_fit (config, file, system, why))
        return false;
    batch_works_begin (system, &batch_main_setup);
    name_list_auto_t sites = name_list_of (file->lis, "");
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = system->name;
    settings.class_name = "";
    settings.batch = true;
    settings.sites = (const char *const *) sites.words;
    settings.sites_count = sites.count;
    settings.runs = file->runs;
    settings.keep_ms = file->keep_ms;
    settings.look_ms = settings.machine_ms = file->look_ms;
    settings.limit_ms = file->batch.limit_ms;
    if (sites.count == 0)
        return config_refuse (config, &file->lis, why, "give an endpoint");
    if (!batch_main_files (config, &file->batch, &settings, why))
        return false;
    agent_core (&settings, core);
    return true;
}

int batch_main (int argc, char **argv, const batch_system_t *const *systems)
{
    batch_main_systems = systems;
    host_program_t program = {
      .program = "svc-lis batch",
      .settings = &batch_file_table,
      .works = batch_works,
      .works_count = batch_works_count,
      .workers = AGENT_WORKERS,
      .core_new = batch_main_core_new,
      .states = (const state_table_t *const []){&run_states, NULL},
      .not_adopted = "an agent with records of an earlier time might begin runs again; give it an "
                     "empty store",
    };
    return host_run (&program, argc, argv);
}
