/*  batch_back_end - the work "batch" of openings/back_end.h, for a site whose settings name a batch
 *  system as its back_end: each step of a reservation there.
 */
#ifndef MUSUBI_BATCH_BACK_END_H
#define MUSUBI_BATCH_BACK_END_H

#include "batch_system.h"
#include "host.h"

/*  Of a list that ends with NULL; NULL when none has that name. */
const batch_system_t *batch_system_find (const batch_system_t *const *systems, const char *name);

/*  Reads name and the rows of BATCH_CONFIG_KEYS, which have that before them, into a setup that is
 *  zero otherwise. The batch system must be fit for it; one that does not answer yet may be. False
 *  with why, which blames the setting unfit where it is not. */
bool batch_setup_read (const config_t *config, const char *before, const batch_system_t *system,
                       bool reserves, const char *unfit, batch_setup_t *setup,
                       char why [LONG_WHY_BYTES]);

/*  Reads the site's settings, which live as long as the process. When they name a batch system, it
 *  must be fit; one that does not answer yet may be. False with why. */
bool batch_back_end_begin (const config_t *config, const batch_system_t *const *systems,
                           char why [LONG_WHY_BYTES]);

extern const work_kind_t batch_back_end_works [];
extern const size_t batch_back_end_works_count;

#endif
