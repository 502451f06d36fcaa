/*  live_replay - S0's scenario played on real services. First it measures how long each query
 *  takes; then the requests come, to each planner one at a time; at last it reads the ledgers.
 */
#ifndef MUSUBI_LIVE_REPLAY_H
#define MUSUBI_LIVE_REPLAY_H

#include "planning_world.h"

#include "grid.h"

typedef struct {
    uint64_t requests;
    uint64_t planned;
    double planning_ms; /* mean over planned requests: time in the planner's hands */
    uint64_t holds;
    double hold_ms_most;      /* the longest life of a hold */
    uint64_t overheld;        /* holds voted for, or still there, after their time */
    int64_t times_us [TIMED]; /* medians */
} live_result_t;

/*  Plays the order's world on real services; its live->times_us are not used. False, with why, when
 *  something did not work, or when the ledgers do not prove everything sound. */
bool live_play (const planning_order_t *order, uint64_t seed, live_result_t *result,
                char why [LONG_WHY_BYTES]);

#endif
