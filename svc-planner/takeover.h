/*  takeover - planners' stores that nobody serves (T8).
 *
 *  A live planner has its host look for unlocked stores with unfinished business every now and
 *  then, and start a finisher for each. A finisher is a planner that serves such a store under the
 *  dead one's name: it drives the decisions to their end and answers that the rest is aborted, and
 *  when nothing is left and nobody has asked for a while, it marks the store as at rest and ends.
 */
#ifndef MUSUBI_TAKEOVER_H
#define MUSUBI_TAKEOVER_H

#include "coordinator.h"

/*  All but the last is borrowed. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    uint64_t *works; /* the number of the last work that this core has ordered; raised */
    uint64_t work;   /* under way; 0 = none */
} takeover_t;

/*  At start. */
void takeover_start (takeover_t *self, const moment_t *now);

/*  An EVENT_WORK that is not a solver's. */
void takeover_work_ended (takeover_t *self, const event_t *event);

#endif
