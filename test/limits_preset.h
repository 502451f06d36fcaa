/*  limits_preset - a participant's limits as its configuration presets them, for cores that tests
 *  make without a file. */
#ifndef MUSUBI_LIMITS_PRESET_H
#define MUSUBI_LIMITS_PRESET_H

#include "participant.h"

static const participant_limits_t participant_limits_default = {
  .hold_ttl_ms = 60000,
  .hold_ttl_ms_max = 300000,
  .hold_age_ms_max = 600000,
  .holds_max = 65536,
  .holds_per_actor_max = 4096,
  .holds_per_planner_max = 16384,
  .tombstones_max = 262144,
  .tombstones_per_planner_max = 65536,
  .retention_ms = 24 * 3600000,
  .ledger = LEDGER_LIMITS_DEFAULT,
  .doubt_ms = 2000,
  .doubt_ms_max = 15000,
  .list_max = 1000,
};

#endif
