/*  runner_config - what a site's file says of the tasks that it runs. */
#ifndef MUSUBI_RUNNER_CONFIG_H
#define MUSUBI_RUNNER_CONFIG_H

#include "lis_config.h"

/*  False with why. *runs: does it run any? Then the caller frees the settings: runner_config_clear. */
bool runner_config_read (const config_t *config, const lis_file_t *file, const site_t *site,
                         bool *runs, runner_settings_t *settings, char why [LONG_WHY_BYTES]);
void runner_config_clear (runner_settings_t *self);

#endif
