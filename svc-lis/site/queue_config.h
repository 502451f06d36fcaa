/*  queue_config - the queue's keys in a site's file, and the local accounts of actors. */
#ifndef MUSUBI_QUEUE_CONFIG_H
#define MUSUBI_QUEUE_CONFIG_H

#include "config.h"
#include "runner.h"

/*  Rows for lis_keys. */
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

/*  The queue's limits and the accounts; the openings' have been read. False with why. */
bool queue_config_read (const config_t *config, runner_settings_t *settings,
                        char why [CONFIG_WHY_BYTES]);

#endif
