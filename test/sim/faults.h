/*  faults - musubi-sim faults: run many schedules, each from its seed, and say how they went. */
#ifndef MUSUBI_FAULTS_H
#define MUSUBI_FAULTS_H

#include "sim_schedule.h"

#define JOBS_MAX 64

typedef struct {
    uint64_t from;
    uint64_t to;   /* included */
    uint32_t jobs; /* at most JOBS_MAX */
    bool stop;     /* at the first failure */
    sim_options_t options;
} faults_order_t;

/*  Prints progress on a terminal, then the failures, the tables and the sum. Returns the exit code:
 *  0 when all held and something was committed, else 1. */
int faults_run (const faults_order_t *order);

/*  One schedule, step by step, on standard output; 0 when it held. */
int replay_run (uint64_t seed, const sim_options_t *options);

#endif
