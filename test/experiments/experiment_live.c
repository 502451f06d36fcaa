/*  experiment_live - E0.5: S0's scenario on real services, beside a simulation of the same.
 *
 *  A play is not a pure function of its seed: it starts a federation on this machine
 *  (live_replay.h), measures it, and simulates what it has measured. So only one play runs at a
 *  time.
 */
#include "experiment.h"
#include "histogram.h"
#include "live_replay.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOURS    24
#define LOAD     0.5
#define HASTE    7200 /* an hour of the scenario in half a second */
#define AHEAD_MS INT64_C (3600000)
#define SITES    6
#define LOTS     5 /* of the simulated planners, for each play */
#define WITHIN   0.05

enum {
    SUCCESS_LIVE,
    SUCCESS_SIM,
    GAP,
    REQUESTS,
    PLANNING_LIVE,
    PLANNING_SIM,
    HOLDS,
    HOLD_MOST,
    OVERHELD,
    MEDIANS, /* TIMED of them */
    METRICS = MEDIANS + TIMED
};

static const metric_t metrics [METRICS] = {
  {"success_live", "share of the requests that real services planned"},
  {"success_sim", "the same in the simulation, mean of five lots"},
  {"gap", "live less simulated"},
  {"requests", "put to the planners"},
  {"planning_ms_live", "time in the planner's hands, of those planned"},
  {"planning_ms_sim", "the same in the simulation"},
  {"holds", "in the ledgers of sites, domain and directory"},
  {"hold_ms_most", "the longest life of one, from the ledgers"},
  {"overheld", "voted for or still there after their time"},
  [MEDIANS + TIMED_FREE] = {"free_us", "measured: Calendar.Free"},
  [MEDIANS + TIMED_WINDOWS] = {"windows_us", "measured: Calendar.Windows"},
  [MEDIANS + TIMED_PROFILE] = {"profile_us", "measured: Calendar.Profile"},
  [MEDIANS + TIMED_HOLD] = {"hold_us", "measured: Participant.Hold"},
  [MEDIANS + TIMED_ABORT] = {"abort_us", "measured: Participant.Abort"}};

static const char *const algorithms [] = {"bbr", "bir", "auto"};
#define ALGORITHMS (sizeof algorithms / sizeof *algorithms)

/*  Co-allocations first: the short form has only these. */
static const scenario_kind_t kinds [] = {SCENARIO_COALLOCATION, SCENARIO_WORKFLOW};
#define KINDS (sizeof kinds / sizeof *kinds)

static size_t arms (bool small)
{
    return ALGORITHMS * (small ? 1 : KINDS);
}

static void arm_name (size_t arm, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s-t %s %.1f", algorithms [arm % ALGORITHMS],
              kinds [arm / ALGORITHMS] == SCENARIO_WORKFLOW ? "wf" : "co", LOAD);
}

static bool simulate (const planning_order_t *order, uint64_t seed, play_t *play)
{
    double success = 0;
    double planning_s = 0;
    planning_live_t live = *order->live;
    planning_order_t again = *order;
    again.live = &live;
    for (live.lot = 1; live.lot <= LOTS; live.lot++) {
        planning_result_t result;
        if (!planning_play (&again, seed, &result, play->why))
            return false;
        success += (double) result.planned / (double) result.requests / LOTS;
        planning_s += result.planning_s / LOTS;
    }
    play->values [SUCCESS_SIM] = success;
    play->values [PLANNING_SIM] = planning_s * 1000;
    return true;
}

static void play_live (size_t arm, uint64_t seed, play_t *play)
{
    planning_live_t live = {.sites = SITES, .haste = HASTE, .ahead_ms = AHEAD_MS};
    planning_order_t order = {.algorithm = algorithms [arm % ALGORITHMS],
                              .policy = "time",
                              .kind = kinds [arm / ALGORITHMS],
                              .load = LOAD,
                              .hours = HOURS,
                              .histogram = histogram_of_log (play->why),
                              .live = &live};
    live_result_t result;
    if (!order.histogram || !live_play (&order, seed, &result, play->why)) {
        play->failed = true;
        return;
    }
    memcpy (live.times_us, result.times_us, sizeof live.times_us);
    play->values [REQUESTS] = (double) result.requests;
    play->values [SUCCESS_LIVE] = (double) result.planned / (double) result.requests;
    play->values [PLANNING_LIVE] = result.planning_ms;
    play->values [HOLDS] = (double) result.holds;
    play->values [HOLD_MOST] = result.hold_ms_most;
    play->values [OVERHELD] = (double) result.overheld;
    for (size_t i = 0; i < TIMED; i++)
        play->values [MEDIANS + i] = (double) result.times_us [i];
    play->failed = !simulate (&order, seed, play);
    play->values [GAP] = play->values [SUCCESS_LIVE] - play->values [SUCCESS_SIM];
}

static void judge (experiment_run_t *run)
{
    size_t count = arms (run->small);
    size_t failures = 0;
    size_t close = 0;
    double widest = 0;
    double overheld = 0;
    double holds = 0;
    for (size_t arm = 0; arm < count; arm++) {
        double gap = fabs (experiment_estimate (run, arm, GAP).mean);
        failures += experiment_failures (run, arm);
        close += gap <= WITHIN;
        widest = fmax (widest, gap);
        overheld += experiment_estimate (run, arm, OVERHELD).sum;
        holds += experiment_estimate (run, arm, HOLDS).sum;
    }
    experiment_setting (run, "federation",
                        "%d sites of the narrow grid, one domain, one directory, 3 planners; each "
                        "a process, on loopback",
                        SITES);
    experiment_setting (run, "requests",
                        "S0's table 1 at load %.1f, %d hours; arrivals %d times as fast, windows, "
                        "limits and timers as they are",
                        LOAD, HOURS, HASTE);
    experiment_setting (run, "queries", "medians of the live services, measured before each play");
    experiment_criterion (run, "ledgers-sound", failures == 0,
                          "%zu of %zu plays failed, or `musubi audit` did not prove them sound",
                          failures, run->first [count]);
    /*  A play and its repetition differ by 3 points (standard deviation), since processes race on
     *  any machine. The short form has one play an arm, so it can't judge success. */
    if (run->small)
        experiment_setting (run, "as-simulated",
                            "not judged by one play; the furthest is %.1f points off",
                            100 * widest);
    else
        experiment_criterion (run, "as-simulated", close == count,
                              "%zu of %zu arms within %.0f points of the simulation; the furthest "
                              "is %.1f off",
                              close, count, 100 * WITHIN, 100 * widest);
    experiment_criterion (run, "holds-in-time", holds > 0 && overheld == 0,
                          "%.0f of %.0f holds outlived their time", overheld, holds);
}

static void plot (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {SUCCESS_LIVE, SUCCESS_SIM};
    plot_bars (run, "S0's planners: real services beside their simulation", shown, 2, to);
}

const experiment_t experiment_live = {
  .name = "E0.5",
  .title = "real services beside their simulation",
  .claim = "what the simulation says of bbr, bir and auto is what processes do",
  .metrics = metrics,
  .metrics_count = METRICS,
  .arms = arms,
  .arm_name = arm_name,
  .seeds = 5,
  .seeds_small = 1,
  .alone = true,
  .play = play_live,
  .judge = judge,
  .plot = plot};
