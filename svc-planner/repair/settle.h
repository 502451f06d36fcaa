/*  settle - a transaction ended in its coordinator's place (T8). */
#ifndef MUSUBI_SETTLE_H
#define MUSUBI_SETTLE_H

#include "coordinator.h"

/*  Planner.Settle; owner: read_requests_t. */
method_fn planner_on_settle;

/*  A decision of ours that another planner's fence bars (coordinator.h): fence it ourselves. Owner:
 *  read_requests_t. */
coordinator_barred_fn planner_on_barred;

#endif
