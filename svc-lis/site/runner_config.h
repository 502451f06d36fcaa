/*  runner_config - the keys of a site with the back end runner, and what they say. */
#ifndef MUSUBI_RUNNER_CONFIG_H
#define MUSUBI_RUNNER_CONFIG_H

#include "config.h"
#include "participant_config.h"
#include "runner.h"

/*  Rows for lis_keys. */
#define RUNNER_CONFIG_KEYS                                                                         \
    {.path = "back_end",                                                                           \
     .preset = "none",                                                                             \
     .meaning = "none: keeps the times only; runner: runs tasks on the site's nodes"},             \
      {.path = "nodes/attend",                                                                     \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "10s",                                                                            \
       .least = 100,                                                                               \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "a node's agent asks at least so often"},                                        \
      {.path = "nodes/silent",                                                                     \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "25s",                                                                            \
       .least = 100,                                                                               \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "a node not heard for so long gets nothing new"},                                \
      {.path = "nodes/lease",                                                                      \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "5m",                                                                             \
       .least = 1000,                                                                              \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "an agent not answered for so long ends what runs on its node"},                 \
      {.path = "nodes/lost",                                                                       \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "330s",                                                                           \
       .least = 1000,                                                                              \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "a node not heard for so long is lost, with what ran there; at least 15 s "      \
                  "longer than the lease"},                                                        \
      {.path = "opening/bind",                                                                     \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "5s",                                                                             \
       .least = 0,                                                                                 \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "nodes are bound and cleared so long before a reservation starts; no longer "    \
                  "than the lead"},                                                                \
      {.path = "opening/warning",                                                                  \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "60s",                                                                            \
       .least = 0,                                                                                 \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "runs are warned so long before their reservation ends"},                        \
      {.path = "opening/grace",                                                                    \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "10s",                                                                            \
       .least = 0,                                                                                 \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "between SIGTERM and SIGKILL"},                                                  \
      {.path = "opening/clear",                                                                    \
       .preset = "end",                                                                            \
       .meaning = "tasks from the queue on a node without which a reservation has too few: end = " \
                  "warned as it is bound, ended at the start; wait = it waits for them"},          \
      {.path = "opening/lend",                                                                     \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "5m",                                                                             \
       .least = 0,                                                                                 \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "a reservation unused so long is lent to preemptible tasks; 0s = never"},        \
    {                                                                                              \
        .path = "opening/release", .type = CONFIG_DURATION, .preset = "0s", .least = 0,            \
        .most = SETTING_DAY_MS,                                                                    \
        .meaning = "one unused so long is given back to the queue; 0s = never"                     \
    }

/*  False with why. *runs tells whether the back end is runner; then the settings' places are the
 *  caller's. */
bool runner_config_read (const config_t *config, const site_t *site, bool *runs,
                         runner_settings_t *settings, char why [CONFIG_WHY_BYTES]);
void runner_config_clear (runner_settings_t *self);

#endif
