/*  run_output - what a run writes comes through a pipe to its starter, which keeps so much of it
 *  and drops the rest: the run is never held up for it and never fails, and no disk is filled.
 */
#ifndef MUSUBI_RUN_OUTPUT_H
#define MUSUBI_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int writer; /* the run's end, -1 once it is the run's alone */
    int pipe;   /* -1 when nobody can write any more */
    int file;
    int nowhere;
    uint64_t most;                /* bytes kept */
    uint64_t free_capacity_least; /* nothing is kept while the disk has less than so many free */
    uint64_t kept;
    uint64_t dropped;
} run_output_t;

/*  Into the file "output" of the run's folder. False with errno. */
bool run_output_open (run_output_t *self, int folder, uint64_t most, uint64_t free_capacity_least);

/*  The run has its end. */
void run_output_begun (run_output_t *self);

/*  What has been written by now, at most so much that others have their turn. Never waits. */
void run_output_take (run_output_t *self);

#endif
