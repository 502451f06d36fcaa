/*  batch_works - the work of node_work.h where a run is a job of a batch system. In the folder of
 *  runs, on a disk that the agent and all nodes see:
 *
 *      NAME.order     the run's order, for the agent alone
 *      NAME.ended     made by the agent: nobody may begin the run any more
 *      NAME.work      made by the agent for a run with files, before its job is submitted: its
 *                     inputs as run_files.h has them. It is the account's only when all are there;
 *                     the job takes it as NAME/work
 *      NAME.out, .err what the job has written, unless its order names files
 *      NAME/          made by the job as its first act, which can be done only once: it is the
 *                     claim. begun (a time), end (a time, an exit code, processor times), work
 *
 *  What the job makes is its account's, and believed only if it is. Outputs are handed over when
 *  the job is over, whenever its end is looked at, so an agent that dies at any moment loses none.
 *  The batch system is asked before the folder is looked at, so a job that is over and has left no
 *  end never leaves one.
 */
#ifndef MUSUBI_BATCH_WORKS_H
#define MUSUBI_BATCH_WORKS_H

#include "batch_system.h"
#include "host.h"

/*  Before the host runs; borrowed for life. */
void batch_works_begin (const batch_system_t *system, const batch_setup_t *setup);

extern const work_kind_t batch_works [];
extern const size_t batch_works_count;

#endif
