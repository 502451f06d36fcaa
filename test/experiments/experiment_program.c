/*  experiment_program - E4.1 and E4.2: two users' success with co-allocation by integer programs
 *  (S4 §4.2); a play is one day (s4_day.h).
 */
#include "s4_day.h"

#include <assert.h>
#include <math.h>

#define GOOD        0.85 /* least success of either user at 50 % */
#define FULL_LOW    0.35 /* bounds of it at 100 % */
#define FULL_HIGH   0.60
#define USERS_ALIKE 0.10
#define LEVELS_GAP  0.10 /* least gap between users that a service level makes at 100 % */
#define ARMS_MOST   4
#define LEVELS_SAME 0.05 /* largest gap that it makes at 30 % or less */

#define PLANNED "share of the user's requests of that tenth that were planned"

static const metric_t users_metrics [] = {DAY_METRICS ("A", PLANNED), DAY_METRICS ("B", PLANNED)};
#define USERS_METRICS ((size_t) S4_USERS * DAY_POINTS)

static_assert (sizeof users_metrics / sizeof *users_metrics == USERS_METRICS,
               "a metric for each user and point");

static const wish_t windows_arms [] = {AS_PROPOSED, FEW_WINDOWS, MANY_WINDOWS, SHORT_PATHS};
static const wish_t levels_arms [] = {AS_PROPOSED, B_SEES_HALF};

static void play_users (wish_t wish, uint64_t seed, play_t *play)
{
    day_t day;
    if (!day_play (wish, seed, &day, play))
        return;
    for (size_t user = 0; user < S4_USERS; user++)
        for (size_t point = 0; point < DAY_POINTS; point++)
            if (day.asked [user][point] > 0)
                play->values [user * DAY_POINTS + point] =
                  day.got [user][point] / day.asked [user][point];
}

static double success (const experiment_run_t *run, size_t arm, size_t user, size_t point)
{
    return experiment_estimate (run, arm, user * DAY_POINTS + point).mean;
}

static size_t arms_windows (bool small)
{
    (void) small;
    return sizeof windows_arms / sizeof *windows_arms;
}

static void name_windows (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s", wish_words [windows_arms [arm]]);
}

static void play_windows (size_t arm, uint64_t seed, play_t *play)
{
    play_users (windows_arms [arm], seed, play);
}

/*  Judged at every point; with few seeds, in the mean of the day. */
static void judge_alike (experiment_run_t *run)
{
    double most = 0;
    double mean = 0;
    for (size_t point = 0; point < DAY_POINTS; point++) {
        double apart = success (run, 0, 0, point) - success (run, 0, 1, point);
        most = fmax (most, fabs (apart));
        mean += apart / DAY_POINTS;
    }
    double apart = run->small ? fabs (mean) : most;
    experiment_criterion (run, "users-alike", apart < USERS_ALIKE,
                          "A and B apart by %.3f %s; less than %.2f", apart,
                          run->small ? "in the mean" : "at most", USERS_ALIKE);
}

static void judge_success (experiment_run_t *run)
{
    day_settings (run);
    double a = success (run, 0, 0, AT_50);
    double b = success (run, 0, 1, AT_50);
    experiment_criterion (run, "good-at-half", a >= GOOD && b >= GOOD,
                          "at 50 %%: A %.3f, B %.3f; paper 0.918, 0.897; at least %.2f", a, b,
                          GOOD);
    a = success (run, 0, 0, AT_100);
    b = success (run, 0, 1, AT_100);
    experiment_criterion (
      run, "full", a >= FULL_LOW && a <= FULL_HIGH && b >= FULL_LOW && b <= FULL_HIGH,
      "at 100 %%: A %.3f, B %.3f; paper 0.415, 0.478; %.2f to %.2f", a, b, FULL_LOW, FULL_HIGH);
    judge_alike (run);
    if (run->small)
        return; /* too few plays to tell such small differences */
    double mean [ARMS_MOST] = {0};
    for (size_t arm = 0; arm < ARMS_MOST; arm++)
        for (size_t metric = 0; metric < USERS_METRICS; metric++)
            mean [arm] += experiment_estimate (run, arm, metric).mean / (double) USERS_METRICS;
    experiment_criterion (
      run, "windows-help", mean [0] > mean [1],
      "mean of the day: N = 1 %.3f, N = 10 %.3f; N = 30 %.3f; N = 10 and Pmax = 2 %.3f", mean [1],
      mean [0], mean [2], mean [3]);
}

static const char *user_line (const experiment_t *experiment, size_t line)
{
    static char names [ARMS_MOST * S4_USERS][96];
    char arm [ARM_NAME_BYTES];
    experiment->arm_name (line / S4_USERS, arm);
    snprintf (names [line], sizeof names [line], "%s: %.60s", s4_users [line % S4_USERS], arm);
    return names [line];
}

static const char *windows_line (size_t line)
{
    return user_line (&experiment_success, line);
}

static void plot_users (const experiment_run_t *run, const char *title,
                        const char *(*line) (size_t line), FILE *to)
{
    double values [ARMS_MOST * USERS_METRICS];
    size_t arms = run->experiment->arms (run->small);
    for (size_t arm = 0; arm < arms; arm++)
        for (size_t metric = 0; metric < USERS_METRICS; metric++)
            values [arm * USERS_METRICS + metric] = experiment_estimate (run, arm, metric).mean;
    day_plot (title, "success", arms * S4_USERS, line, values, to);
}

static void plot_windows (const experiment_run_t *run, FILE *to)
{
    plot_users (run, "S4 figure 6: requests planned of those asked", windows_line, to);
}

static void tell_users (const experiment_run_t *run, FILE *to)
{
    day_tell (run, S4_USERS, to);
}

/*  --- E4.2: service levels --- */

static size_t arms_levels (bool small)
{
    (void) small;
    return sizeof levels_arms / sizeof *levels_arms;
}

static void name_levels (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s", wish_words [levels_arms [arm]]);
}

static void play_levels (size_t arm, uint64_t seed, play_t *play)
{
    play_users (levels_arms [arm], seed, play);
}

static void judge_levels (experiment_run_t *run)
{
    day_settings (run);
    double a = success (run, 1, 0, AT_100);
    double b = success (run, 1, 1, AT_100);
    experiment_criterion (run, "gap-when-full", a - b >= LEVELS_GAP,
                          "at 100 %%: A %.3f, B %.3f, gap %.3f; paper 0.595, 0.415; at least %.2f",
                          a, b, a - b, LEVELS_GAP);
    double early = 0;
    double most = 0;
    for (size_t point = 0; point <= AT_30; point++) {
        double apart = success (run, 1, 0, point) - success (run, 1, 1, point);
        early += apart / (AT_30 + 1);
        most = fmax (most, apart);
    }
    experiment_criterion (run, "none-when-idle", (run->small ? early : most) <= LEVELS_SAME,
                          "to 30 %%: A above B by %.3f in the mean, %.3f at most; at most %.2f%s",
                          early, most, LEVELS_SAME, run->small ? " in the mean" : "");
    double gain = success (run, 1, 0, AT_100) - success (run, 0, 0, AT_100);
    experiment_criterion (run, "high-level-gains", gain > 0,
                          "at 100 %%: A gains %.3f by B's lower level; paper 0.180", gain);
}

static const char *levels_line (size_t line)
{
    return user_line (&experiment_levels, line);
}

static void plot_levels (const experiment_run_t *run, FILE *to)
{
    plot_users (run, "S4 figure 6: requests planned of those asked, with and without levels",
                levels_line, to);
}

const experiment_t experiment_success = {
  .name = "E4.1",
  .title = "success of co-allocation by integer programs",
  .claim =
    "S4 4.2: at 50 % of the load 0.918 and 0.897 of two users' requests are planned, at 100 % "
    "0.415 and 0.478; 3.1: more windows, more success",
  .metrics = users_metrics,
  .metrics_count = USERS_METRICS,
  .arms = arms_windows,
  .arm_name = name_windows,
  .seeds = 25,
  .seeds_small = 4,
  .play = play_windows,
  .judge = judge_success,
  .plot = plot_windows,
  .tell = tell_users};

const experiment_t experiment_levels = {
  .name = "E4.2",
  .title = "a user who sees half of what is free",
  .claim =
    "S4 4.2: no difference at low load; at 100 % 0.595 for the high level, 0.415 for the low",
  .metrics = users_metrics,
  .metrics_count = USERS_METRICS,
  .arms = arms_levels,
  .arm_name = name_levels,
  .seeds = 25,
  .seeds_small = 4,
  .play = play_levels,
  .judge = judge_levels,
  .plot = plot_levels,
  .tell = tell_users};
