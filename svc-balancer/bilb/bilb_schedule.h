/*  bilb_schedule - the extension of bilb: after a step, jobs one after the other on all busy
 *  clusters.
 *
 *  The schedule is rebuilt from its end. At each time t, going down from the end of the longest
 *  queue, all clusters whose queues last until t work on one job: of the jobs promised for t or
 *  later, the one whose owner is slowest, so that fast owners' jobs come early; among equally fast
 *  owners the one with the most load left, then the first in the list. No job ends after its
 *  promise, and every queue stays as long as it was.
 *
 *  It is kept as a start and an end for each job; what that is on one cluster follows from the
 *  length of its queue. Pure; one thread at a time.
 */
#ifndef MUSUBI_BILB_SCHEDULE_H
#define MUSUBI_BILB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*  Two times count as equal when they differ by no more than this * (1 + time): ties are common. */
#define BILB_TIE 1e-9

typedef struct {
    double load;    /* what is left of it, in all queues */
    double promise; /* completion time that some schedule of these queues meets */
    double speed;   /* of its owner's cluster */
} bilb_job_t;

typedef struct {
    double speed;
    double time; /* how long its queue is */
} bilb_busy_t;

/*  On each cluster from start until end, or until its queue ends. */
typedef struct {
    uint32_t job;
    double start;
    double end;
} bilb_slot_t;

typedef struct bilb_schedule bilb_schedule_t;

bilb_schedule_t *bilb_schedule_new (void);
void bilb_schedule_destroy (bilb_schedule_t **self_p);

/*  Rebuilds; costs jobs * log (jobs) + clusters * log (clusters). The loads of the jobs add up to
 *  those of the queues. False when a job would end after its promise by more than a tie: either no
 *  schedule of these queues meets the promises, or speeds lie so far apart that rounding adds up to
 *  that. There are no slots then; keep the old schedule. */
bool bilb_schedule_rebuild (bilb_schedule_t *self, const bilb_busy_t *clusters,
                            size_t clusters_count, const bilb_job_t *jobs, size_t jobs_count);

/*  The slots of the last rebuild, from the back: the job that ends last comes first. */
const bilb_slot_t *bilb_schedule_slots (const bilb_schedule_t *self, size_t *count);

/*  The load that a cluster does of a slot. */
double bilb_slot_part (const bilb_slot_t *slot, const bilb_busy_t *cluster);

#endif
