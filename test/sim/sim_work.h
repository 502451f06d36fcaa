/*  sim_work - slow work that a simulated process has ordered. Without a worker in the run (sim.h)
 *  all work fails.
 *
 *  The worker carries out some work at the moment at which it leaves, and the rest shortly before
 *  its end is told, if the process lives that long. A death in between leaves the first kind done
 *  without the process having heard of it, and the second kind undone.
 */
#ifndef MUSUBI_SIM_WORK_H
#define MUSUBI_SIM_WORK_H

#include "core.h"

#define SIM_WORK_KIND_BYTES 32

typedef struct {
    uint64_t number;
    char kind [SIM_WORK_KIND_BYTES];
    uint8_t *arguments;
    size_t arguments_size;
    bool done;
    bool ok;
    uint8_t *result;
    size_t result_size;
} sim_work_t;

typedef struct {
    sim_work_t *list;
    size_t count;
    size_t room;
} sim_works_t;

void sim_works_add (sim_works_t *self, const effect_t *effect);

/*  NULL when there is none of that number. */
sim_work_t *sim_works_find (const sim_works_t *self, uint64_t number);
void sim_works_remove (sim_works_t *self, uint64_t number);
void sim_works_clear (sim_works_t *self);

#endif
