/*  lis_config - from keys to settings. */
#include "lis_config.h"

#include "lis.h"
#include "must.h"
#include "runner_config.h"
#include "timetable_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT          1000000 /* micro-credits */
#define CONFIG_PATH_MAX 512

const config_key_t lis_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the site's name in the federation, such as ams"),
  KEY_TEXT ("gis", "", "endpoints of the directories, separated by commas"),
  KEY_NEEDED (CONFIG_INTEGER, "classes/*/nodes", 0, NODES_MAX, "identical nodes of this class"),
  KEY_INTEGER ("classes/*/cpus_per_node", "1", 1, CPUS_PER_NODE_MAX,
               "CPUs of each node; nodes are granted whole"),
  KEY_REAL ("classes/*/price", "0", 0, 1e9, "credits a CPU-hour, to a millionth"),
  KEY_TEXT ("classes/*/names", "",
            "with the back end runner: what its nodes are called, such as n001, n[002-064]; "
            "CLASS-001 and so on where they are not named"),
  KEY_TEXT ("classes/*/attributes/*", NULL, "what requests may ask for, such as os = linux"),
  TIMETABLE_CONFIG_KEYS,
  KEY_DURATION ("cleaning_gap", "0s", 0, SETTING_DAY_MS, "kept free after each booking"),
  KEY_TEXT ("back_end", "none",
            "none: keeps the times only; runner: runs tasks on the site's nodes"),
  KEY_DURATION ("nodes/attend", "10s", 100, SETTING_DAY_MS,
                "a node's agent asks at least so often"),
  KEY_DURATION ("nodes/silent", "25s", 100, SETTING_DAY_MS,
                "a node not heard for so long gets nothing new"),
  KEY_DURATION ("nodes/lease", "5m", 1000, SETTING_DAY_MS,
                "an agent not answered for so long ends what runs on its node"),
  KEY_DURATION ("nodes/lost", "330s", 1000, SETTING_DAY_MS,
                "a node not heard for so long is lost, with what ran there; at least 15 s "
                "longer than the lease"),
  KEY_DURATION ("opening/bind", "5s", 0, SETTING_DAY_MS,
                "nodes are bound and cleared so long before a reservation starts; no longer "
                "than the lead"),
  KEY_DURATION ("opening/warning", "60s", 0, SETTING_DAY_MS,
                "runs are warned so long before their reservation ends"),
  KEY_DURATION ("opening/grace", "10s", 0, SETTING_DAY_MS, "between SIGTERM and SIGKILL"),
  KEY_TEXT ("opening/clear", "end",
            "tasks from the queue on a node without which a reservation has too few: end = "
            "warned as it is bound, ended at the start; wait = it waits for them"),
  KEY_DURATION ("opening/lend", "5m", 0, SETTING_DAY_MS,
                "a reservation unused so long is lent to preemptible tasks; 0s = never"),
  KEY_DURATION ("opening/release", "0s", 0, SETTING_DAY_MS,
                "one unused so long is given back to the queue; 0s = never"),
  KEY_INTEGER ("limits/bags_max", "100000", 1, 10000000, "bags of tasks that are not over"),
  KEY_INTEGER ("limits/bags_per_actor_max", "10000", 1, 10000000, "of those, of one owner"),
  KEY_INTEGER ("limits/tasks_per_bag_max", "1000000", 1, 10000000, "tasks in one bag"),
  KEY_DURATION ("limits/task_limit", "30d", 1000, TASK_LIMIT_MS_MOST,
                "the longest wall time that a task may ask for"),
  KEY_DURATION ("queue/life", "60s", 0, 366.0 * 24 * 3600000,
                "a preemptible task is begun where its node is not wanted for so long and "
                "opening/warning"),
  KEY_DURATION ("queue/retention", "24h", 0, 366.0 * 24 * 3600000,
                "bags that are over are kept so long"),
  KEY_INTEGER ("limits/move_max", "1000", 1, 10000,
               "tasks in one move to another site, or from one"),
  KEY_INTEGER ("limits/move_pieces_max", "16", 1, 1000, "moves that one order of a balancer makes"),
  KEY_DURATION ("sharing/offer", "5m", 1000, SETTING_DAY_MS,
                "tasks offered longer ago are refused; clocks of members agree within it"),
  KEY_DURATION ("sharing/answers", "24h", 1000, 366.0 * SETTING_DAY_MS,
                "answers to offers are kept so long at least; longer than sharing/offer"),
  KEY_DURATION (
    "sharing/again", "60s", 100, SETTING_DAY_MS,
    "another site is asked again after so long, and whether its store is still the one"),
  KEY_DURATION ("sharing/lost", "10m", 0, 366.0 * SETTING_DAY_MS,
                "tasks at a site that has served from another store for so long are lost"),
  KEY_DURATION ("sharing/timeout", "5s", 100, SETTING_DAY_MS,
                "of a question to another site, before it is repeated"),
  PARTICIPANT_CONFIG_KEYS,
  PROVIDER_LIMITS_KEYS ("bookings in the calendars of all classes", SITE_CLASSES_MAX, "16384",
                        "2048"),
  KEY_DURATION ("plus/wait", "15m", 1000, PLUS_WAIT_MS_MAX,
                "a command of the PluS interface waits so long for its commit"),
  KEY_INTEGER ("plus/created_max", "10000", 1, 1000000,
               "reservations created there and not reserved yet"),
  KEY_INTEGER ("plus/created_per_actor_max", "1000", 1, 1000000, "of those, of one actor"),
  KEY_INTEGER ("plus/asked_max", "100000", 1, 10000000,
               "request ids kept there with what was granted, each for limits/retention"),
  KEY_INTEGER ("plus/refused_max", "20000", 1, 10000000,
               "request ids kept there with a refusal, as long"),
};
const size_t lis_keys_count = sizeof lis_keys / sizeof *lis_keys;

static const char *path_of (char path [CONFIG_PATH_MAX], const char *class_name, const char *rest)
{
    snprintf (path, CONFIG_PATH_MAX, "classes/%s/%s", class_name, rest);
    return path;
}

static bool class_read (const config_t *config, node_class_t *class, const char *name,
                        char why [CONFIG_WHY_BYTES])
{
    char path [CONFIG_PATH_MAX];
    snprintf (class->name, sizeof class->name, "%s", name);
    class->nodes = (uint32_t) config_integer (config, path_of (path, name, "nodes"));
    class->cpus_per_node =
      (uint32_t) config_integer (config, path_of (path, name, "cpus_per_node"));
    class->price = llround (config_real (config, path_of (path, name, "price")) * CREDIT);
    return attributes_config_read (config, path_of (path, name, "attributes"), &class->attributes,
                                   &class->attributes_count, why);
}

static bool classes_read (const config_t *config, site_t *site, char why [CONFIG_WHY_BYTES])
{
    const char *names [SITE_CLASSES_MAX + 1];
    size_t count = config_names (config, "classes", names, SITE_CLASSES_MAX + 1);
    if (count == 0 || count > SITE_CLASSES_MAX)
        return wrong_setting (why, "classes: a site has 1 to %d classes of nodes",
                              SITE_CLASSES_MAX);
    site->classes = must (calloc (count, sizeof *site->classes));
    for (size_t i = 0; i < count; i++) {
        if (strlen (names [i]) > NAME_BYTES_MAX)
            return wrong_setting (why, "classes/%.80s…: a name has at most %d bytes", names [i],
                                  NAME_BYTES_MAX);
        if (!class_read (config, &site->classes [site->classes_count++], names [i], why))
            return false;
    }
    return true;
}

static plus_limits_t plus_read (const config_t *config)
{
    return (plus_limits_t){
      .wait_ms = config_duration_ms (config, "plus/wait"),
      .created_max = (uint32_t) config_integer (config, "plus/created_max"),
      .created_per_actor_max = (uint32_t) config_integer (config, "plus/created_per_actor_max"),
      .asked_max = (uint32_t) config_integer (config, "plus/asked_max"),
      .refused_max = (uint32_t) config_integer (config, "plus/refused_max"),
      .asked_ms = config_duration_ms (config, "limits/retention"),
      .list_max = plus_limits_default.list_max,
      .looks_max = plus_limits_default.looks_max,
    };
}

static bool settings_read (const config_t *config, provider_words_t *words,
                           lis_settings_t *settings, char why [CONFIG_WHY_BYTES])
{
    room_terms_t terms;
    if (!provider_config_read (config, "lis", "site", words, &terms, &settings->provider, why))
        return false;
    settings->plus = plus_read (config);
    settings->site = (site_t){.disclosure = terms.disclosure,
                              .lead_ms = terms.lead_ms,
                              .horizon_ms = terms.horizon_ms,
                              .cleaning_gap_ms = config_duration_ms (config, "cleaning_gap")};
    return classes_read (config, &settings->site, why) &&
           provider_limits_read (config, &settings->provider, why);
}

bool lis_core_from_config (const config_t *config, core_t *core, char why [CONFIG_WHY_BYTES])
{
    provider_words_t words = {.name = ""};
    lis_settings_t settings = {.provider.limits = lis_limits_default};
    runner_settings_t runner = {0};
    bool runs = false;
    bool good = settings_read (config, &words, &settings, why) &&
                runner_config_read (config, &settings.site, &runs, &runner, why);
    settings.runner = runs ? &runner : NULL;
    if (good)
        lis_core (&settings, core);
    runner_config_clear (&runner);
    provider_words_clear (&words);
    codec_clear (&site_codec, &settings.site);
    return good;
}
