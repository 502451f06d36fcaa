/*  balancer_config - from keys to settings. */
#include "balancer_config.h"

#include "balancer.h"
#include "config.h"
#include "directory.h"
#include "name_list.h"

#define DAY_MS 86400000.0

const config_key_t balancer_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0,
              "this balancer's name in the federation; sites join \"green\" as balancer/green"),
  KEY_NEEDED (CONFIG_TEXT, "gis", 0, 0, "endpoints of the directories, separated by commas"),
  KEY_DURATION ("coalition", "1h", 1000, 366 * DAY_MS,
                "how often a coalition is formed and automatic levels are adapted (T of S1)"),
  KEY_DURATION ("step", "10s", 100, DAY_MS, "how often the members' queues are balanced (t of S1)"),
  KEY_FLAG ("reschedule", "false",
            "also try S1's rebuilt schedule, and use it where it completes the jobs earlier; it "
            "trusts the speeds that sites report"),
  KEY_DURATION ("timeout", "2s", 10, 600000,
                "how long to wait for a member's answer; never longer than half a step"),
  KEY_INTEGER ("limits/members_max", "256", 2, BALANCER_MEMBERS_MOST, "sites in a coalition"),
  KEY_INTEGER ("limits/jobs_max", "10000", 1, BALANCER_JOBS_MOST, "bags considered in one step"),
  KEY_INTEGER ("limits/orders_max", "1000", 1, BALANCER_ORDERS_MOST,
               "orders to move tasks in one step"),
  KEY_INTEGER ("limits/kept_max", "100000", 1, 10000000,
               "finished jobs kept for the length of a coalition and measured at its end"),
  KEY_INTEGER ("limits/history_max", "1000", 1, 1000000, "ended coalitions kept"),
  KEY_INTEGER ("limits/silent_max", "3", 1, 1000000,
               "a member that misses so many steps in a row is set aside until the next coalition"),
  KEY_INTEGER ("limits/diligence_steps", "6", 1, 1000000,
               "steps with waiting tasks over which a member's work is compared with its CPUs"),
  KEY_REAL ("limits/work_least", "0.5", 0, 0.99,
            "a member that did a smaller share of what its CPUs could do is set aside until the "
            "next coalition; 0 = never"),
};
const size_t balancer_keys_count = sizeof balancer_keys / sizeof *balancer_keys;

static uint32_t balancer_config_count_of (const config_t *config, const char *path)
{
    return (uint32_t) config_integer (config, path);
}

static bool balancer_config_settings_read (const config_t *config, balancer_settings_t *settings,
                                           char why [LONG_WHY_BYTES])
{
    settings->coalition_ms = config_duration_ms (config, "coalition");
    settings->step_ms = config_duration_ms (config, "step");
    settings->reschedule = config_boolean (config, "reschedule");
    settings->limits = (balancer_limits_t){
      .members_max = balancer_config_count_of (config, "limits/members_max"),
      .jobs_max = balancer_config_count_of (config, "limits/jobs_max"),
      .orders_max = balancer_config_count_of (config, "limits/orders_max"),
      .kept_max = balancer_config_count_of (config, "limits/kept_max"),
      .history_max = balancer_config_count_of (config, "limits/history_max"),
      .silent_max = balancer_config_count_of (config, "limits/silent_max"),
      .delivered_work_steps = balancer_config_count_of (config, "limits/diligence_steps"),
      .work_least = config_real (config, "limits/work_least"),
      .timeout_ms = config_duration_ms (config, "timeout")};
    return settings->coalition_ms >= settings->step_ms ||
           wrong_setting (why, "coalition: must not be shorter than step");
}

bool balancer_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    char name [NAME_BYTES_MAX + 1];
    name_list_auto_t gis = {0};
    balancer_settings_t settings = {.name = name};
    name_list_add (&gis, config_text (config, "gis"), "");
    bool good = config_name_read (config, "balancer", "balancer", name, why) &&
                words_right (&gis, "gis", ENDPOINT_BYTES_MAX, why) &&
                (gis.count > 0 || wrong_setting (why, "gis: must name at least one directory")) &&
                balancer_config_settings_read (config, &settings, why);
    if (good) {
        settings.gis_endpoints = (const char *const *) gis.words;
        settings.gis_count = gis.count;
        balancer_core (&settings, core);
    }
    return good;
}
