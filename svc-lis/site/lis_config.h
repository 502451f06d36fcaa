/*  lis_config - the file in which an administrator describes a site: its settings, and the core
 *  that it makes. README.md has an example.
 */
#ifndef MUSUBI_LIS_CONFIG_H
#define MUSUBI_LIS_CONFIG_H

#include "config.h"
#include "lis.h"
#include "timetable_config.h"

typedef struct {
    provider_file_t common;
    machines_settings_t machines;
    nodes_terms_t nodes;
    opening_settings_t opening;
    queue_limits_t queue;
    sharing_limits_t sharing;
    lis_settings_t numbers;
} lis_file_t;

extern const setting_table_t lis_file_table;

/*  Of the tasks that the site runs. False with why. *runs: does it run any? Then the caller frees
 *  the settings: runner_config_clear. */
bool runner_config_read (const config_t *config, const lis_file_t *file, const site_t *site,
                         bool *runs, runner_settings_t *settings, char why [LONG_WHY_BYTES]);
void runner_config_clear (runner_settings_t *self);

/*  For host_program_t: false, with why, when the settings contradict each other. */
bool lis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

#endif
