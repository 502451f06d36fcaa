/*  runner_preset - a site's limits for what it runs as its configuration presets them, for cores that
 *  tests make without a file. */
#ifndef MUSUBI_RUNNER_PRESET_H
#define MUSUBI_RUNNER_PRESET_H

#include "nodes_preset.h"
#include "runner.h"

static const openings_limits_t openings_limits_default = {
  .bind_ms = 5000,
  .warning_ms = 60000,
  .grace_ms = 10000,
  .lend_ms = 300000,
  .release_ms = 0,
  .clear = true,
  .watch_ms = 30000,
};

static const queue_limits_t queue_limits_default = {
  .bags_max = 100000,
  .bags_per_actor_max = 10000,
  .tasks_per_bag_max = 1000000,
  .list_max = 1000,
  .depth = BACKFILL_DEPTH,
  .limit_ms_max = INT64_C (30) * 24 * 3600000,
  .start_ms = 5000,
  .life_ms = 60000,
  .warning_ms = 60000,
  .grace_ms = 10000,
  .patience_ms = 60000,
  .stop_ms = 10000,
  .data_bound = 64000000,
  .input_rate = 100000000,
  .transfers = 2,
  .data_bound_max = 8,
  .handed_max = 512,
  .retention_ms = 24 * 3600000,
};

static const sharing_limits_t sharing_limits_default = {
  .move_max = 1000,
  .pieces_max = 16,
  .offer_ms = 5 * 60000,
  .answers_ms = 24 * 3600000,
  .again_ms = 60000,
  .lost_ms = 10 * 60000,
  .timeout_ms = 5000,
};

#endif
