/*  batch_back_end - the work "batch" of openings/back_end.h, for a site whose settings name a batch
 *  system as its back_end: each step of a reservation there.
 */
#ifndef MUSUBI_BATCH_BACK_END_H
#define MUSUBI_BATCH_BACK_END_H

#include "batch_system.h"
#include "host.h"
#include "site_settings.h"

/*  Of a list that ends with NULL; NULL when none has that name. */
const batch_system_t *batch_system_find (const batch_system_t *const *systems, const char *name);

/*  Makes a setup of settings that config has read. The batch system must be fit for it; one that
 *  does not answer yet may be. False with why, which blames the member unfit where it is not. */
bool batch_setup_read (const config_t *config, const char *site, const batch_settings_t *settings,
                       const batch_system_t *system, bool reserves, const void *unfit,
                       batch_setup_t *setup, char why [LONG_WHY_BYTES]);

/*  Takes the site's settings, which config has read and which live as long as the process. When
 *  they name a batch system, it must be fit; one that does not answer yet may be. False with
 *  why. */
bool batch_back_end_begin (const config_t *config, const char *site,
                           const machines_settings_t *machines,
                           const batch_system_t *const *systems, char why [LONG_WHY_BYTES]);

extern const work_kind_t batch_back_end_works [];
extern const size_t batch_back_end_works_count;

#endif
