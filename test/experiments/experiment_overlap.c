/*  experiment_overlap - E2.2: eight nodes run 40 jobs that each need a file of their own and 8 that
 *  only compute; with and without computing while files come (S2 4.4, 5.2).
 */
#include "experiment.h"
#include "plot.h"
#include "prng.h"
#include "staging_world.h"

#include <math.h>
#include <stdio.h>

#define NODES        8
#define READING_JOBS 40
#define JOBS_OTHER   8
#define OTHER_S      276 /* of the time that the link takes for all files: 23 of 88 minutes */
#define GAIN_LEAST   0.15
#define PAPER_GAIN   (1 - 88.0 / 111)
#define COMPUTES     4
#define PAPER_LIKE   0 /* computing and link both matter there */
#define CPUS_MAX     8
#define DRAWN        1 /* pair of arms: nodes and jobs of 1 to 8 CPUs, as the seed says */

/*  Seconds that a job computes that has its file. All files take the server's link 960 s. */
static const double computes [COMPUTES] = {96, 48, 192, 384};

enum { METRIC_MAKESPAN, METRIC_JOB, METRIC_SUSPENDED, METRIC_WRONG, METRIC_BLIND, METRICS };

static const metric_t metrics [METRICS] = {
  {"makespan_s", "from the submission to the last end"},
  {"job_s", "mean of a job that needs a file, from when its node is free to its end"},
  {"suspended", "how often a run was suspended"},
  {"wrong", "jobs that did not end, or computed for another time than they should"},
  {"without_data", "jobs that began and had not their data"},
};

static size_t arms (bool small)
{
    return small ? 2 * (DRAWN + 1) : 2 * (COMPUTES + 1);
}

static double arm_computes (size_t at)
{
    return computes [at / 2 > DRAWN ? at / 2 - 1 : PAPER_LIKE];
}

static void arm_name (size_t at, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s, computing %g s%s",
              at % 2 == 0 ? "one at a time" : "overlap", arm_computes (at),
              at / 2 == DRAWN ? ", 1 to 8 CPUs" : "");
}

/*  The same for both arms of a seed. */
static void draw_cpus (staging_plan_t *plan, uint64_t seed)
{
    prng_t prng;
    prng_seed (&prng, seed + 22);
    plan->node_cpus = 1 + (uint32_t) prng_below (&prng, CPUS_MAX);
    plan->job_cpus = 1 + (uint32_t) prng_below (&prng, plan->node_cpus);
    plan->compute_cpus = 1 + (uint32_t) prng_below (&prng, plan->node_cpus);
}

static void play_overlap (size_t at, uint64_t seed, play_t *play)
{
    staging_plan_t plan = {.way = WAY_STAGED,
                           .nodes = NODES,
                           .jobs = READING_JOBS,
                           .own_files = true,
                           .compute_s = arm_computes (at),
                           .compute_jobs = JOBS_OTHER,
                           .compute_job_s = OTHER_S,
                           .overlap = at % 2 == 1};
    if (at / 2 == DRAWN)
        draw_cpus (&plan, seed);
    staging_result_t result;
    play->failed = !staging_world_play (&plan, seed, NULL, &result, play->why);
    play->values [METRIC_MAKESPAN] = result.makespan_s;
    play->values [METRIC_JOB] = result.job_s;
    play->values [METRIC_SUSPENDED] = (double) result.suspended;
    play->values [METRIC_WRONG] = (double) (READING_JOBS + JOBS_OTHER - result.over + result.wrong);
    play->values [METRIC_BLIND] = (double) result.blind;
}

static double gain (const experiment_run_t *run, size_t at)
{
    return 1 - experiment_estimate (run, 2 * at + 1, METRIC_MAKESPAN).mean /
                 experiment_estimate (run, 2 * at, METRIC_MAKESPAN).mean;
}

static void judge (experiment_run_t *run)
{
    double wrong = 0, blind = 0, suspended = 0;
    for (size_t arm = 0; arm < arms (run->small); arm++) {
        wrong += experiment_estimate (run, arm, METRIC_WRONG).sum;
        blind += experiment_estimate (run, arm, METRIC_BLIND).sum;
        suspended += experiment_estimate (run, arm, METRIC_SUSPENDED).sum;
    }
    experiment_setting (run, "jobs",
                        "%d with a file of their own of %.0f s, then %d that compute "
                        "%d s; %d nodes",
                        READING_JOBS, COPY_S, JOBS_OTHER, OTHER_S, NODES);
    experiment_criterion_sound (run);
    experiment_criterion (run, "data", blind == 0, "%.0f jobs began without their data", blind);
    experiment_criterion (run, "right", wrong == 0 && suspended > 0,
                          "%.0f suspensions; %.0f jobs did not end right", suspended, wrong);
    experiment_criterion (run, "shorter", gain (run, PAPER_LIKE) >= GAIN_LEAST,
                          "%.1f %% shorter with overlap where a job computes %g s (%.0f %%; the "
                          "paper %.1f %%)",
                          100 * gain (run, PAPER_LIKE), computes [PAPER_LIKE], 100 * GAIN_LEAST,
                          100 * PAPER_GAIN);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_MAKESPAN};
    plot_bars (run, "S2 5.2: seconds until all is done", shown, 1, to);
}

const experiment_t experiment_overlap = {
  .name = "E2.2",
  .title = "nodes compute while files come, and have files come while they compute",
  .claim = "S2 5.2: 40 jobs that are staged each time and 8 that compute, 8 nodes: 88 minutes "
           "instead of 111",
  .metrics = metrics,
  .metrics_count = METRICS,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 8,
  .seeds_small = 8,
  .play = play_overlap,
  .judge = judge,
  .plot = plot};
