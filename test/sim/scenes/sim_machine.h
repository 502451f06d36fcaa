/*  sim_machine - machines of a site in the simulated host: they outlive their agents, carry out
 *  what the agents order (node_work.h), and check what must hold of every run.
 *
 *  A run's folder, its starter and its program are one thing here: begun once, it runs until it
 *  ends by itself, is told to end, or its lease ends. Now and then its starter dies, and its
 *  program with it, which is noticed only when the agent looks.
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
    uint32_t refused;      /* can't be started; for half of them another machine would do */
    uint32_t orphaned;     /* their starter dies */
} sim_machines_faults_t;

/*  How a run really stands. */
typedef struct {
    run_id_t id;
    int machine;
    char name [RUN_NAME_BYTES_MAX + 1];
    stand_t stand;
    char reservation [NAME_BYTES_MAX + 1]; /* reservation as it was ordered, "" = from the queue */
    uint32_t cpus;
    bool begun;      /* a program ran, or runs */
    bool active;     /* something of it runs now */
    bool starter;    /* a starter that can end it lives */
    int64_t ends_us; /* true time */
    int64_t left_us; /* of one that is suspended: how long it would have gone on */
    int64_t begun_us;
    int64_t stopped_us; /* when it was suspended last */
    int64_t stood_us;   /* how long it has been suspended in all, until it was resumed last */
    uint32_t suspensions;
    bool aside; /* suspended now, or when it was told to end: others may have its CPUs */
} sim_run_t;

typedef struct {
    sim_t *sim;
    prng_t prng;
    sim_machines_faults_t faults;
    int64_t lease_us [SIM_PROCESSES_MAX]; /* indexed by the agent's process; true time */
    sim_run_t runs [SIM_RUNS_MAX];
    size_t runs_count;

    /*  The checks that must agree that a run may begin now; they fail the simulation otherwise. */
    void (*begins) (void *owner, int machine, const run_id_t *id, const run_order_t *order);

    /*  How long a run that begins lasts, in ms; INT64_MAX = until sim_machines_finish. It then ends
     *  with exit code 0, and all that is done is heard of. NULL: that is drawn. */
    int64_t (*lasts) (void *owner, int machine, const run_id_t *id, const run_order_t *order);

    /*  Of runs with files; NULL = there are none. Are all inputs of a run there that may begin?
     *  False: its machine refuses it. And a run has ended well: are its outputs handed over? */
    bool (*enters) (void *owner, int machine, const run_id_t *id, const run_order_t *order);
    bool (*hands) (void *owner, const sim_run_t *run);
    void *files_owner;

    /*  A run is over; NULL = nobody looks. */
    void (*ended) (void *owner, const sim_run_t *run);
    void *owner;
} sim_machines_t;

void sim_machines_init (sim_machines_t *self, sim_t *sim, uint64_t seed,
                        const sim_machines_faults_t *faults);

/*  For sim_worker; owner is the machines. */
bool sim_machines_work (void *owner, int process, int64_t mono_ms, const char *kind,
                        bytes_t arguments, uint8_t **result, size_t *result_size);

/*  How many tries of a task were refused by unfit machines. */
uint32_t sim_machines_unfit (const sim_machines_t *self, const task_id_t *task);

/*  The run ends by itself now. */
void sim_machines_finish (sim_machines_t *self, const run_id_t *id);

/*  NULL when no machine has heard of it. */
const sim_run_t *sim_machines_run (const sim_machines_t *self, const run_id_t *id);

#endif
