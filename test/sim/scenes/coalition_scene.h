/*  coalition_scene - three sites that share their tasks, the agents of their nodes, their machines,
 *  a directory, the balancer of their coalition, and a user who has work: drawn from a seed, run
 *  under faults, and judged.
 *
 *  All of them die at every effect and come back; what is between them loses, doubles, delays,
 *  reorders and cuts; sites leave and join again; in a third of the schedules one says that it has
 *  many times its CPUs. At every step and at the end:
 *
 *      no task is begun twice, at one site or at two
 *      what a task's owner was told of it once it is over stays true
 *      the time promised for a job does not become later, over all deaths of the balancer
 *
 *  When faults have ended each task of each bag is over at its home, and was begun once if it
 *  ended. The balancer itself checks that no order makes any job later (rebalance.h).
 */
#ifndef MUSUBI_COALITION_SCENE_H
#define MUSUBI_COALITION_SCENE_H

#include "sim.h"

/*  True when every check held; else why says which did not. trace may be NULL. Counts go into the
 *  tally. */
bool coalition_scene_run (uint64_t seed, sim_tally_t *tally, FILE *trace,
                          char why [LONG_WHY_BYTES]);

#endif
