/*  delivered_work - compares progress with CPUs. */
#include "delivered_work.h"

#include <math.h>

/*  The work done so far, on tasks that have ended and on tasks that run. */
static double progress (const member_queue_t *queue)
{
    double done_s = queue->done_s;
    for (size_t i = 0; i < queue->count; i++)
        done_s +=
          fmax (0, queue->bags [i].running * queue->bags [i].task_s - queue->bags [i].running_s);
    return done_s;
}

static bool waits (const member_queue_t *queue)
{
    for (size_t i = 0; i < queue->count; i++)
        if (queue->bags [i].waiting > 0)
            return true;
    return false;
}

double delivered_work_see (delivered_work_t *self, const member_queue_t *queue, int64_t mono_ms)
{
    delivered_work_t before = *self;
    *self = (delivered_work_t){.seen = true,
                               .busy = waits (queue),
                               .start = queue->start,
                               .progress_s = progress (queue),
                               .cpus = queue->cpus,
                               .mono_ms = mono_ms};
    if (!before.seen || before.start != queue->start)
        return 0;
    double work_s = fmax (0, self->progress_s - before.progress_s);
    if (before.busy && self->busy) {
        double time_s = (double) (mono_ms - before.mono_ms) / 1000;
        self->steps = before.steps + 1;
        self->work_s = before.work_s + work_s;
        self->could_s = before.could_s + time_s * fmin (before.cpus, queue->cpus);
    }
    return work_s;
}

bool delivered_work_short (const delivered_work_t *self, uint32_t steps, double least)
{
    return self->steps >= steps && self->work_s < least * self->could_s;
}
