/*  alone - what would have been: a member's own jobs, first come first served, on its own CPUs.
 *
 *  A job begins on all CPUs when those before it leave them; its last task runs on its own. Loads
 *  are what was asked for at most, so all of them are scaled by what was done of it. Pure.
 */
#ifndef MUSUBI_ALONE_H
#define MUSUBI_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t arrived_ms;
    int64_t submitted_ms;
    double load_s;
    double task_s;
    bool measured;
} alone_job_t;

/*  Sum, in seconds, of completion less submission of those measured. Sorts the jobs. cpus > 0. */
double alone_flow (alone_job_t *jobs, size_t count, double cpus, double scale);

#endif
