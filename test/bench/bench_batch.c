/*  bench_batch - reservations in a real Slurm or Grid Engine by the site's works, beside scontrol
 *  or qrsub alone, with others there.
 *
 *      test/batch/slurm start FOLDER
 *      SLURM_CONF=FOLDER/slurm.conf build/release/bin/bench_batch slurm [0 500 2000]
 *      test/batch/slurm stop FOLDER
 *
 *      test/batch/gridengine start FOLDER; eval "$(test/batch/gridengine env FOLDER)"
 *      build/release/bin/bench_batch gridengine [0 500 2000]
 *      test/batch/gridengine stop FOLDER
 *
 *      build/release/bin/bench_batch look 5000 10000
 *
 *  For each number of existing reservations a line with the median and the worst of ROUNDS in ms:
 *  "scontrol create" or "qrsub" alone; reserve, which looks before and after; verify; close; and
 *  one look of the agent. Runs by one worker, one after the other. With look nothing has to run:
 *  Slurm's commands are files that say so many nodes and jobs, and a look and its picture's
 *  encoding are timed, beside reading what the commands say alone.
 */
#include "command.h"
#include "gridengine.h"
#include "must.h"
#include "slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define ROUNDS    20
#define FAR_MS    (INT64_C (30) * 24 * 3600 * 1000) /* where the existing ones begin */
#define MINUTE_MS 60000

static const batch_setup_t setup = {.site = "bench", .queue = "batch", .limit_ms = 60000};

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

static const batch_system_t *batch;

static double run_alone (const char *name, const char *const *arguments)
{
    char why [WHY_BYTES];
    double begun = bench_batch_now_ms ();
    if (command_run (arguments, NULL, setup.limit_ms, NULL, why) != COMMAND_DONE)
        failed (name, why);
    return bench_batch_now_ms () - begun;
}

static double qrsub_alone (const char *name, int64_t from_ms)
{
    char start [64];
    time_t from = (time_t) (from_ms / 1000);
    struct tm parts;
    gmtime_r (&from, &parts);
    strftime (start, sizeof start, "%Y%m%d%H%M.%S", &parts);
    return run_alone (name, (const char *const []){"qrsub", "-N", name, "-a", start, "-d", "60",
                                                   "-q", "batch@g1", NULL});
}

/*  By scontrol or qrsub alone, a minute after the other: also what stands there before. */
static double create_alone (const char *name, int64_t from_ms)
{
    if (batch == &gridengine)
        return qrsub_alone (name, from_ms);
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
    return run_alone (name, create);
}

static double step_take (back_end_step_t step, const back_end_order_t *order)
{
    char why [WHY_BYTES];
    double begun = bench_batch_now_ms ();
    if (step == BACK_END_CLOSE ? !batch->close (&setup, order, why)
                               : !batch->keep (&setup, step, order, why))
        failed (order->reservation, why);
    return bench_batch_now_ms () - begun;
}

static double look_take (void)
{
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    double begun = bench_batch_now_ms ();
    if (!batch->look (&setup, &picture, why))
        failed ("look", why);
    codec_clear (&batch_picture_codec, &picture);
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
    static const char *const two [][2] = {{"n2", "n3"}, {"g2", "g3"}};
    const char *const *nodes = two [batch == &gridengine];
    double alone [ROUNDS], reserve [ROUNDS], verify [ROUNDS], close [ROUNDS], look [ROUNDS];
    int64_t from_ms = wall_ms () + FAR_MS;
    for (size_t i = 0; i < ROUNDS; i++) {
        text_auto_t *name = must_print ("alone-%zu-%zu", existing, i);
        text_auto_t *ours = must_print ("musubi-%s-0000000be9c4-%zu-%zu", setup.site, existing, i);
        back_end_order_t order = {.reservation = ours,
                                  .owner = "alice",
                                  .account = "nobody",
                                  .from_ms = from_ms,
                                  .until_ms = from_ms + MINUTE_MS,
                                  .nodes = nodes,
                                  .nodes_count = 2,
                                  .clear = CLEAR_END};
        alone [i] = create_alone (name, from_ms - (int64_t) (existing + i + 10) * 2 * MINUTE_MS);
        reserve [i] = step_take (BACK_END_PREPARE, &order);
        verify [i] = step_take (BACK_END_WATCH, &order);
        close [i] = step_take (BACK_END_CLOSE, &order);
        look [i] = look_take ();
    }
    printf ("existing %zu, median and worst ms:", existing);
    tell (batch == &slurm ? "scontrol create" : "qrsub", alone);
    tell ("reserve", reserve);
    tell ("verify", verify);
    tell ("close", close);
    tell ("look", look);
    printf ("\n");
    fflush (stdout);
}

/*  --- a large Slurm --- */

static FILE *says (const char *folder, const char *command)
{
    text_auto_t *path = must_print ("%s/%s", folder, command);
    text_auto_t *text = must_print ("%s.says", path);
    FILE *to = must (fopen (path, "w"));
    fprintf (to, "#!/bin/sh\nexec cat '%s'\n", text);
    fclose (to);
    if (chmod (path, 0700) != 0)
        failed (path, "it can't be made a program");
    return must (fopen (text, "w"));
}

static void large_make (const char *folder, unsigned long nodes, unsigned long jobs)
{
    FILE *to = says (folder, "sinfo");
    for (unsigned long i = 1; i <= nodes; i++)
        fprintf (to, "n%lu|allocated|128|128/0/0/128|up|no|none\n", i);
    fclose (to);
    to = says (folder, "squeue");
    for (unsigned long i = 1; i <= jobs; i++)
        fprintf (
          to, "%lu|n[%lu-%lu]|2026-11-23T10:00:00|2036-%02lu-%02luT%02lu:%02lu:00|%lu1|(null)|\n",
          i, i * 7 % (nodes - 4) + 1, i * 7 % (nodes - 4) + 1 + i % 4, i % 12 + 1, i % 28 + 1,
          i % 24, i % 60, i % 2);
    fclose (to);
    fclose (says (folder, "scontrol"));
    text_auto_t *path = must_print ("%s:%s", folder, getenv ("PATH"));
    setenv ("PATH", path, 1);
}

static void large_look (unsigned long nodes, unsigned long jobs)
{
    char folder [] = "/tmp/musubi-bench-XXXXXX", why [WHY_BYTES];
    double alone [ROUNDS], look [ROUNDS];
    size_t bytes = 0;
    must (mkdtemp (folder));
    large_make (folder, nodes, jobs);
    const char *const squeue [] = {"squeue", NULL}, *const rm [] = {"rm", "-r", folder, NULL};
    for (size_t i = 0; i < ROUNDS; i++) {
        batch_picture_t picture = {0};
        alone [i] = run_alone ("squeue", squeue);
        double begun = bench_batch_now_ms ();
        if (!slurm.look (&setup, &picture, why))
            failed ("look", why);
        packed_t packed = codec_encode (&batch_picture_codec, &picture);
        look [i] = bench_batch_now_ms () - begun;
        bytes = packed.size;
        free (packed.data);
        codec_clear (&batch_picture_codec, &picture);
    }
    printf ("nodes %lu, jobs %lu, picture %zu bytes, median and worst ms:", nodes, jobs, bytes);
    tell ("squeue", alone);
    tell ("look", look);
    printf ("\n");
    run_alone ("rm", rm);
}

int main (int argc, char **argv)
{
    if (argc == 4 && strcmp (argv [1], "look") == 0) {
        large_look (strtoul (argv [2], NULL, 10), strtoul (argv [3], NULL, 10));
        return 0;
    }
    static char *usual [] = {"bench_batch", "slurm", "0", "500", "2000"};
    char **counts = argc > 2 ? argv : usual;
    int count = argc > 2 ? argc : 5;
    size_t existing = 0;
    batch = argc > 1 && strcmp (argv [1], "gridengine") == 0 ? &gridengine : &slurm;
    for (int i = 2; i < count; i++) {
        for (; existing < strtoul (counts [i], NULL, 10); existing++) {
            text_auto_t *name = must_print ("existing-%zu", existing);
            create_alone (name, wall_ms () + FAR_MS + (int64_t) (existing + 1) * 2 * MINUTE_MS);
        }
        bench_batch_with (existing);
    }
    return 0;
}
