/*  solver - the cheapest plan of a program, or proof that there is none, within a limit.
 *
 *      glpk-plain    GLPK on equations 1 to 9, and 11 where paths are limited
 *      glpk-pruned   the same with equations 10 and 11, as the paper prunes
 *      glpk          GLPK on the same problem said better: what can't be is left out, and flow
 *                    leaves the node of a requested site for each of its links by itself
 *      auto          bounds and search; GLPK's simplex only where bandwidth is contended
 *
 *  All give the same answers. A limit ends each with the best plan so far and a bound that no plan
 *  goes below. An answer of "optimal" or "infeasible" is proven; plans are checked before they are
 *  told. Pure: reads no clock of its own, needs no store; GLPK's solvers use GLPK's memory of this
 *  thread, which solver_rest gives back.
 */
#ifndef MUSUBI_SOLVER_H
#define MUSUBI_SOLVER_H

#include "solver_order.h"

const char *solver_kind_word (solver_kind_t kind);
bool solver_kind_read (const char *word, solver_kind_t *kind);
const char *solver_status_word (solver_status_t status);

/*  May this kind of solver be asked about the program? */
bool solver_takes (solver_kind_t kind, const program_t *program);

/*  The program has passed program_check, and solver_takes. */
void solver_run (const program_t *program, const solver_order_t *order, solver_answer_t *answer);

/*  This thread solves nothing more for now: frees what GLPK keeps for it. */
void solver_rest (void);

#endif
