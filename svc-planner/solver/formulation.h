/*  formulation - a program written out as rows and columns for GLPK's branch and bound. */
#ifndef MUSUBI_FORMULATION_H
#define MUSUBI_FORMULATION_H

#include "budget.h"

/*  As solver_run, for the three kinds that are GLPK's. */
void formulation_solve (const program_t *program, const solver_order_t *order, budget_t *budget,
                        solver_answer_t *answer);

/*  Writes the strong form as a file that other solvers read (CPLEX LP), for benches. False when it
 *  can't be written. */
bool formulation_write (const program_t *program, const char *file);

#endif
