/*  s4_day - counts a play's answers, and prints and draws the counts. */
#include "s4_day.h"

#include "plot.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define HOURS 24

static size_t site_named (const char *name)
{
    size_t at = 0;
    while (at < S4_SITES && strcmp (s4_sites [at].name, name) != 0)
        at++;
    assert (at < S4_SITES);
    return at;
}

/*  How much of an interval lies in the second day. */
static double in_day (int64_t from_ms, int64_t until_ms)
{
    from_ms = from_ms > S4_DAY_MS ? from_ms : S4_DAY_MS;
    until_ms = until_ms < 2 * S4_DAY_MS ? until_ms : 2 * S4_DAY_MS;
    return until_ms > from_ms ? (double) (until_ms - from_ms) : 0;
}

static void note (void *owner, const scenario_request_t *request, const planning_answer_t *answer,
                  bool in_time)
{
    day_t *self = owner;
    size_t point = (size_t) (request->arrival_ms * DAY_POINTS / S4_DAY_MS);
    self->asked [request->user][point]++;
    if (!answer->committed)
        return;
    self->got [request->user][point] += in_time;
    self->planned += point <= AT_50;
    for (size_t i = 0; i < answer->places_count; i++) {
        size_t site = site_named (answer->places [i].site);
        self->parts [site] += point <= AT_50;
        self->booked [site][point] +=
          (double) answer->places [i].cpus *
          in_day (answer->start_ms, answer->start_ms + request->span_ms);
    }
}

const char *const wish_words [] = {
  "N = 10, even load (A)", "N = 1",           "N = 30",
  "N = 10, Pmax = 2",      "B sees half (C)", "64:32:16:8 = 1:10:100:1000 (B)",
  "N:S:U = 1:10:100 (B)"};

static const named_number_t half [] = {{"UserB", 50}};
static const named_number_t by_size [] = {{"N1", 1000}, {"N2", 100}, {"N3", 10}, {"N4", 1},
                                          {"S1", 1000}, {"S2", 100}, {"S3", 10}, {"U1", 1000},
                                          {"U2", 100},  {"U3", 10}};
static const named_number_t by_domain [] = {{"S1", 10},  {"S2", 10},  {"S3", 10},
                                            {"U1", 100}, {"U2", 100}, {"U3", 100}};

static ip_settings_t settings_of (wish_t wish)
{
    ip_settings_t settings = SETTINGS_PRESET (planner_settings_t, &planner_table).ip;
    switch (wish) {
    case AS_PROPOSED:
        break;
    case FEW_WINDOWS:
        settings.windows = 1;
        break;
    case MANY_WINDOWS:
        settings.windows = 30;
        break;
    case SHORT_PATHS:
        settings.hops_max = 2;
        break;
    case B_SEES_HALF:
        settings.visible_to = half;
        settings.visible_to_count = sizeof half / sizeof *half;
        break;
    case BY_SIZE:
        settings.balance = BALANCE_WEIGHTS;
        settings.weights = by_size;
        settings.weights_count = sizeof by_size / sizeof *by_size;
        break;
    case BY_DOMAIN:
        settings.balance = BALANCE_WEIGHTS;
        settings.weights = by_domain;
        settings.weights_count = sizeof by_domain / sizeof *by_domain;
        break;
    }
    return settings;
}

bool day_play_told (wish_t wish, uint64_t seed, planning_told_fn *told, void *owner, play_t *play)
{
    ip_settings_t ip = settings_of (wish);
    planning_result_t result;
    planning_order_t order = {.setting = PLANNING_S4,
                              .untimed = true,
                              .algorithm = "ip",
                              .policy = "time",
                              .load = 1,
                              .hours = HOURS,
                              .ip = &ip,
                              .told = told,
                              .owner = owner};
    play->failed = !planning_play (&order, seed, &result, play->why);
    return !play->failed;
}

bool day_play (wish_t wish, uint64_t seed, day_t *day, play_t *play)
{
    *day = (day_t){0};
    return day_play_told (wish, seed, note, day, play);
}

void day_settings (experiment_run_t *run)
{
    experiment_setting (run, "federation", "10 sites, 3 domains, 1 planner, 2 users (s4_world.h)");
    experiment_setting (run, "requests",
                        "a day of them for the next, all CPUs are asked for at its end");
    experiment_setting (run, "algorithm", "ip, policy time, N = 10, solver auto");
    experiment_setting (run, "queries", "take no time");
    experiment_criterion_sound (run);
}

const char *day_point (size_t point)
{
    static char names [DAY_POINTS][16];
    snprintf (names [point], sizeof names [point], "%u",
              (unsigned) (100 * (point + 1) / DAY_POINTS));
    return names [point];
}

void day_tell (const experiment_run_t *run, size_t rows, FILE *to)
{
    for (size_t arm = 0; arm < run->experiment->arms (run->small); arm++) {
        char name [ARM_NAME_BYTES];
        run->experiment->arm_name (arm, name);
        fprintf (to, "%s (%zu plays)\n      %%", name, run->first [arm + 1] - run->first [arm]);
        for (size_t point = 0; point < DAY_POINTS; point++)
            fprintf (to, " %6s", day_point (point));
        for (size_t metric = 0; metric < rows * DAY_POINTS; metric++) {
            if (metric % DAY_POINTS == 0)
                fprintf (to, "\n  %5.*s",
                         (int) strcspn (run->experiment->metrics [metric].name, "_"),
                         run->experiment->metrics [metric].name);
            fprintf (to, " %6.3f", experiment_estimate (run, arm, metric).mean);
        }
        fputs ("\n\n", to);
    }
}

void day_plot (const char *title, const char *up, size_t lines, const char *(*line) (size_t line),
               const double *values, FILE *to)
{
    plot_lines (&(plot_lines_t){.title = title,
                                .shares = true,
                                .across = "requested load, % of all CPUs",
                                .up = up,
                                .points = DAY_POINTS,
                                .point = day_point,
                                .lines = lines,
                                .line = line,
                                .values = values},
                to);
}
