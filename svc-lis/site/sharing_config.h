/*  sharing_config - the keys of a site's part in a coalition, and what they say. */
#ifndef MUSUBI_SHARING_CONFIG_H
#define MUSUBI_SHARING_CONFIG_H

#include "config.h"
#include "sharing.h"

/*  Rows for lis_keys. */
#define SHARING_CONFIG_KEYS                                                                        \
    {.path = "limits/move_max",                                                                    \
     .type = CONFIG_INTEGER,                                                                       \
     .preset = "1000",                                                                             \
     .least = 1,                                                                                   \
     .most = 10000,                                                                                \
     .meaning = "tasks in one move to another site, or from one"},                                 \
      {.path = "limits/move_pieces_max",                                                           \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "16",                                                                             \
       .least = 1,                                                                                 \
       .most = 1000,                                                                               \
       .meaning = "moves that one order of a balancer makes"},                                     \
      {.path = "sharing/offer",                                                                    \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "5m",                                                                             \
       .least = 1000,                                                                              \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "tasks offered longer ago are refused; clocks of members agree within it"},      \
      {.path = "sharing/answers",                                                                  \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "24h",                                                                            \
       .least = 1000,                                                                              \
       .most = 366.0 * SETTING_DAY_MS,                                                             \
       .meaning = "answers to offers are kept so long at least; longer than sharing/offer"},       \
      {.path = "sharing/again",                                                                    \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "60s",                                                                            \
       .least = 100,                                                                               \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "another site is asked again after so long, and whether its store is still the " \
                  "one"},                                                                          \
      {.path = "sharing/lost",                                                                     \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "10m",                                                                            \
       .least = 0,                                                                                 \
       .most = 366.0 * SETTING_DAY_MS,                                                             \
       .meaning = "tasks at a site that has served from another store for so long are lost"},      \
    {                                                                                              \
        .path = "sharing/timeout", .type = CONFIG_DURATION, .preset = "5s", .least = 100,          \
        .most = SETTING_DAY_MS, .meaning = "of a question to another site, before it is repeated"  \
    }

/*  False with why. */
bool sharing_config_read (const config_t *config, sharing_limits_t *limits,
                          char why [CONFIG_WHY_BYTES]);

#endif
