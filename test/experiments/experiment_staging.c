/*  experiment_staging - E2.1: n nodes run jobs that all read one large file: from a shared server,
 *  by a copy for each job, placed before, and ours, over the ratio of transfer to compute that the
 *  paper does not print (S2 5.1).
 */
#include "experiment.h"
#include "plot.h"
#include "staging_world.h"

#include <math.h>
#include <stdio.h>

#define JOBS_A_NODE     5
#define RATIOS          8
#define SIZES           4
#define PAPER_SIZE      2     /* 16 nodes */
#define RATIO_ASKED     0.25  /* the least of the range in which the paper's gains should lie */
#define OVER_COPY       0.443 /* what the paper gains at 16 nodes */
#define OVER_SHARED     0.575
#define WARM_MAX        1.15
#define FLAT_MAX        1.15
#define ONE_COPY        1.0
#define BYTES_TOLERANCE 1e-9

static const double ratios [RATIOS] = {0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4};
static const size_t sizes [SIZES] = {4, 8, 16, 32};

/*  What the form that CI runs has of them. */
static const bool small_ratios [RATIOS] = {[0] = true, [2] = true, [4] = true, [7] = true};
static const bool small_sizes [SIZES] = {[0] = true, [2] = true};

static const char *const ways [WAYS] = {"a shared server", "a copy a job", "placed before", "ours"};

enum {
    METRIC_MAKESPAN,
    METRIC_JOB,
    METRIC_WARM,
    METRIC_COPIES,
    METRIC_BLIND,
    METRIC_OVER,
    METRICS
};

static const metric_t metrics [METRICS] = {
  {"makespan_s", "from the submission to the last end"},
  {"job_s", "mean of a job, from when its node is free to its end"},
  {"warm_job_s", "the same without the first job of each node"},
  {"copies", "of the file, that left the server"},
  {"without_data", "jobs that began and had not their data"},
  {"over", "jobs that ended"},
};

/*  --- arms: by ratio, size and way; those of the short form first --- */

typedef struct {
    size_t ratio;
    size_t size;
    staging_way_t way;
} staging_arm_t;

static bool has (bool small, size_t ratio, size_t size)
{
    return !small || (small_ratios [ratio] && small_sizes [size]);
}

static size_t arms (bool small)
{
    size_t cells = 0;
    for (size_t i = 0; i < RATIOS * SIZES; i++)
        cells += has (small, i / SIZES, i % SIZES);
    return cells * WAYS;
}

static size_t arm_of (size_t ratio, size_t size, staging_way_t way)
{
    bool in_short = has (true, ratio, size);
    size_t cell = in_short ? 0 : arms (true) / WAYS;
    for (size_t i = 0; i < ratio * SIZES + size; i++)
        cell += has (true, i / SIZES, i % SIZES) == in_short;
    return cell * WAYS + (size_t) way;
}

static staging_arm_t arm_at (size_t at)
{
    size_t i = 0;
    while (arm_of (i / SIZES, i % SIZES, WAY_SHARED) != at - at % WAYS)
        i++;
    return (staging_arm_t){i / SIZES, i % SIZES, (staging_way_t) (at % WAYS)};
}

static void arm_name (size_t at, char name [ARM_NAME_BYTES])
{
    staging_arm_t arm = arm_at (at);
    snprintf (name, ARM_NAME_BYTES, "%s, n = %zu, ratio %g", ways [arm.way], sizes [arm.size],
              ratios [arm.ratio]);
}

static void play_staging (size_t at, uint64_t seed, play_t *play)
{
    staging_arm_t arm = arm_at (at);
    staging_plan_t plan = {.way = arm.way,
                           .nodes = sizes [arm.size],
                           .jobs = JOBS_A_NODE * sizes [arm.size],
                           .compute_s = COPY_S / ratios [arm.ratio],
                           .overlap = true};
    staging_result_t result;
    play->failed = !staging_world_play (&plan, seed, NULL, &result, play->why);
    play->values [METRIC_MAKESPAN] = result.makespan_s;
    play->values [METRIC_JOB] = result.job_s;
    play->values [METRIC_WARM] = result.warm_s;
    play->values [METRIC_COPIES] = result.copies;
    play->values [METRIC_BLIND] = (double) result.blind;
    play->values [METRIC_OVER] = (double) result.over;
}

/*  --- what is made of them --- */

static double mean (const experiment_run_t *run, size_t ratio, size_t size, staging_way_t way,
                    size_t metric)
{
    return has (run->small, ratio, size)
             ? experiment_estimate (run, arm_of (ratio, size, way), metric).mean
             : NO_VALUE;
}

/*  How much shorter ours takes than another way. */
static double gain (const experiment_run_t *run, size_t ratio, size_t size, staging_way_t over)
{
    return 1 - mean (run, ratio, size, WAY_STAGED, METRIC_MAKESPAN) /
                 mean (run, ratio, size, over, METRIC_MAKESPAN);
}

/*  The ratio at which the gain over another way first passes a value at the paper's size, on a
 *  straight line over the logarithm of the ratio; NaN: it does not. */
static double crossing (const experiment_run_t *run, staging_way_t over, double value)
{
    double before = NAN, low = NAN;
    for (size_t r = 0; r < RATIOS; r++) {
        double after = gain (run, r, PAPER_SIZE, over), high = log (ratios [r]);
        if (before < value && value <= after)
            return exp (low + (high - low) * (value - before) / (after - before));
        if (isnan (after))
            continue;
        before = after;
        low = high;
    }
    return NAN;
}

static void judge_crossing (experiment_run_t *run, const char *name, staging_way_t over,
                            double value)
{
    double at = crossing (run, over, value);
    experiment_criterion (run, name, at >= RATIO_ASKED,
                          "over %s ours gains %.1f %% at ratio %g, %.1f %% at %g, and the paper's "
                          "%.1f %% at %.3f (asked: at %g or more)",
                          ways [over], 100 * gain (run, 0, PAPER_SIZE, over), ratios [0],
                          100 * gain (run, RATIOS - 1, PAPER_SIZE, over), ratios [RATIOS - 1],
                          100 * value, at, RATIO_ASKED);
}

/*  A value that is no number fails every criterion. */
static double worse (double most, double value)
{
    return isnan (value) || value > most ? value : most;
}

typedef struct {
    double warm, flat, copies, blind, unended;
} staging_worst_t;

static void worst_take (const experiment_run_t *run, size_t r, size_t s, staging_worst_t *worst)
{
    size_t arm = arm_of (r, s, WAY_STAGED);
    worst->warm = worse (worst->warm, mean (run, r, s, WAY_STAGED, METRIC_WARM) /
                                        mean (run, r, s, WAY_PLACED, METRIC_WARM));
    worst->copies = worse (worst->copies, experiment_estimate (run, arm, METRIC_COPIES).most);
    worst->blind += experiment_estimate (run, arm, METRIC_BLIND).sum;
    if (s > 0)
        worst->flat = worse (worst->flat, mean (run, r, s, WAY_STAGED, METRIC_JOB) /
                                            mean (run, r, 0, WAY_STAGED, METRIC_JOB));
    for (size_t way = 0; way < WAYS; way++)
        worst->unended +=
          (double) (JOBS_A_NODE * sizes [s]) - mean (run, r, s, (staging_way_t) way, METRIC_OVER);
}

static void judge (experiment_run_t *run)
{
    staging_worst_t worst = {0};
    for (size_t i = 0; i < RATIOS * SIZES; i++)
        if (has (run->small, i / SIZES, i % SIZES))
            worst_take (run, i / SIZES, i % SIZES, &worst);
    experiment_setting (run, "links", "%d Mbit/s for each node and the server", LINK_MBPS);
    experiment_setting (run, "file", "%.0f MB: %.0f s over one link", FILE_BYTES / 1e6, COPY_S);
    experiment_setting (run, "jobs", "%d a node, all submitted at once; %d queries each",
                        JOBS_A_NODE, QUERIES);
    experiment_setting (run, "ratio", "seconds of one copy over seconds of one job's computing");
    experiment_setting (run, "shared server",
                        "a query computes while it reads, so it takes the longer of the two");
    experiment_criterion_sound (run);
    experiment_criterion (run, "data", worst.blind == 0 && worst.unended == 0,
                          "%.0f jobs began without their data, %.0f did not end", worst.blind,
                          worst.unended);
    experiment_criterion (run, "one-crossing", worst.copies <= ONE_COPY + BYTES_TOLERANCE,
                          "at most %.3f copies of the file left the server", worst.copies);
    experiment_criterion (
      run, "warm", worst.warm <= WARM_MAX,
      "once warm a job takes at most %.3f times what it takes where the file was "
      "placed before (%.2f)",
      worst.warm, WARM_MAX);
    experiment_criterion (run, "flat", worst.flat <= FLAT_MAX,
                          "with more than %zu nodes a job takes at most %.3f times what it takes "
                          "with %zu (%.2f)",
                          sizes [0], worst.flat, sizes [0], FLAT_MAX);
    if (run->small)
        return; /* it has too few ratios */
    judge_crossing (run, "over-copy", WAY_COPY, OVER_COPY);
    judge_crossing (run, "over-shared", WAY_SHARED, OVER_SHARED);
}

static void tell (const experiment_run_t *run, FILE *to)
{
    fputs ("seconds: makespan, mean job, mean warm job; and copies of the file\n", to);
    for (size_t i = 0; i < RATIOS * SIZES; i++) {
        size_t r = i % RATIOS, s = i / RATIOS;
        if (!has (run->small, r, s))
            continue;
        fprintf (to, "n = %-2zu ratio %-5g", sizes [s], ratios [r]);
        for (size_t w = 0; w < WAYS; w++) {
            staging_way_t way = (staging_way_t) w;
            fprintf (to, "  %s %.0f %.1f %.1f %.1f;", ways [w],
                     mean (run, r, s, way, METRIC_MAKESPAN), mean (run, r, s, way, METRIC_JOB),
                     mean (run, r, s, way, METRIC_WARM), mean (run, r, s, way, METRIC_COPIES));
        }
        fprintf (to, "  gain %.1f %% over shared, %.1f %% over copy\n",
                 100 * gain (run, r, s, WAY_SHARED), 100 * gain (run, r, s, WAY_COPY));
    }
}

/*  --- a picture: gains at 16 nodes, and what the paper has --- */

static const char *point (size_t at)
{
    static char label [16];
    snprintf (label, sizeof label, "%g", ratios [at]);
    return label;
}

static const char *line (size_t at)
{
    static const char *const lines [] = {"over a copy a job", "over a shared server",
                                         "the paper, over a copy a job",
                                         "the paper, over a shared server"};
    return lines [at];
}

static void plot (const experiment_run_t *run, FILE *to)
{
    double values [4 * RATIOS];
    for (size_t r = 0; r < RATIOS; r++) {
        values [r] = gain (run, r, PAPER_SIZE, WAY_COPY);
        values [RATIOS + r] = gain (run, r, PAPER_SIZE, WAY_SHARED);
        values [2 * RATIOS + r] = OVER_COPY;
        values [3 * RATIOS + r] = OVER_SHARED;
    }
    plot_lines (&(plot_lines_t){.title = "S2 5.1: how much sooner 80 jobs at 16 nodes are done",
                                .shares = true,
                                .across = "a copy's time over a job's computing",
                                .up = "of the makespan",
                                .points = RATIOS,
                                .point = point,
                                .lines = 4,
                                .line = line,
                                .values = values},
                to);
}

const experiment_t experiment_staging = {
  .name = "E2.1",
  .title = "jobs that read one large file: a shared server, a copy a job, placed before, ours",
  .claim = "S2 5.1: at 16 nodes 44.3 % less than with a copy a job, 57.5 % less than with a shared "
           "server; a job's time is about the ideal one, whatever n",
  .metrics = metrics,
  .metrics_count = METRICS,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 3,
  .seeds_small = 1,
  .play = play_staging,
  .judge = judge,
  .plot = plot,
  .tell = tell};
