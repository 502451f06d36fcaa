/*  lis_preset - a site's limits as its configuration presets them, for cores that tests make without a
 *  file. */
#ifndef MUSUBI_LIS_PRESET_H
#define MUSUBI_LIS_PRESET_H

#include "lis.h"
#include "provider_preset.h"

static const provider_limits_t lis_limits_default =
  PROVIDER_LIMITS (2048, 16384, 64, SITE_CLASSES_MAX, NODES_MAX);

#endif
