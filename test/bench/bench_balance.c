/*  bench_balance - what a balancing step and a rebuilt schedule cost, by the number of clusters.
 *
 *  Clusters have speeds of 1 to 2 and loads drawn from gamma distributions; levels are without
 *  bounds, all binding, or mixed. Beside the step stands the paper's double loop, where that ends
 *  soon. Figures are microseconds of processor time; S1's twelve tables are in seconds for a
 *  hundred rounds. */
#include "balance_world.h"
#include "bench.h"
#include "bilb_direct.h"
#include "bilb_schedule.h"
#include "must.h"
#include "prng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE_ROWS 24 /* twelve tables: two kinds of six, four levels each */

typedef struct {
    bilb_t *bilb;
    bilb_cluster_t *clusters;
    size_t count;
    double *loads;
    double *sent;
} balance_steps_t;

typedef enum { FREE, BOUND, MIXED, LEVELS } balance_levels_t;

static const char *const level_words [LEVELS] = {"no bounds", "all bind", "mixed"};

static double gamma_2 (prng_t *prng)
{
    return -log (1 - prng_unit (prng)) - log (1 - prng_unit (prng));
}

static void draw (balance_steps_t *steps, size_t count, balance_levels_t levels)
{
    prng_t prng;
    prng_seed (&prng, count);
    steps->count = count;
    steps->clusters = must (calloc (count, sizeof *steps->clusters));
    steps->loads = must (calloc (count, sizeof *steps->loads));
    steps->sent = must (calloc (count, sizeof *steps->sent));
    for (size_t i = 0; i < count; i++) {
        double bound = levels == BOUND || prng_below (&prng, 2) == 0 ? 8 * prng_unit (&prng) : 1e9;
        steps->clusters [i] = (bilb_cluster_t){.speed = 1 + prng_unit (&prng),
                                               .level = levels == FREE ? INFINITY : bound,
                                               .load = 8 * gamma_2 (&prng)};
    }
}

static void drop (balance_steps_t *steps)
{
    free (steps->clusters);
    free (steps->loads);
    free (steps->sent);
}

static uint64_t step (void *subject, uint32_t operations)
{
    balance_steps_t *steps = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < operations; i++) {
        bilb_step (steps->bilb, steps->clusters, steps->count);
        sum += (uint64_t) bilb_loads (steps->bilb) [i % steps->count];
    }
    return sum;
}

static uint64_t step_directly (void *subject, uint32_t operations)
{
    balance_steps_t *steps = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < operations; i++) {
        direct_step (steps->clusters, steps->count, steps->loads, steps->sent);
        sum += (uint64_t) steps->loads [i % steps->count];
    }
    return sum;
}

static void bench_steps (bench_t *bench, size_t count, uint32_t operations)
{
    balance_steps_t steps = {.bilb = bilb_new ()};
    char row [64];
    snprintf (row, sizeof row, "step, %zu clusters", count);
    for (balance_levels_t levels = FREE; levels < LEVELS; levels++) {
        draw (&steps, count, levels);
        bench_put (bench, row, level_words [levels], bench_ns (step, &steps, operations) / 1e3);
        if (levels == MIXED && count <= 1000)
            bench_put (bench, row, "double loop",
                       bench_ns (step_directly, &steps, operations) / 1e3);
        drop (&steps);
    }
    bilb_destroy (&steps.bilb);
}

/*  --- the extension --- */

typedef struct {
    bilb_schedule_t *schedule;
    bilb_busy_t *clusters;
    size_t clusters_count;
    bilb_job_t *jobs;
    size_t jobs_count;
} rebuilds_t;

/*  Each cluster does its own jobs one after the other, so the promises can be kept. */
static void draw_jobs (rebuilds_t *rebuilds, size_t clusters, size_t jobs)
{
    prng_t prng;
    prng_seed (&prng, jobs);
    rebuilds->clusters_count = clusters;
    rebuilds->jobs_count = jobs;
    rebuilds->clusters = must (calloc (clusters, sizeof *rebuilds->clusters));
    rebuilds->jobs = must (calloc (jobs, sizeof *rebuilds->jobs));
    for (size_t i = 0; i < clusters; i++)
        rebuilds->clusters [i].speed = 1 + prng_unit (&prng);
    for (size_t i = 0; i < jobs; i++) {
        bilb_busy_t *cluster = &rebuilds->clusters [prng_below (&prng, clusters)];
        double load = 8 * gamma_2 (&prng);
        cluster->time += load / cluster->speed;
        rebuilds->jobs [i] = (bilb_job_t){load, cluster->time, cluster->speed};
    }
}

static uint64_t rebuild (void *subject, uint32_t operations)
{
    rebuilds_t *rebuilds = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < operations; i++) {
        if (!bilb_schedule_rebuild (rebuilds->schedule, rebuilds->clusters,
                                    rebuilds->clusters_count, rebuilds->jobs, rebuilds->jobs_count))
            bench_fail ("a promise was not kept");
        size_t count;
        sum += bilb_schedule_slots (rebuilds->schedule, &count) [i % count].job;
    }
    return sum;
}

static void bench_rebuild (bench_t *bench, size_t clusters, size_t jobs, uint32_t operations)
{
    rebuilds_t rebuilds = {.schedule = bilb_schedule_new ()};
    draw_jobs (&rebuilds, clusters, jobs);
    char row [64];
    snprintf (row, sizeof row, "rebuild, %zu jobs, %zu clusters", jobs, clusters);
    bench_put (bench, row, "no bounds", bench_ns (rebuild, &rebuilds, operations) / 1e3);
    bilb_schedule_destroy (&rebuilds.schedule);
    free (rebuilds.clusters);
    free (rebuilds.jobs);
}

/*  --- the tables --- */

static void bench_tables (bench_t *bench, uint64_t rounds)
{
    static const double levels [] = {1, 10, 100, 1000};
    balance_world_t *world = balance_world_new ();
    play_t play = {0};
    world_round_t round;
    double began = bench_cpu_ns ();
    uint64_t steps = 0;
    for (size_t row = 0; row < TABLE_ROWS; row++)
        for (uint64_t seed = 1; seed <= rounds; seed++)
            for (int extended = 0; extended < 2; extended++) {
                world_order_t order = {.which = row / 4 % 2 == 0 ? CASE_I : CASE_II,
                                       .clusters = 5 * (row / 8 + 1),
                                       .seed = seed,
                                       .extended = extended == 1};
                for (size_t i = 0; i < order.clusters; i++)
                    order.levels [i] = levels [row % 4];
                if (!balance_world_play (world, &order, &round, &play))
                    bench_fail (play.why);
                steps += round.steps;
            }
    double spent = bench_cpu_ns () - began;
    bench_put (bench, "a step of the tables", "no bounds", spent / 1e3 / (double) steps);
    bench_put (bench, "twelve tables, 100 rounds", "seconds", spent / 1e9 * 100 / (double) rounds);
    balance_world_destroy (&world);
}

int main (int argc, char **argv)
{
    bench_t *bench =
      bench_new (argc, argv, "balance", "balancing steps and rebuilt schedules, microseconds each");
    int64_t rounds = bench_option (bench, "--rounds", 4);
    bench_begin (bench);
    bench_steps (bench, 10, 100000);
    bench_steps (bench, 1000, 500);
    bench_steps (bench, 100000, 2);
    bench_rebuild (bench, 10, 100, 5000);
    bench_rebuild (bench, 1000, 100000, 2);
    bench_tables (bench, rounds > 0 ? (uint64_t) rounds : 1);
    bench_note (bench, "double loop: the same step as the paper writes it, with mixed bounds");
    bench_note (bench, "twelve tables: played with --rounds of each row, and told for 100");
    return bench_end (&bench);
}
