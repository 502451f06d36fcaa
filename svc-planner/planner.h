/*  planner - finds plans for users' requests and drives their commit.
 *
 *  A planner is a coordinator of proto/transaction.md with a search before it: one question to
 *  every candidate site, a search in memory, one round of hold and prepare, a decision, a round of
 *  commits. Planners are equals; none owns a reservation. Pure: no socket, file, clock, thread or
 *  random source.
 */
#ifndef MUSUBI_PLANNER_H
#define MUSUBI_PLANNER_H

#include "core.h"
#include "planner_settings.h"

/*  The core of a planner; settings are copied. core->destroy ends it. The work it orders:
 *  "finish-stores", no arguments: start a finisher for each unlocked store of the pool that holds
 *  unfinished business; the result is a line for the log, empty when there was nothing to do.
 *  "solve", where ip.workers is not 0: an order of solving_wire.h, its last answer. */
void planner_core (const planner_settings_t *settings, core_t *core);

#endif
