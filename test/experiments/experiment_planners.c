/*  experiment_planners - E4.5, which is in no paper: S0's two planners (bbr, bir), S4's integer
 *  programs (ip) and this project's own search (auto) under one load, each with policy time.
 *
 *  A setting is a load: S0's workflows or co-allocations on the narrow or the wide grid, or S4's
 *  requests in its federation, one by one at five loads, or 8 or 32 at once at load 0.5. Every
 *  planner plays every setting with the same seeds, so with the same grid and requests, and all
 *  queries take the times of S0's table 2.
 */
#include "experiment_grid.h"
#include "plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOURS         12
#define HOURS_SMALL   2
#define HOURS_S4      24
#define PLANNERS      4
#define SUCCESS_LESS  0.01      /* how far auto may be below bir */
#define SUCCESS_MORE  0.05      /* how far it must be above bir for wide co-allocations */
#define SUCCESS_SMALL 0.025     /* below, in both, in the small form (EXPERIMENTS.md) */
#define LATENCY_SHARE 0.5       /* limit as a part of bir's, in every setting */
#define MESSAGE_SHARE (2.0 / 3) /* limit as a part of bir's, in the mean */
#define MIDDLE        0.5

enum { BBR, BIR, IP, AUTO };

static const char *const planners [PLANNERS] = {"bbr", "bir", "ip", "auto"};

typedef enum { WF_NARROW, WF_WIDE, CO_NARROW, CO_WIDE, S4, WORLDS } world_name_t;

static const char *const worlds [WORLDS] = {"wf narrow", "wf wide", "co narrow", "co wide", "S4"};

typedef struct {
    world_name_t world;
    double load;
    size_t burst;
} setting_of_load_t;

#define FIVE_LOADS(world)                                                                          \
    {world, 0.1, 0}, {world, 0.3, 0}, {world, 0.5, 0}, {world, 0.7, 0},                            \
    {                                                                                              \
        world, 0.9, 0                                                                              \
    }
#define BURSTS(world)                                                                              \
    {world, MIDDLE, 8},                                                                            \
    {                                                                                              \
        world, MIDDLE, 32                                                                          \
    }

static const setting_of_load_t all [] = {
  FIVE_LOADS (WF_NARROW), FIVE_LOADS (WF_WIDE), FIVE_LOADS (CO_NARROW), FIVE_LOADS (CO_WIDE),
  FIVE_LOADS (S4),        BURSTS (WF_NARROW),   BURSTS (WF_WIDE),       BURSTS (CO_NARROW),
  BURSTS (CO_WIDE),       BURSTS (S4)};
static const setting_of_load_t few [] = {
  {WF_NARROW, MIDDLE, 0}, {CO_WIDE, MIDDLE, 0}, {CO_WIDE, MIDDLE, 8}, {S4, MIDDLE, 0}};

#define ALL   (sizeof all / sizeof *all)
#define FEW   (sizeof few / sizeof *few)
#define LOADS 5 /* of each world; they come first in all */

static bool is_small; /* arms () was last called for this form; the plays are played after that */

static size_t settings_count (bool small)
{
    return small ? FEW : ALL;
}

static const setting_of_load_t *setting_at (bool small, size_t at)
{
    assert (at < settings_count (small));
    return small ? &few [at] : &all [at];
}

static size_t arms (bool small)
{
    is_small = small;
    return settings_count (small) * PLANNERS;
}

static size_t arm_of (size_t setting, size_t planner)
{
    return setting * PLANNERS + planner;
}

static void name_setting (const setting_of_load_t *setting, char name [ARM_NAME_BYTES])
{
    int used = snprintf (name, ARM_NAME_BYTES, "%s %.1f", worlds [setting->world], setting->load);
    if (setting->burst > 0)
        snprintf (name + used, ARM_NAME_BYTES - (size_t) used, ", %zu at once", setting->burst);
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    char setting [ARM_NAME_BYTES];
    name_setting (setting_at (is_small, arm / PLANNERS), setting);
    snprintf (name, ARM_NAME_BYTES, "%s %.80s", planners [arm % PLANNERS], setting);
}

/*  S4's demand is for one day, which all requests of the day before share. */
static int64_t hours_of (const setting_of_load_t *setting)
{
    return setting->world == S4 ? HOURS_S4 : is_small ? HOURS_SMALL : HOURS;
}

static void play (size_t arm, uint64_t seed, play_t *play)
{
    const setting_of_load_t *setting = setting_at (is_small, arm / PLANNERS);
    bool co = setting->world == CO_NARROW || setting->world == CO_WIDE;
    grid_play (&(planning_order_t){.setting = setting->world == S4 ? PLANNING_S4 : PLANNING_GRID,
                                   .algorithm = planners [arm % PLANNERS],
                                   .policy = "time",
                                   .kind = co ? SCENARIO_COALLOCATION : SCENARIO_WORKFLOW,
                                   .wide = setting->world == WF_WIDE || setting->world == CO_WIDE,
                                   .load = setting->load,
                                   .hours = hours_of (setting),
                                   .burst = setting->burst},
               seed, play);
}

/*  --- criteria --- */

static double mean_of (const experiment_run_t *run, size_t setting, size_t planner, size_t metric)
{
    return experiment_estimate (run, arm_of (setting, planner), metric).mean;
}

/*  auto's success less bir's: the least over all settings, or over those where auto must be above.
 */
static double least_gain (const experiment_run_t *run, bool contested, char worst [ARM_NAME_BYTES])
{
    double least = INFINITY;
    for (size_t i = 0; i < settings_count (run->small); i++) {
        const setting_of_load_t *setting = setting_at (run->small, i);
        if (contested &&
            (setting->world != CO_WIDE || setting->load < MIDDLE || setting->burst > 0))
            continue;
        double gain = experiment_paired (run, arm_of (i, BIR), arm_of (i, AUTO), SUCCESS).mean;
        if (gain < least)
            name_setting (setting, worst);
        least = fmin (least, gain);
    }
    return least;
}

static void judge (experiment_run_t *run)
{
    char worst [ARM_NAME_BYTES] = "";
    grid_settings (run, run->small ? HOURS_SMALL : HOURS);
    double least = least_gain (run, false, worst);
    experiment_criterion (run, "success", least >= (run->small ? -SUCCESS_SMALL : -SUCCESS_LESS),
                          "auto less bir: at least %+.3f (%s)", least, worst);
    least = least_gain (run, true, worst);
    experiment_criterion (
      run, "wide-co", least >= (run->small ? -SUCCESS_SMALL : SUCCESS_MORE),
      "auto less bir, wide co-allocations from load 0.5 on: at least %+.3f (%s)", least, worst);
    double most = 0;
    double asked [PLANNERS] = {0};
    for (size_t i = 0; i < settings_count (run->small); i++) {
        double share = mean_of (run, i, AUTO, LATENCY) / mean_of (run, i, BIR, LATENCY);
        if (share > most)
            name_setting (setting_at (run->small, i), worst);
        most = fmax (most, share);
        for (size_t planner = 0; planner < PLANNERS; planner++)
            asked [planner] +=
              mean_of (run, i, planner, MESSAGES) / (double) settings_count (run->small);
    }
    experiment_criterion (run, "latency", most <= LATENCY_SHARE,
                          "auto's planning latency: at most %.2f of bir's (%s)", most, worst);
    experiment_criterion (run, "messages", asked [AUTO] <= MESSAGE_SHARE * asked [BIR],
                          "messages a request, mean of the settings: auto %.1f, bir %.1f (%.2f)",
                          asked [AUTO], asked [BIR], asked [AUTO] / asked [BIR]);
}

/*  --- tables and pictures --- */

static void tell (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {SUCCESS, PRICE, LATENCY, WAITED, MESSAGES, BLOCKED};
    char name [ARM_NAME_BYTES];
    fprintf (to, "%-28s", "bbr / bir / ip / auto");
    for (size_t m = 0; m < sizeof shown / sizeof *shown; m++)
        fprintf (to, " | %-27s", grid_metrics [shown [m]].name);
    fputc ('\n', to);
    for (size_t i = 0; i < settings_count (run->small); i++) {
        name_setting (setting_at (run->small, i), name);
        fprintf (to, "%-28s", name);
        for (size_t m = 0; m < sizeof shown / sizeof *shown; m++) {
            fprintf (to, " |");
            for (size_t planner = 0; planner < PLANNERS; planner++)
                fprintf (to, shown [m] == SUCCESS ? " %6.3f" : " %6.4g",
                         mean_of (run, i, planner, shown [m]));
        }
        fputc ('\n', to);
    }
}

static const char *load_name (size_t at)
{
    static char names [LOADS][8];
    snprintf (names [at], sizeof names [at], "%.1f", all [at].load);
    return names [at];
}

static const char *line_name (size_t line)
{
    static char names [WORLDS * PLANNERS][32];
    snprintf (names [line], sizeof names [line], "%s %s", worlds [line / PLANNERS],
              planners [line % PLANNERS]);
    return names [line];
}

/*  Success over load, one line for each planner and world; the small form has bars. */
static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {SUCCESS};
    enum { LINES = WORLDS * PLANNERS };
    double values [LINES * LOADS];
    if (run->small) {
        plot_bars (run, run->experiment->title, shown, 1, to);
        return;
    }
    for (size_t line = 0; line < LINES; line++)
        for (size_t load = 0; load < LOADS; load++)
            values [line * LOADS + load] =
              mean_of (run, line / PLANNERS * LOADS + load, line % PLANNERS, SUCCESS);
    plot_lines (&(plot_lines_t){.title = run->experiment->title,
                                .shares = true,
                                .across = "load",
                                .up = "success",
                                .points = LOADS,
                                .point = load_name,
                                .lines = LINES,
                                .line = line_name,
                                .values = values},
                to);
}

const experiment_t experiment_planners = {
  .name = "E4.5",
  .title = "bbr, bir, ip and auto under the same load",
  .claim = "none: S4 criticises bir's many messages and holds, but compares nothing with it",
  .metrics = grid_metrics,
  .metrics_count = GRID_METRICS,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 10,
  .seeds_small = 2,
  .play = play,
  .judge = judge,
  .plot = plot,
  .tell = tell};
