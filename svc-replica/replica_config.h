/*  replica_config - the configuration keys of svc-replica. */
#ifndef MUSUBI_REPLICA_CONFIG_H
#define MUSUBI_REPLICA_CONFIG_H

#include "config.h"
#include "core.h"

extern const config_key_t replica_keys [];
extern const size_t replica_keys_count;

bool replica_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
