/*  batch_setup - which batch system a site has, and its setup, as settings say it. */
#ifndef MUSUBI_BATCH_SETUP_H
#define MUSUBI_BATCH_SETUP_H

#include "batch_system.h"
#include "config.h"

/*  Of a list that ends with NULL; NULL when none has that name. */
const batch_system_t *batch_system_find (const batch_system_t *const *systems, const char *name);

/*  Reads name and the rows of BATCH_CONFIG_KEYS, which have that before them, into a setup that is
 *  zero otherwise. The batch system must be fit for it; one that does not answer yet may be. False
 *  with why, which blames the setting unfit where it is not. */
bool batch_setup_read (const config_t *config, const char *before, const batch_system_t *system,
                       bool reserves, const char *unfit, batch_setup_t *setup,
                       char why [LONG_WHY_BYTES]);

#endif
