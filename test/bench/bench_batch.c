/*  bench_batch - reservations in a real Slurm by the site's works, beside scontrol alone, with others there.
 *
 *      test/batch/slurm start FOLDER
 *      SLURM_CONF=FOLDER/slurm.conf build/release/bin/bench_batch [0 500 2000]
 *      test/batch/slurm stop FOLDER
 *
 *  For each number of existing reservations a line with the median and the worst of ROUNDS in ms: "scontrol
 *  create" alone; reserve, which looks before and after; verify; close. Runs by one worker, one after the other.
 */
#include "command.h"
#include "must.h"
#include "slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS    20
#define FAR_MS    (INT64_C (30) * 24 * 3600 * 1000) /* where the existing ones begin */
#define MINUTE_MS 60000

static const batch_setup_t setup = {
  .site = "bench", .queue = "batch", .limit_ms = 60000, .clear = true};

static double bench_batch_now_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

static int64_t wall_ms (void)
{
    return (int64_t) time (NULL) * 1000;
}

static void failed (const char *what, const char *why)
{
    fprintf (stderr, "bench_batch: %s: %s\n", what, why);
    exit (1);
}

/*  By scontrol alone, a minute after the other: also what stands there before. */
static double create_alone (const char *name, int64_t from_ms)
{
    char why [WHY_BYTES];
    time_t from = (time_t) (from_ms / 1000);
    struct tm parts;
    gmtime_r (&from, &parts);
    char start [64];
    strftime (start, sizeof start, "starttime=%Y-%m-%dT%H:%M:%S", &parts);
    text_auto_t *named = must_print ("reservation=%s", name);
    const char *const create [] = {"scontrol",
                                   "create",
                                   named,
                                   start,
                                   "duration=1",
                                   "users=nobody",
                                   "nodes=n1",
                                   "partitionname=batch",
                                   "flags=IGNORE_JOBS",
                                   NULL};
    double begun = bench_batch_now_ms ();
    if (command_run (create, NULL, setup.limit_ms, NULL, why) != COMMAND_DONE)
        failed (name, why);
    return bench_batch_now_ms () - begun;
}

typedef bool step_fn (const batch_setup_t *setup, const back_end_order_t *order,
                      char why [WHY_BYTES]);

static double step_take (step_fn *step, const back_end_order_t *order)
{
    char why [WHY_BYTES];
    double begun = bench_batch_now_ms ();
    if (!step (&setup, order, why))
        failed (order->reservation, why);
    return bench_batch_now_ms () - begun;
}

static int compare (const void *a, const void *b)
{
    double one = *(const double *) a, other = *(const double *) b;
    return (one > other) - (one < other);
}

static void tell (const char *what, double times [ROUNDS])
{
    qsort (times, ROUNDS, sizeof *times, compare);
    printf ("  %s %.1f %.1f", what, times [ROUNDS / 2], times [ROUNDS - 1]);
}

static void bench_batch_with (size_t existing)
{
    static const char *const nodes [] = {"n2", "n3"};
    double alone [ROUNDS], reserve [ROUNDS], verify [ROUNDS], close [ROUNDS];
    int64_t from_ms = wall_ms () + FAR_MS;
    for (size_t i = 0; i < ROUNDS; i++) {
        text_auto_t *name = must_print ("alone-%zu-%zu", existing, i);
        text_auto_t *ours = must_print ("r-%zu-%zu", existing, i);
        back_end_order_t order = {.reservation = ours,
                                  .owner = "alice",
                                  .account = "nobody",
                                  .from_ms = from_ms,
                                  .until_ms = from_ms + MINUTE_MS,
                                  .nodes = nodes,
                                  .nodes_count = 2};
        alone [i] = create_alone (name, from_ms - (int64_t) (existing + i + 10) * 2 * MINUTE_MS);
        reserve [i] = step_take (slurm.reserve, &order);
        verify [i] = step_take (slurm.verify, &order);
        close [i] = step_take (slurm.close, &order);
    }
    printf ("existing %zu, median and worst ms:", existing);
    tell ("scontrol create", alone);
    tell ("reserve", reserve);
    tell ("verify", verify);
    tell ("close", close);
    printf ("\n");
    fflush (stdout);
}

int main (int argc, char **argv)
{
    static char *usual [] = {"bench_batch", "0", "500", "2000"};
    char **counts = argc > 1 ? argv : usual;
    int count = argc > 1 ? argc : 4;
    size_t existing = 0;
    for (int i = 1; i < count; i++) {
        for (; existing < strtoul (counts [i], NULL, 10); existing++) {
            text_auto_t *name = must_print ("existing-%zu", existing);
            create_alone (name, wall_ms () + FAR_MS + (int64_t) (existing + 1) * 2 * MINUTE_MS);
        }
        bench_batch_with (existing);
    }
    return 0;
}
