/*  balance_world - draws the arrivals first, then works off one unit of time after another. */
#include "balance_world.h"

#include "must.h"
#include "prng.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE      0.2  /* jobs in a unit of time, of a cluster of speed 1 */
#define SHAPE     2    /* of the gamma distribution of sizes */
#define SCALE     2.0  /* and of a cluster of speed 1 */
#define LATE      1e-6 /* largest error of rounding over a round */
#define STEPS_MAX 100000

typedef struct {
    double release;
    double load;
    double completion;
    double promise;
} balance_world_job_t;

struct balance_world {
    bilb_queues_t *queues;
    bilb_member_t members [WORLD_CLUSTERS_MAX]; /* with the speeds that are claimed */
    double speeds [WORLD_CLUSTERS_MAX];
    size_t clusters;
    balance_world_job_t *jobs; /* by owner, each owner's as they come */
    uint32_t *owners;
    size_t jobs_count;
    size_t room;
    bool all_count;                   /* arrivals that were given, not drawn */
    size_t next [WORLD_CLUSTERS_MAX]; /* by owner: the next job to arrive */
    size_t end [WORLD_CLUSTERS_MAX];
};

double world_speed (size_t cluster, size_t clusters)
{
    return clusters < 2 ? 1 : 1 + (double) cluster / (double) (clusters - 1);
}

double world_wait (world_case_t which, size_t cluster, size_t clusters)
{
    double speed = world_speed (cluster, clusters);
    double arriving = which == CASE_II ? RATE * speed : RATE;
    double done = (which == CASE_II ? speed : 1) / (SHAPE * SCALE);
    return arriving / (done * (done - arriving));
}

/*  --- arrivals --- */

static double exponential (prng_t *prng)
{
    return -log (1 - prng_unit (prng));
}

static void add_job (balance_world_t *self, uint32_t owner, double release, double load)
{
    if (self->jobs_count == self->room) {
        self->room = self->room == 0 ? 4096 : 2 * self->room;
        self->jobs = must (reallocarray (self->jobs, self->room, sizeof *self->jobs));
        self->owners = must (reallocarray (self->owners, self->room, sizeof *self->owners));
    }
    self->owners [self->jobs_count] = owner;
    self->jobs [self->jobs_count++] =
      (balance_world_job_t){.release = release, .load = load, .promise = INFINITY};
}

static void draw_jobs (balance_world_t *self, const world_order_t *order)
{
    self->jobs_count = 0;
    for (size_t i = 0; i < self->clusters; i++) {
        double speed = self->speeds [i];
        double rate = order->which == CASE_II ? RATE * speed : RATE;
        double scale = order->which == CASE_I ? SCALE * speed : SCALE;
        prng_t prng;
        prng_seed (&prng, order->seed * 1000 + i);
        self->next [i] = self->jobs_count;
        double at = exponential (&prng) / rate;
        while (at < WORLD_T) {
            double size = exponential (&prng) + exponential (&prng);
            add_job (self, (uint32_t) i, at, scale * size);
            at += exponential (&prng) / rate;
        }
        self->end [i] = self->jobs_count;
    }
}

/*  Owners without jobs have an empty span. */
static void take_jobs (balance_world_t *self, const world_order_t *order)
{
    size_t at = 0;
    self->jobs_count = 0;
    for (size_t i = 0; i < self->clusters; i++) {
        self->next [i] = at;
        for (; at < order->given_count && order->given [at].owner == i; at++)
            add_job (self, (uint32_t) i, order->given [at].release, order->given [at].load);
        self->end [i] = at;
    }
    assert (at == order->given_count);
}

static bool counts (const balance_world_t *self, const balance_world_job_t *job)
{
    if (self->all_count)
        return true;
    return job->release >= 0.2 * WORLD_T && job->release < 0.8 * WORLD_T;
}

static void play_alone (const balance_world_t *self, world_round_t *round)
{
    double free [WORLD_CLUSTERS_MAX] = {0};
    for (size_t job = 0; job < self->jobs_count; job++) {
        uint32_t owner = self->owners [job];
        const balance_world_job_t *of = &self->jobs [job];
        free [owner] = fmax (free [owner], of->release) + of->load / self->speeds [owner];
        if (counts (self, of)) {
            round->alone [owner] += free [owner] - of->release;
            round->jobs [owner]++;
        }
    }
}

/*  --- one unit of time --- */

static void join (balance_world_t *self, size_t cluster)
{
    size_t job = self->next [cluster]++;
    bilb_queue_add (&self->members [cluster].queue, (uint32_t) job, self->jobs [job].load);
}

static void drop_head (bilb_queue_t *queue, size_t pieces)
{
    if (pieces == 0)
        return;
    queue->count -= pieces;
    memmove (queue->pieces, queue->pieces + pieces, queue->count * sizeof *queue->pieces);
}

/*  Works piece after piece; an empty queue waits for its next arrival. */
static void work (balance_world_t *self, size_t cluster, double from, double until)
{
    bilb_queue_t *queue = &self->members [cluster].queue;
    double speed = self->speeds [cluster];
    double now = from;
    size_t done = 0;
    for (;;) {
        if (done == queue->count) {
            if (self->next [cluster] == self->end [cluster] ||
                self->jobs [self->next [cluster]].release >= until)
                break;
            now = fmax (now, self->jobs [self->next [cluster]].release);
            join (self, cluster);
        }
        bilb_piece_t *piece = &queue->pieces [done];
        double rest = piece->load - (until - now) * speed;
        if (rest > 0) {
            piece->load = rest;
            break;
        }
        now = fmin (until, now + piece->load / speed);
        balance_world_job_t *job = &self->jobs [piece->job];
        job->completion = fmax (job->completion, now);
        done++;
    }
    drop_head (queue, done);
    while (self->next [cluster] < self->end [cluster] &&
           self->jobs [self->next [cluster]].release < until)
        join (self, cluster);
}

/*  False when all jobs are done. */
static bool is_busy (const balance_world_t *self)
{
    for (size_t i = 0; i < self->clusters; i++)
        if (self->members [i].queue.count > 0 || self->next [i] < self->end [i])
            return true;
    return false;
}

static bool promise_holds (balance_world_t *self, double now, uint32_t at, play_t *play)
{
    balance_world_job_t *job = &self->jobs [at];
    double completion = now + bilb_queues_completion (self->queues, at);
    if (completion > job->promise + LATE) {
        play->failed = true;
        snprintf (play->why, sizeof play->why,
                  "at %.0f job %u, promised for %.9f, will be complete at %.9f", now, at,
                  job->promise, completion);
        return false;
    }
    job->promise = fmin (job->promise, completion);
    return true;
}

static bool promises_hold (balance_world_t *self, double now, play_t *play)
{
    for (size_t i = 0; i < self->clusters; i++) {
        const bilb_queue_t *queue = &self->members [i].queue;
        for (size_t k = 0; k < queue->count; k++)
            if (!promise_holds (self, now, queue->pieces [k].job, play))
                return false;
    }
    return true;
}

static bool balance (balance_world_t *self, const world_order_t *order, double now, bool honest,
                     play_t *play)
{
    bilb_queues_step (self->queues, self->members, self->clusters, self->jobs_count);
    if (honest && !promises_hold (self, now, play))
        return false;
    if (!order->extended)
        return true;
    if (!bilb_queues_reschedule (self->queues, self->members, self->clusters, self->owners)) {
        play->failed = true;
        snprintf (play->why, sizeof play->why, "at %.0f the schedule could not be rebuilt", now);
        return false;
    }
    return !honest || promises_hold (self, now, play);
}

/*  --- a round --- */

static bool prepare (balance_world_t *self, const world_order_t *order)
{
    bool honest = true;
    self->clusters = order->clusters;
    assert (order->clusters > 0 && order->clusters <= WORLD_CLUSTERS_MAX);
    for (size_t i = 0; i < order->clusters; i++) {
        self->speeds [i] = world_speed (i, order->clusters);
        bool lies = order->claimed [i] > 0 && order->claimed [i] != self->speeds [i];
        self->members [i].speed = lies ? order->claimed [i] : self->speeds [i];
        self->members [i].level = order->levels [i];
        self->members [i].queue.count = 0;
        honest = honest && !lies;
    }
    self->all_count = order->given != NULL;
    if (order->given)
        take_jobs (self, order);
    else
        draw_jobs (self, order);
    return honest;
}

bool balance_world_play (balance_world_t *self, const world_order_t *order, world_round_t *round,
                         play_t *play)
{
    *round = (world_round_t){0};
    bool honest = prepare (self, order);
    play_alone (self, round);
    for (double now = 0; is_busy (self); now++) {
        assert (round->steps < STEPS_MAX);
        for (size_t i = 0; i < self->clusters; i++)
            work (self, i, now, now + 1);
        round->steps++;
        if (!balance (self, order, now + 1, honest, play))
            return false;
    }
    for (size_t job = 0; job < self->jobs_count; job++)
        if (counts (self, &self->jobs [job]))
            round->flow [self->owners [job]] +=
              self->jobs [job].completion - self->jobs [job].release;
    return true;
}

balance_world_t *balance_world_new (void)
{
    balance_world_t *self = must (calloc (1, sizeof *self));
    self->queues = bilb_queues_new ();
    return self;
}

void balance_world_destroy (balance_world_t **self_p)
{
    balance_world_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < WORLD_CLUSTERS_MAX; i++)
        bilb_queue_free (&self->members [i].queue);
    bilb_queues_destroy (&self->queues);
    free (self->jobs);
    free (self->owners);
    free (self);
    *self_p = NULL;
}
