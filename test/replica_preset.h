/*  replica_preset - a storage's limits as its configuration presets them, for cores that tests make
 *  without a file. */
#ifndef MUSUBI_REPLICA_PRESET_H
#define MUSUBI_REPLICA_PRESET_H

#include "provider_preset.h"
#include "replica.h"

static const provider_limits_t replica_booking_default =
  PROVIDER_LIMITS (CHAIN_NODES_MAX, 16384, 64, CHAIN_NODES_MAX, SPACE_BYTES_MAX / SPACE_UNIT);

#endif
