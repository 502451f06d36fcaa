/*  lis_config - the keys of a site's file, and how they become settings. */
#include "lis_config.h"

#include "batch_config.h"
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
            "with a back end: names of its nodes, such as n001, n[002-064]; without "
            "names they are CLASS-001 and so on"),
  KEY_TEXT ("classes/*/attributes/*", NULL,
            "a property that requests may ask for, such as os = linux"),
  TIMETABLE_CONFIG_KEYS,
  KEY_DURATION ("cleaning_gap", "0s", 0, SETTING_DAY_MS,
                "time that nodes stay free after each booking"),
  KEY_TEXT ("back_end", "none",
            "none: the site keeps reservations' times only; runner: it runs tasks on its "
            "nodes; " BATCH_SYSTEM_WORDS
            ": its nodes are this batch system's, which runs the tasks"),
  BATCH_CONFIG_KEYS ("batch/"),
  KEY_TEXT ("accounts/*/account", "",
            "with a batch system: its account that these actors charge (Slurm's --account, Grid "
            "Engine's project); reservations there are for it alone"),
  KEY_TEXT ("accounts/*/qos", "", "with Slurm: the QOS of their jobs"),
  KEY_TEXT ("accounts/*/user", "",
            "the local account, where the section has another name, as a second one for it has"),
  KEY_DURATION ("batch/watch", "5s", 100, SETTING_DAY_MS,
                "how often the batch system is asked whether it still has a reservation as it was "
                "told"),
  KEY_INTEGER (
    "batch/ahead", "500", 0, 100000,
    "so many of the nearest reservations that wait are made in Slurm or Grid Engine long "
    "before their start; 0: none before opening/bind"),
  KEY_DURATION ("nodes/attend", "10s", 100, SETTING_DAY_MS,
                "the longest time between two questions of a node's agent"),
  KEY_DURATION ("nodes/silent", "25s", 100, SETTING_DAY_MS,
                "a node that is silent for this long gets no new runs"),
  KEY_DURATION ("nodes/lease", "5m", 1000, SETTING_DAY_MS,
                "an agent that gets no answer for this long ends the runs on its node"),
  KEY_DURATION (
    "nodes/lost", "330s", 1000, SETTING_DAY_MS,
    "a node that is silent for this long is lost, with its runs; at least 15 s longer than "
    "nodes/lease"),
  KEY_DURATION (
    "opening/bind", "5s", 0, 3650 * SETTING_DAY_MS,
    "how long before its start a reservation gets its nodes, and they are cleared; at most the "
    "lead. With Slurm it is made there so long before its start, if anything is given; else as "
    "long as the longest job that may begin there"),
  KEY_DURATION ("opening/warning", "60s", 0, SETTING_DAY_MS,
                "how long before the end of a reservation its runs are warned"),
  KEY_DURATION ("opening/grace", "10s", 0, SETTING_DAY_MS, "time between SIGTERM and SIGKILL"),
  KEY_TEXT ("opening/clear", "",
            "what becomes of tasks of the queue, and with a batch system of jobs, on nodes that a "
            "reservation needs: wait = none ends, and with a batch system (the default there) each "
            "has its node until its limit, so nothing is reserved over it; requeue (with one only) "
            "= those that may be run again make way; end = all do (without one the default): tasks "
            "are warned when their node is bound and ended at the start"),
  KEY_TEXT ("opening/end_for", "",
            "actors whose reservations end jobs in the batch system, whatever opening/clear is for "
            "others; separated by commas"),
  KEY_DURATION ("opening/lend", "5m", 0, SETTING_DAY_MS,
                "a reservation unused for this long is lent to preemptible tasks; 0s = never"),
  KEY_DURATION ("opening/release", "0s", 0, SETTING_DAY_MS,
                "a reservation unused for this long is given back to the queue; 0s = never"),
  KEY_INTEGER ("limits/bags_max", "100000", 1, 10000000,
               "the most bags of tasks that are not over"),
  KEY_INTEGER ("limits/bags_per_actor_max", "10000", 1, 10000000, "the most of those of one owner"),
  KEY_INTEGER ("limits/tasks_per_bag_max", "1000000", 1, 10000000, "the most tasks in one bag"),
  KEY_DURATION ("limits/task_limit", "30d", 1000, TASK_LIMIT_MS_MOST,
                "the longest wall time that a task may ask for"),
  KEY_DURATION (
    "queue/life", "60s", 0, 366.0 * 24 * 3600000,
    "a preemptible task is started only where no reservation needs its node for this long "
    "plus opening/warning"),
  KEY_INTEGER (
    "queue/data_bound", "64000000", 0, (double) ((uint64_t) 1 << 50),
    "bytes of input: a task that lacks more of them at its node is data-bound. They come "
    "first, while others compute on its CPUs; these are suspended when they are needed"),
  KEY_INTEGER ("queue/input_rate", "100000000", 1, 1e15,
               "bytes a second at which inputs are thought to come, to weigh nodes and sites"),
  KEY_INTEGER (
    "queue/transfers", "2", 0, 1024,
    "data-bound tasks that a node is given at once; 0: inputs come on a task's own CPUs"),
  KEY_INTEGER (
    "queue/data_bound_bags", "8", 1, 1000000,
    "bags whose next task is data-bound and finds no node: behind so many, none with inputs or "
    "a rank is looked at until something changes"),
  KEY_INTEGER (
    "queue/handed", "512", 1, QUEUE_HANDED_MAX,
    "tasks of the queue that a batch system has at once, waiting there or running; others "
    "wait here, where they may be moved to other sites"),
  KEY_DURATION ("queue/stop", "10s", 1000, 366.0 * 24 * 3600000,
                "a run that is to make way for another goes on when it has not stopped within this "
                "time"),
  KEY_DURATION ("queue/patience", "60s", 0, 366.0 * 24 * 3600000,
                "a task is stopped when one of its inputs could not be had for this long"),
  KEY_DURATION ("queue/retention", "24h", 0, 366.0 * 24 * 3600000,
                "how long bags that are over are kept"),
  KEY_INTEGER ("limits/move_max", "1000", 1, 10000,
               "the most tasks in one move to another site, or from one"),
  KEY_INTEGER ("limits/move_pieces_max", "16", 1, 1000,
               "the most moves that one order of a balancer makes"),
  KEY_DURATION (
    "sharing/offer", "5m", 1000, SETTING_DAY_MS,
    "older offers of tasks are refused; the clocks of members must agree within this time"),
  KEY_DURATION ("sharing/answers", "24h", 1000, 366.0 * SETTING_DAY_MS,
                "how long answers to offers are kept at least; longer than sharing/offer"),
  KEY_DURATION ("sharing/again", "60s", 100, SETTING_DAY_MS,
                "time between two questions to another site, also whether its store is the same"),
  KEY_DURATION ("sharing/lost", "10m", 0, 366.0 * SETTING_DAY_MS,
                "tasks at a site that serves from another store for this long are lost"),
  KEY_DURATION ("sharing/timeout", "5s", 100, SETTING_DAY_MS,
                "how long an answer of another site is awaited before the question is repeated"),
  PARTICIPANT_CONFIG_KEYS,
  PROVIDER_LIMITS_KEYS ("bookings in the calendars of all classes", SITE_CLASSES_MAX, "16384",
                        "2048"),
  PLUS_CONFIG_KEYS,
};
const size_t lis_keys_count = sizeof lis_keys / sizeof *lis_keys;

static const char *lis_config_path_of (char path [CONFIG_PATH_MAX], const char *class_name,
                                       const char *rest)
{
    snprintf (path, CONFIG_PATH_MAX, "classes/%s/%s", class_name, rest);
    return path;
}

static bool class_read (const config_t *config, node_class_t *class, const char *name,
                        char why [LONG_WHY_BYTES])
{
    char path [CONFIG_PATH_MAX];
    snprintf (class->name, sizeof class->name, "%s", name);
    class->nodes = (uint32_t) config_integer (config, lis_config_path_of (path, name, "nodes"));
    class->cpus_per_node =
      (uint32_t) config_integer (config, lis_config_path_of (path, name, "cpus_per_node"));
    class->price =
      llround (config_real (config, lis_config_path_of (path, name, "price")) * CREDIT);
    return attributes_config_read (config, lis_config_path_of (path, name, "attributes"),
                                   &class->attributes, &class->attributes_count, why);
}

static bool classes_read (const config_t *config, site_t *site, char why [LONG_WHY_BYTES])
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

static bool lis_config_settings_read (const config_t *config, provider_words_t *words,
                                      lis_settings_t *settings, char why [LONG_WHY_BYTES])
{
    free_capacity_terms_t terms;
    if (!provider_config_read (config, "lis", "site", words, &terms, &settings->provider, why))
        return false;
    settings->plus = plus_limits_read (config);
    settings->site = (site_t){.disclosure = terms.disclosure,
                              .lead_ms = terms.lead_ms,
                              .horizon_ms = terms.horizon_ms,
                              .cleaning_gap_ms = config_duration_ms (config, "cleaning_gap")};
    return classes_read (config, &settings->site, why) &&
           provider_limits_read (config, &settings->provider, why);
}

bool lis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    provider_words_t words = {.name = ""};
    lis_settings_t settings = {.provider.limits.questions = {.windows_max = 64,
                                                             .resources_max = SITE_CLASSES_MAX,
                                                             .quantity_max = NODES_MAX}};
    runner_settings_t runner = {0};
    bool runs = false;
    bool good = lis_config_settings_read (config, &words, &settings, why) &&
                runner_config_read (config, &settings.site, &runs, &runner, why);
    settings.runner = runs ? &runner : NULL;
    if (good)
        lis_core (&settings, core);
    runner_config_clear (&runner);
    provider_words_clear (&words);
    codec_clear (&site_codec, &settings.site);
    return good;
}
