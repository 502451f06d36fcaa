/*  sim_mend - checks whether a part that could not be kept was put right (T10). It reads the
 *  participants' records alone.
 */
#ifndef MUSUBI_SIM_MEND_H
#define MUSUBI_SIM_MEND_H

#include "sim_check.h"

/*  The last change that took a command's place and that all of its participants have committed;
 *  NULL when there is none. */
const sim_command_t *sim_mend_of (sim_check_t *self, const sim_command_t *command);

/*  True when a part of the transaction was refused at its edge. */
bool sim_mend_refused (sim_check_t *self, const sim_command_t *command);

/*  True when all participants of a later version have it: made by a repair, or by a later change of
 *  the owner. */
bool sim_mend_overtaken (sim_check_t *self, const sim_command_t *command);

/*  For a change: every participant has again exactly what it had before the change. */
bool sim_mend_went_back (sim_check_t *self, const sim_command_t *command);

#endif
