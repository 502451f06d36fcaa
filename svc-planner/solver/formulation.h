/*  formulation - a program written out as rows and columns for GLPK's branch and bound. */
#ifndef MUSUBI_FORMULATION_H
#define MUSUBI_FORMULATION_H

#include "spending.h"

/*  As solver_run, for the three kinds that are GLPK's. */
void formulation_solve (const program_t *program, const solver_order_t *order, spending_t *spending,
                        solver_answer_t *answer);

#endif
