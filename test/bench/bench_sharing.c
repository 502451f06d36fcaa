/*  bench_sharing - does the sharing of real queues do what its simulation says?
 *
 *  Three sites with nodes of their own, as fast as S1's clusters of speed 1, 1.5 and 2, and a
 *  balancer. A round's arrivals are drawn as in S1's case I; a unit of time is a second. Each job
 *  is a bag of tasks that sleep for a fixed time (the grain), as many as its load comes to. The sum
 *  of the flow times (completion less release) of each site's jobs is compared with that in the
 *  simulation of the same arrivals (balance_world.h, test/experiments/worlds). The same arrivals
 *  are also run without sharing, and simulated so. Both simulations are repeated with tasks as long
 *  as their turns really are on this machine now, since between one task and the next on a CPU
 *  there is starting, reporting and flushing.
 */
#include "balance_world.h"
#include "bench.h"
#include "must.h"
#include "prng.h"
#include "shared.h"
#include "submit.h"
#include "testbed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SITES    3
#define CPUS     2 /* of a site of speed 1 */
#define RATE     0.2
#define SCALE    2.0
#define LEVEL_S  1e6
#define LIMITS   5 /* a task's limit, in grains */
#define LOOK_MS  250
#define LEAD_MS  1000 /* time before the first arrival */
#define WAIT_S   60   /* time for a coalition to form */
#define TURN_MS  5000 /* duration of tasks run one after the other */
#define RUNS_MAX 20

#define SITE(name, cpus)                                                                           \
    "    " name "\n        classes\n            node\n                nodes = 1\n"                 \
    "                cpus_per_node = " cpus "\n        back_end = runner\n"

static const char federation [] =
  "name = bench\ndirectories = g1\nbalancers\n    green\n        coalition = 5s\n"
  "        step = 1s\n        reschedule = false\nsites\n" SITE ("a", "2") SITE ("b", "3")
    SITE ("c", "4");

static const char *const sites [SITES] = {"lis/a", "lis/b", "lis/c"};

typedef struct {
    testbed_t testbed;
    world_job_t *jobs; /* by owner */
    uint32_t *tasks;   /* of each */
    uint64_t *bags;
    size_t *order; /* in the order in which they come */
    size_t count;
    uint64_t tasks_count;
    int64_t grain_ms;
} sharing_round_t;

/*  --- arrivals --- */

static double exponential (prng_t *prng)
{
    return -log (1 - prng_unit (prng));
}

/*  Loads are whole tasks: in a unit of time a site of speed 1 does CPUS seconds of tasks. */
static void add_job (sharing_round_t *round, uint32_t owner, double release, double load)
{
    double task = (double) round->grain_ms / 1000 / CPUS;
    double tasks = fmax (1, nearbyint (load / task));
    round->jobs = must (reallocarray (round->jobs, round->count + 1, sizeof *round->jobs));
    round->tasks = must (reallocarray (round->tasks, round->count + 1, sizeof *round->tasks));
    round->jobs [round->count] =
      (world_job_t){.owner = owner, .release = release, .load = tasks * task};
    round->tasks [round->count++] = (uint32_t) tasks;
    round->tasks_count += (uint32_t) tasks;
}

static int by_release (const void *a, const void *b, void *of)
{
    const world_job_t *jobs = of;
    double left = jobs [*(const size_t *) a].release;
    double right = jobs [*(const size_t *) b].release;
    return (left > right) - (left < right);
}

static void draw (sharing_round_t *round, uint64_t seed, double units)
{
    for (uint32_t i = 0; i < SITES; i++) {
        prng_t prng;
        prng_seed (&prng, seed * 1000 + i);
        double at = exponential (&prng) / RATE;
        while (at < units) {
            double size = exponential (&prng) + exponential (&prng);
            add_job (round, i, at, SCALE * world_speed (i, SITES) * size);
            at += exponential (&prng) / RATE;
        }
    }
    round->bags = must (calloc (round->count + 1, sizeof *round->bags));
    round->order = must (calloc (round->count + 1, sizeof *round->order));
    for (size_t i = 0; i < round->count; i++)
        round->order [i] = i;
    qsort_r (round->order, round->count, sizeof *round->order, by_release, round->jobs);
}

/*  The simulation, with tasks that take this many times their grain. */
static void simulate (const sharing_round_t *round, double turn, world_round_t *told)
{
    balance_world_t *world = balance_world_new ();
    world_job_t *jobs = must (calloc (round->count + 1, sizeof *jobs));
    world_order_t order = {.clusters = SITES, .given = jobs, .given_count = round->count};
    play_t play = {0};
    for (size_t job = 0; job < round->count; job++) {
        jobs [job] = round->jobs [job];
        jobs [job].load *= turn;
    }
    for (size_t i = 0; i < SITES; i++)
        order.levels [i] = INFINITY;
    if (!balance_world_play (world, &order, told, &play))
        bench_fail (play.why);
    balance_world_destroy (&world);
    free (jobs);
}

/*  --- live --- */

static void rest_ms (int64_t left_ms)
{
    struct timespec rest = {.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
    if (left_ms > 0)
        nanosleep (&rest, NULL);
}

static void ask (const testbed_t *testbed, const char *name, const char *service,
                 const char *method, packed_t body, client_reply_t *reply)
{
    testbed_ask (testbed, testbed_service (testbed, name)->endpoint, service, method,
                 (bytes_t){body.data, body.size}, reply);
    free (body.data);
}

static void form_coalition (const testbed_t *testbed)
{
    client_reply_t reply;
    for (size_t i = 0; i < SITES; i++)
        ask (testbed, sites [i], "Sharing", "Join", join_encode ("balancer/green", LEVEL_S),
             &reply);
    for (int64_t until_ms = bench_wall_ms () + WAIT_S * 1000; bench_wall_ms () < until_ms;) {
        ask (testbed, "balancer/green", "Balancer", "Status", (packed_t){0}, &reply);
        if (coalition_size (reply.body) == SITES)
            return;
        rest_ms (LOOK_MS);
    }
    bench_fail ("no coalition of all sites");
}

static bool all_over (const testbed_t *testbed)
{
    client_reply_t reply;
    size_t left = 0;
    for (size_t i = 0; i < SITES; i++) {
        ask (testbed, sites [i], "Queue", "Bags", bags_encode (), &reply);
        left += bags_told (reply.body);
    }
    return left == 0;
}

static int64_t ended_ms (const testbed_t *testbed, const char *site, uint64_t bag)
{
    client_reply_t reply;
    int64_t last_ms = 0;
    uint32_t from = 0;
    do {
        ask (testbed, site, "Queue", "Tasks", tasks_encode (bag, from), &reply);
        from = tasks_ended (reply.body, from, &last_ms);
    } while (from > 0);
    return last_ms;
}

/*  How long a task occupies a CPU until the next task has begun there, in grains; measured with a
 *  bag at the first site, alone. */
static double turn_of_task (const sharing_round_t *round)
{
    const testbed_t *testbed = &round->testbed;
    uint32_t count = (uint32_t) (TURN_MS / round->grain_ms + 4) * CPUS;
    client_reply_t reply;
    int64_t begin_ms = bench_wall_ms ();
    ask (testbed, sites [0], "Queue", "Submit",
         submit_sleep_encode (count, round->grain_ms, LIMITS * round->grain_ms, false), &reply);
    uint64_t bag = submitted_bag (reply.body);
    while (!all_over (testbed))
        rest_ms (LOOK_MS);
    return (double) (ended_ms (testbed, sites [0], bag) - begin_ms) * CPUS / (double) count /
           (double) round->grain_ms;
}

/*  Sums of flow times by owner, in seconds. */
static void play (sharing_round_t *round, bool shared, double flow_s [SITES])
{
    const testbed_t *testbed = &round->testbed;
    int64_t begin_ms = bench_wall_ms () + LEAD_MS;
    for (size_t i = 0; i < round->count; i++) {
        size_t job = round->order [i];
        const world_job_t *of = &round->jobs [job];
        client_reply_t reply;
        rest_ms (begin_ms + (int64_t) (of->release * 1000) - bench_wall_ms ());
        ask (testbed, sites [of->owner], "Queue", "Submit",
             submit_sleep_encode (round->tasks [job], round->grain_ms, LIMITS * round->grain_ms,
                                  shared),
             &reply);
        round->bags [job] = submitted_bag (reply.body);
    }
    while (!all_over (testbed))
        rest_ms (LOOK_MS);
    for (size_t i = 0; i < SITES; i++)
        flow_s [i] = 0;
    for (size_t job = 0; job < round->count; job++) {
        const world_job_t *of = &round->jobs [job];
        int64_t end_ms = ended_ms (testbed, sites [of->owner], round->bags [job]);
        flow_s [of->owner] += (double) (end_ms - begin_ms) / 1000 - of->release;
    }
}

/*  Measures before each run how long a task takes on this machine now. */
static void measure (bench_t *bench, sharing_round_t *round, size_t runs, bool shared)
{
    double live_s [SITES][RUNS_MAX], turned [SITES][RUNS_MAX], turns [RUNS_MAX];
    world_round_t exact, slow;
    double cpu_s = testbed_cpu_s (&round->testbed);
    simulate (round, 1, &exact);
    const double *simulated_s = shared ? exact.flow : exact.alone;
    for (size_t run = 0; run < runs; run++) {
        double flow_s [SITES];
        turns [run] = turn_of_task (round);
        simulate (round, turns [run], &slow);
        play (round, shared, flow_s);
        for (size_t i = 0; i < SITES; i++) {
            live_s [i][run] = flow_s [i];
            turned [i][run] = flow_s [i] / (shared ? slow.flow [i] : slow.alone [i]);
        }
    }
    double turn = bench_median (turns, runs);
    cpu_s = testbed_cpu_s (&round->testbed) - cpu_s;
    for (size_t i = 0; i < SITES; i++) {
        char row [64];
        snprintf (row, sizeof row, "%s, speed %g", shared ? "shared" : "alone",
                  world_speed (i, SITES));
        double median_s = bench_median (live_s [i], runs); /* sorted from here on */
        bench_put (bench, row, "simulated s", simulated_s [i]);
        bench_put (bench, row, "median s", median_s);
        bench_put (bench, row, "/ simulated", median_s / simulated_s [i]);
        bench_put (bench, row, "least", live_s [i][0] / simulated_s [i]);
        bench_put (bench, row, "most", live_s [i][runs - 1] / simulated_s [i]);
        bench_put (bench, row, "a task's turn ms", turn * (double) round->grain_ms);
        bench_put (bench, row, "/ simulated with it", bench_median (turned [i], runs));
        bench_put (bench, row, "CPU ms/task", cpu_s * 1000 / (double) (round->tasks_count * runs));
    }
}

int main (int argc, char **argv)
{
    static sharing_round_t round;
    bench_t *bench =
      bench_new (argc, argv, "sharing", "queues shared live, beside their simulation");
    int64_t units = bench_option (bench, "--units", 60);
    int64_t runs = bench_option (bench, "--runs", 3);
    int64_t seed = bench_option (bench, "--seed", 1);
    round.grain_ms = bench_option (bench, "--grain-ms", 100);
    bench_begin (bench);
    if (units < 10 || units > 10000 || runs < 1 || runs > RUNS_MAX || round.grain_ms < 10 ||
        round.grain_ms > 10000 || seed < 0)
        bench_fail ("--units is 10 to 10000, --runs 1 to 20, --grain-ms 10 to 10000");
    draw (&round, (uint64_t) seed, (double) units);
    client_t *client = client_new ();
    testbed_start (&round.testbed, client, federation, 1);
    measure (bench, &round, (size_t) runs, false);
    form_coalition (&round.testbed);
    measure (bench, &round, (size_t) runs, true);
    testbed_stop (&round.testbed);
    client_destroy (&client);
    char note [160];
    snprintf (note, sizeof note,
              "%zu jobs, %" PRIu64 " tasks of %" PRId64 " ms, arrivals of %" PRId64
              " s; sums of flow times; %" PRId64 " runs of the same arrivals",
              round.count, round.tasks_count, round.grain_ms, units, runs);
    bench_note (bench, note);
    free (round.jobs);
    free (round.tasks);
    free (round.bags);
    free (round.order);
    return bench_end (&bench);
}
