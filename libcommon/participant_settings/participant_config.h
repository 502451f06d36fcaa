/*  participant_config - what services that vote have in common in their files: the keys of the
 *  participant's limits and their reading.
 */
#ifndef MUSUBI_PARTICIPANT_CONFIG_H
#define MUSUBI_PARTICIPANT_CONFIG_H

#include "config.h"
#include "participant.h"

/*  Rows for a service's own table of keys. */
#define PARTICIPANT_CONFIG_KEYS                                                                    \
    KEY_DURATION ("standing/wait", "10s", 0, 3600000,                                              \
                  "how long a start waits for a directory to confirm that the store is no "        \
                  "restored backup, before it serves unconfirmed (T14); 0s = it serves at once"),  \
      KEY_DURATION ("limits/hold_ttl", "60s", 100, SETTING_DAY_MS,                                 \
                    "how long a hold or a held claim lives when its planner asks for no time"),    \
      KEY_DURATION ("limits/hold_ttl_max", "300s", 100, SETTING_DAY_MS,                            \
                    "longest life that a hold or a renewal grants"),                               \
      KEY_DURATION ("limits/hold_age_max", "600s", 100, 7 * SETTING_DAY_MS,                        \
                    "a hold's whole life, renewals included"),                                     \
      KEY_INTEGER ("limits/holds_max", "65536", 1, SETTING_COUNT_MOST,                             \
                   "commands or claims held or prepared at once"),                                 \
      KEY_INTEGER ("limits/holds_per_actor_max", "4096", 1, SETTING_COUNT_MOST,                    \
                   "the same, for one actor"),                                                     \
      KEY_INTEGER ("limits/holds_per_planner_max", "16384", 1, SETTING_COUNT_MOST,                 \
                   "the same, from one planner"),                                                  \
      KEY_INTEGER ("limits/tombstones_max", "262144", 1, SETTING_COUNT_MOST,                       \
                   "tombstones kept at once: transactions that will be refused when they come"),   \
      KEY_INTEGER ("limits/tombstones_per_planner_max", "65536", 1, SETTING_COUNT_MOST,            \
                   "the same, for transactions of one planner"),                                   \
      KEY_DURATION ("limits/retention", "24h", 1000, 36500 * SETTING_DAY_MS,                       \
                    "how long finished records and claims are kept after the last window of "      \
                    "their reservation"),                                                          \
      KEY_DURATION (                                                                               \
        "ledger/retention", "366d", 1000, 36500 * SETTING_DAY_MS,                                  \
        "how long rows of the ledger are kept; longer while what they record is still there"),     \
      KEY_INTEGER ("ledger/segments", "17179869184", 1, SETTING_BYTES_MOST,                        \
                   "bytes that segments of the ledger may take; beyond that the oldest leave"),    \
      KEY_INTEGER ("ledger/segment_rows", "1024", 16, 65536,                                       \
                   "rows that leave the store as one segment; as many stay in it"),                \
      KEY_DURATION ("limits/doubt", "2s", 10, SETTING_DAY_MS,                                      \
                    "how long a vote waits for the decision before the coordinator is asked"),     \
      KEY_DURATION ("limits/doubt_max", "15s", 10, SETTING_DAY_MS,                                 \
                    "longest pause between such questions"),                                       \
      KEY_INTEGER ("limits/list_max", "1000", 1, SETTING_COUNT_MOST,                               \
                   "records in one page of a list")

/*  False with why when they contradict each other. */
bool participant_limits_read (const config_t *config, participant_limits_t *limits,
                              char why [LONG_WHY_BYTES]);

#endif
