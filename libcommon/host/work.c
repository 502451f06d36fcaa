/*  work - jobs pass between the loop and its threads as pointers: the thread that has the pointer
 *  owns the job. */
#include "work.h"

#include "clock.h"
#include "must.h"
#include "sockets.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

typedef struct {
    uint64_t number;
    const work_kind_t *kind; /* NULL: unknown */
    uint8_t *arguments;
    size_t arguments_size;
    bool ok;
    uint8_t *result;
    size_t result_size;
    atomic_uint handed; /* how often it was passed on */
} work_job_t;

typedef struct {
    pthread_t thread;
    polled_t *port; /* NULL: not made yet */
    bool busy;
} worker_t;

struct work {
    poll_set_t *ports;
    int port_kind;
    const work_kind_t *kinds;
    size_t kinds_count;
    worker_t workers [WORKERS_MAX];
    size_t workers_count;
    zlistx_t *waiting; /* of work_job_t */
    work_job_t *told;  /* whose event was last given */
};

/*  A job belongs to one thread at a time and goes to the next through a pipe of libzmq's, which
 *  orders the memory but can't be seen doing so by the thread sanitizer. This pair says the same
 *  where it can be seen. */
static void job_pass (work_job_t *job)
{
    atomic_fetch_add_explicit (&job->handed, 1, memory_order_release);
}

static void job_accept (work_job_t *job)
{
    unsigned handed = atomic_load_explicit (&job->handed, memory_order_acquire);
    assert (handed > 0);
    (void) handed;
}

static void job_destroy (work_job_t **job_p)
{
    work_job_t *job = *job_p;
    if (!job)
        return;
    free (job->arguments);
    free (job->result);
    free (job);
    *job_p = NULL;
}

bool work_do (const work_kind_t *kind, bytes_t arguments, uint8_t **result, size_t *result_size)
{
    if (kind->run)
        return kind->run (arguments, result, result_size);
    if (kind->run_for)
        return kind->run_for (kind->owner, arguments, result, result_size);
    char why [WHY_BYTES] = "the work failed";
    memory_auto void *asked = must (calloc (1, codec_size (kind->order)));
    memory_auto void *done = must (calloc (1, codec_size (kind->result)));
    bool good =
      codec_decode (kind->order, asked, arguments, why) && kind->carry_out (asked, done, why);
    packed_t packed = good ? codec_encode (kind->result, done) : packed_copy (text_bytes (why));
    *result = packed.data;
    *result_size = packed.size;
    codec_clear (kind->order, asked);
    codec_clear (kind->result, done);
    return good;
}

static void job_run (work_job_t *job)
{
    static const char unknown [] = "unknown kind of work";
    bytes_t arguments = {.data = job->arguments, .size = job->arguments_size};
    if (job->kind) {
        job->ok = work_do (job->kind, arguments, &job->result, &job->result_size);
        return;
    }
    job->result = (uint8_t *) must (strdup (unknown));
    job->result_size = sizeof unknown - 1;
}

/*  The worker's side: a job comes as a pointer and goes back so; nothing ends it. */
static void *worker_run (void *pipe)
{
    for (;;) {
        work_job_t *job = NULL;
        int got = zmq_recv (pipe, &job, sizeof job, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != (int) sizeof job)
            break;
        job_accept (job);
        job_run (job);
        job_pass (job);
        zmq_send (pipe, &job, sizeof job, 0);
    }
    socket_close (&pipe);
    return NULL;
}

/*  False when the machine has no more descriptors, or threads. */
static bool worker_start (work_t *self, worker_t *worker)
{
    static _Atomic uint64_t started;
    char address [64];
    snprintf (address, sizeof address, "inproc://work-%" PRIu64, atomic_fetch_add (&started, 1));
    void *ours = socket_open (ZMQ_PAIR), *theirs = socket_open (ZMQ_PAIR);
    if (ours && theirs && zmq_bind (ours, address) == 0 && zmq_connect (theirs, address) == 0)
        worker->port = poll_set_add (self->ports, &ours, self->port_kind, worker);
    if (worker->port && pthread_create (&worker->thread, NULL, worker_run, theirs) == 0)
        return true;
    poll_set_remove (self->ports, &worker->port);
    socket_close (&ours);
    socket_close (&theirs);
    return false;
}

work_t *work_new (poll_set_t *ports, int port_kind, const work_kind_t *kinds, size_t kinds_count,
                  size_t workers)
{
    assert (workers <= WORKERS_MAX);
    work_t *self = must (calloc (1, sizeof *self));
    self->ports = ports;
    self->port_kind = port_kind;
    self->kinds = kinds;
    self->kinds_count = kinds_count;
    self->workers_count = workers > 0 ? workers : WORKERS;
    if (kinds_count > 0 && !worker_start (self, &self->workers [0])) {
        free (self);
        return NULL;
    }
    self->waiting = must (zlistx_new ());
    return self;
}

/*  NULL when none has ended. */
static work_job_t *job_take (worker_t *worker)
{
    work_job_t *job = NULL;
    if (zmq_recv (worker->port->handle, &job, sizeof job, ZMQ_DONTWAIT) != (int) sizeof job)
        return NULL;
    job_accept (job);
    worker->busy = false;
    return job;
}

static work_job_t *job_await (worker_t *worker, int64_t timeout_ms)
{
    zmq_pollitem_t item = {.socket = worker->port->handle, .events = ZMQ_POLLIN};
    zmq_poll (&item, 1, timeout_ms > 0 ? timeout_ms : 0);
    return job_take (worker);
}

bool work_destroy (work_t **self_p)
{
    work_t *self = *self_p;
    if (!self)
        return true;
    bool all_ended = true;
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + WORK_END_MS_MAX;
    for (size_t i = 0; i < self->workers_count; i++) {
        worker_t *worker = &self->workers [i];
        if (!worker->port)
            continue;
        if (worker->busy) {
            work_job_t *job = job_await (worker, until_ms - clock_ms (CLOCK_MONOTONIC));
            job_destroy (&job);
        }
        if (worker->busy) {
            all_ended = false;
        } else {
            zmq_send (worker->port->handle, "", 0, 0);
            pthread_join (worker->thread, NULL);
        }
        poll_set_remove (self->ports, &worker->port);
    }
    for (work_job_t *job; (job = zlistx_detach (self->waiting, NULL));)
        job_destroy (&job);
    zlistx_destroy (&self->waiting);
    job_destroy (&self->told);
    free (self);
    *self_p = NULL;
    return all_ended;
}

static const work_kind_t *kind_find (const work_t *self, const char *kind)
{
    for (size_t i = 0; i < self->kinds_count; i++)
        if (strcmp (self->kinds [i].kind, kind) == 0)
            return &self->kinds [i];
    return NULL;
}

/*  Waiting jobs go to idle workers, in order. If a further worker can't be started now, the jobs
 *  wait for the first one, which always exists. */
static void hand_out (work_t *self)
{
    for (size_t i = 0; i < self->workers_count && zlistx_size (self->waiting) > 0; i++) {
        worker_t *worker = &self->workers [i];
        if (worker->busy)
            continue;
        if (!worker->port && !worker_start (self, worker))
            return;
        work_job_t *job = zlistx_detach (self->waiting, NULL);
        worker->busy = true;
        job_pass (job);
        zmq_send (worker->port->handle, &job, sizeof job, 0);
        polled_stir (self->ports, worker->port);
    }
}

void work_start (work_t *self, const effect_t *effect)
{
    assert (effect->kind == EFFECT_WORK);
    work_job_t *job = must (calloc (1, sizeof *job));
    job->number = effect->work.work;
    job->kind = kind_find (self, effect->work.kind);
    job->arguments_size = effect->work.arguments.size;
    job->arguments = must_copy (effect->work.arguments.data, job->arguments_size);
    zlistx_add_end (self->waiting, job);
    hand_out (self);
}

bool work_receive (work_t *self, polled_t *port, event_t *event)
{
    work_job_t *job = job_take (port->owner);
    if (!job) {
        polled_quiet (self->ports, port);
        return false;
    }
    job_destroy (&self->told);
    self->told = job;
    hand_out (self);
    *event = (event_t){.kind = EVENT_WORK,
                       .work = {.work = job->number,
                                .ok = job->ok,
                                .result = {.data = job->result, .size = job->result_size}}};
    return true;
}
