/*  experiment_balance_levels - E1.1: levels that follow what each owner gains (S1 figures 1 to 4).
 *
 *  A play is 500 rounds; after each, eqs 5 to 7 move every level. The paper does not say where
 *  levels begin: here they begin at 1. The logarithm of the level is kept, because levels grow by
 *  some percent a round without bound.
 */
#include "balance_world.h"

#include "bilb_level.h"
#include "plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define CLUSTERS     5
#define ROUNDS       500
#define POINTS       21 /* includes the state before the first round and after the last */
#define POINT_ROUNDS (ROUNDS / (POINTS - 1))
#define LEVEL_FIRST  1.0

/*  Spearman's coefficient of level and speed in the case where the paper finds it clear. */
#define SPEARMAN_MOST (-0.9)

#define AT(cluster, round)                                                                         \
    {                                                                                              \
        "S" #cluster "_" #round, "log10 of the level after so many rounds"                         \
    }
#define LEVELS_OF(cluster)                                                                         \
    AT (cluster, 0), AT (cluster, 25), AT (cluster, 50), AT (cluster, 75), AT (cluster, 100),      \
      AT (cluster, 125), AT (cluster, 150), AT (cluster, 175), AT (cluster, 200),                  \
      AT (cluster, 225), AT (cluster, 250), AT (cluster, 275), AT (cluster, 300),                  \
      AT (cluster, 325), AT (cluster, 350), AT (cluster, 375), AT (cluster, 400),                  \
      AT (cluster, 425), AT (cluster, 450), AT (cluster, 475), AT (cluster, 500)

static const metric_t metrics [] = {LEVELS_OF (1), LEVELS_OF (2), LEVELS_OF (3), LEVELS_OF (4),
                                    LEVELS_OF (5)};

static_assert (sizeof metrics / sizeof *metrics == CLUSTERS * POINTS, "a metric for each point");
static_assert (CLUSTERS * POINTS <= METRICS_MAX, "a play has room for them");

/*  As the paper's figures 1 to 4. */
enum { PLAIN_I, PLAIN_II, EXTENDED_I, EXTENDED_II, FIGURES };

static const char *const figures [FIGURES] = {[PLAIN_I] = "figure 1: case I",
                                              [PLAIN_II] = "figure 2: case II",
                                              [EXTENDED_I] = "figure 3: case I, schedule rebuilt",
                                              [EXTENDED_II] =
                                                "figure 4: case II, schedule rebuilt"};

static size_t arms (bool small)
{
    (void) small;
    return FIGURES;
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s", figures [arm]);
}

static void put (play_t *play, const double *levels, size_t rounds)
{
    for (size_t i = 0; i < CLUSTERS && rounds % POINT_ROUNDS == 0; i++)
        play->values [i * POINTS + rounds / POINT_ROUNDS] = log10 (levels [i]);
}

static void play_levels (size_t arm, uint64_t seed, play_t *play)
{
    static balance_world_t *world; /* kept until the worker ends */
    if (!world)
        world = balance_world_new ();
    world_order_t order = {.which = arm == PLAIN_I || arm == EXTENDED_I ? CASE_I : CASE_II,
                           .clusters = CLUSTERS,
                           .extended = arm == EXTENDED_I || arm == EXTENDED_II};
    for (size_t i = 0; i < CLUSTERS; i++)
        order.levels [i] = LEVEL_FIRST;
    put (play, order.levels, 0);
    for (size_t rounds = 1; rounds <= ROUNDS; rounds++) {
        order.seed = seed * ROUNDS + rounds;
        world_round_t round;
        if (!balance_world_play (world, &order, &round, play))
            return;
        for (size_t i = 0; i < CLUSTERS; i++)
            order.levels [i] =
              bilb_level_next (order.levels [i], round.flow [i], round.alone [i], BILB_SIGMA);
        put (play, order.levels, rounds);
    }
}

/*  --- criteria --- */

static double level_after (const experiment_run_t *run, size_t arm, size_t cluster, size_t point)
{
    return experiment_estimate (run, arm, cluster * POINTS + point).mean;
}

/*  Spearman's coefficient of the last levels and of speeds, which rise with the index. */
static double spearman (const experiment_run_t *run, size_t arm)
{
    double squares = 0;
    for (size_t i = 0; i < CLUSTERS; i++) {
        double rank = 0;
        for (size_t k = 0; k < CLUSTERS; k++)
            rank += level_after (run, arm, k, POINTS - 1) < level_after (run, arm, i, POINTS - 1);
        squares += (rank - (double) i) * (rank - (double) i);
    }
    return 1 - 6 * squares / (CLUSTERS * (CLUSTERS * CLUSTERS - 1.0));
}

/*  Spread of the growth: the largest mean less the smallest. */
static double spread (const experiment_run_t *run, size_t arm)
{
    double least = INFINITY;
    double most = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < CLUSTERS; i++) {
        double growth = level_after (run, arm, i, POINTS - 1) - level_after (run, arm, i, 0);
        least = fmin (least, growth);
        most = fmax (most, growth);
        sum += growth;
    }
    return (most - least) / (sum / CLUSTERS);
}

static void judge_levels (experiment_run_t *run)
{
    experiment_setting (run, "round", "T = %.0f from empty, then drained; a step each 1", WORLD_T);
    experiment_setting (run, "rounds", "%d, sigma = %.2f, levels begin at %.0f", ROUNDS, BILB_SIGMA,
                        LEVEL_FIRST);
    experiment_criterion_sound (run);
    double least = INFINITY;
    for (size_t arm = 0; arm < FIGURES; arm++)
        for (size_t i = 0; i < CLUSTERS; i++)
            least = fmin (least, level_after (run, arm, i, POINTS - 1));
    experiment_criterion (run, "levels-rise", least > 0,
                          "all levels end above where they began; the lowest at 1e%.1f", least);
    experiment_criterion (run, "fast-rise-slowly", spearman (run, PLAIN_II) <= SPEARMAN_MOST,
                          "case II: Spearman's coefficient of level and speed %.2f, at most %.1f; "
                          "case I: %.2f",
                          spearman (run, PLAIN_II), SPEARMAN_MOST, spearman (run, PLAIN_I));
    experiment_criterion (run, "spread", spread (run, PLAIN_I) < spread (run, PLAIN_II),
                          "of the exponents, most less least by the mean: case I %.3f, II %.3f; "
                          "rebuilt: I %.3f, II %.3f (the paper has II's smaller there)",
                          spread (run, PLAIN_I), spread (run, PLAIN_II), spread (run, EXTENDED_I),
                          spread (run, EXTENDED_II));
}

/*  --- what is told --- */

static void tell_levels (const experiment_run_t *run, FILE *to)
{
    fprintf (to, "log10 of levels\n%-38s", "rounds");
    for (size_t point = 4; point < POINTS; point += 4)
        fprintf (to, " %7zu", point * POINT_ROUNDS);
    fputc ('\n', to);
    for (size_t arm = 0; arm < FIGURES; arm++)
        for (size_t i = 0; i < CLUSTERS; i++) {
            fprintf (to, "%-35s S_%zu", figures [arm], i + 1);
            for (size_t point = 4; point < POINTS; point += 4)
                fprintf (to, " %7.2f", level_after (run, arm, i, point));
            fputc ('\n', to);
        }
}

static const char *point_word (size_t point)
{
    static char word [16];
    snprintf (word, sizeof word, "%zu", point * POINT_ROUNDS);
    return point % 4 == 0 ? word : "";
}

static const char *line_word (size_t line)
{
    static const char *const names [] = {"S_1, speed 1", "S_2, speed 1.25", "S_3, speed 1.5",
                                         "S_4, speed 1.75", "S_5, speed 2"};
    return names [line];
}

static void plot_levels (const experiment_run_t *run, FILE *to)
{
    fputs ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1800\" height=\"940\">\n", to);
    for (size_t arm = 0; arm < FIGURES; arm++) {
        double values [CLUSTERS * POINTS];
        for (size_t i = 0; i < CLUSTERS; i++)
            for (size_t point = 0; point < POINTS; point++)
                values [i * POINTS + point] = pow (10, level_after (run, arm, i, point));
        fprintf (to, "<g transform=\"translate(%d,%d)\">\n", arm % 2 == 0 ? 0 : 900,
                 arm < 2 ? 0 : 470);
        plot_lines (&(plot_lines_t){.title = figures [arm],
                                    .across = "rounds",
                                    .up = "level",
                                    .points = POINTS,
                                    .point = point_word,
                                    .lines = CLUSTERS,
                                    .line = line_word,
                                    .values = values},
                    to);
        fputs ("</g>\n", to);
    }
    fputs ("</svg>\n", to);
}

const experiment_t experiment_growth = {
  .name = "E1.1",
  .title = "how levels of participation grow",
  .claim = "S1 4.3.2, 5.2: levels rise; fast clusters' more slowly, clearly so in case II",
  .metrics = metrics,
  .metrics_count = sizeof metrics / sizeof *metrics,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 10,
  .seeds_small = 2,
  .play = play_levels,
  .judge = judge_levels,
  .plot = plot_levels,
  .tell = tell_levels};
