/*  sim_sharer - a user who has work for sites that share it, and who administers them: has them
 *  join, leave and join again, submits bags that may move, and asks how his tasks are until all are
 *  over.
 *
 *  What he was told outlives his lives; a task that he was told is over stays over.
 */
#ifndef MUSUBI_SIM_SHARER_H
#define MUSUBI_SIM_SHARER_H

#include "sim.h"
#include "sim_wire_tasks.h"

#define SHARER_SITES     3
#define SHARER_BAGS_MAX  20
#define SHARER_CALLS_MAX 64

typedef struct {
    sim_bag_t asked;
    char label [16];
    size_t site;
    uint64_t number; /* 0 = not told yet */
    sim_told_task_t tasks [SIM_BAG_TASKS_MAX];
    size_t told;
} sharer_bag_t;

/*  Outlives the core's lives; fill in what is marked. */
typedef struct {
    sim_t *sim;               /* in */
    int sites [SHARER_SITES]; /* in: their processes */
    int balancer;             /* in */
    prng_t prng;              /* in */

    /*  In: called with what the balancer has told of its coalition. */
    void (*told) (void *owner, bytes_t status);
    void *owner;
    bool quiet; /* in: nothing new is begun, and all sites are to be members */
    bool joined [SHARER_SITES];
    sharer_bag_t bags [SHARER_BAGS_MAX];
    size_t bags_count;
    struct {
        uint64_t call; /* 0 = none */
        size_t action;
    } calls [SHARER_CALLS_MAX];
    uint64_t calls_made;
    struct outbox *outbox;
} sim_sharer_t;

void sim_sharer_make (void *owner, core_t *core);

/*  Ended, stopped, or lost; not a task that is away at another site. */
bool sim_sharer_over (const sim_told_task_t *task);

/*  True when everything was submitted, and he was told that all of it is over. */
bool sim_sharer_settled (const sim_sharer_t *self, char why [LONG_WHY_BYTES]);

#endif
