/*  replica_config - the settings of svc-replica. */
#ifndef MUSUBI_REPLICA_CONFIG_H
#define MUSUBI_REPLICA_CONFIG_H

#include "config.h"
#include "core.h"

extern const setting_table_t replica_file_table;

bool replica_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
