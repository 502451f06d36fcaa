/*  settle - ends a transaction in its coordinator's place (T8). */
#ifndef MUSUBI_SETTLE_H
#define MUSUBI_SETTLE_H

#include "coordinator.h"

/*  Planner.Settle; owner: read_requests_t. */
method_fn planner_on_settle;

/*  The coordinator's settler (coordinator.h): fence a decision of ours that another planner has
 *  fenced and does not finish. Owner: read_requests_t. */
coordinator_barred_fn planner_on_barred;

#endif
