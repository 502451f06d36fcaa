/*  hasty_runner - a site's runner with limits so short that much happens in a schedule. */
#ifndef MUSUBI_HASTY_RUNNER_H
#define MUSUBI_HASTY_RUNNER_H

#include "runner.h"

#define HASTY_LEASE_MS 8000
#define HASTY_LOST_MS  11200 /* hardly longer than lease and grace together */

/*  Places are borrowed. alice has an account. */
static inline void hasty_runner (runner_settings_t *settings, node_place_t *places,
                                 size_t places_count)
{
    static account_t accounts [] = {{.actor = "alice", .account = "alice"}};
    *settings = (runner_settings_t){
      .places = places,
      .places_count = places_count,
      .accounts = accounts,
      .accounts_count = 1,
      .nodes = {.attend_ms = 1000,
                .silent_ms = 2500,
                .lease_ms = HASTY_LEASE_MS,
                .lost_ms = HASTY_LOST_MS,
                .output_bytes_max = 1000,
                .runs_kept_ms = 3600000,
                .rest_ms = 1000,
                .rest_ms_max = 4000},
      .openings = {.clear = true,
                   .bind_ms = 900,
                   .warning_ms = 1500,
                   .grace_ms = 800,
                   .lend_ms = 2000,
                   .release_ms = 6000,
                   .watch_ms = 30000},
      .queue = SETTINGS_PRESET (queue_limits_t, &queue_table),
      .sharing = SETTINGS_PRESET (sharing_limits_t, &sharing_table),
      .back_end = back_end_limits_default,
    };
    settings->queue.start_ms = 800;
    settings->queue.warning_ms = 1500;
    settings->queue.grace_ms = 800;
    settings->queue.stop_ms = 3000;
}

#endif
