/*  gridengine_jobs - runs as jobs of Grid Engine. As batch_system_t has them; shared by the files of
 *  Grid Engine only.
 */
#ifndef MUSUBI_GRIDENGINE_JOBS_H
#define MUSUBI_GRIDENGINE_JOBS_H

#include "command.h"
#include "gridengine_read.h"

bool grid_jobs (const batch_setup_t *setup, const char *const *names, size_t count,
                batch_job_seen_t *seen, char why [WHY_BYTES]);
command_told_t grid_submit (const batch_setup_t *setup, const batch_job_t *job,
                            char why [WHY_BYTES]);
bool grid_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                  char why [WHY_BYTES]);

#endif
