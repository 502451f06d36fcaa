/*  lis_config - the file in which an administrator describes a site: its keys, and the core that it
 *  makes. README.md has an example.
 */
#ifndef MUSUBI_LIS_CONFIG_H
#define MUSUBI_LIS_CONFIG_H

#include "config.h"
#include "core.h"

extern const config_key_t lis_keys [];
extern const size_t lis_keys_count;

/*  For host_program_t: false, with why, when the settings contradict each other. */
bool lis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
