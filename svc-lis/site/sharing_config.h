/*  sharing_config - the keys of a site's part in a coalition, and what they say. */
#ifndef MUSUBI_SHARING_CONFIG_H
#define MUSUBI_SHARING_CONFIG_H

#include "config.h"
#include "sharing.h"

/*  Rows for lis_keys. */
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

/*  False with why. */
bool sharing_config_read (const config_t *config, sharing_limits_t *limits,
                          char why [CONFIG_WHY_BYTES]);

#endif
