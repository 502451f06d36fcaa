/*  solver - the cheapest plan of a program, or proof that there is none, within a limit.
 *
 *      glpk-plain    GLPK on equations 1 to 9, and 11 where paths are limited
 *      glpk-pruned   the same with equations 10 and 11, as the paper prunes
 *      glpk          GLPK on a stronger form of the same problem: what is impossible is left out,
 *                    and each link has a flow of its own from the node of its first end
 *      auto          bounds and search; GLPK's simplex only where bandwidth is contended
 *
 *  All give the same answers. A limit ends each with the best plan so far and a lower bound of what
 *  any plan costs. An answer of "optimal" or "infeasible" is proven; plans are checked before they
 *  are answered. Pure: has no clock of its own and no store. GLPK keeps memory for each thread,
 *  which solver_rest frees.
 */
#ifndef MUSUBI_SOLVER_H
#define MUSUBI_SOLVER_H

#include "solver_order.h"

const char *solver_kind_word (solver_kind_t kind);
bool solver_kind_read (const char *word, solver_kind_t *kind);
const char *solver_status_word (solver_status_t status);

/*  Can this kind of solver be used for the program? */
bool solver_takes (solver_kind_t kind, const program_t *program);

/*  The program must have passed program_check and solver_takes. */
void solver_run (const program_t *program, const solver_order_t *order, solver_answer_t *answer);

/*  Frees what GLPK keeps for this thread, when nothing more is to be solved for now. */
void solver_rest (void);

#endif
