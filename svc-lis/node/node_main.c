/*  node_main - reads the settings of an agent and runs it in a host. */
#include "node_main.h"

#include "agent.h"
#include "host.h"
#include "node_names.h"
#include "run_executor.h"
#include "runs.h"
#include "site.h"

#include <string.h>

#define SITES_MAX 16

typedef struct {
    const char *name;
    const char *class_name;
    uint32_t cpus;
    const char *lis;
    const char *runs;
    const char *storage;
    const char *arrivals;
    agent_settings_t numbers;
} node_file_t;

static const setting_t node_file_rows [] = {
  SET_TEXT_NEEDED (node_file_t, name, "name", "the node's name in its site, such as thin-001"),
  SET_TEXT_NEEDED (node_file_t, class_name, "class", "the class of nodes that it belongs to"),
  SET_COUNT_NEEDED (node_file_t, cpus, "cpus", 1, CPUS_PER_NODE_MAX,
                    "its CPUs: cpus_per_node of its class"),
  SET_TEXT_NEEDED (node_file_t, lis, "lis", "endpoints of the site's svc-lis, separated by commas"),
  SET_TEXT_NEEDED (node_file_t, runs, "runs",
                   "absolute path of the folder that keeps all runs, on a disk of this machine"),
  SET_TEXT (node_file_t, storage, "storage/node", NULL,
            "name of the storage node (svc-replica node) of the site on this machine; without one "
            "no task with inputs or outputs runs here"),
  SET_TEXT (node_file_t, arrivals, "storage/arrivals", NULL,
            "absolute path of that storage node's folder for arrivals, where outputs of tasks are "
            "handed over; where it is on the disk of runs nothing is copied"),
  SET_INSIDE (node_file_t, numbers, "", agent_settings_t, &agent_table),
};
static const setting_table_t node_file_table = SETTING_TABLE (node_file_t, node_file_rows, NULL);

static bool node_main_settings_right (const agent_settings_t *settings, const name_list_t *sites,
                                      char why [LONG_WHY_BYTES])
{
    if (*settings->name == '\0' || strlen (settings->name) > NODE_NAME_BYTES_MAX ||
        strpbrk (settings->name, "/ \t"))
        return wrong_setting (why,
                              "name: \"%.80s\" should be 1 to %d bytes without blanks or slashes",
                              settings->name, NODE_NAME_BYTES_MAX);
    if (*settings->class_name == '\0' || strlen (settings->class_name) > NAME_BYTES_MAX)
        return wrong_setting (why, "class: \"%.80s\" should be 1 to %d bytes", settings->class_name,
                              NAME_BYTES_MAX);
    if (sites->count == 0 || sites->count > SITES_MAX)
        return wrong_setting (why, "lis: give 1 to %d endpoints", SITES_MAX);
    const char *arrivals = settings->arrivals;
    if (!settings->storage != !arrivals)
        return wrong_setting (why, "storage/node and storage/arrivals must be given together");
    if (arrivals && (!*settings->storage || strlen (settings->storage) > NAME_BYTES_MAX ||
                     strpbrk (settings->storage, " \t")))
        return wrong_setting (why, "storage/node: \"%.80s\" should be 1 to %d bytes without blanks",
                              settings->storage, NAME_BYTES_MAX);
    if (arrivals && (*arrivals != '/' || strlen (arrivals) > 1024))
        return wrong_setting (why, "storage/arrivals: \"%.80s\" should be an absolute path",
                              arrivals);
    if (*settings->runs != '/' || strlen (settings->runs) > 1024)
        return wrong_setting (why, "runs: \"%.80s\" should be an absolute path", settings->runs);
    return true;
}

static bool node_main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const node_file_t *file = config_settings (config, &node_file_table);
    name_list_auto_t sites = name_list_of (file->lis, "");
    agent_settings_t settings = file->numbers;
    settings.name = file->name;
    settings.class_name = file->class_name;
    settings.cpus = file->cpus;
    settings.sites = (const char *const *) sites.words;
    settings.sites_count = sites.count;
    settings.runs = file->runs;
    settings.storage = file->storage;
    settings.arrivals = file->arrivals;
    if (!node_main_settings_right (&settings, &sites, why))
        return false;
    agent_core (&settings, core);
    return true;
}

int node_main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-lis node",
      .settings = &node_file_table,
      .works = run_works,
      .works_count = run_executor_count,
      .core_new = node_main_core_new,
      .states = (const state_table_t *const []){&run_states, NULL},
      .not_adopted = "an agent with records of an earlier time might begin runs again; give it an "
                     "empty store",
    };
    return host_run (&program, argc, argv);
}
