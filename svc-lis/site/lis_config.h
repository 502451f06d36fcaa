/*  lis_config - a site as its administrator writes it down: the keys of svc-lis's file, and the
 *  core they describe. README.md has an example.
 */
#ifndef MUSUBI_LIS_CONFIG_H
#define MUSUBI_LIS_CONFIG_H

#include "config.h"
#include "core.h"

extern const config_key_t lis_keys [];
extern const size_t lis_keys_count;

/*  As host_program_t wants it: false with why filled when the settings contradict each other. */
bool lis_core_from_config (const config_t *config, core_t *core, char why [CONFIG_WHY_BYTES]);

#endif
