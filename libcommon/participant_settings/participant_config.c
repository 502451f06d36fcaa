/*  participant_config - from keys to the participant's limits. */
#include "participant_config.h"

bool participant_limits_read (const config_t *config, participant_limits_t *limits,
                              char why [LONG_WHY_BYTES])
{
    *limits = (participant_limits_t){
      .hold_ttl_ms = (uint32_t) config_duration_ms (config, "limits/hold_ttl"),
      .hold_ttl_ms_max = (uint32_t) config_duration_ms (config, "limits/hold_ttl_max"),
      .hold_age_ms_max = (uint32_t) config_duration_ms (config, "limits/hold_age_max"),
      .holds_max = (uint32_t) config_integer (config, "limits/holds_max"),
      .holds_per_actor_max = (uint32_t) config_integer (config, "limits/holds_per_actor_max"),
      .holds_per_planner_max = (uint32_t) config_integer (config, "limits/holds_per_planner_max"),
      .tombstones_max = (uint32_t) config_integer (config, "limits/tombstones_max"),
      .tombstones_per_planner_max =
        (uint32_t) config_integer (config, "limits/tombstones_per_planner_max"),
      .retention_ms = config_duration_ms (config, "limits/retention"),
      .ledger = {.retention_ms = config_duration_ms (config, "ledger/retention"),
                 .segments_bytes = config_integer (config, "ledger/segments"),
                 .segment_rows = (uint32_t) config_integer (config, "ledger/segment_rows")},
      .doubt_ms = (uint32_t) config_duration_ms (config, "limits/doubt"),
      .doubt_ms_max = (uint32_t) config_duration_ms (config, "limits/doubt_max"),
      .list_max = (uint32_t) config_integer (config, "limits/list_max"),
    };
    if (limits->hold_ttl_ms > limits->hold_ttl_ms_max)
        return wrong_setting (why, "limits/hold_ttl: must not be longer than limits/hold_ttl_max");
    if (limits->hold_ttl_ms_max > limits->hold_age_ms_max)
        return wrong_setting (why,
                              "limits/hold_ttl_max: must not be longer than limits/hold_age_max");
    if (limits->doubt_ms > limits->doubt_ms_max)
        return wrong_setting (why, "limits/doubt: must not be longer than limits/doubt_max");
    return true;
}
