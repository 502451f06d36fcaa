/*  task_checks - tasks with files in the simulated host: what machines do with files, what happens
 *  to the files, and what must hold of them (SPEC 28, 30, 36, 38).
 *
 *      a run begins with all its inputs, each with the right bytes, or is refused, and is refused
 *      only where a copy has vanished; while it runs its copies stay
 *      a task that its owner was told has ended has its outputs among the site's files, now and
 *      later
 *      a copy that has vanished is not told sound when all is over
 *      no storage node has more than it may have, or had when it came back smaller
 *      runs that are not suspended have no more CPUs than their machine; one that is suspended does
 *      not stay so while the machine has room for it
 */
#ifndef MUSUBI_TASK_CHECKS_H
#define MUSUBI_TASK_CHECKS_H

#include "sim_batch.h"
#include "sim_patron.h"
#include "sim_storage.h"

#define TASK_INPUTS_MAX SIM_BAG_INPUTS_MAX

/*  The files of a run that was begun. */
typedef struct {
    char inputs [TASK_INPUTS_MAX][FILE_NAME_BYTES_MAX + 1];
    size_t inputs_count;
    char output [FILE_NAME_BYTES_MAX + 1]; /* "" = none */
    char handed [SIM_PATH_BYTES];          /* where it is handed over */
    int64_t room_us; /* since when it is suspended where there is room; 0 = it is not */
} task_files_t;

typedef struct {
    sim_t *sim;               /* in */
    sim_tally_t *tally;       /* in */
    sim_storage_t *storage;   /* in */
    sim_machines_t *machines; /* in */
    sim_batch_t *batch;   /* in: the runs are its jobs, and all share storage node 0; NULL = no */
    sim_patron_t *patron; /* in */
    int first_node;       /* in: of the machines' agents; node i is beside storage node i */
    const uint32_t *cpus; /* in: of each machine */
    prng_t prng;          /* in */
    task_files_t files [SIM_RUNS_MAX]; /* of the machines' runs */
    bool vanished [SIM_STORAGE_NODES_MAX][SIM_STORAGE_FILES_MAX];
} task_checks_t;

/*  Has machines use files, and looks now and then; from now on. */
void task_checks_begin (task_checks_t *self);

/*  Draws what happens to files until then: copies vanish, the server's becomes another one, storage
 *  nodes and services die and are cut off, nodes come back with smaller disks. */
void task_checks_faults (task_checks_t *self, int64_t until_us);

/*  When everything has come to an end. */
void task_checks_settled (task_checks_t *self);

#endif
