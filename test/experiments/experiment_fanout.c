/*  experiment_fanout - E2.3: what the chain costs (S2 3.2, Dolly+): the time in which n nodes have
 *  a file, against the time of one node.
 *
 *  One source and n storage nodes, each with its own link, are the product's conductor and agents;
 *  bytes are a fluid (sim_flows.h). Each play is run twice, with one node and with n. In some plays
 *  a node in the middle of the chain dies for good, or its link gets ten times slower, while bytes
 *  flow.
 */
#include "chain_scene.h"
#include "experiment.h"
#include "must.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_S_MIN   8 /* a copy takes this long on an idle link, */
#define LINE_S_MORE  8 /* or longer, by up to this much */
#define STEP_US      INT64_C (100000)
#define OTHERS_TIMES 4  /* limit for the other nodes, in multiples of one link's time, */
#define ALL_TIMES    30 /* and for the slow node */
#define SLOW_MBPS    (CHAIN_SCENE_MBPS / 10)
#define LINE_BYTES_S (CHAIN_SCENE_MBPS * 125000)
#define AT_ONCE_MAX  1.2 /* of one copy */
#define FAULTY_MAX   1.5
#define REREAD_MAX   0.1

typedef enum { MISHAP_NONE, MISHAP_KILLED, MISHAP_SLOWED } mishap_t;

typedef struct {
    size_t nodes;
    mishap_t mishap;
} fanout_arm_t;

static const fanout_arm_t arm_list [] = {
  {1, MISHAP_NONE},    {2, MISHAP_NONE},   {4, MISHAP_NONE},
  {8, MISHAP_NONE},    {16, MISHAP_NONE},  {4, MISHAP_KILLED},
  {16, MISHAP_KILLED}, {4, MISHAP_SLOWED}, {16, MISHAP_SLOWED},
};
#define ARMS (sizeof arm_list / sizeof *arm_list)

enum {
    METRIC_SECONDS,
    METRIC_OVER_ONE,
    METRIC_FILL,
    METRIC_REREAD,
    METRIC_WITHOUT,
    METRIC_LAST,
    METRICS
};

static const metric_t metrics [METRICS] = {
  {"seconds", "until all have it; with a mishap: all others"},
  {"over_one", "times the single copy's"},
  {"fill_ms", "more than the single copy takes, for each further node"},
  {"reread", "that the source sent beyond one copy, of the file's bytes"},
  {"without", "others that never got it"},
  {"slow_one_s", "until the slow one has it, too"},
};

typedef struct {
    size_t struck; /* SIZE_MAX = nobody */
    mishap_t mishap;
    int64_t at_us; /* after the beginning */
} mishap_plan_t;

typedef struct {
    double seconds; /* NO_VALUE: not every other node has it */
    double struck_s;
    double reread;
    size_t without;
} copied_t;

static bool others_have_it (const chain_scene_t *scene, size_t but)
{
    for (size_t i = 0; i < scene->nodes; i++)
        if (i != but && scene->verified_us [i] == 0)
            return false;
    return true;
}

static void strike (chain_scene_t *scene, const mishap_plan_t *plan)
{
    if (plan->mishap == MISHAP_KILLED)
        chain_scene_fall (scene, FALL_DEAD, plan->struck);
    else
        sim_flows_rate (scene->flows, scene->processes [plan->struck], SLOW_MBPS);
}

static void copied_take (chain_scene_t *scene, const mishap_plan_t *plan, copied_t *copied)
{
    int64_t last_us = 0;
    double sent = (double) sim_flows_fed (scene->flows, scene->processes [scene->nodes]);
    *copied = (copied_t){.seconds = NO_VALUE,
                         .struck_s = NO_VALUE,
                         .reread = (sent - (double) scene->size) / (double) scene->size};
    for (size_t i = 0; i < scene->nodes; i++) {
        if (i == plan->struck)
            continue;
        copied->without += scene->verified_us [i] == 0;
        last_us = scene->verified_us [i] > last_us ? scene->verified_us [i] : last_us;
    }
    if (copied->without == 0)
        copied->seconds = (double) (last_us - scene->begun_us) / 1e6;
    if (plan->struck < scene->nodes && scene->verified_us [plan->struck] > 0)
        copied->struck_s = (double) (scene->verified_us [plan->struck] - scene->begun_us) / 1e6;
}

/*  Sends a file down a chain of so many nodes. False, with why, when an invariant did not hold. */
static bool copy (uint64_t seed, size_t nodes, uint64_t size, const mishap_plan_t *plan,
                  copied_t *copied, char why [LONG_WHY_BYTES])
{
    sim_tally_t tally = {0};
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = nodes,
                             .sources = 1,
                             .size = size,
                             .slow_ms = SETTINGS_PRESET (chain_limits_t, &chain_table).slow_ms};
    chain_scene_begin (scene, seed, &tally, NULL);
    int64_t line_us = (int64_t) (size * 1000000 / LINE_BYTES_S);
    int64_t until_us = sim_now_us (scene->sim) + OTHERS_TIMES * line_us;
    int64_t all_us = plan->mishap == MISHAP_SLOWED ? ALL_TIMES * line_us : 0;
    bool struck = plan->struck >= nodes;
    while (!sim_failed (scene->sim) && sim_now_us (scene->sim) < until_us &&
           !others_have_it (scene, plan->struck)) {
        sim_run (scene->sim, sim_now_us (scene->sim) + STEP_US);
        if (struck || scene->begun_us == 0 ||
            sim_now_us (scene->sim) < scene->begun_us + plan->at_us)
            continue;
        struck = true;
        strike (scene, plan);
    }
    for (until_us = sim_now_us (scene->sim) + all_us; !sim_failed (scene->sim) &&
                                                      sim_now_us (scene->sim) < until_us &&
                                                      !others_have_it (scene, SIZE_MAX);)
        sim_run (scene->sim, sim_now_us (scene->sim) + STEP_US);
    bool good = !sim_failed (scene->sim);
    if (good)
        copied_take (scene, plan, copied);
    else
        snprintf (why, LONG_WHY_BYTES, "%s", sim_why (scene->sim));
    chain_scene_end (scene);
    free (scene);
    return good;
}

static void play_fanout (size_t at, uint64_t seed, play_t *play)
{
    const fanout_arm_t *arm = &arm_list [at];
    static const mishap_plan_t nothing = {.struck = SIZE_MAX};
    mishap_plan_t plan = nothing;
    copied_t one, all;
    prng_t prng;
    prng_seed (&prng, seed);
    uint64_t size =
      LINE_S_MIN * LINE_BYTES_S + prng_below (&prng, UINT64_C (1) * LINE_S_MORE * LINE_BYTES_S);
    uint64_t line_us = size * 1000000 / LINE_BYTES_S;
    if (arm->mishap != MISHAP_NONE)
        plan = (mishap_plan_t){.struck = 1 + prng_below (&prng, arm->nodes - 2),
                               .mishap = arm->mishap,
                               .at_us = (int64_t) (line_us / 10 + prng_below (&prng, line_us / 2))};
    play->failed = !copy (seed, 1, size, &nothing, &one, play->why) ||
                   !copy (seed, arm->nodes, size, &plan, &all, play->why);
    if (play->failed)
        return;
    play->values [METRIC_SECONDS] = all.seconds;
    play->values [METRIC_OVER_ONE] = all.seconds / one.seconds;
    if (arm->nodes > 1 && arm->mishap == MISHAP_NONE)
        play->values [METRIC_FILL] = (all.seconds - one.seconds) * 1000 / (double) (arm->nodes - 1);
    play->values [METRIC_REREAD] = all.reread;
    play->values [METRIC_WITHOUT] = (double) all.without;
    if (arm->mishap == MISHAP_SLOWED)
        play->values [METRIC_LAST] = all.struck_s;
}

static size_t arms (bool small)
{
    (void) small;
    return ARMS;
}

static void arm_name (size_t at, char name [ARM_NAME_BYTES])
{
    static const char *const mishaps [] = {"", ", one killed", ", one slowed to 10 %"};
    snprintf (name, ARM_NAME_BYTES, "n = %zu%s", arm_list [at].nodes,
              mishaps [arm_list [at].mishap]);
}

static void judge (experiment_run_t *run)
{
    double without = 0;
    double reread = 0;
    double most [2] = {0, 0};
    size_t slow_plays = 0;
    size_t slow_done = 0;
    experiment_setting (run, "links", "%d Mbit/s for each node and the source", CHAIN_SCENE_MBPS);
    experiment_setting (run, "file", "%d to %d s of such a link", LINE_S_MIN,
                        LINE_S_MIN + LINE_S_MORE);
    experiment_setting (run, "mishap",
                        "any node but the first and the last, after 10 to 60 %% of "
                        "the time that one copy takes");
    experiment_criterion_sound (run);
    for (size_t arm = 0; arm < ARMS; arm++) {
        bool faulty = arm_list [arm].mishap != MISHAP_NONE;
        estimate_t over = experiment_estimate (run, arm, METRIC_OVER_ONE);
        without += experiment_estimate (run, arm, METRIC_WITHOUT).sum;
        most [faulty] = fmax (most [faulty], over.most);
        reread = fmax (reread, experiment_estimate (run, arm, METRIC_REREAD).most);
        if (arm_list [arm].mishap != MISHAP_SLOWED)
            continue;
        slow_plays += run->first [arm + 1] - run->first [arm];
        slow_done += experiment_estimate (run, arm, METRIC_LAST).count;
    }
    experiment_criterion (run, "at-once", most [0] > 0 && most [0] <= AT_ONCE_MAX,
                          "up to 16 nodes took at most %.3f times as long as one (%.1f)", most [0],
                          AT_ONCE_MAX);
    experiment_criterion (run, "others", most [1] > 0 && most [1] <= FAULTY_MAX && without == 0,
                          "with one killed or slow the others took at most %.2f times as long "
                          "(%.1f); %.0f never had it",
                          most [1], FAULTY_MAX, without);
    experiment_criterion (run, "origin", reread < REREAD_MAX,
                          "the source sent at most %.1f %% of the file again (%.0f %%)",
                          100 * reread, 100 * REREAD_MAX);
    experiment_criterion (run, "slow", slow_done == slow_plays,
                          "%zu of %zu slow nodes had it in the end", slow_done, slow_plays);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {METRIC_OVER_ONE};
    plot_bars (run, "E2.3: n nodes against one", shown, 1, to);
}

const experiment_t experiment_fanout = {
  .name = "E2.3",
  .title = "a chain of n storage nodes has a file in the time of one, also when one fails",
  .claim = "S2 3.2: Dolly+ copies to n nodes in the time of one, whatever n",
  .metrics = metrics,
  .metrics_count = METRICS,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 50,
  .seeds_small = 4,
  .play = play_fanout,
  .judge = judge,
  .plot = plot};
