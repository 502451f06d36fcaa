/*  lagrange_bound - column generation: a path joins the master program when, at the program's
 *  prices, it is lighter than the paths that its link has.
 *
 *  Rows of the master: each link has one path in all (or, at a penalty, none); no pool carries more
 *  than is free. For prices u >= 0 of the pools, sum over links of their lightest path at cost + u,
 *  less sum over pools of u x free, is a lower bound (Lagrange).
 */
#include "lagrange_bound.h"

#include "must.h"

#include <glpk.h>

#include <math.h>

#define ROUNDS_MAX     60
#define SLACK          1e-6 /* of sums of doubles, relative */
#define PENALTY_FACTOR 8.0  /* price of a link without a path, as a multiple of the dearest plan */

typedef struct {
    const solver_graph_t *net;
    const lagrange_link_t *links;
    size_t count;
    budget_t *budget;
    size_t nodes;
    uint32_t hops_max; /* 0 = any */
    glp_prob *master;  /* row 1 + i: link i; then pools as they come */
    int *row_of;       /* by pool; 0 = none yet, -1 = none needed: the pool is never full */
    double *price;     /* by pool */
    double *reached;   /* a walk */
    uint32_t *came_by;
    uint32_t *came_from;
    uint8_t *done;
    uint32_t *path; /* arcs of the path found last */
    size_t path_length;
    double dearest; /* no plan costs more */
} lagrange_t;

/*  --- the lightest path at the prices --- */

static bool may_use (const lagrange_t *self, const lagrange_link_t *link,
                     const solver_graph_arc_t *arc)
{
    return self->net->free [arc->pool] >= link->bandwidth && !link->banned [arc->pool];
}

static void lagrange_bound_read_walk (lagrange_t *self, uint32_t last, uint32_t first)
{
    self->path_length = 0;
    for (uint32_t at = last; at != first; at = self->came_from [at])
        self->path [self->path_length++] = self->came_by [at];
}

static double lagrange_bound_walk (lagrange_t *self, const lagrange_link_t *link)
{
    const solver_graph_t *net = self->net;
    for (size_t i = 0; i < self->nodes; i++) {
        self->reached [i] = HUGE_VAL;
        self->done [i] = 0;
    }
    self->reached [link->from] = 0;
    for (;;) {
        uint32_t node = UINT32_MAX;
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < self->nodes; i++)
            if (!self->done [i] && self->reached [i] < least) {
                node = i;
                least = self->reached [i];
            }
        if (node == UINT32_MAX || node == link->to)
            break;
        self->done [node] = 1;
        for (uint32_t a = net->starts [node]; a < net->starts [node + 1]; a++) {
            const solver_graph_arc_t *arc = &net->arcs [a];
            double sum = least + arc->cost + self->price [arc->pool];
            if (self->done [arc->to] || !may_use (self, link, arc) ||
                sum >= self->reached [arc->to])
                continue;
            self->reached [arc->to] = sum;
            self->came_by [arc->to] = a;
            self->came_from [arc->to] = node;
        }
    }
    if (self->reached [link->to] < HUGE_VAL)
        lagrange_bound_read_walk (self, link->to, link->from);
    return self->reached [link->to];
}

/*  The same with a limit of edges; states h * nodes + i as in routing.c. */
static double lagrange_bound_walk_within (lagrange_t *self, const lagrange_link_t *link)
{
    const solver_graph_t *net = self->net;
    size_t nodes = self->nodes;
    for (size_t i = 0; i < nodes * (self->hops_max + 1); i++)
        self->reached [i] = HUGE_VAL;
    self->reached [link->from] = 0;
    uint32_t best = link->to; /* hop 0: never reached */
    for (uint32_t hop = 0; hop < self->hops_max; hop++) {
        for (uint32_t node = 0; node < nodes; node++) {
            double so_far = self->reached [hop * nodes + node];
            if (so_far == HUGE_VAL || node == link->to)
                continue;
            for (uint32_t a = net->starts [node]; a < net->starts [node + 1]; a++) {
                const solver_graph_arc_t *arc = &net->arcs [a];
                size_t state = (hop + 1) * nodes + arc->to;
                double sum = so_far + arc->cost + self->price [arc->pool];
                if (!may_use (self, link, arc) || sum >= self->reached [state])
                    continue;
                self->reached [state] = sum;
                self->came_by [state] = a;
                self->came_from [state] = (uint32_t) (hop * nodes + node);
            }
        }
        uint32_t state = (uint32_t) ((hop + 1) * nodes + link->to);
        if (self->reached [state] < self->reached [best])
            best = state;
    }
    if (self->reached [best] < HUGE_VAL)
        lagrange_bound_read_walk (self, best, link->from);
    return self->reached [best];
}

static double lightest (lagrange_t *self, const lagrange_link_t *link)
{
    budget_step (self->budget);
    return self->hops_max > 0 ? lagrange_bound_walk_within (self, link)
                              : lagrange_bound_walk (self, link);
}

/*  --- the master program --- */

/*  The pool's row, made when first asked for; 0 where all links together can't fill the pool. */
static int pool_row (lagrange_t *self, uint32_t pool)
{
    if (self->row_of [pool] == 0) {
        int64_t wanted = 0;
        for (size_t i = 0; i < self->count; i++)
            wanted += self->links [i].bandwidth;
        self->row_of [pool] = -1;
        if (wanted > self->net->free [pool]) {
            self->row_of [pool] = glp_add_rows (self->master, 1);
            glp_set_row_bnds (self->master, self->row_of [pool], GLP_UP, 0,
                              (double) self->net->free [pool]);
        }
    }
    return self->row_of [pool] > 0 ? self->row_of [pool] : 0;
}

/*  Adds the path found last as a column of the link. */
static void lagrange_bound_add_column (lagrange_t *self, size_t link)
{
    double bandwidth = (double) self->links [link].bandwidth;
    int *rows = must (malloc ((self->path_length + 2) * sizeof *rows));
    double *values = must (malloc ((self->path_length + 2) * sizeof *values));
    int entries = 1;
    double cost = 0;
    rows [1] = (int) link + 1;
    values [1] = 1;
    for (size_t i = 0; i < self->path_length; i++) {
        const solver_graph_arc_t *arc = &self->net->arcs [self->path [i]];
        int row = pool_row (self, arc->pool);
        cost += arc->cost * bandwidth;
        if (row > 0) {
            entries++;
            rows [entries] = row;
            values [entries] = bandwidth;
        }
    }
    int column = glp_add_cols (self->master, 1);
    glp_set_col_bnds (self->master, column, GLP_LO, 0, 0);
    glp_set_obj_coef (self->master, column, cost);
    glp_set_mat_col (self->master, column, entries, rows, values);
    free (rows);
    free (values);
}

static void master_begin (lagrange_t *self)
{
    glp_add_rows (self->master, (int) self->count);
    glp_add_cols (self->master, (int) self->count);
    for (int i = 1; i <= (int) self->count; i++) {
        int rows [] = {0, i};
        double values [] = {0, 1};
        glp_set_row_bnds (self->master, i, GLP_FX, 1, 1);
        glp_set_col_bnds (self->master, i, GLP_LO, 0, 0);
        glp_set_obj_coef (self->master, i, PENALTY_FACTOR * self->dearest);
        glp_set_mat_col (self->master, i, 1, rows, values);
    }
    glp_std_basis (self->master);
}

/*  Takes new prices from the simplex; false when it has none. */
static bool master_solve (lagrange_t *self)
{
    glp_smcp order;
    glp_init_smcp (&order);
    order.msg_lev = GLP_MSG_OFF;
    order.tm_lim = budget_left_ms (self->budget);
    if (glp_simplex (self->master, &order) != 0 || glp_get_status (self->master) != GLP_OPT)
        return false;
    for (size_t pool = 0; pool < self->net->pools_count; pool++)
        if (self->row_of [pool] > 0)
            self->price [pool] = fmax (0, -glp_get_row_dual (self->master, self->row_of [pool]));
    return true;
}

/*  --- the bound --- */

/*  The bound at the present prices. Paths that are lighter than their link's price join the master;
 *  *grown: did any? HUGE_VAL when a link has no path at all. */
static double price_paths (lagrange_t *self, bool *grown)
{
    double bound = 0;
    *grown = false;
    for (size_t i = 0; i < self->count; i++) {
        double cost = lightest (self, &self->links [i]) * (double) self->links [i].bandwidth;
        if (cost == HUGE_VAL)
            return HUGE_VAL;
        bound += cost;
        double paid = glp_get_row_dual (self->master, (int) i + 1);
        if (cost < paid - SLACK * (1 + fabs (paid))) {
            lagrange_bound_add_column (self, i);
            *grown = true;
        }
    }
    for (size_t pool = 0; pool < self->net->pools_count; pool++)
        if (self->row_of [pool] > 0)
            bound -= self->price [pool] * (double) self->net->free [pool];
    return bound;
}

static int64_t bound_find (lagrange_t *self, int64_t enough)
{
    int64_t best = 0;
    for (size_t round = 0; round < ROUNDS_MAX && !self->budget->over; round++) {
        if (!master_solve (self))
            break;
        bool grown;
        double bound = price_paths (self, &grown);
        if (bound == HUGE_VAL)
            return INT64_MAX;
        double sure = ceil (bound - SLACK * (1 + fabs (bound)));
        if (sure > self->dearest)
            return INT64_MAX;
        if (sure > (double) best)
            best = (int64_t) sure;
        if (best >= enough || !grown)
            break;
    }
    return best;
}

int64_t lagrange_bound (const solver_graph_t *net, const lagrange_link_t *links, size_t count,
                        int64_t enough, budget_t *budget)
{
    const program_t *program = net->program;
    size_t nodes = program->nodes_count;
    bool limited = program->hops_max > 0 && program->hops_max < nodes;
    size_t states = nodes * (limited ? program->hops_max + 1 : 1);
    int told = glp_term_out (GLP_OFF);
    lagrange_t self = {
      .net = net,
      .links = links,
      .count = count,
      .budget = budget,
      .nodes = nodes,
      .hops_max = limited ? program->hops_max : 0,
      .master = glp_create_prob (),
      .row_of = must (calloc (net->pools_count + 1, sizeof (int))),
      .price = must (calloc (net->pools_count + 1, sizeof (double))),
      .reached = must (malloc (states * sizeof (double))),
      .came_by = must (malloc (states * sizeof (uint32_t))),
      .came_from = must (malloc (states * sizeof (uint32_t))),
      .done = must (malloc (nodes)),
      .path = must (malloc (states * sizeof (uint32_t))),
    };
    double dearest_edge = 0;
    for (size_t e = 0; e < program->edges_count; e++)
        dearest_edge = fmax (dearest_edge, (double) program->edges [e].unit_cost);
    for (size_t i = 0; i < count; i++)
        self.dearest += (double) links [i].bandwidth * dearest_edge *
                        (double) (limited ? program->hops_max : nodes - 1);
    self.dearest = fmax (self.dearest, 1);
    master_begin (&self);
    int64_t bound = bound_find (&self, enough);
    glp_delete_prob (self.master);
    free (self.row_of);
    free (self.price);
    free (self.reached);
    free (self.came_by);
    free (self.came_from);
    free (self.done);
    free (self.path);
    glp_term_out (told);
    return bound;
}
