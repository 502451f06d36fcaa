/*  nodes_preset - the limits of a site's nodes as its configuration presets them, for cores that tests
 *  make without a file. */
#ifndef MUSUBI_NODES_PRESET_H
#define MUSUBI_NODES_PRESET_H

#include "nodes.h"

static const nodes_limits_t nodes_limits_default = {
  .attend_ms = 10000,
  .silent_ms = 25000,
  .lease_ms = 300000,
  .lost_ms = 330000,
  .output_bytes_max = 262144,
  .runs_kept_ms = 24 * INT64_C (3600000),
  .rest_ms = 5000,
  .rest_ms_max = 300000,
};

#endif
