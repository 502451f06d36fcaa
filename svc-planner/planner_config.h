/*  planner_config - a planner's configuration file. */
#ifndef MUSUBI_PLANNER_CONFIG_H
#define MUSUBI_PLANNER_CONFIG_H

#include "config.h"
#include "core.h"

extern const config_key_t planner_keys [];
extern const size_t planner_keys_count;

/*  See host_program_t. */
bool planner_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
