/*  experiment_balance_lies - E1.4: what an owner gains who lies about its level or its speed.
 *
 *  Five clusters, all at level 100 and with their true speeds, except one, which lies: the slowest
 *  or the fastest. It works at its true speed; the balancer believes what it is told. A play is one
 *  round, with the same draws for every lie, so that a lie is compared with honesty round by round.
 */
#include "balance_world.h"

#include "plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define CLUSTERS   5
#define LEVEL      100.0
#define SURE       0.05 /* half an interval of a lie's worth, in parts of the honest flow */
#define SMALL_SURE 0.20

typedef struct {
    const char *name;
    double level; /* that it claims */
    double speed; /* that it claims, as a multiple of the true one */
} lie_t;

enum { HONEST, NO_PART, LEVEL_1, LEVEL_10000, HALF, SLOWER, FASTER, DOUBLE, LIES };

static const lie_t lies [LIES] = {[HONEST] = {"honest", LEVEL, 1},
                                  [NO_PART] = {"level 0", 0, 1},
                                  [LEVEL_1] = {"level 1", 1, 1},
                                  [LEVEL_10000] = {"level 10000", 10000, 1},
                                  [HALF] = {"speed x 0.5", LEVEL, 0.5},
                                  [SLOWER] = {"speed x 0.8", LEVEL, 0.8},
                                  [FASTER] = {"speed x 1.25", LEVEL, 1.25},
                                  [DOUBLE] = {"speed x 2", LEVEL, 2}};

enum { LIAR, OTHERS, METRICS };

static const metric_t metrics [METRICS] = {{"liar", "its flow times by those of being alone"},
                                           {"others", "the mean of the others'"}};

/*  Which cluster lies, in which world: an arm is one of these and a lie. */
typedef struct {
    const char *name;
    world_case_t which;
    bool extended;
    size_t liar;
} balance_lies_scene_t;

static const balance_lies_scene_t scenes [] = {
  {"I, slowest", CASE_I, false, 0},
  {"I, fastest", CASE_I, false, CLUSTERS - 1},
  {"II, slowest", CASE_II, false, 0},
  {"II, fastest", CASE_II, false, CLUSTERS - 1},
  {"I, slowest, rebuilt", CASE_I, true, 0},
  {"I, fastest, rebuilt", CASE_I, true, CLUSTERS - 1},
  {"II, slowest, rebuilt", CASE_II, true, 0},
  {"II, fastest, rebuilt", CASE_II, true, CLUSTERS - 1}};

#define SCENES (sizeof scenes / sizeof *scenes)

static size_t arms (bool small)
{
    (void) small;
    return SCENES * LIES;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s: %s", scenes [arm / LIES].name, lies [arm % LIES].name);
}

static void play_lie (size_t arm, uint64_t seed, play_t *play)
{
    static balance_world_t *world; /* kept until the worker ends */
    if (!world)
        world = balance_world_new ();
    const balance_lies_scene_t *scene = &scenes [arm / LIES];
    const lie_t *lie = &lies [arm % LIES];
    world_order_t order = {
      .which = scene->which, .clusters = CLUSTERS, .seed = seed, .extended = scene->extended};
    for (size_t i = 0; i < CLUSTERS; i++)
        order.levels [i] = LEVEL;
    order.levels [scene->liar] = lie->level;
    order.claimed [scene->liar] = lie->speed * world_speed (scene->liar, CLUSTERS);
    world_round_t round;
    if (!balance_world_play (world, &order, &round, play))
        return;
    double others = 0;
    for (size_t i = 0; i < CLUSTERS; i++) {
        if (round.alone [i] == 0)
            return;
        if (i != scene->liar)
            others += round.flow [i] / round.alone [i] / (CLUSTERS - 1);
    }
    play->values [LIAR] = round.flow [scene->liar] / round.alone [scene->liar];
    play->values [OTHERS] = others;
}

/*  --- criteria --- */

/*  What the lie adds to the liar's flow times, as a part of the honest ones; below 0 the liar
 *  gains. */
static estimate_t worth (const experiment_run_t *run, size_t scene, size_t lie, size_t metric)
{
    size_t honest = scene * LIES + HONEST;
    double mean = experiment_estimate (run, honest, metric).mean;
    estimate_t added = experiment_paired (run, honest, scene * LIES + lie, metric);
    added.mean /= mean;
    added.low /= mean;
    added.high /= mean;
    return added;
}

static void judge_sure (experiment_run_t *run)
{
    double bound = run->small ? SMALL_SURE : SURE;
    double widest = 0;
    size_t gains = 0;
    size_t losses = 0;
    for (size_t scene = 0; scene < SCENES; scene++)
        for (size_t lie = LEVEL_1; lie < LIES; lie++) {
            estimate_t added = worth (run, scene, lie, LIAR);
            widest = fmax (widest, (added.high - added.low) / 2);
            gains += added.high < 0;
            losses += added.low > 0;
        }
    experiment_criterion (
      run, "worth-is-known", widest <= bound,
      "what each lie is worth is known to +- %.1f %%, at most %.0f; of %zu, %zu "
      "shorten the liar's flow times for certain, %zu lengthen them",
      100 * widest, 100 * bound, SCENES * (LIES - LEVEL_1), gains, losses);
}

/*  Without the extension, level 0 means being alone: nothing is received and nothing is sent. */
static void judge_no_part (experiment_run_t *run)
{
    double off = 0;
    for (size_t scene = 0; scene < SCENES; scene++) {
        estimate_t alone = experiment_estimate (run, scene * LIES + NO_PART, LIAR);
        if (!scenes [scene].extended)
            off = fmax (off, fmax (fabs (alone.low - 1), fabs (alone.high - 1)));
    }
    experiment_criterion (run, "no-part-no-gain", off <= 1e-9,
                          "at level 0 flow times are those of being alone, off by %.1e", off);
}

static void judge_lies (experiment_run_t *run)
{
    experiment_setting (run, "clusters", "%d, level %.0f; one lies, the slowest or the fastest",
                        CLUSTERS, LEVEL);
    experiment_setting (run, "rounds", "%llu of each, the same draws for every lie",
                        (unsigned long long) run->seeds);
    experiment_criterion_sound (run);
    judge_no_part (run);
    judge_sure (run);
}

/*  --- what is told --- */

static void tell_lies (const experiment_run_t *run, FILE *to)
{
    fprintf (to, "flow times added by the lie, %% of the honest ones, with the 95 %% interval: the "
                 "liar's (below 0: it gains), and the others'\n");
    for (size_t scene = 0; scene < SCENES; scene++) {
        double honest = experiment_estimate (run, scene * LIES + HONEST, LIAR).mean;
        fprintf (to, "%s (score when honest %.2f)\n", scenes [scene].name, 1 / honest);
        for (size_t lie = HONEST + 1; lie < LIES; lie++) {
            estimate_t own = worth (run, scene, lie, LIAR);
            estimate_t others = worth (run, scene, lie, OTHERS);
            fprintf (to, "  %-14s %8.1f [%.1f, %.1f] %12.1f [%.1f, %.1f]\n", lies [lie].name,
                     100 * own.mean, 100 * own.low, 100 * own.high, 100 * others.mean,
                     100 * others.low, 100 * others.high);
        }
    }
}

static void plot_lies (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {LIAR, OTHERS};
    plot_bars (run, "E1.4: flow times by those of being alone", shown, METRICS, to);
}

const experiment_t experiment_lies = {.name = "E1.4",
                                      .title = "an owner who lies about its level or its speed",
                                      .claim = "none: the paper takes what owners say for true",
                                      .metrics = metrics,
                                      .metrics_count = METRICS,
                                      .arms = arms,
                                      .arm_name = arm_name,
                                      .seeds = 100,
                                      .seeds_small = 20,
                                      .play = play_lie,
                                      .judge = judge_lies,
                                      .plot = plot_lies,
                                      .tell = tell_lies};
