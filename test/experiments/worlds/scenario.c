/*  scenario - the draws of S0's table 1. Every request makes the same number of draws whatever
 *  their results, so that arms and loads see the same requests.
 */
#include "scenario.h"

#include "must.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SYSTEMS      3
#define FACTOR_MEAN  5.0
#define FACTOR_SD    (2.0 / 1.96) /* 95 % in [3, 7] */
#define FACTOR_LEAST 1.0

static const int64_t durations_ms [] = {600000,  600000,  1200000, 1200000, 1800000,
                                        1800000, 3600000, 3600000, 5400000, 7200000};
static const uint32_t bandwidths [] = {500, 500, 500, 500, 500, 500, 1000, 1000, 1000, 2000};

bool cpu_histogram_read (cpu_histogram_t *self, const char *text, char why [WHY_BYTES])
{
    *self = (cpu_histogram_t){0};
    size_t line = 1;
    for (const char *at = text; *at; line++) {
        unsigned cpus;
        unsigned long long jobs;
        int used = 0;
        if (sscanf (at, "%u %llu%n", &cpus, &jobs, &used) < 2 || cpus == 0 ||
            (at [used] != '\n' && at [used] != '\0')) {
            snprintf (why, WHY_BYTES, "line %zu: must be CPUs and jobs, two numbers", line);
            return false;
        }
        if (self->count == SCENARIO_CPUS_MAX) {
            snprintf (why, WHY_BYTES, "line %zu: at most %d lines", line, SCENARIO_CPUS_MAX);
            return false;
        }
        self->cpus [self->count] = cpus;
        self->jobs [self->count++] = jobs;
        self->all += jobs;
        at += used;
        if (*at == '\n')
            at++;
    }
    if (self->all == 0)
        snprintf (why, WHY_BYTES, "no jobs");
    return self->all > 0;
}

double cpu_histogram_mean (const cpu_histogram_t *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->count; i++)
        sum += (double) self->cpus [i] * (double) self->jobs [i];
    return sum / (double) self->all;
}

static uint32_t draw_cpus (const cpu_histogram_t *histogram, prng_t *prng)
{
    uint64_t at = prng_below (prng, histogram->all);
    size_t i = 0;
    while (at >= histogram->jobs [i])
        at -= histogram->jobs [i++];
    return histogram->cpus [i];
}

static int64_t draw_duration (prng_t *prng)
{
    return durations_ms [prng_below (prng, sizeof durations_ms / sizeof *durations_ms)];
}

static uint32_t draw_bandwidth (prng_t *prng)
{
    return bandwidths [prng_below (prng, sizeof bandwidths / sizeof *bandwidths)];
}

static double draw_normal (prng_t *prng)
{
    double radius = sqrt (-2 * log (1 - prng_unit (prng)));
    return radius * cos (2 * M_PI * prng_unit (prng));
}

static int64_t least (int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void link_jobs (scenario_request_t *self, size_t a, size_t b, uint32_t mbps,
                       int64_t offset_ms, int64_t duration_ms)
{
    self->links [self->links_count++] = (scenario_link_t){
      .ends = {a, b}, .mbps = mbps, .offset_ms = offset_ms, .duration_ms = duration_ms};
}

static void shape (scenario_request_t *self, scenario_kind_t kind,
                   const int64_t jobs_ms [SCENARIO_JOBS], const int64_t links_ms [SCENARIO_LINKS],
                   const uint32_t mbps [SCENARIO_LINKS])
{
    if (kind == SCENARIO_COALLOCATION) {
        for (size_t i = 0; i < SCENARIO_JOBS; i++)
            self->jobs [i].duration_ms = jobs_ms [0];
        for (size_t i = 0; i < SCENARIO_LINKS; i++)
            link_jobs (self, i, (i + 1) % SCENARIO_JOBS, mbps [i], 0, jobs_ms [0]);
        self->span_ms = jobs_ms [0];
        return;
    }
    int64_t at_ms = 0;
    for (size_t i = 0; i < SCENARIO_JOBS; i++) {
        self->jobs [i].duration_ms = jobs_ms [i];
        if (i > 0) {
            int64_t shared_ms = least (links_ms [i - 1], least (jobs_ms [i - 1], jobs_ms [i]));
            at_ms += jobs_ms [i - 1] - shared_ms;
            link_jobs (self, i - 1, i, mbps [i - 1], at_ms, shared_ms);
        }
        self->jobs [i].offset_ms = at_ms;
        if (at_ms + jobs_ms [i] > self->span_ms)
            self->span_ms = at_ms + jobs_ms [i];
    }
}

static void draw_request (scenario_request_t *self, const scenario_order_t *order, prng_t *prng)
{
    int64_t jobs_ms [SCENARIO_JOBS];
    int64_t links_ms [SCENARIO_LINKS];
    uint32_t mbps [SCENARIO_LINKS];
    self->planner = (size_t) prng_below (prng, SCENARIO_PLANNERS);
    for (size_t i = 0; i < SCENARIO_JOBS; i++) {
        self->jobs [i].system = (size_t) prng_below (prng, SYSTEMS);
        self->jobs [i].cpus = draw_cpus (order->histogram, prng);
        jobs_ms [i] = draw_duration (prng);
        links_ms [i] = draw_duration (prng);
        mbps [i] = draw_bandwidth (prng);
    }
    shape (self, order->kind, jobs_ms, links_ms, mbps);
    double factor = FACTOR_MEAN + FACTOR_SD * draw_normal (prng);
    if (factor < FACTOR_LEAST)
        factor = FACTOR_LEAST;
    self->within_ms = (int64_t) ((double) self->span_ms * factor);
}

/*  CPU-milliseconds that a request asks for on average. */
static double demand (const scenario_order_t *order)
{
    double duration = 0;
    size_t count = sizeof durations_ms / sizeof *durations_ms;
    for (size_t i = 0; i < count; i++)
        duration += (double) durations_ms [i] / (double) count;
    return SCENARIO_JOBS * cpu_histogram_mean (order->histogram) * duration;
}

scenario_request_t *scenario_make (const scenario_order_t *order, uint64_t seed, size_t *count)
{
    assert (order->load > 0);
    prng_t prng;
    prng_seed (&prng, seed);
    double between_ms = demand (order) / (order->load * (double) order->cpus);
    scenario_request_t *list = NULL;
    size_t room = 0;
    *count = 0;
    for (double at_ms = 0;;) {
        at_ms -= between_ms * log (1 - prng_unit (&prng));
        if (at_ms >= (double) order->until_ms)
            return list;
        if (*count == room) {
            room = room ? 2 * room : 256;
            list = must (realloc (list, room * sizeof *list));
        }
        scenario_request_t *request = &list [(*count)++];
        *request = (scenario_request_t){.arrival_ms = (int64_t) at_ms,
                                        .earliest_ms = (int64_t) at_ms + SCENARIO_W_INTERVAL_MS,
                                        .jobs_count = SCENARIO_JOBS};
        draw_request (request, order, &prng);
    }
}
