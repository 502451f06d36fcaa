/*  runner_config - the keys of a site with the back end runner, and what they say. */
#ifndef MUSUBI_RUNNER_CONFIG_H
#define MUSUBI_RUNNER_CONFIG_H

#include "config.h"
#include "participant_config.h"
#include "runner.h"

/*  Rows for lis_keys. */
#define RUNNER_CONFIG_KEYS                                                                         \
    KEY_TEXT ("back_end", "none",                                                                  \
              "none: keeps the times only; runner: runs tasks on the site's nodes"),               \
      KEY_DURATION ("nodes/attend", "10s", 100, SETTING_DAY_MS,                                    \
                    "a node's agent asks at least so often"),                                      \
      KEY_DURATION ("nodes/silent", "25s", 100, SETTING_DAY_MS,                                    \
                    "a node not heard for so long gets nothing new"),                              \
      KEY_DURATION ("nodes/lease", "5m", 1000, SETTING_DAY_MS,                                     \
                    "an agent not answered for so long ends what runs on its node"),               \
      KEY_DURATION ("nodes/lost", "330s", 1000, SETTING_DAY_MS,                                    \
                    "a node not heard for so long is lost, with what ran there; at least 15 s "    \
                    "longer than the lease"),                                                      \
      KEY_DURATION ("opening/bind", "5s", 0, SETTING_DAY_MS,                                       \
                    "nodes are bound and cleared so long before a reservation starts; no longer "  \
                    "than the lead"),                                                              \
      KEY_DURATION ("opening/warning", "60s", 0, SETTING_DAY_MS,                                   \
                    "runs are warned so long before their reservation ends"),                      \
      KEY_DURATION ("opening/grace", "10s", 0, SETTING_DAY_MS, "between SIGTERM and SIGKILL"),     \
      KEY_TEXT ("opening/clear", "end",                                                            \
                "tasks from the queue on a node without which a reservation has too few: end = "   \
                "warned as it is bound, ended at the start; wait = it waits for them"),            \
      KEY_DURATION ("opening/lend", "5m", 0, SETTING_DAY_MS,                                       \
                    "a reservation unused so long is lent to preemptible tasks; 0s = never"),      \
      KEY_DURATION ("opening/release", "0s", 0, SETTING_DAY_MS,                                    \
                    "one unused so long is given back to the queue; 0s = never")

#define QUEUE_CONFIG_KEYS                                                                          \
    KEY_INTEGER ("limits/bags_max", "100000", 1, 10000000, "bags of tasks that are not over"),     \
      KEY_INTEGER ("limits/bags_per_actor_max", "10000", 1, 10000000, "of those, of one owner"),   \
      KEY_INTEGER ("limits/tasks_per_bag_max", "1000000", 1, 10000000, "tasks in one bag"),        \
      KEY_DURATION ("limits/task_limit", "30d", 1000, TASK_LIMIT_MS_MOST,                          \
                    "the longest wall time that a task may ask for"),                              \
      KEY_DURATION ("queue/life", "60s", 0, 366.0 * 24 * 3600000,                                  \
                    "a preemptible task is begun where its node is not wanted for so long and "    \
                    "opening/warning"),                                                            \
      KEY_DURATION ("queue/retention", "24h", 0, 366.0 * 24 * 3600000,                             \
                    "bags that are over are kept so long")

#define SHARING_CONFIG_KEYS                                                                        \
    KEY_INTEGER ("limits/move_max", "1000", 1, 10000,                                              \
                 "tasks in one move to another site, or from one"),                                \
      KEY_INTEGER ("limits/move_pieces_max", "16", 1, 1000,                                        \
                   "moves that one order of a balancer makes"),                                    \
      KEY_DURATION ("sharing/offer", "5m", 1000, SETTING_DAY_MS,                                   \
                    "tasks offered longer ago are refused; clocks of members agree within it"),    \
      KEY_DURATION ("sharing/answers", "24h", 1000, 366.0 * SETTING_DAY_MS,                        \
                    "answers to offers are kept so long at least; longer than sharing/offer"),     \
      KEY_DURATION (                                                                               \
        "sharing/again", "60s", 100, SETTING_DAY_MS,                                               \
        "another site is asked again after so long, and whether its store is still the one"),      \
      KEY_DURATION ("sharing/lost", "10m", 0, 366.0 * SETTING_DAY_MS,                              \
                    "tasks at a site that has served from another store for so long are lost"),    \
      KEY_DURATION ("sharing/timeout", "5s", 100, SETTING_DAY_MS,                                  \
                    "of a question to another site, before it is repeated")

/*  False with why. *runs tells whether the back end is runner; then the settings' places are the
 *  caller's. */
bool runner_config_read (const config_t *config, const site_t *site, bool *runs,
                         runner_settings_t *settings, char why [CONFIG_WHY_BYTES]);
void runner_config_clear (runner_settings_t *self);

#endif
