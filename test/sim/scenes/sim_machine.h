/*  sim_machine - machines of a site in the simulated host: they outlive their agents, carry out
 *  what those order (node_work.h), and check what must hold of every run.
 *
 *  A run's folder, its starter and its program are one thing here: begun once, running until it
 *  ends by itself, is told to, or its lease ends; now and then its starter dies, and its program
 *  with it, of which nobody hears until somebody looks.
 */
#ifndef MUSUBI_SIM_MACHINE_H
#define MUSUBI_SIM_MACHINE_H

#include "sim.h"

#include "node_work.h"

#define SIM_RUNS_MAX 512 /* in all, of one world of machines */

/*  Chances are in parts per thousand runs. */
typedef struct {
    int64_t length_ms_max; /* of a run that nobody ends */
    uint32_t lasting;      /* run on until they are ended, longer than any lease */
    int64_t grace_ms;      /* at most, at the end of a lease */
    uint32_t refused;      /* can't be started; for half of them another machine would be fit */
    uint32_t orphaned;     /* their starter dies */
} sim_machines_faults_t;

/*  How a run really stands. */
typedef struct {
    run_id_t id;
    int machine;
    char name [RUN_NAME_BYTES_MAX + 1];
    stand_t stand;
    char reservation [NAME_BYTES_MAX + 1]; /* as it was ordered, "" = from the queue */
    uint32_t cpus;
    bool begun;      /* a program ran, or runs */
    bool active;     /* something of it runs now */
    bool starter;    /* that can end it lives */
    int64_t ends_us; /* true time */
} sim_run_t;

typedef struct {
    sim_t *sim;
    prng_t prng;
    sim_machines_faults_t faults;
    int64_t lease_us [SIM_PROCESSES_MAX]; /* by the agent's process, true time */
    sim_run_t runs [SIM_RUNS_MAX];
    size_t runs_count;

    /*  Whoever must agree that a run may begin now: fails the simulation otherwise. */
    void (*begins) (void *owner, int machine, const run_id_t *id, const run_order_t *order);
    void *owner;
} sim_machines_t;

void sim_machines_init (sim_machines_t *self, sim_t *sim, uint64_t seed,
                        const sim_machines_faults_t *faults);

/*  For sim_worker; owner is the machines. */
bool sim_machines_work (void *owner, int process, int64_t mono_ms, const char *kind,
                        bytes_t arguments, uint8_t **result, size_t *result_size);

/*  How many tries of a task were refused by machines that were unfit. */
uint32_t sim_machines_unfit (const sim_machines_t *self, const task_id_t *task);

/*  NULL when no machine has heard of it. */
const sim_run_t *sim_machines_run (const sim_machines_t *self, const run_id_t *id);

#endif
