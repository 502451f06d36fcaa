/*  takeover - stores of dead planners (T8).
 *
 *  From time to time a planner has its host search for unlocked stores with unfinished business and
 *  start a finisher for each. A finisher is a planner that serves such a store under the dead
 *  planner's name: it drives the decisions to their end and answers that all else is aborted. When
 *  nothing is left, and nobody has asked for a while, it marks the store as at rest and ends.
 */
#ifndef MUSUBI_TAKEOVER_H
#define MUSUBI_TAKEOVER_H

#include "coordinator.h"

/*  All but the last member are borrowed. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    uint64_t *works; /* the number of the core's last order for work */
    uint64_t work;   /* in progress; 0 = none */
} takeover_t;

void takeover_start (takeover_t *self, const moment_t *now);

/*  Handle an EVENT_WORK that is not a solver's. */
void takeover_work_ended (takeover_t *self, const event_t *event);

#endif
