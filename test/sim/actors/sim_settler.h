/*  sim_settler - an administrator who has transactions settled by a fence (T8): those of a planner
 *  whose store is gone; in some schedules those of any planner, alive or not.
 *
 *  It asks one participant after another for its commands, picks a command that is not over, and
 *  has a planner settle its transaction. Once faults are over it picks only transactions that
 *  nobody else can end: those of the dead planner, and those that are fenced already.
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
    bool lost;             /* a planner has died for good, and this was its store */
    uint8_t store [STORE_ID_BYTES];
    int64_t pause_ms; /* in: time between two looks */
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
