/*  formulation - equations (1) to (11) of the integer program, and a stronger form of them.
 *
 *  x (i, j): requested site j is at node i. y (k, l): requested link l uses edge k in one
 *  direction; every edge has two. The plain form is slow because spreading x evenly over the nodes
 *  makes the right sides of (9) zero, and so the paths free of charge. The strong form leaves out
 *  what is impossible (too few CPUs, too little bandwidth), and demands for each link and node that
 *  as much flows out of the node as the link's first end is there, and into it as its second end
 *  is. Then x decides everything and is branched upon first. The other forms are as published.
 */
#include "formulation.h"

#include "must.h"

#include <glpk.h>

#include <math.h>

#define OWN_CHOICE_NODES 2000 /* up to this size of a tree GLPK chooses what is branched upon */
#define GLPK_TOLERANCE   1e-6 /* relative error of bounds and objectives at most */

typedef struct {
    const program_t *program;
    budget_t *budget;
    bool strong;
    bool pruned;
    glp_prob *lp;
    int *x;     /* column by node and requested site; 0 = left out */
    int *y;     /* column by link and arc: edge e is arcs 2e and 2e + 1 (from its second end) */
    int x_last; /* x are columns 1 to x_last */
    int *rows;  /* the matrix, from 1 on */
    int *columns;
    double *values;
    int entries;
    int entries_room;
    double unit; /* what costs are counted in: their greatest common divisor */
    double bound;
    uint64_t iterations_begun;
    bool first;
    const solver_order_t *order;
    int64_t told_bound; /* reported last */
    double told_cost;   /* GLPK's cost of the plan reported last; INFINITY = none */
} formulation_t;

/*  --- columns --- */

static int *x_at (const formulation_t *self, size_t node, size_t site)
{
    return &self->x [node * self->program->sites_count + site];
}

static int *y_at (const formulation_t *self, size_t link, size_t arc)
{
    return &self->y [link * 2 * self->program->edges_count + arc];
}

static int formulation_add_column (formulation_t *self, int64_t cost)
{
    int column = glp_add_cols (self->lp, 1);
    glp_set_col_kind (self->lp, column, GLP_BV);
    glp_set_obj_coef (self->lp, column, (double) cost);
    self->unit = (double) program_divisor ((int64_t) self->unit, cost);
    return column;
}

static void add_columns (formulation_t *self)
{
    const program_t *program = self->program;
    for (size_t i = 0; i < program->nodes_count; i++)
        for (size_t j = 0; j < program->sites_count; j++) {
            int64_t cost = program_offer (program, j, i);
            if (cost != PROGRAM_BARRED)
                *x_at (self, i, j) = formulation_add_column (self, cost);
            else if (!self->strong && !program->offers)
                *x_at (self, i, j) =
                  formulation_add_column (self, program->nodes [i].unit_cost * program->cpus [j]);
        }
    self->x_last = glp_get_num_cols (self->lp);
    for (size_t l = 0; l < program->links_count && budget_look (self->budget); l++) {
        int64_t wanted = program->links [l].bandwidth;
        if (wanted == 0)
            continue;
        for (size_t a = 0; a < 2 * program->edges_count; a++) {
            const program_edge_t *edge = &program->edges [a / 2];
            if (program_carries (program, l, a / 2) ||
                (!self->strong && !program_bars (program, l, a / 2)))
                *y_at (self, l, a) = formulation_add_column (self, edge->unit_cost * wanted);
        }
    }
    if (self->unit == 0)
        self->unit = 1;
    for (int i = 1; i <= glp_get_num_cols (self->lp); i++)
        glp_set_obj_coef (self->lp, i, glp_get_obj_coef (self->lp, i) / self->unit);
}

/*  --- rows --- */

static int formulation_add_row (formulation_t *self, int kind, double least, double most)
{
    int row = glp_add_rows (self->lp, 1);
    glp_set_row_bnds (self->lp, row, kind, least, most);
    return row;
}

static void formulation_put (formulation_t *self, int row, int column, double value)
{
    if (column == 0)
        return;
    if (self->entries + 1 >= self->entries_room) {
        self->entries_room = self->entries_room * 2 + 1024;
        size_t room = (size_t) self->entries_room;
        self->rows = must (realloc (self->rows, room * sizeof *self->rows));
        self->columns = must (realloc (self->columns, room * sizeof *self->columns));
        self->values = must (realloc (self->values, room * sizeof *self->values));
    }
    self->entries++;
    self->rows [self->entries] = row;
    self->columns [self->entries] = column;
    self->values [self->entries] = value;
}

/*  (4), (5), (6): one node a site, one site a node, CPUs enough. */
static void add_places (formulation_t *self)
{
    const program_t *program = self->program;
    int64_t cpus_wanted = 0;
    for (size_t j = 0; j < program->sites_count; j++) {
        int row = formulation_add_row (self, GLP_FX, 1, 1);
        for (size_t i = 0; i < program->nodes_count; i++)
            formulation_put (self, row, *x_at (self, i, j), 1);
        cpus_wanted += program->cpus [j];
    }
    for (size_t i = 0; i < program->nodes_count; i++) {
        int row = formulation_add_row (self, GLP_UP, 0, 1);
        for (size_t j = 0; j < program->sites_count; j++)
            formulation_put (self, row, *x_at (self, i, j), 1);
        if (self->strong || program->offers)
            continue;
        int64_t free = program->nodes [i].cpus;
        row =
          formulation_add_row (self, GLP_UP, 0, (double) (free < cpus_wanted ? free : cpus_wanted));
        for (size_t j = 0; j < program->sites_count; j++)
            formulation_put (self, row, *x_at (self, i, j), (double) program->cpus [j]);
    }
}

/*  The most that a plan can ask of an edge; a larger bandwidth makes no difference. */
static int64_t bandwidth_wanted (const program_t *program)
{
    int64_t sum = 0;
    for (size_t l = 0; l < program->links_count; l++)
        sum += program->links [l].bandwidth;
    return sum;
}

/*  (8): the edge's bandwidth, for both directions together or for each of them. */
static void add_capacity (formulation_t *self, size_t edge, size_t arc_first, size_t arcs)
{
    const program_t *program = self->program;
    int64_t wanted = 0;
    for (size_t l = 0; l < program->links_count; l++)
        if (*y_at (self, l, 2 * edge) != 0)
            wanted += program->links [l].bandwidth;
    int64_t free = program->edges [edge].bandwidth;
    if (self->strong && wanted <= free)
        return;
    /* Nothing forbids a path to use an edge in both directions. */
    int64_t most = 2 * bandwidth_wanted (program);
    int row = formulation_add_row (self, GLP_UP, 0, (double) (free < most ? free : most));
    for (size_t l = 0; l < program->links_count; l++)
        for (size_t a = 0; a < arcs; a++)
            formulation_put (self, row, *y_at (self, l, arc_first + a),
                             (double) program->links [l].bandwidth);
}

static void put_flow (formulation_t *self, int row, size_t link, size_t node, double out, double in)
{
    const program_t *program = self->program;
    for (size_t e = 0; e < program->edges_count; e++) {
        const uint32_t *ends = program->edges [e].ends;
        if (ends [0] != node && ends [1] != node)
            continue;
        size_t leaving = 2 * e + (ends [1] == node);
        size_t coming = 2 * e + (ends [0] == node);
        if (out != 0)
            formulation_put (self, row, *y_at (self, link, leaving), out);
        if (in != 0)
            formulation_put (self, row, *y_at (self, link, coming), in);
    }
}

/*  (9): the flow out of a node minus the flow into it; a link flows from its first end to its
 *  second. */
static void add_conservation (formulation_t *self, size_t link)
{
    const program_t *program = self->program;
    const uint32_t *ends = program->links [link].ends;
    for (size_t i = 0; i < program->nodes_count; i++) {
        int row = formulation_add_row (self, GLP_FX, 0, 0);
        put_flow (self, row, link, i, 1, -1);
        formulation_put (self, row, *x_at (self, i, ends [0]), -1);
        formulation_put (self, row, *x_at (self, i, ends [1]), 1);
    }
}

/*  As much leaves a node as the first end is there; as much arrives as the second end is there. */
static void add_strength (formulation_t *self, size_t link)
{
    const program_t *program = self->program;
    const uint32_t *ends = program->links [link].ends;
    for (size_t i = 0; i < program->nodes_count; i++)
        for (int end = 0; end < 2; end++) {
            int there = *x_at (self, i, ends [end]);
            if (!there)
                continue;
            int row = formulation_add_row (self, GLP_LO, 0, 0);
            put_flow (self, row, link, i, !end, end);
            formulation_put (self, row, there, -1);
        }
}

static void put_all_arcs (formulation_t *self, int row, size_t link)
{
    for (size_t a = 0; a < 2 * self->program->edges_count; a++)
        formulation_put (self, row, *y_at (self, link, a), 1);
}

static void add_link (formulation_t *self, size_t link)
{
    const program_t *program = self->program;
    add_conservation (self, link);
    if (self->strong)
        add_strength (self, link);
    else
        put_all_arcs (self, formulation_add_row (self, GLP_LO, 1, 0), link); /* (7) */
    if (self->pruned)                                                        /* (10) */
        for (size_t e = 0; e < program->edges_count; e++) {
            int row = formulation_add_row (self, GLP_UP, 0, 1);
            formulation_put (self, row, *y_at (self, link, 2 * e), 1);
            formulation_put (self, row, *y_at (self, link, 2 * e + 1), 1);
        }
    if (program->hops_max > 0) /* (11) */
        put_all_arcs (self, formulation_add_row (self, GLP_UP, 0, (double) program->hops_max),
                      link);
}

static void add_rows (formulation_t *self)
{
    const program_t *program = self->program;
    add_places (self);
    for (size_t e = 0; e < program->edges_count && budget_look (self->budget); e++) {
        if (program->reading == PROGRAM_SHARED) {
            add_capacity (self, e, 2 * e, 2);
        } else {
            add_capacity (self, e, 2 * e, 1);
            add_capacity (self, e, 2 * e + 1, 1);
        }
    }
    for (size_t l = 0; l < program->links_count && budget_look (self->budget); l++)
        if (program->links [l].bandwidth > 0)
            add_link (self, l);
    if (self->entries > 0 && !self->budget->over)
        glp_load_matrix (self->lp, self->entries, self->rows, self->columns, self->values);
}

/*  --- the answer --- */

/*  Reads the link's path from the arcs that carry it, breadth first, entering each node once. So
 *  cycles beside it, which are possible where edges cost nothing, are left out. */
static bool formulation_read_path (const formulation_t *self, size_t link, program_plan_t *plan)
{
    const program_t *program = self->program;
    size_t nodes = program->nodes_count;
    uint32_t from = plan->nodes [program->links [link].ends [0]];
    uint32_t to = plan->nodes [program->links [link].ends [1]];
    uint32_t *next = must (malloc (2 * nodes * sizeof *next)); /* next node to the end; queue */
    uint32_t *queue = next + nodes;
    for (size_t i = 0; i < nodes; i++)
        next [i] = UINT32_MAX;
    size_t queued = 0;
    queue [queued++] = to;
    next [to] = to;
    for (size_t at = 0; at < queued && next [from] == UINT32_MAX; at++)
        for (size_t a = 0; a < 2 * program->edges_count; a++) {
            int column = *y_at (self, link, a);
            const uint32_t *ends = program->edges [a / 2].ends;
            uint32_t tail = ends [a % 2];
            if (!column || ends [1 - a % 2] != queue [at] || next [tail] != UINT32_MAX ||
                glp_mip_col_val (self->lp, column) < 0.5)
                continue;
            next [tail] = queue [at];
            queue [queued++] = tail;
        }
    bool found = next [from] != UINT32_MAX;
    uint32_t length = 0;
    for (uint32_t at = from; found; at = next [at]) {
        plan->paths [link * nodes + length++] = at;
        if (at == to)
            break;
    }
    plan->path_lengths [link] = length;
    free (next);
    return found;
}

/*  NULL when GLPK's figures don't make up a plan. */
static program_plan_t *read_plan (const formulation_t *self)
{
    const program_t *program = self->program;
    program_plan_t *plan = program_plan_new (program);
    bool good = true;
    for (size_t j = 0; j < program->sites_count; j++) {
        plan->nodes [j] = UINT32_MAX;
        for (size_t i = 0; i < program->nodes_count; i++) {
            int column = *x_at (self, i, j);
            if (column && glp_mip_col_val (self->lp, column) > 0.5)
                plan->nodes [j] = (uint32_t) i;
        }
        good = good && plan->nodes [j] != UINT32_MAX;
    }
    for (size_t l = 0; l < program->links_count && good; l++)
        if (program->links [l].bandwidth > 0)
            good = formulation_read_path (self, l, plan);
    if (!good || !program_plan_check (program, plan))
        program_plan_destroy (&plan);
    return plan;
}

/*  The least whole cost that is certainly not above GLPK's bound. */
static int64_t whole_bound (const formulation_t *self, double bound)
{
    double sure = ceil (bound - GLPK_TOLERANCE * (1 + fabs (bound)));
    return sure <= 0 ? 0 : (int64_t) (sure * self->unit);
}

static void formulation_answer_from (formulation_t *self, int status, solver_answer_t *answer)
{
    *answer = (solver_answer_t){.status = SOLVER_UNKNOWN, .bound = whole_bound (self, self->bound)};
    if (status == GLP_NOFEAS) {
        answer->status = SOLVER_INFEASIBLE;
        return;
    }
    if (status != GLP_OPT && status != GLP_FEAS)
        return;
    double objective = glp_mip_obj_val (self->lp);
    answer->plan = read_plan (self);
    if (status == GLP_OPT)
        answer->bound = whole_bound (self, objective);
    if (!answer->plan)
        return;
    if (answer->bound > answer->plan->cost)
        answer->bound = answer->plan->cost;
    /* Where costs are so large that GLPK can't tell the last unit, nothing is proven. */
    answer->status =
      answer->bound + (int64_t) self->unit > answer->plan->cost ? SOLVER_OPTIMAL : SOLVER_FEASIBLE;
    if (answer->status == SOLVER_OPTIMAL)
        answer->bound = answer->plan->cost;
}

/*  --- the search --- */

static uint64_t iterations (const formulation_t *self)
{
    return (uint64_t) glp_get_it_cnt (self->lp) - self->iterations_begun;
}

/*  The x furthest from 0 and 1; 0 when all are decided. */
static int x_undecided (const formulation_t *self, glp_tree *tree)
{
    glp_prob *lp = glp_ios_get_prob (tree);
    int best = 0;
    double best_off = 0;
    for (int i = 1; i <= self->x_last; i++) {
        if (!glp_ios_can_branch (tree, i))
            continue;
        double value = glp_get_col_prim (lp, i);
        double off = fmin (value, 1 - value);
        if (off > best_off) {
            best = i;
            best_off = off;
        }
    }
    return best;
}

/*  Is x branched upon first? In the plain and the pruned form GLPK chooses, as published, until the
 *  tree has grown so large that it seems it will not end by itself. */
static bool places_first (const formulation_t *self, glp_tree *tree)
{
    int all = 0;
    glp_ios_tree_size (tree, NULL, NULL, &all);
    return self->strong || all > OWN_CHOICE_NODES;
}

/*  Reports what is known by now, if that is more than before. */
static void formulation_report (formulation_t *self)
{
    if (!self->order->report)
        return;
    bool found = glp_mip_status (self->lp) == GLP_FEAS;
    bool better = found && glp_mip_obj_val (self->lp) < self->told_cost;
    int64_t bound = whole_bound (self, self->bound);
    if (!better && bound <= self->told_bound)
        return;
    solver_answer_t so_far;
    formulation_answer_from (self, found ? GLP_FEAS : GLP_UNDEF, &so_far);
    so_far.steps = self->budget->steps;
    self->order->report (self->order->hearer, &so_far);
    program_plan_destroy (&so_far.plan);
    self->told_bound = bound;
    self->told_cost = found ? glp_mip_obj_val (self->lp) : self->told_cost;
}

static void on_search (glp_tree *tree, void *of)
{
    formulation_t *self = of;
    int best = glp_ios_best_node (tree);
    if (best > 0)
        self->bound = fmax (self->bound, glp_ios_node_bound (tree, best));
    self->budget->steps = iterations (self);
    formulation_report (self);
    bool found = self->first && glp_mip_status (glp_ios_get_prob (tree)) == GLP_FEAS;
    if (!budget_look (self->budget) || found) {
        glp_ios_terminate (tree);
        return;
    }
    if (glp_ios_reason (tree) == GLP_IBRANCH && places_first (self, tree)) {
        int column = x_undecided (self, tree);
        if (column > 0)
            glp_ios_branch_upon (tree, column, GLP_UP_BRNCH);
    }
}

/*  Solves the linear relaxation. Returns GLPK's status; GLP_UNDEF when the limit came first. */
static int formulation_relax (formulation_t *self)
{
    glp_smcp order;
    glp_init_smcp (&order);
    order.msg_lev = GLP_MSG_OFF;
    order.tm_lim = budget_left_ms (self->budget);
    if (self->budget->limit->steps_max > 0)
        order.it_lim = (int) fmin ((double) self->budget->limit->steps_max, INT32_MAX);
    glp_adv_basis (self->lp, 0);
    int code = glp_simplex (self->lp, &order);
    self->budget->steps = iterations (self);
    if (code == GLP_EITLIM || code == GLP_ETMLIM) {
        self->budget->over = true;
        return GLP_UNDEF;
    }
    return code == 0 ? glp_get_status (self->lp) : GLP_UNDEF;
}

/*  Branch and bound from the relaxation; returns the same. */
static int formulation_branch (formulation_t *self)
{
    glp_iocp order;
    glp_init_iocp (&order);
    order.msg_lev = GLP_MSG_OFF;
    order.tm_lim = budget_left_ms (self->budget);
    order.cb_func = on_search;
    order.cb_info = self;
    int code = glp_intopt (self->lp, &order);
    int status = glp_mip_status (self->lp);
    if (code != 0)
        return status == GLP_OPT ? GLP_FEAS : status == GLP_FEAS ? GLP_FEAS : GLP_UNDEF;
    return status;
}

/*  --- all of it --- */

/*  False when the limit came first: not all rows are there then. */
static bool formulation_begin (formulation_t *self)
{
    const program_t *program = self->program;
    self->lp = glp_create_prob ();
    self->x = must (calloc (program->nodes_count * program->sites_count, sizeof *self->x));
    self->y = must (calloc (program->links_count * 2 * program->edges_count + 1, sizeof *self->y));
    add_columns (self);
    add_rows (self);
    self->iterations_begun = (uint64_t) glp_get_it_cnt (self->lp);
    return !self->budget->over;
}

static void formulation_end (formulation_t *self)
{
    glp_delete_prob (self->lp);
    free (self->x);
    free (self->y);
    free (self->rows);
    free (self->columns);
    free (self->values);
}

void formulation_solve (const program_t *program, const solver_order_t *order, budget_t *budget,
                        solver_answer_t *answer)
{
    int told = glp_term_out (GLP_OFF);
    formulation_t self = {
      .program = program,
      .budget = budget,
      .strong = order->kind == SOLVER_GLPK,
      .pruned = order->kind == SOLVER_GLPK_PRUNED,
      .first = order->first,
      .order = order,
      .told_cost = INFINITY,
    };
    int status = formulation_begin (&self) ? formulation_relax (&self) : GLP_UNDEF;
    if (status == GLP_OPT) {
        self.bound = glp_get_obj_val (self.lp);
        formulation_report (&self);
        status = formulation_branch (&self);
    }
    formulation_answer_from (&self, status, answer);
    formulation_end (&self);
    glp_term_out (told);
}

bool formulation_write (const program_t *program, const char *file)
{
    int told = glp_term_out (GLP_OFF);
    solver_limit_t limit = {0};
    budget_t budget;
    budget_begin (&budget, &limit);
    formulation_t self = {.program = program, .budget = &budget, .strong = true};
    formulation_begin (&self);
    for (int i = 1; i <= glp_get_num_cols (self.lp); i++)
        glp_set_obj_coef (self.lp, i, glp_get_obj_coef (self.lp, i) * self.unit);
    bool written = glp_write_lp (self.lp, NULL, file) == 0;
    formulation_end (&self);
    glp_term_out (told);
    return written;
}
