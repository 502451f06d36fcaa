/*  experiment_grid - turns a world's result into a play's values. */
#include "experiment_grid.h"

#include "histogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const metric_t grid_metrics [GRID_METRICS] = {
  {"success", "share of the requests that were planned"},
  {"price", "credits a CPU-hour of what was planned, its links included"},
  {"planning_s", "from question to the plan that was committed, of those planned"},
  {"latency_s", "from question to answer, votes and commits included, of those planned"},
  {"waited_s", "from arrival to answer, of all that were answered"},
  {"messages", "to and from sites and the network domain, a request"},
  {"blocked_cpu_s", "CPU-seconds held and never committed, a request"},
  {"too_late", "requests not answered within w_interval"}};

const char *const grid_kinds [2] = {"wf", "co"};

void grid_play (const planning_order_t *order, uint64_t seed, play_t *play)
{
    planning_order_t complete = *order;
    planning_result_t result;
    complete.histogram = histogram_of_log (play->why);
    if (!complete.histogram || !planning_play (&complete, seed, &result, play->why)) {
        play->failed = true;
        return;
    }
    if (result.requests == 0)
        return;
    play->values [SUCCESS] = (double) result.planned / (double) result.requests;
    play->values [MESSAGES] = result.messages;
    play->values [BLOCKED] = result.blocked;
    play->values [TOO_LATE] = (double) result.too_late;
    play->values [WAITED] = result.waited_s;
    if (result.planned > 0) {
        play->values [PRICE] = result.price;
        play->values [PLANNING] = result.planning_s;
        play->values [LATENCY] = result.latency_s;
    }
}

void grid_settings (experiment_run_t *run, int64_t hours)
{
    experiment_setting (run, "grid", "18 sites, one domain, one directory, 3 planners (grid.h)");
    experiment_setting (run, "requests", "S0's table 1, CPUs of %s (scenario.h)",
                        histogram_source ());
    experiment_setting (run, "queries", "S0's table 2 (planning_world.h)");
    experiment_setting (run, "arrivals_hours", "%" PRId64, hours);
    experiment_criterion_sound (run);
}
