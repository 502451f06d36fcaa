/*  planner - finds plans for users' requests and drives their commit.
 *
 *  A planner is a coordinator (proto/transaction.md) with a search before it: one question to every
 *  candidate site, a search in memory, one round of votes, a decision, a round of commits. Planners
 *  are equals, and none owns a reservation. Pure: no socket, file, clock, thread or random source.
 */
#ifndef MUSUBI_PLANNER_H
#define MUSUBI_PLANNER_H

#include "core.h"
#include "planner_settings.h"

/*  The core of a planner; settings are copied. core->destroy ends it. It orders two kinds of work:
 *  "finish-stores", without arguments, starts a finisher for each unlocked store of the pool with
 *  unfinished business; its result is a line for the log, empty when there was nothing to do.
 *  "solve", unless ip.workers is 0, takes an order of solving_wire.h and gives its last answer. */
void planner_core (const planner_settings_t *settings, core_t *core);

#endif
