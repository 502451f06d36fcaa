/*  gridengine_queue - the queue of a reservation: made, opened, watched, removed; and runs as jobs.
 *  Shared by the files of Grid Engine only.
 */
#ifndef MUSUBI_GRIDENGINE_QUEUE_H
#define MUSUBI_GRIDENGINE_QUEUE_H

#include "gridengine_read.h"

#define GRID_COMPLEX "musubi" /* the forced complex by which jobs ask for a queue of ours */

/*  Visits all jobs, of all users. */
bool grid_jobs_visit (const batch_setup_t *setup, grid_job_fn *visit, void *owner,
                      char why [WHY_BYTES]);

/*  The unfolded configuration of a queue, to be freed; NULL with why when there is none, or Grid
 *  Engine is silent: *silent. */
char *grid_queue_text (const batch_setup_t *setup, const char *queue, bool *silent,
                       char why [WHY_BYTES]);

/*  Adds what the access list of a queue of ours has in it: one that is not there has nothing. False
 *  with why when Grid Engine is silent. */
bool grid_listed (const batch_setup_t *setup, const char *queue, name_list_t *listed,
                  char why [WHY_BYTES]);

/*  Is the instance one of a reservation of this site's name? */
bool grid_is_ours (const batch_setup_t *setup, const grid_instance_t *instance);

/*  As batch_system_t has them. */
bool grid_jobs (const batch_jobs_t *asked, char why [WHY_BYTES]);
command_told_t grid_submit (const batch_setup_t *setup, const batch_job_t *job,
                            char why [WHY_BYTES]);
bool grid_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                  char why [WHY_BYTES]);
bool grid_keep (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                char why [WHY_BYTES]);
bool grid_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool grid_list (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES]);

#endif
