/*  queue_config - the queue's keys in a site's file, and the local accounts of actors. */
#ifndef MUSUBI_QUEUE_CONFIG_H
#define MUSUBI_QUEUE_CONFIG_H

#include "config.h"
#include "runner.h"

/*  Rows for lis_keys. */
#define QUEUE_CONFIG_KEYS                                                                          \
    {.path = "limits/bags_max",                                                                    \
     .type = CONFIG_INTEGER,                                                                       \
     .preset = "100000",                                                                           \
     .least = 1,                                                                                   \
     .most = 10000000,                                                                             \
     .meaning = "bags of tasks that are not over"},                                                \
      {.path = "limits/bags_per_actor_max",                                                        \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "10000",                                                                          \
       .least = 1,                                                                                 \
       .most = 10000000,                                                                           \
       .meaning = "of those, of one owner"},                                                       \
      {.path = "limits/tasks_per_bag_max",                                                         \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "1000000",                                                                        \
       .least = 1,                                                                                 \
       .most = 10000000,                                                                           \
       .meaning = "tasks in one bag"},                                                             \
      {.path = "limits/task_limit",                                                                \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "30d",                                                                            \
       .least = 1000,                                                                              \
       .most = TASK_LIMIT_MS_MOST,                                                                 \
       .meaning = "the longest wall time that a task may ask for"},                                \
      {.path = "queue/life",                                                                       \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "60s",                                                                            \
       .least = 0,                                                                                 \
       .most = 366.0 * 24 * 3600000,                                                               \
       .meaning = "a preemptible task is begun where its node is not wanted for so long and "      \
                  "opening/warning"},                                                              \
    {                                                                                              \
        .path = "queue/retention", .type = CONFIG_DURATION, .preset = "24h", .least = 0,           \
        .most = 366.0 * 24 * 3600000, .meaning = "bags that are over are kept so long"             \
    }

/*  The queue's limits and the accounts; the openings' have been read. False with why. */
bool queue_config_read (const config_t *config, runner_settings_t *settings,
                        char why [CONFIG_WHY_BYTES]);

#endif
