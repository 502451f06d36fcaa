/*  solo - the flow times that a member's jobs would have had without the coalition: first come,
 *  first served, on its own CPUs.
 *
 *  A job begins on all CPUs when the jobs before it leave them; its last task runs by itself. A
 *  load is the most that was asked for, so all loads are scaled by the share that was really used.
 *  Pure.
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

/*  Sum, in seconds, of completion minus submission over the measured jobs. Sorts the jobs. cpus >
 *  0. */
double solo_flow (solo_job_t *jobs, size_t count, double cpus, double scale);

#endif
