/*  sim_mend - was what somebody could not keep put right (T10)? Judged from the participants'
 *  records alone.
 */
#ifndef MUSUBI_SIM_MEND_H
#define MUSUBI_SIM_MEND_H

#include "sim_check.h"

/*  The last change in a command's place that all of its participants have committed; NULL when
 *  there is none. */
const sim_command_t *sim_mend_of (sim_check_t *self, const sim_command_t *command);

/*  Was a part of it refused at its edge? */
bool sim_mend_refused (sim_check_t *self, const sim_command_t *command);

/*  A later version of the reservation stands, with all who have part in it: by a repair, or because
 *  its owner has changed it since. */
bool sim_mend_overtaken (sim_check_t *self, const sim_command_t *command);

/*  Of a change: everyone has again exactly what he had before it. */
bool sim_mend_went_back (sim_check_t *self, const sim_command_t *command);

#endif
