/*  live_replay - S0's scenario put to real services: what each query takes is measured first, then
 *  the requests come, to each planner one at a time, and at last the ledgers are looked through.
 */
#ifndef MUSUBI_LIVE_REPLAY_H
#define MUSUBI_LIVE_REPLAY_H

#include "planning_world.h"

#include "grid.h"

typedef struct {
    uint64_t requests;
    uint64_t planned;
    double planning_ms; /* mean, of those planned, in the planner's hands */
    uint64_t holds;
    double hold_ms_most;      /* the longest life of one */
    uint64_t overheld;        /* voted for, or still there, after their time */
    int64_t times_us [TIMED]; /* medians */
} live_result_t;

/*  The order's world on real services; its live->times_us are not looked at. False with why when
 *  something did not work, or the ledgers do not prove all sound. */
bool live_play (const planning_order_t *order, uint64_t seed, live_result_t *result,
                char why [PLANNING_WHY_BYTES]);

#endif
