/*  solo - what would have been: a member's own jobs, first come first served, on its own CPUs.
 *
 *  A job begins on all CPUs when those before it leave them; its last task runs on its own. Loads
 *  are what was asked for at most, so all of them are scaled by what was done of it. Pure.
 */
#ifndef MUSUBI_SOLO_H
#define MUSUBI_SOLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t arrived_ms;
    int64_t submitted_ms;
    double load_s;
    double task_s;
    bool measured;
} solo_job_t;

/*  Sum, in seconds, of completion less submission of those measured. Sorts the jobs. cpus > 0. */
double solo_flow (solo_job_t *jobs, size_t count, double cpus, double scale);

#endif
