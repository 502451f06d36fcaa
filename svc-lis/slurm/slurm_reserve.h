/*  slurm_reserve - reservations of ours in Slurm, as batch_system.h has them; and what both files ask
 *  Slurm by. */
#ifndef MUSUBI_SLURM_RESERVE_H
#define MUSUBI_SLURM_RESERVE_H

#include "slurm_parse.h"

/*  As command_run, for at most the setup's limit; COMMAND_SILENT also when the controller did not
 *  answer the program, or asks to come again. arguments end with NULL. */
command_told_t slurm_run (const batch_setup_t *setup, const char *const *arguments, char **output,
                          char why [WHY_BYTES]);

/*  Calls told for each reservation that Slurm has, which lives for the call; until it returns false,
 *  with why. */
typedef bool slurm_reservation_fn (void *owner, const slurm_reservation_t *seen,
                                   char why [WHY_BYTES]);
bool slurm_reservations (const batch_setup_t *setup, slurm_reservation_fn *told, void *owner,
                         char why [WHY_BYTES]);

bool slurm_reserve (const batch_setup_t *setup, const back_end_order_t *order,
                    char why [WHY_BYTES]);
bool slurm_open (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool slurm_verify (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool slurm_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool slurm_reconcile (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                      char why [WHY_BYTES]);

#endif
