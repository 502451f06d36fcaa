/*  batch_back_end - the work "batch" of openings/back_end.h, for a site whose settings name a batch
 *  system as its back_end: each step of a reservation there.
 */
#ifndef MUSUBI_BATCH_BACK_END_H
#define MUSUBI_BATCH_BACK_END_H

#include "batch_system.h"
#include "host.h"

/*  Reads the site's settings, which live as long as the process. When they name a batch system, it
 *  must be fit; one that does not answer yet may be. False with why. */
bool batch_back_end_begin (const config_t *config, const batch_system_t *const *systems,
                           char why [LONG_WHY_BYTES]);

extern const work_kind_t batch_back_end_works [];
extern const size_t batch_back_end_works_count;

#endif
