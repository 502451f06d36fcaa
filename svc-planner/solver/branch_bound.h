/*  branch_bound - the solver "auto": where each requested site goes, by branch and bound.
 *
 *  A lower bound of what a place costs is known before anything is routed: its CPUs, the distances
 *  to sites that are placed, and half of the nearest distances for links to sites that are not.
 *  Links are routed as soon as both ends are placed, so that conflicts are seen early.
 */
#ifndef MUSUBI_BRANCH_BOUND_H
#define MUSUBI_BRANCH_BOUND_H

#include "budget.h"

/*  As solver_run. */
void branch_bound_solve (const program_t *program, const solver_order_t *order, budget_t *budget,
                         solver_answer_t *answer);

#endif
