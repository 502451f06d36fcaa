/*  experiment_grid - what all experiments on S0's grid share: the CPUs that its users ask for, one
 *  play of it as numbers, and the description of both in results.
 */
#ifndef MUSUBI_EXPERIMENT_GRID_H
#define MUSUBI_EXPERIMENT_GRID_H

#include "experiment.h"

#include "planning_world.h"

enum { SUCCESS, PRICE, PLANNING, LATENCY, WAITED, MESSAGES, BLOCKED, TOO_LATE, GRID_METRICS };

extern const metric_t grid_metrics [GRID_METRICS];

/*  "wf", "co", by scenario_kind_t. */
extern const char *const grid_kinds [2];

/*  One play of the given order, with the CPUs of histogram.h. */
void grid_play (const planning_order_t *order, uint64_t seed, play_t *play);

/*  Describes the grid, the requests and the queries, and adds the criterion that every play was
 *  sound. */
void grid_settings (experiment_run_t *run, int64_t hours);

#endif
