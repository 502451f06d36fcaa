/*  solvers - one queue of orders, first come, first served. */
#include "solvers.h"

#include "must.h"

#include <stdlib.h>

typedef struct job {
    uint64_t work; /* 0 = it waits */
    packed_t order;
    int64_t until_ms;
    solved_fn *told; /* NULL: forgotten */
    void *owner;
    uint64_t token;
    struct job *next;
} solvers_job_t;

struct solvers {
    service_t *service;
    uint32_t most;
    uint32_t busy;
    uint64_t *works;
    solvers_job_t *first;
    solvers_job_t **last; /* where the next one is put */
};

solvers_t *solvers_new (service_t *service, uint32_t most, uint64_t *works)
{
    solvers_t *self = must (calloc (1, sizeof *self));
    *self = (solvers_t){.service = service, .most = most, .works = works};
    self->last = &self->first;
    return self;
}

/*  Takes a job out of the queue. */
static void solvers_drop (solvers_t *self, solvers_job_t **at)
{
    solvers_job_t *job = *at;
    *at = job->next;
    if (self->last == &job->next)
        self->last = at;
    free (job->order.data);
    free (job);
}

void solvers_destroy (solvers_t **self_p)
{
    solvers_t *self = *self_p;
    if (!self)
        return;
    while (self->first)
        solvers_drop (self, &self->first);
    free (self);
    *self_p = NULL;
}

static void solvers_begin (solvers_t *self, const moment_t *now, solvers_job_t *job)
{
    solving_order_limit (&job->order, (job->until_ms - now->mono_ms) * 1000);
    job->work = ++*self->works;
    self->busy++;
    outbox_work (self->service->outbox, job->work, "solve", packed_bytes (job->order));
    free (job->order.data);
    job->order = (packed_t){0};
    service_count (self->service, "solvers", 1);
}

/*  Where the first job that waits stands in the queue. */
static solvers_job_t **waiting (solvers_t *self)
{
    solvers_job_t **at = &self->first;
    while (*at && (*at)->work != 0)
        at = &(*at)->next;
    return at;
}

/*  Begins jobs that wait while there is room; those whose time has passed are answered so. */
static void solvers_go_on (solvers_t *self, const moment_t *now)
{
    solvers_job_t **at;
    while (self->busy < self->most && *(at = waiting (self))) {
        solvers_job_t job = **at;
        if (now->mono_ms < job.until_ms) {
            solvers_begin (self, now, *at);
            continue;
        }
        solvers_drop (self, at);
        job.told (job.owner, now, job.token, false, (bytes_t){0});
    }
}

void solvers_ask (solvers_t *self, const moment_t *now, packed_t order, int64_t until_ms,
                  solved_fn *told, void *owner, uint64_t token)
{
    solvers_job_t *job = must (calloc (1, sizeof *job));
    *job = (solvers_job_t){
      .order = order, .until_ms = until_ms, .told = told, .owner = owner, .token = token};
    *self->last = job;
    self->last = &job->next;
    if (self->busy < self->most && now->mono_ms < until_ms)
        solvers_begin (self, now, job);
}

void solvers_forget (solvers_t *self, const void *owner)
{
    for (solvers_job_t **at = &self->first; *at;) {
        solvers_job_t *job = *at;
        if (job->owner == owner)
            job->told = NULL;
        if (!job->told && job->work == 0)
            solvers_drop (self, at);
        else
            at = &job->next;
    }
}

bool solvers_ended (solvers_t *self, const moment_t *now, const event_t *event)
{
    solvers_job_t **at = &self->first;
    while (*at && (*at)->work != event->work.work)
        at = &(*at)->next;
    if (!*at)
        return false;
    solvers_job_t job = **at;
    solvers_drop (self, at);
    self->busy--;
    if (!event->work.ok)
        outbox_log (self->service->outbox, LEVEL_WARNING, "solver failed why=\"%.*s\"",
                    (int) event->work.result.size, (const char *) event->work.result.data);
    if (job.told)
        job.told (job.owner, now, job.token, event->work.ok, event->work.result);
    solvers_go_on (self, now);
    return true;
}
