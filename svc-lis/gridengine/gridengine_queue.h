/*  gridengine_queue - the queue of a reservation: made, opened, watched, removed. Shared by the files
 *  of Grid Engine only.
 */
#ifndef MUSUBI_GRIDENGINE_QUEUE_H
#define MUSUBI_GRIDENGINE_QUEUE_H

#include "command.h"
#include "gridengine_read.h"
#include "name_list.h"

#define GRID_COMPLEX "musubi" /* the forced complex by which jobs ask for a queue of ours */

/*  Runs a command that ends with NULL; *output (or NULL) is always set, to be freed. What a qmaster
 *  that is not there makes a command say counts as silence. */
command_told_t grid_run (const batch_setup_t *setup, const char *const *arguments, char **output,
                         char why [WHY_BYTES]);

#define GRID_RUN(setup, output, why, ...)                                                          \
    grid_run (setup, (const char *const []){__VA_ARGS__, NULL}, output, why)

/*  Did a command fail because the qmaster could not be asked, though it has ended by itself? */
bool grid_silent (const char *why);

/*  Visits all jobs, of all users, and all queue instances. */
bool grid_jobs_visit (const batch_setup_t *setup, grid_job_fn *visit, void *owner,
                      char why [WHY_BYTES]);
bool grid_instances_visit (const batch_setup_t *setup, grid_instance_fn *visit, void *owner,
                           char why [WHY_BYTES]);

/*  The unfolded configuration of a queue, to be freed; NULL with why when there is none, or Grid
 *  Engine is silent: *silent. */
char *grid_queue_text (const batch_setup_t *setup, const char *queue, bool *silent,
                       char why [WHY_BYTES]);

bool grid_has (const name_list_t *list, const char *word);

/*  The words with that between them, to be freed. */
char *grid_joined (const char *const *words, size_t count, char between);

/*  Adds what the access list of a queue of ours has in it: one that is not there has nothing. False
 *  with why when Grid Engine is silent. */
bool grid_listed (const batch_setup_t *setup, const char *queue, name_list_t *listed,
                  char why [WHY_BYTES]);

/*  As batch_system_t has them. */
bool grid_reserve (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool grid_open (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool grid_verify (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool grid_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool grid_reconcile (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                     char why [WHY_BYTES]);

#endif
