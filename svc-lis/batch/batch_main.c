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

static const config_key_t batch_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the site's name in the federation, such as ams"),
  KEY_NEEDED (CONFIG_TEXT, "system", 0, 0, "the site's back_end, one of " BATCH_SYSTEM_WORDS),
  BATCH_CONFIG_KEYS (""),
  KEY_NEEDED (CONFIG_TEXT, "lis", 0, 0, "endpoints of the site's svc-lis, separated by commas"),
  KEY_NEEDED (
    CONFIG_TEXT, "runs", 0, 0,
    "absolute path of the folder that keeps all runs, on a disk that all nodes see there"),
  KEY_DURATION ("look", "2s", 100, SETTING_DAY_MS,
                "how often the batch system is asked for its nodes and the runs"),
  KEY_DURATION ("keep", "24h", 60000, 3650 * SETTING_DAY_MS,
                "how long the folder and the output of a run are kept after its end"),
};

static const batch_system_t *const *batch_main_systems;
static batch_setup_t batch_main_setup;
static char batch_main_arrivals [1100];

static bool batch_main_fit (const batch_system_t *system, const config_t *config,
                            char why [LONG_WHY_BYTES])
{
    batch_main_setup = (batch_setup_t){0};
    if (*config_text (config, "runs") != '/' || strlen (config_text (config, "runs")) > 1024)
        return config_wrong (config, "runs", why, "should be an absolute path");
    return batch_setup_read (config, "", system, false, "queue", &batch_main_setup, why);
}

/*  Files of the federation, on a disk that all nodes see. */
static bool batch_main_files (const config_t *config, agent_settings_t *settings,
                              char why [LONG_WHY_BYTES])
{
    const char *shared = config_text (config, "inputs/shared");
    settings->storage = config_text (config, "inputs/node");
    if (!*shared && !*settings->storage)
        return true;
    snprintf (batch_main_arrivals, sizeof batch_main_arrivals, "%s/arrivals", shared);
    settings->arrivals = batch_main_arrivals;
    if (*shared != '/' || strlen (shared) > 1024)
        return config_wrong (config, "inputs/shared", why,
                             "\"%.80s\" should be an absolute path, beside inputs/node", shared);
    return (*settings->storage && strlen (settings->storage) <= NAME_BYTES_MAX &&
            !strpbrk (settings->storage, " \t")) ||
           config_wrong (config, "inputs/node", why,
                         "\"%.80s\" should be the name of the storage node of inputs/shared",
                         settings->storage);
}

static bool batch_main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const char *named = config_text (config, "system");
    const batch_system_t *system = batch_system_find (batch_main_systems, named);
    if (!system)
        return config_wrong (config, "system", why,
                             "\"%.80s\" should be one of " BATCH_SYSTEM_WORDS, named);
    if (!batch_main_fit (system, config, why))
        return false;
    batch_works_begin (system, &batch_main_setup);
    name_list_auto_t sites = {0};
    name_list_add (&sites, config_text (config, "lis"), "");
    agent_settings_t settings = agent_settings_default;
    settings.name = system->name;
    settings.class_name = "";
    settings.batch = true;
    settings.sites = (const char *const *) sites.words;
    settings.sites_count = sites.count;
    settings.runs = config_text (config, "runs");
    settings.keep_ms = config_duration_ms (config, "keep");
    settings.look_ms = settings.machine_ms = config_duration_ms (config, "look");
    settings.limit_ms = batch_main_setup.limit_ms;
    if (sites.count == 0)
        return config_wrong (config, "lis", why, "give an endpoint");
    if (!batch_main_files (config, &settings, why))
        return false;
    agent_core (&settings, core);
    return true;
}

int batch_main (int argc, char **argv, const batch_system_t *const *systems)
{
    batch_main_systems = systems;
    host_program_t program = {
      .program = "svc-lis batch",
      .keys = batch_keys,
      .keys_count = sizeof batch_keys / sizeof *batch_keys,
      .works = batch_works,
      .works_count = batch_works_count,
      .workers = AGENT_WORKERS,
      .core_new = batch_main_core_new,
      .not_adopted = "an agent with records of an earlier time might begin runs again; give it an "
                     "empty store",
    };
    return host_run (&program, argc, argv);
}
