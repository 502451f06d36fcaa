/*  experiment_weights - E4.3: where an administrator's weights put the load (S4 §4.2); a play is
 *  one day (s4_day.h).
 */
#include "s4_day.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EVEN         0.20 /* coefficient of variation of the sites' loads at 50 % */
#define SITES_POINTS ((size_t) S4_SITES * DAY_POINTS)

#define BOOKED "share of the site's CPU-hours of the day that are booked by then"
#define PART   "share of the plans made to 50 % in which the site takes part"

static const metric_t sites_metrics [] = {
  DAY_METRICS ("N1", BOOKED), DAY_METRICS ("N2", BOOKED), DAY_METRICS ("N3", BOOKED),
  DAY_METRICS ("N4", BOOKED), DAY_METRICS ("S1", BOOKED), DAY_METRICS ("S2", BOOKED),
  DAY_METRICS ("S3", BOOKED), DAY_METRICS ("U1", BOOKED), DAY_METRICS ("U2", BOOKED),
  DAY_METRICS ("U3", BOOKED), {"N1_part", PART},          {"N2_part", PART},
  {"N3_part", PART},          {"N4_part", PART},          {"S1_part", PART},
  {"S2_part", PART},          {"S3_part", PART},          {"U1_part", PART},
  {"U2_part", PART},          {"U3_part", PART}};
#define SITES_METRICS (sizeof sites_metrics / sizeof *sites_metrics)

static_assert (SITES_METRICS == SITES_POINTS + S4_SITES, "a metric for each site and point");
static_assert (SITES_METRICS <= METRICS_MAX, "a play has room for them");

static const wish_t weights_arms [] = {AS_PROPOSED, BY_SIZE, BY_DOMAIN};

static void play_sites (wish_t wish, uint64_t seed, play_t *play)
{
    day_t day;
    if (!day_play (wish, seed, &day, play))
        return;
    for (size_t site = 0; site < S4_SITES; site++) {
        double booked = 0;
        for (size_t point = 0; point < DAY_POINTS; point++) {
            booked += day.booked [site][point];
            play->values [site * DAY_POINTS + point] =
              booked / ((double) s4_sites [site].cpus * (double) S4_DAY_MS);
        }
        play->values [SITES_POINTS + site] = day.parts [site] / day.planned;
    }
}

static size_t arms_weights (bool small)
{
    (void) small;
    return sizeof weights_arms / sizeof *weights_arms;
}

static void name_weights (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s", wish_words [weights_arms [arm]]);
}

static void play_weights (size_t arm, uint64_t seed, play_t *play)
{
    play_sites (weights_arms [arm], seed, play);
}

static double load (const experiment_run_t *run, size_t arm, size_t site, size_t point)
{
    return experiment_estimate (run, arm, site * DAY_POINTS + point).mean;
}

static double variation (const experiment_run_t *run, size_t arm, size_t point)
{
    double sum = 0;
    double squares = 0;
    for (size_t site = 0; site < S4_SITES; site++) {
        double value = load (run, arm, site, point);
        sum += value / S4_SITES;
        squares += value * value / S4_SITES;
    }
    return sqrt (fmax (0, squares - sum * sum)) / sum;
}

/*  The classes of sites with the same weight, lightest first: by arm. */
static size_t class_of (size_t arm, size_t site)
{
    if (weights_arms [arm] == BY_DOMAIN)
        return s4_sites [site].domain;
    return s4_sites [site].cpus == 64   ? 0
           : s4_sites [site].cpus == 32 ? 1
           : s4_sites [site].cpus == 16 ? 2
                                        : 3;
}

/*  The mean over the sites of a class of a value that each site has. */
static double class_mean (size_t arm, size_t class, const double values [S4_SITES])
{
    double sum = 0;
    double count = 0;
    for (size_t site = 0; site < S4_SITES; site++)
        if (class_of (arm, site) == class) {
            sum += values [site];
            count++;
        }
    return sum / count;
}

static double class_load (const experiment_run_t *run, size_t arm, size_t class, size_t point)
{
    double values [S4_SITES];
    for (size_t site = 0; site < S4_SITES; site++)
        values [site] = load (run, arm, site, point);
    return class_mean (arm, class, values);
}

static double class_part (const experiment_run_t *run, size_t arm, size_t class)
{
    double values [S4_SITES];
    for (size_t site = 0; site < S4_SITES; site++)
        values [site] = experiment_estimate (run, arm, SITES_POINTS + site).mean;
    return class_mean (arm, class, values);
}

/*  The lighter a class, the more it is loaded. A request has one job at a site, so a class with one
 *  site can't have more load than one job of each request; the first `alone` such classes are
 *  judged by their share of the plans instead. */
static void judge_order (experiment_run_t *run, size_t arm, size_t classes, size_t alone,
                         const char *name)
{
    size_t wrong = 0;
    for (size_t class = 0; class + 1 < classes; class ++) {
        wrong += class_part (run, arm, class) < class_part (run, arm, class + 1);
        for (size_t point = 0; point <= AT_50 && class >= alone; point++)
            wrong += class_load (run, arm, class, point) < class_load (run, arm, class + 1, point);
    }
    char what [64];
    char told [160] = "";
    for (size_t class = 0; class < classes; class ++)
        snprintf (told + strlen (told), sizeof told - strlen (told), " %.2f/%.2f",
                  class_part (run, arm, class), class_load (run, arm, class, AT_30));
    snprintf (what, sizeof what, "%s-ordered", name);
    experiment_criterion (run, what, wrong == 0,
                          "judged by the share of plans to 50 %%%s; share/load at 30 %%, lightest "
                          "weight first:%s; %zu neighbours out of order",
                          alone ? ", the first class by nothing else, and the others by load, too"
                                : ", and by load",
                          told, wrong);
}

static double spread (const experiment_run_t *run, size_t arm, size_t classes, size_t point)
{
    double most = 0;
    double least = 1;
    for (size_t class = 0; class < classes; class ++) {
        most = fmax (most, class_load (run, arm, class, point));
        least = fmin (least, class_load (run, arm, class, point));
    }
    return most - least;
}

static void judge_evening (experiment_run_t *run, size_t arm, size_t classes, const char *name)
{
    double before = variation (run, arm, AT_30);
    double after = variation (run, arm, AT_100);
    char what [64];
    snprintf (what, sizeof what, "%s-evens-out", name);
    experiment_criterion (
      run, what, after < before / 2,
      "coefficient of variation of the sites' loads: %.3f at 30 %%, %.3f at 100 "
      "%%; most less least loaded class: %.3f, %.3f",
      before, after, spread (run, arm, classes, AT_30), spread (run, arm, classes, AT_100));
}

static void judge_weights (experiment_run_t *run)
{
    day_settings (run);
    double at_half = variation (run, 0, AT_50);
    experiment_criterion (run, "even", at_half < EVEN,
                          "at 50 %%: coefficient of variation of the sites' loads %.3f; less than "
                          "%.2f",
                          at_half, EVEN);
    judge_order (run, 1, 4, 1, "size");
    judge_evening (run, 1, 4, "size");
    judge_order (run, 2, S4_DOMAINS, 0, "domain");
    judge_evening (run, 2, S4_DOMAINS, "domain");
}

static const char *weights_line (size_t line)
{
    static const char *const names [] = {"A: all",       "B1: 64 CPUs", "B1: 32 CPUs",
                                         "B1: 16 CPUs",  "B1: 8 CPUs",  "B2: domain N",
                                         "B2: domain S", "B2: domain U"};
    return names [line];
}

static void plot_weights (const experiment_run_t *run, FILE *to)
{
    static const struct {
        size_t arm;
        size_t class;
    } lines [] = {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}};
    double values [8 * DAY_POINTS] = {0};
    for (size_t point = 0; point < DAY_POINTS; point++) {
        for (size_t site = 0; site < S4_SITES; site++)
            values [point] += load (run, 0, site, point) / S4_SITES;
        for (size_t line = 0; line < 7; line++)
            values [(line + 1) * DAY_POINTS + point] =
              class_load (run, lines [line].arm, lines [line].class, point);
    }
    day_plot ("S4 figures 7 to 9: mean load of the sites", "load", 8, weights_line, values, to);
}

static void tell_sites (const experiment_run_t *run, FILE *to)
{
    day_tell (run, S4_SITES, to);
}

const experiment_t experiment_weights = {
  .name = "E4.3",
  .title = "even load, and sites preferred by weight",
  .claim =
    "S4 4.2: loads rise evenly without weights; with them in their order, until little is idle",
  .metrics = sites_metrics,
  .metrics_count = SITES_METRICS,
  .arms = arms_weights,
  .arm_name = name_weights,
  .seeds = 25,
  .seeds_small = 4,
  .play = play_weights,
  .judge = judge_weights,
  .plot = plot_weights,
  .tell = tell_sites};
