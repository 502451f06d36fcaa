/*  nis_config - a network domain as its administrator writes it down: the settings of svc-nis's
 *  file, and the core they describe. README.md has an example.
 */
#ifndef MUSUBI_NIS_CONFIG_H
#define MUSUBI_NIS_CONFIG_H

#include "config.h"
#include "core.h"

extern const setting_table_t nis_file_table;

/*  As host_program_t wants it: false with why filled when the settings contradict each other. */
bool nis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
