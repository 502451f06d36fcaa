/*  nis_preset - a domain's limits as its configuration presets them, for cores that tests make without
 *  a file. */
#ifndef MUSUBI_NIS_PRESET_H
#define MUSUBI_NIS_PRESET_H

#include "nis.h"
#include "provider_preset.h"

static const provider_limits_t nis_limits_default =
  PROVIDER_LIMITS (8192, 32768, NIS_WINDOWS_MOST, DOMAIN_LINKS_MAX, LINK_MBPS_MAX);

#endif
