/*  planner_settings - the defaults. */
#include "planner_settings.h"

#include "call.h"
#include "planner_limits.h"
#include "staged_file.h"

#define STAGING_DEFAULT                                                                            \
    {                                                                                              \
        .start_ms = 2000, .margin_percent = 25, .unmeasured_mbps = STAGING_UNMEASURED_MBPS         \
    }

const staging_terms_t staging_terms_default = STAGING_DEFAULT;

const planner_settings_t planner_settings_default = {
  .in_progress_max = 4096,
  .request_limit_ms = 30000,
  .margin_ms = 15000,
  .guard_ms = 1000,
  .decide_ms = 10000,
  .hold_ttl_ms = 60000,
  .try_ms = 1000,
  .try_ms_max = CALL_PATIENCE_MS_MAX,
  .tries_max = 3,
  .attempts_max = 32,
  .backoff_ms = 40,
  .repair_tries_max = 8,
  .repair_limit_ms = 30000,
  .candidates_first = CANDIDATES_FIRST,
  .candidates_max = CANDIDATES_MAX,
  .asked_max = ASKED_MAX,
  .locate_all_max = 16,
  .search_steps_max = 2000000,
  .search_slice_steps = 50000,
  .backtrack_wait_ms = 20000,
  .ip = {.windows = 10, .steps_max = 20000, .time_ms_max = 5000, .visible = 100},
  .staging = STAGING_DEFAULT,
  .frame_ms = INT64_C (86400000),
  .frame_ms_max = INT64_C (31) * 86400000,
  .retention_ms = INT64_C (86400000),
  .ledger = LEDGER_LIMITS_DEFAULT,
  .done_ms = 50,
  .finish_interval_ms = 30000,
  .finish_linger_ms = 45000,
};
