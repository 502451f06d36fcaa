/*  sim_shortage - what a participant says that has less than it has promised: by plain sums over
 *  its records, each reservation that overlaps an instant with too little is told to lack
 *  something, and no other one; its status counts them.
 */
#ifndef MUSUBI_SIM_SHORTAGE_H
#define MUSUBI_SIM_SHORTAGE_H

#include "sim_check.h"

/*  Asks what the process would be if it came back now. Nothing is judged of a participant that
 *  still has what it had. */
void sim_shortage_check (sim_check_t *self, int process);
void sim_shortage_check_all (sim_check_t *self);

#endif
