/*  site_scene - a whole site with a runner, the agents of its nodes, their machines, and a
 *  user (the patron) who has work for it: drawn from a seed, run under faults, and judged.
 *
 *  Site, agents and patron die at every effect; what is between them loses, doubles, delays,
 *  reorders and cuts; starters die; machines go on. After every step:
 *
 *      no two tries of a task run at once, and no try begins that was told to be over
 *      no machine runs more than its CPUs, nor two reservations at once
 *      nothing of a reservation begins before its time
 *      what the site stores of a run's end is true on its machine
 *      what a task's owner was told of it stays true
 *
 *  When faults have ended everything comes to an end: each task of each bag ended, stopped, lost
 *  with the reason, or cancelled, as its machine has it; each reservation over; nothing runs.
 */
#ifndef MUSUBI_SITE_SCENE_H
#define MUSUBI_SITE_SCENE_H

#include "sim.h"

/*  files: tasks have inputs and outputs, and what must hold of these is checked, too
 *  (task_checks.h). True when every check held; else why says which did not. trace may be NULL.
 *  Counts go into the tally. */
bool site_scene_run (uint64_t seed, bool files, sim_tally_t *tally, FILE *trace,
                     char why [LONG_WHY_BYTES]);

#endif
