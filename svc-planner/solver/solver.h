/*  solver - the cheapest plan of a program, or proof that there is none, within a limit.
 *
 *      glpk-plain    GLPK on equations 1 to 9, and 11 where paths are limited
 *      glpk-pruned   the same with equations 10 and 11, as the paper prunes
 *      glpk          GLPK on the same problem said better: what can't be is left out, and flow
 * leaves the node of a requested site for each of its links by itself auto          bounds and
 * search; GLPK's simplex only where bandwidth is contended
 *
 *  All give the same answers. A limit ends each with the best plan so far and a bound that no plan
 *  goes below. An answer of "optimal" or "infeasible" is proven; plans are checked before they are
 *  told. Pure: reads no clock of its own, needs no store; GLPK's solvers use GLPK's memory of this
 *  thread, which solver_rest gives back.
 */
#ifndef MUSUBI_SOLVER_H
#define MUSUBI_SOLVER_H

#include "program.h"

typedef enum {
    SOLVER_AUTO,
    SOLVER_GLPK,
    SOLVER_GLPK_PRUNED, /* only for programs whose hops_max is set */
    SOLVER_GLPK_PLAIN,
} solver_kind_t;

#define SOLVER_KINDS 4

typedef enum {
    SOLVER_OPTIMAL,    /* the plan is as cheap as any */
    SOLVER_FEASIBLE,   /* a plan; none costs less than the bound */
    SOLVER_INFEASIBLE, /* there is no plan */
    SOLVER_UNKNOWN,    /* the limit came first; if there is a plan, it costs the bound or more */
} solver_status_t;

/*  What may be spent. Steps make the same answer every time; the clock is the host's. */
typedef struct {
    uint64_t steps_max;             /* nodes looked at, iterations of the simplex; 0 = any number */
    int64_t time_us_max;            /* on the clock; 0 = any time */
    int64_t (*clock_us) (void *of); /* NULL: time is not limited */
    void *clock;
} solver_limit_t;

typedef struct {
    solver_status_t status;
    program_plan_t *plan; /* with OPTIMAL and FEASIBLE; the caller ends it */
    int64_t bound;        /* not with INFEASIBLE */
    uint64_t steps;
} solver_answer_t;

/*  Hears what GLPK's solvers know so far whenever that is more: as true as an answer. The plan is
 *  not the hearer's. */
typedef void solver_report_fn (void *of, const solver_answer_t *so_far);

typedef struct {
    solver_kind_t kind;
    bool first; /* any plan will do: end with the first one */
    solver_limit_t limit;
    solver_report_fn *report; /* NULL: nobody hears */
    void *hearer;
} solver_order_t;

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
