/*  participant_config - what services that vote have in common in their files: the keys of the
 *  participant's limits and their reading, and how a setting is refused.
 */
#ifndef MUSUBI_PARTICIPANT_CONFIG_H
#define MUSUBI_PARTICIPANT_CONFIG_H

#include "config.h"
#include "participant.h"
#include "words.h"

#define SETTING_DAY_MS     86400000.0
#define SETTING_COUNT_MOST 1e9

/*  Rows for a service's own table of keys. The presets are participant_limits_default. */
#define PARTICIPANT_CONFIG_KEYS                                                                    \
    {.path = "standing/wait",                                                                      \
     .type = CONFIG_DURATION,                                                                      \
     .preset = "10s",                                                                              \
     .least = 0,                                                                                   \
     .most = 3600000,                                                                              \
     .meaning = "how long to wait, at start, for a directory that says how far this store had "    \
                "come, before it is served without (T14); 0s = it is served meanwhile"},           \
      {.path = "limits/hold_ttl",                                                                  \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "60s",                                                                            \
       .least = 100,                                                                               \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "life of a hold, or of a held claim, when none is asked"},                       \
      {.path = "limits/hold_ttl_max",                                                              \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "300s",                                                                           \
       .least = 100,                                                                               \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "longest life granted at once"},                                                 \
      {.path = "limits/hold_age_max",                                                              \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "600s",                                                                           \
       .least = 100,                                                                               \
       .most = 7 * SETTING_DAY_MS,                                                                 \
       .meaning = "a hold's whole life, renewals included"},                                       \
      {.path = "limits/holds_max",                                                                 \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "65536",                                                                          \
       .least = 1,                                                                                 \
       .most = SETTING_COUNT_MOST,                                                                 \
       .meaning = "commands or claims held or prepared at once"},                                  \
      {.path = "limits/holds_per_actor_max",                                                       \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "4096",                                                                           \
       .least = 1,                                                                                 \
       .most = SETTING_COUNT_MOST,                                                                 \
       .meaning = "of those, for one actor"},                                                      \
      {.path = "limits/holds_per_planner_max",                                                     \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "16384",                                                                          \
       .least = 1,                                                                                 \
       .most = SETTING_COUNT_MOST,                                                                 \
       .meaning = "of those, from one planner"},                                                   \
      {.path = "limits/tombstones_max",                                                            \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "262144",                                                                         \
       .least = 1,                                                                                 \
       .most = SETTING_COUNT_MOST,                                                                 \
       .meaning = "transactions refused before they came, remembered at once"},                    \
      {.path = "limits/tombstones_per_planner_max",                                                \
       .type = CONFIG_INTEGER,                                                                     \
       .preset = "65536",                                                                          \
       .least = 1,                                                                                 \
       .most = SETTING_COUNT_MOST,                                                                 \
       .meaning = "of those, of one planner"},                                                     \
      {.path = "limits/retention",                                                                 \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "24h",                                                                            \
       .least = 1000,                                                                              \
       .most = 36500 * SETTING_DAY_MS,                                                             \
       .meaning = "finished records and claims are kept so long past the last window of their "    \
                  "reservation"},                                                                  \
      {.path = "ledger/retention",                                                                 \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "366d",                                                                           \
       .least = 1000,                                                                              \
       .most = 36500 * SETTING_DAY_MS,                                                             \
       .meaning = "rows of the ledger are kept so long, and longer while what they tell of "       \
                  "stands"},                                                                       \
      {.path = "limits/doubt",                                                                     \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "2s",                                                                             \
       .least = 10,                                                                                \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "first question about a vote without decision"},                                 \
      {.path = "limits/doubt_max",                                                                 \
       .type = CONFIG_DURATION,                                                                    \
       .preset = "15s",                                                                            \
       .least = 10,                                                                                \
       .most = SETTING_DAY_MS,                                                                     \
       .meaning = "such questions back off to this"},                                              \
    {                                                                                              \
        .path = "limits/list_max", .type = CONFIG_INTEGER, .preset = "1000", .least = 1,           \
        .most = SETTING_COUNT_MOST, .meaning = "records in one page of a list"                     \
    }

/*  False with why when they contradict each other. */
bool participant_limits_read (const config_t *config, participant_limits_t *limits,
                              char why [CONFIG_WHY_BYTES]);

/*  Says why, answers false: return wrong_setting (why, "name: …"). */
bool wrong_setting (char why [CONFIG_WHY_BYTES], const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  False with why when a word of this key's list is longer. */
bool words_short (const words_t *words, const char *key, size_t bytes_max,
                  char why [CONFIG_WHY_BYTES]);

#endif
