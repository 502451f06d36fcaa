/*  slurm_reserve - reservations of ours in Slurm, as batch_system.h has them; and what both files
 *  ask Slurm by. */
#ifndef MUSUBI_SLURM_RESERVE_H
#define MUSUBI_SLURM_RESERVE_H

#include "slurm_parse.h"

/*  Visits the lines of all reservations that Slurm has. */
#define SLURM_RESERVATIONS(setup, visit, owner, why)                                               \
    (BATCH_LINES (setup, visit, owner, why, "scontrol", "-o", "show", "reservation") ==            \
     COMMAND_DONE)

bool slurm_keep (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                 char why [WHY_BYTES]);
bool slurm_compare (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                    char **differ, char why [WHY_BYTES]);
bool slurm_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES]);
bool slurm_list (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES]);

#endif
