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
    bool nodes;    /* sites that run tasks (site_scene.h), instead of federations */
    bool files;    /* the same, and tasks have files */
    bool chains;   /* files that travel down chains (chain_scene.h), instead of federations */
    bool batch;    /* sites with a batch system (batch_scene.h), instead of federations */
    bool balance;  /* sites that share their tasks (coalition_scene.h), instead of federations */
    sim_options_t options;
} faults_order_t;

/*  Prints progress on a terminal, then the failures, the tables and the totals. Returns the exit
 *  code: 0 when every schedule held and something was committed, run or received, else 1. */
int faults_run (const faults_order_t *order);

/*  Runs one schedule of the kind that the options select, as sim_schedule_run does. */
bool faults_schedule_run (uint64_t seed, const faults_order_t *order, sim_tally_t *tally,
                          FILE *trace, char why [LONG_WHY_BYTES]);

/*  One schedule, step by step, on standard output; 0 when it held. */
int replay_run (uint64_t seed, const faults_order_t *order);

#endif
