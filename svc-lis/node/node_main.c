/*  node_main - reads the settings of an agent and runs it in a host. */
#include "node_main.h"

#include "agent.h"
#include "host.h"
#include "node_names.h"
#include "run_executor.h"
#include "site.h"

#include <string.h>

#define SITES_MAX 16

static const config_key_t node_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the node's name in its site, such as thin-001"),
  KEY_NEEDED (CONFIG_TEXT, "class", 0, 0, "the class of nodes that it belongs to"),
  KEY_NEEDED (CONFIG_INTEGER, "cpus", 1, CPUS_PER_NODE_MAX, "its CPUs: cpus_per_node of its class"),
  KEY_NEEDED (CONFIG_TEXT, "lis", 0, 0, "endpoints of the site's svc-lis, separated by commas"),
  KEY_NEEDED (CONFIG_TEXT, "runs", 0, 0,
              "absolute path of the folder that keeps all runs, on a disk of this machine"),
  KEY_TEXT ("storage/node", NULL,
            "name of the storage node (svc-replica node) of the site on this machine; without one "
            "no task with inputs or outputs runs here"),
  KEY_TEXT ("storage/arrivals", NULL,
            "absolute path of that storage node's folder for arrivals, where outputs of tasks are "
            "handed over; where it is on the disk of runs nothing is copied"),
  KEY_DURATION ("keep", "24h", 60000, 3650 * SETTING_DAY_MS,
                "how long the folder and the output of a run are kept after its end"),
  KEY_DURATION ("look", "5s", 100, SETTING_DAY_MS,
                "how often runs are looked at, in case a starter has died"),
  KEY_INTEGER (
    "limits/output", "67108864", 1, (double) ((uint64_t) 1 << 44),
    "bytes kept of a run's output; what it writes beyond them is dropped and counted, and "
    "the run goes on"),
  KEY_INTEGER ("limits/output_room", "268435456", 0, (double) ((uint64_t) 1 << 50),
               "bytes that stay free on the disk of runs; with less free, all output is dropped"),
};

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
    name_list_auto_t sites = {0};
    name_list_add (&sites, config_text (config, "lis"), "");
    agent_settings_t settings = agent_settings_default;
    settings.name = config_text (config, "name");
    settings.class_name = config_text (config, "class");
    settings.cpus = (uint32_t) config_integer (config, "cpus");
    settings.sites = (const char *const *) sites.words;
    settings.sites_count = sites.count;
    settings.runs = config_text (config, "runs");
    settings.storage = config_text (config, "storage/node");
    settings.arrivals = config_text (config, "storage/arrivals");
    settings.keep_ms = config_duration_ms (config, "keep");
    settings.look_ms = config_duration_ms (config, "look");
    settings.output_bytes_max = (uint64_t) config_integer (config, "limits/output");
    settings.room_bytes_least = (uint64_t) config_integer (config, "limits/output_room");
    if (!node_main_settings_right (&settings, &sites, why))
        return false;
    agent_core (&settings, core);
    return true;
}

int node_main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-lis node",
      .keys = node_keys,
      .keys_count = sizeof node_keys / sizeof *node_keys,
      .works = run_works,
      .works_count = run_executor_count,
      .core_new = node_main_core_new,
      .not_adopted = "an agent with records of an earlier time might begin runs again; give it an "
                     "empty store",
    };
    return host_run (&program, argc, argv);
}
