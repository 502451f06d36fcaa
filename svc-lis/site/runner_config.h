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

/*  False with why. *runs tells whether the back end is runner; then the settings' places are the
 *  caller's. */
bool runner_config_read (const config_t *config, const site_t *site, bool *runs,
                         runner_settings_t *settings, char why [CONFIG_WHY_BYTES]);
void runner_config_clear (runner_settings_t *self);

#endif
