/*  sim_settler - an administrator who has transactions settled by a fence (T8): those of a planner
 *  whose store is gone, in some schedules those of any, alive or not.
 *
 *  He asks one participant after another for its commands, picks one that is not over, and has a
 *  planner settle it; once faults are over, only what nobody else can end: of the dead planner, or
 *  fenced already.
 */
#ifndef MUSUBI_SIM_SETTLER_H
#define MUSUBI_SIM_SETTLER_H

#include "sim_check.h"

#define SETTLERS_MAX 8 /* planners he knows */

/*  Outlives the core's lives. */
typedef struct {
    sim_t *sim;               /* in */
    const sim_check_t *check; /* in: whom to ask */
    int planners [SETTLERS_MAX];
    size_t planners_count; /* in */
    bool anybodys;         /* in: transactions of planners that are alive, too */
    bool calm;             /* faults are over */
    bool lost;             /* a planner is dead for good, with this store */
    uint8_t store [STORE_ID_BYTES];
    int64_t pause_ms; /* in: between two looks */
    sim_tally_t *tally;
    prng_t prng;
    size_t at; /* the participant that is asked */
    bool settling;
    uint64_t call;
    int64_t due_ms;
    struct outbox *outbox;
} sim_settler_t;

void sim_settler_make (void *owner, core_t *core);

#endif
