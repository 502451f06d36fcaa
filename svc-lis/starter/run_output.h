/*  run_output - a run writes into a pipe. Its starter keeps so much of that and drops the rest: the
 *  run is never held up, its writes don't fail, and no disk is filled.
 */
#ifndef MUSUBI_RUN_OUTPUT_H
#define MUSUBI_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int writer; /* the run's end of the pipe; -1 once only the run has it */
    int pipe;   /* our end; -1 when nobody can write any more */
    int file;
    int nowhere;
    uint64_t most;                /* bytes that are kept at most */
    uint64_t free_capacity_least; /* with less free on the disk nothing is kept */
    uint64_t kept;
    uint64_t dropped;
} run_output_t;

/*  Opens the pipe and the file "output" in the run's folder. False with errno. */
bool run_output_open (run_output_t *self, int folder, uint64_t most, uint64_t free_capacity_least);

/*  The run has begun and has its end of the pipe. */
void run_output_begun (run_output_t *self);

/*  Takes what has been written by now, but only so much that other things have their turn. Never
 *  waits. */
void run_output_take (run_output_t *self);

#endif
