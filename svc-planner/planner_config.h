/*  planner_config - a planner's configuration file. */
#ifndef MUSUBI_PLANNER_CONFIG_H
#define MUSUBI_PLANNER_CONFIG_H

#include "config.h"
#include "core.h"

extern const setting_table_t planner_file_table;

/*  See host_program_t. */
bool planner_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

/*  The same, of a planner that settles its store and ends (T8). */
bool finisher_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
