/*  experiment_planners - E4.5, which no paper has: the two of S0 (bbr, bir), S4's integer programs
 *  (ip) and this project's own search (auto) under one load, each with policy time.
 *
 *  A setting is a load: S0's workflows or co-allocations on the narrow or the wide grid, one by one
 *  at five loads, or 8 or 32 at once at load 0.5. Every planner plays every setting with the same
 *  seeds, so with the same grid and requests.
 */
#include "experiment_grid.h"
#include "plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOURS         12
#define HOURS_SMALL   2
#define PLANNERS      4
#define SUCCESS_LESS  0.01      /* auto may be so much below bir */
#define SUCCESS_MORE  0.05      /* and must be so much above it for wide co-allocations */
#define LATENCY_SHARE 0.5       /* of bir's, in every setting */
#define MESSAGE_SHARE (2.0 / 3) /* of bir's, in the mean */
#define MIDDLE        0.5

enum { BBR, BIR, IP, AUTO };

static const char *const planners [PLANNERS] = {"bbr", "bir", "ip", "auto"};

typedef struct {
    scenario_kind_t kind;
    bool wide;
    double load;
    size_t burst;
} setting_of_load_t;

#define FIVE_LOADS(kind, wide)                                                                     \
    {kind, wide, 0.1, 0}, {kind, wide, 0.3, 0}, {kind, wide, 0.5, 0}, {kind, wide, 0.7, 0},        \
    {                                                                                              \
        kind, wide, 0.9, 0                                                                         \
    }
#define BURSTS(kind, wide)                                                                         \
    {kind, wide, MIDDLE, 8},                                                                       \
    {                                                                                              \
        kind, wide, MIDDLE, 32                                                                     \
    }

static const setting_of_load_t all [] = {
  FIVE_LOADS (SCENARIO_WORKFLOW, false),     FIVE_LOADS (SCENARIO_WORKFLOW, true),
  FIVE_LOADS (SCENARIO_COALLOCATION, false), FIVE_LOADS (SCENARIO_COALLOCATION, true),
  BURSTS (SCENARIO_WORKFLOW, false),         BURSTS (SCENARIO_WORKFLOW, true),
  BURSTS (SCENARIO_COALLOCATION, false),     BURSTS (SCENARIO_COALLOCATION, true)};
static const setting_of_load_t few [] = {{SCENARIO_WORKFLOW, false, MIDDLE, 0},
                                         {SCENARIO_COALLOCATION, true, MIDDLE, 0},
                                         {SCENARIO_COALLOCATION, true, MIDDLE, 8}};

#define ALL   (sizeof all / sizeof *all)
#define FEW   (sizeof few / sizeof *few)
#define LOADS 5 /* the first of all, by kind and grid */

static bool is_small; /* what arms () was last asked; the plays come after it */

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
    int used = snprintf (name, ARM_NAME_BYTES, "%s %s %.1f", grid_kinds [setting->kind],
                         setting->wide ? "wide" : "narrow", setting->load);
    if (setting->burst > 0)
        snprintf (name + used, ARM_NAME_BYTES - (size_t) used, ", %zu at once", setting->burst);
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    char setting [ARM_NAME_BYTES];
    name_setting (setting_at (is_small, arm / PLANNERS), setting);
    snprintf (name, ARM_NAME_BYTES, "%s %.80s", planners [arm % PLANNERS], setting);
}

static void play (size_t arm, uint64_t seed, play_t *play)
{
    const setting_of_load_t *setting = setting_at (is_small, arm / PLANNERS);
    grid_play (&(planning_order_t){.algorithm = planners [arm % PLANNERS],
                                   .policy = "time",
                                   .kind = setting->kind,
                                   .wide = setting->wide,
                                   .load = setting->load,
                                   .hours = is_small ? HOURS_SMALL : HOURS,
                                   .burst = setting->burst},
               seed, play);
}

/*  --- criteria --- */

static double mean_of (const experiment_run_t *run, size_t setting, size_t planner, size_t metric)
{
    return experiment_estimate (run, arm_of (setting, planner), metric).mean;
}

/*  auto's success less bir's: the least of the settings, or of those where it must be above. */
static double least_gain (const experiment_run_t *run, bool contested, char worst [ARM_NAME_BYTES])
{
    double least = INFINITY;
    for (size_t i = 0; i < settings_count (run->small); i++) {
        const setting_of_load_t *setting = setting_at (run->small, i);
        if (contested && (setting->kind != SCENARIO_COALLOCATION || !setting->wide ||
                          setting->load < MIDDLE || setting->burst > 0))
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
    experiment_criterion (run, "success", least >= -SUCCESS_LESS,
                          "auto less bir: at least %+.3f (%s)", least, worst);
    least = least_gain (run, true, worst);
    experiment_criterion (
      run, "wide-co", least >= SUCCESS_MORE,
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

/*  --- what people see --- */

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
    static char names [ALL / LOADS * PLANNERS][32];
    const setting_of_load_t *setting = &all [line / PLANNERS * LOADS];
    snprintf (names [line], sizeof names [line], "%s %s %s", grid_kinds [setting->kind],
              setting->wide ? "wide" : "narrow", planners [line % PLANNERS]);
    return names [line];
}

/*  Success over load, one line a planner, kind and grid; the small form has bars. */
static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {SUCCESS};
    enum { LINES = 4 * PLANNERS };
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
