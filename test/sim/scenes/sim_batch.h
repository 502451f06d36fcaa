/*  sim_batch - a batch system in the simulated host: nodes, jobs that wait, run and end, and
 *  advance reservations. It outlives its clients, and carries out what the site's back end orders
 *  (the work "batch") and what its agent does (node_work.h).
 *
 *  A run's folder and its job are one thing here: a job may be given to it again and again, and is
 *  begun once. It may hang, or die and lose what it has acknowledged last; its nodes go down, are
 *  drained, and are booked by others, now and then twice, or have jobs of theirs, for which
 *  reservations wait; root deletes a reservation; for a while it has no account.
 */
#ifndef MUSUBI_SIM_BATCH_H
#define MUSUBI_SIM_BATCH_H

#include "sim_machine.h"

#define SIM_BATCH_NODES    4
#define SIM_BATCH_RESERVED 2048

typedef struct {
    const char *name;
    uint32_t cpus;
    bool down;
    bool drained;
} sim_batch_node_t;

/*  An advance reservation, or a job. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    bool has [SIM_BATCH_NODES];
    int64_t from_ms; /* wall */
    int64_t until_ms;
    int64_t period_ms; /* between the starts of its times */
    uint32_t times;    /* that it is there; 0 is 1, too */
    int64_t made_us;   /* true time */
    bool others;
    bool job; /* of others, which ends by itself and nobody else ends */
} sim_reserved_t;

typedef struct {
    bool known; /* to the batch system: it waits or runs */
    size_t node;
    int64_t limit_ms;
} sim_job_t;

typedef struct {
    sim_t *sim;
    prng_t prng;
    sim_machines_t *machines; /* their runs are the folders, by the index of their jobs */
    sim_job_t jobs [SIM_RUNS_MAX];
    sim_batch_node_t nodes [SIM_BATCH_NODES];
    sim_reserved_t reserved [SIM_BATCH_RESERVED];
    size_t reserved_count;
    bool hangs;
    bool unfit;      /* it lets no section of accounts charge what that says */
    size_t prepared; /* reservations that were made */
} sim_batch_t;

/*  machines and nodes are filled in by the caller. */
void sim_batch_start (sim_batch_t *self, sim_t *sim, uint64_t seed);

/*  For sim_worker; owner is the batch system. */
bool sim_batch_work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                     uint8_t **result, size_t *result_size);

/*  Draws faults up to until_us; after sim_batch_heal all is well. */
void sim_batch_trouble (sim_batch_t *self, int64_t until_us);
void sim_batch_heal (sim_batch_t *self);

/*  One of ours that has begun before that time and has the node, other than that one; NULL = none.
 *  One that begins later may have it named. */
const sim_reserved_t *sim_batch_other (const sim_batch_t *self, size_t node, const char *name,
                                       int64_t from_ms);

#endif
