/*  batch_scene - a whole site with a batch system, its agent, and a user (the patron) who has work
 *  for it: drawn from a seed, run under faults, and judged.
 *
 *  Site, agent and patron die at every effect; the network loses, doubles, delays, reorders and
 *  cuts; the batch system hangs, dies and loses what it has just acknowledged; its nodes go down
 *  and are drained; others book them; root deletes reservations. After every step:
 *
 *      no task is begun twice, and no two tries of it run at once
 *      nothing of a reservation begins before its time
 *      what the site stores of a run's end is true in the batch system, so silence loses none
 *      a node that the site has bound is in no other reservation of its own there
 *      a node that others have booked is not free at any time of theirs
 *
 *  When faults have ended everything comes to an end: each task as the batch system has it, each
 *  reservation over, and no node left reserved there.
 */
#ifndef MUSUBI_BATCH_SCENE_H
#define MUSUBI_BATCH_SCENE_H

#include "sim.h"

/*  True when every check held; else why says which did not. files: tasks have some, in a storage
 *  node that all nodes see (task_checks.h). trace may be NULL. */
bool batch_scene_run (uint64_t seed, bool files, sim_tally_t *tally, FILE *trace,
                      char why [LONG_WHY_BYTES]);

#endif
