/*  bilb_schedule - time goes down; jobs become ripe as it passes their promises. */
#include "bilb_schedule.h"

#include "bilb.h"
#include "must.h"

#include <assert.h>
#include <math.h>

struct bilb_schedule {
    size_t clusters_room;
    bilb_busy_t *clusters; /* the longest queue first */
    size_t jobs_room;
    const bilb_job_t *jobs;
    uint32_t *waiting; /* the latest promise first */
    uint32_t *ripe;    /* a heap: next to be scheduled is on top */
    size_t ripe_count;
    bilb_slot_t *slots;
    size_t slots_count;
};

/*  --- the jobs that may come next --- */

static bool comes_before (const bilb_schedule_t *self, uint32_t a, uint32_t b)
{
    const bilb_job_t *left = &self->jobs [a];
    const bilb_job_t *right = &self->jobs [b];
    if (left->speed != right->speed)
        return left->speed < right->speed;
    return left->load != right->load ? left->load > right->load : a < b;
}

static void ripe_add (bilb_schedule_t *self, uint32_t job)
{
    size_t at = self->ripe_count++;
    while (at > 0 && comes_before (self, job, self->ripe [(at - 1) / 2])) {
        self->ripe [at] = self->ripe [(at - 1) / 2];
        at = (at - 1) / 2;
    }
    self->ripe [at] = job;
}

static uint32_t ripe_take (bilb_schedule_t *self)
{
    uint32_t first = self->ripe [0];
    uint32_t last = self->ripe [--self->ripe_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < self->ripe_count; at = child) {
        if (child + 1 < self->ripe_count &&
            comes_before (self, self->ripe [child + 1], self->ripe [child]))
            child++;
        if (comes_before (self, last, self->ripe [child]))
            break;
        self->ripe [at] = self->ripe [child];
    }
    self->ripe [at] = last;
    return first;
}

/*  --- orders --- */

static int bilb_schedule_by_time (const void *a, const void *b)
{
    double left = ((const bilb_busy_t *) a)->time;
    double right = ((const bilb_busy_t *) b)->time;
    return left > right ? -1 : left < right;
}

static int by_promise (const void *a, const void *b, void *jobs)
{
    uint32_t left = *(const uint32_t *) a;
    uint32_t right = *(const uint32_t *) b;
    double left_promise = ((const bilb_job_t *) jobs) [left].promise;
    double right_promise = ((const bilb_job_t *) jobs) [right].promise;
    if (left_promise != right_promise)
        return left_promise > right_promise ? -1 : 1;
    return left < right ? -1 : left > right;
}

/*  --- time goes down --- */

/*  Has more digits than slots have: what is summed up from the end of a long queue must still be
 *  right for a job that is promised for very soon. */
typedef struct {
    long double time;
    long double speed; /* of all clusters whose queues are as long */
    size_t working;    /* so many of them */
} front_t;

/*  Goes back in time by a load: the inverse of eq 12's G. */
static void go_back (const bilb_schedule_t *self, size_t clusters_count, front_t *front,
                     double load)
{
    for (;;) {
        while (front->working < clusters_count &&
               self->clusters [front->working].time >= front->time)
            front->speed += self->clusters [front->working++].speed;
        double next = front->working < clusters_count ? self->clusters [front->working].time : 0;
        long double until_next = (front->time - next) * front->speed;
        if (fabsl (load - until_next) <= BILB_GRAIN * load) {
            front->time = next;
            return;
        }
        if (load < until_next || front->working == clusters_count) {
            front->time = fmaxl (next, front->time - load / front->speed);
            return;
        }
        load -= until_next;
        front->time = next;
    }
}

static double bilb_schedule_tie_of (double time)
{
    return BILB_TIE * (1 + time);
}

static void bilb_schedule_make_room (bilb_schedule_t *self, size_t clusters_count,
                                     size_t jobs_count)
{
    if (clusters_count > self->clusters_room) {
        self->clusters_room = clusters_count;
        self->clusters =
          must (reallocarray (self->clusters, clusters_count, sizeof *self->clusters));
    }
    if (jobs_count <= self->jobs_room)
        return;
    self->jobs_room = jobs_count;
    self->waiting = must (reallocarray (self->waiting, jobs_count, sizeof *self->waiting));
    self->ripe = must (reallocarray (self->ripe, jobs_count, sizeof *self->ripe));
    self->slots = must (reallocarray (self->slots, jobs_count, sizeof *self->slots));
}

bool bilb_schedule_rebuild (bilb_schedule_t *self, const bilb_busy_t *clusters,
                            size_t clusters_count, const bilb_job_t *jobs, size_t jobs_count)
{
    bilb_schedule_make_room (self, clusters_count, jobs_count);
    self->slots_count = self->ripe_count = 0;
    if (jobs_count == 0)
        return true;
    assert (clusters_count > 0);
    for (size_t i = 0; i < clusters_count; i++)
        self->clusters [i] = clusters [i];
    qsort (self->clusters, clusters_count, sizeof *self->clusters, bilb_schedule_by_time);
    for (size_t i = 0; i < jobs_count; i++)
        self->waiting [i] = (uint32_t) i;
    self->jobs = jobs;
    qsort_r (self->waiting, jobs_count, sizeof *self->waiting, by_promise, (void *) jobs);

    front_t front = {.time = self->clusters [0].time};
    size_t ripened = 0;
    for (size_t done = 0; done < jobs_count; done++) {
        double ripe_from = (double) front.time - bilb_schedule_tie_of ((double) front.time);
        while (ripened < jobs_count && jobs [self->waiting [ripened]].promise >= ripe_from)
            ripe_add (self, self->waiting [ripened++]);
        if (self->ripe_count == 0)
            return false;
        uint32_t job = ripe_take (self);
        double end = (double) front.time;
        go_back (self, clusters_count, &front, jobs [job].load);
        if (done + 1 == jobs_count)
            front.time = 0;
        self->slots [done] = (bilb_slot_t){job, (double) front.time, end};
    }
    self->slots_count = jobs_count;
    return true;
}

const bilb_slot_t *bilb_schedule_slots (const bilb_schedule_t *self, size_t *count)
{
    *count = self->slots_count;
    return self->slots;
}

double bilb_slot_part (const bilb_slot_t *slot, const bilb_busy_t *cluster)
{
    return cluster->speed * (fmin (slot->end, cluster->time) - fmin (slot->start, cluster->time));
}

/*  --- the object --- */

bilb_schedule_t *bilb_schedule_new (void)
{
    return must (calloc (1, sizeof (bilb_schedule_t)));
}

void bilb_schedule_destroy (bilb_schedule_t **self_p)
{
    bilb_schedule_t *self = *self_p;
    if (!self)
        return;
    free (self->clusters);
    free (self->waiting);
    free (self->ripe);
    free (self->slots);
    free (self);
    *self_p = NULL;
}
