/*  solo - a replay. */
#include "solo.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int by_arrival (const void *a, const void *b)
{
    const solo_job_t *one = a;
    const solo_job_t *other = b;
    if (one->arrived_ms != other->arrived_ms)
        return one->arrived_ms < other->arrived_ms ? -1 : 1;
    return (one->submitted_ms > other->submitted_ms) - (one->submitted_ms < other->submitted_ms);
}

double solo_flow (solo_job_t *jobs, size_t count, double cpus, double scale)
{
    assert (cpus > 0 && scale >= 0);
    double sum = 0;
    if (count == 0)
        return 0;
    qsort (jobs, count, sizeof *jobs, by_arrival);
    int64_t origin_ms = jobs [0].arrived_ms;
    double free_s = 0; /* since then */
    for (size_t i = 0; i < count; i++) {
        const solo_job_t *job = &jobs [i];
        double load_s = scale * job->load_s;
        double task_s = fmin (scale * job->task_s, load_s);
        double begun_s = fmax (free_s, (double) (job->arrived_ms - origin_ms) / 1000);
        double ended_s = begun_s + (load_s - task_s) / cpus + task_s;
        free_s = begun_s + load_s / cpus;
        if (job->measured)
            sum += ended_s + (double) (origin_ms - job->submitted_ms) / 1000;
    }
    return sum;
}
