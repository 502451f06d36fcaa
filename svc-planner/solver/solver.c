/*  solver - the kinds of solver and their words; hands a program to the kind asked for. */
#include "solver.h"

#include "branch_bound.h"
#include "formulation.h"

#include <glpk.h>

#include <assert.h>
#include <string.h>

static const char *const kind_words [SOLVER_KINDS] = {
  [SOLVER_AUTO] = "auto",
  [SOLVER_GLPK] = "glpk",
  [SOLVER_GLPK_PLAIN] = "glpk-plain",
  [SOLVER_GLPK_PRUNED] = "glpk-pruned",
};

const char *solver_kind_word (solver_kind_t kind)
{
    assert (kind < SOLVER_KINDS);
    return kind_words [kind];
}

bool solver_kind_read (const char *word, solver_kind_t *kind)
{
    for (size_t i = 0; i < SOLVER_KINDS; i++)
        if (strcmp (word, kind_words [i]) == 0) {
            *kind = (solver_kind_t) i;
            return true;
        }
    return false;
}

const char *solver_status_word (solver_status_t status)
{
    static const char *const words [] = {
      [SOLVER_OPTIMAL] = "optimal",
      [SOLVER_FEASIBLE] = "feasible",
      [SOLVER_INFEASIBLE] = "infeasible",
      [SOLVER_UNKNOWN] = "unknown",
    };
    return words [status];
}

bool solver_takes (solver_kind_t kind, const program_t *program)
{
    return kind != SOLVER_GLPK_PRUNED || program->hops_max > 0;
}

void solver_run (const program_t *program, const solver_order_t *order, solver_answer_t *answer)
{
    assert (solver_takes (order->kind, program));
    *answer = (solver_answer_t){.status = SOLVER_UNKNOWN};
    budget_t budget;
    budget_begin (&budget, &order->limit);
    if (order->kind == SOLVER_AUTO)
        branch_bound_solve (program, order, &budget, answer);
    else
        formulation_solve (program, order, &budget, answer);
    answer->steps = budget.steps;
    assert (!answer->plan ==
            (answer->status != SOLVER_OPTIMAL && answer->status != SOLVER_FEASIBLE));
}

void solver_rest (void)
{
    glp_free_env ();
}
