/*  solver_order - what a solver is told, and what it answers. */
#ifndef MUSUBI_SOLVER_ORDER_H
#define MUSUBI_SOLVER_ORDER_H

#include "program.h"

typedef enum {
    SOLVER_AUTO,
    SOLVER_GLPK,
    SOLVER_GLPK_PLAIN,
    SOLVER_GLPK_PRUNED, /* only for programs whose hops_max is set */
} solver_kind_t;

#define SOLVER_KINDS 4

typedef enum {
    SOLVER_OPTIMAL,    /* the plan is as cheap as any */
    SOLVER_FEASIBLE,   /* there is a plan; none costs less than the bound */
    SOLVER_INFEASIBLE, /* there is no plan */
    SOLVER_UNKNOWN,    /* the limit came first; no plan costs less than the bound */
} solver_status_t;

/*  What may be spent. A limit of steps gives the same answer every time. The clock is the
 *  host's. */
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

/*  Called by GLPK's solvers whenever they know more than before; what it is told is as true as an
 *  answer. The plan is borrowed. */
typedef void solver_report_fn (void *of, const solver_answer_t *so_far);

typedef struct {
    solver_kind_t kind;
    bool first; /* any plan will do: end with the first one found */
    solver_limit_t limit;
    solver_report_fn *report; /* NULL: no reports */
    void *hearer;
} solver_order_t;

#endif
