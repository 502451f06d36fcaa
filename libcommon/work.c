/*  work - jobs pass between the loop and its actors as pointers: whoever has it owns it. */
#include "work.h"

#include <assert.h>
#include <czmq.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct job {
    uint64_t number;
    const work_kind_t *kind; /* NULL: unknown */
    uint8_t *arguments;
    size_t arguments_size;
    bool ok;
    uint8_t *result;
    size_t result_size;
    struct job *after;
} job_t;

typedef struct {
    zactor_t *actor; /* NULL: not made yet */
    bool busy;
} worker_t;

struct work {
    ports_t *ports;
    const work_kind_t *kinds;
    size_t kinds_count;
    worker_t workers [WORKERS];
    job_t *waiting_first;
    job_t *waiting_last;
    job_t *failed; /* that no worker ever got */
    job_t *told;   /* whose event was last given */
};

static void *must (void *memory)
{
    if (!memory)
        abort ();
    return memory;
}

static void job_destroy (job_t **job_p)
{
    job_t *job = *job_p;
    if (!job)
        return;
    free (job->arguments);
    free (job->result);
    free (job);
    *job_p = NULL;
}

static void jobs_destroy (job_t *first)
{
    while (first) {
        job_t *job = first;
        first = job->after;
        job_destroy (&job);
    }
}

/*  The worker's side. */
static void worker_run (zsock_t *pipe, void *arguments)
{
    (void) arguments;
    zsock_signal (pipe, 0);
    for (;;) {
        char *command = NULL;
        job_t *job = NULL;
        if (zsock_recv (pipe, "sp", &command, &job) != 0)
            break;
        bool run = strcmp (command, "RUN") == 0;
        zstr_free (&command);
        if (!run)
            break; /* $TERM */
        job->ok = job->kind->run ((bytes_t){.data = job->arguments, .size = job->arguments_size},
                                  &job->result, &job->result_size);
        zsock_send (pipe, "p", job);
    }
}

work_t *work_new (ports_t *ports, const work_kind_t *kinds, size_t kinds_count)
{
    work_t *self = must (calloc (1, sizeof *self));
    self->ports = ports;
    self->kinds = kinds;
    self->kinds_count = kinds_count;
    return self;
}

/*  NULL when it has not ended by then. */
static job_t *job_take (worker_t *worker, int timeout_ms)
{
    job_t *job = NULL;
    zsock_t *pipe = zactor_sock (worker->actor);
    zmq_pollitem_t item = {.socket = zsock_resolve (pipe), .events = ZMQ_POLLIN};
    if (zmq_poll (&item, 1, timeout_ms) <= 0 || zsock_recv (pipe, "p", &job) != 0)
        return NULL;
    worker->busy = false;
    return job;
}

static int64_t mono_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  A job that does not end in time keeps its thread and its memory; the process ends with both. */
void work_destroy (work_t **self_p)
{
    work_t *self = *self_p;
    if (!self)
        return;
    int64_t until_ms = mono_ms () + WORK_END_MS_MAX;
    for (size_t i = 0; i < WORKERS; i++) {
        worker_t *worker = &self->workers [i];
        int64_t left_ms = until_ms - mono_ms ();
        if (worker->busy) {
            job_t *job = job_take (worker, left_ms > 0 ? (int) left_ms : 0);
            job_destroy (&job);
        }
        if (!worker->busy)
            zactor_destroy (&worker->actor);
    }
    jobs_destroy (self->waiting_first);
    jobs_destroy (self->failed);
    job_destroy (&self->told);
    free (self);
    *self_p = NULL;
}

static const work_kind_t *kind_find (const work_t *self, const char *kind)
{
    for (size_t i = 0; i < self->kinds_count; i++)
        if (strcmp (self->kinds [i].kind, kind) == 0)
            return &self->kinds [i];
    return NULL;
}

static bool worker_ready (work_t *self, worker_t *worker)
{
    if (worker->busy)
        return false;
    if (!worker->actor) {
        worker->actor = zactor_new (worker_run, NULL);
        if (worker->actor && !ports_watch (self->ports, (int) zsock_fd (worker->actor)))
            zactor_destroy (&worker->actor);
    }
    return worker->actor != NULL;
}

/*  Jobs in line go to idle workers, in order. */
static void hand_out (work_t *self)
{
    for (size_t i = 0; i < WORKERS && self->waiting_first; i++) {
        worker_t *worker = &self->workers [i];
        if (!worker_ready (self, worker))
            continue;
        job_t *job = self->waiting_first;
        self->waiting_first = job->after;
        if (!self->waiting_first)
            self->waiting_last = NULL;
        worker->busy = true;
        zsock_send (worker->actor, "sp", "RUN", job);
    }
}

void work_start (work_t *self, const effect_t *effect)
{
    assert (effect->kind == EFFECT_WORK);
    job_t *job = must (calloc (1, sizeof *job));
    job->number = effect->work.work;
    job->kind = kind_find (self, effect->work.kind);
    job->arguments_size = effect->work.arguments.size;
    if (job->arguments_size > 0) {
        job->arguments = must (malloc (job->arguments_size));
        memcpy (job->arguments, effect->work.arguments.data, job->arguments_size);
    }
    if (!job->kind) {
        job->after = self->failed;
        self->failed = job;
        return;
    }
    if (self->waiting_last)
        self->waiting_last->after = job;
    else
        self->waiting_first = job;
    self->waiting_last = job;
    hand_out (self);
}

static job_t *job_ended (work_t *self)
{
    if (self->failed) {
        job_t *job = self->failed;
        self->failed = job->after;
        job->result = (uint8_t *) must (strdup (WORK_RESULT_NONE));
        job->result_size = strlen (WORK_RESULT_NONE);
        return job;
    }
    for (size_t i = 0; i < WORKERS; i++)
        if (self->workers [i].busy) {
            job_t *job = job_take (&self->workers [i], 0);
            if (job)
                return job;
        }
    return NULL;
}

bool work_receive (work_t *self, event_t *event)
{
    job_destroy (&self->told);
    self->told = job_ended (self);
    if (!self->told)
        return false;
    hand_out (self);
    *event =
      (event_t){.kind = EVENT_WORK,
                .work = {.work = self->told->number,
                         .ok = self->told->ok,
                         .result = {.data = self->told->result, .size = self->told->result_size}}};
    return true;
}
