/*  runner_config - reads the keys of a site with the back end runner. */
#ifndef MUSUBI_RUNNER_CONFIG_H
#define MUSUBI_RUNNER_CONFIG_H

#include "config.h"
#include "runner.h"

/*  False with why. *runs: is the back end runner? Then the caller frees the settings:
 *  runner_config_clear. */
bool runner_config_read (const config_t *config, const site_t *site, bool *runs,
                         runner_settings_t *settings, char why [LONG_WHY_BYTES]);
void runner_config_clear (runner_settings_t *self);

#endif
