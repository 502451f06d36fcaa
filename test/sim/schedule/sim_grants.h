/*  sim_grants - checks that a participant grants no more than it has, and that it is asked in time.
 *
 *  Counts over its recorded commands (sim_load.h). What was granted before a resource was lowered
 *  stays granted; from then on nothing is granted beyond what is left.
 */
#ifndef MUSUBI_SIM_GRANTS_H
#define MUSUBI_SIM_GRANTS_H

#include "sim_check.h"

/*  Its records are those of the last flush: no instant is overbooked. */
void sim_grants_flushed (sim_check_t *self, sim_participant_t *participant);

/*  T9: the edge of a plan comes before anything new is needed, less the lead of each
 *  participant that votes. */
void sim_grants_asked (sim_check_t *self, const sim_participant_t *participant,
                       const sim_asked_t *asked);

#endif
