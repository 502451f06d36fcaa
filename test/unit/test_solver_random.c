/*  solver: on small problems drawn by lot, all solvers agree with one that tries everything.
 *
 *  What tries everything shares no code with the solvers: it puts each site at each node, walks
 *  each simple path, and keeps the least cost.
 */
#include "program_verify.h"

#include "prng.h"
#include "solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    PROBLEMS = 5000, /* of either kind */
    NODES_MOST = 6,
    EDGES_MOST = NODES_MOST * (NODES_MOST - 1) / 2,
    SITES_MOST = 4,
    LINKS_MOST = SITES_MOST * (SITES_MOST - 1) / 2,
};

/*  --- trying everything --- */

typedef struct {
    const program_t *program;
    int64_t left [NODES_MOST][NODES_MOST]; /* bandwidth; -1 = no edge */
    int64_t price [NODES_MOST][NODES_MOST];
    bool barred [LINKS_MOST][NODES_MOST][NODES_MOST];
    size_t at [SITES_MOST];
    bool visited [NODES_MOST];
    int64_t least; /* INT64_MAX: none */
} solver_random_trial_t;

static void try_links (solver_random_trial_t *self, size_t link, int64_t cost);

static void try_paths (solver_random_trial_t *self, size_t link, size_t node, size_t hops,
                       int64_t cost)
{
    const program_link_t *wanted = &self->program->links [link];
    if (cost >= self->least)
        return;
    if (node == self->at [wanted->ends [1]]) {
        bool visited [NODES_MOST];
        memcpy (visited, self->visited, sizeof visited);
        try_links (self, link + 1, cost);
        memcpy (self->visited, visited, sizeof visited);
        return;
    }
    if (self->program->hops_max > 0 && hops == self->program->hops_max)
        return;
    for (size_t next = 0; next < self->program->nodes_count; next++) {
        if (self->visited [next] || self->left [node][next] < wanted->bandwidth ||
            self->barred [link][node][next])
            continue;
        bool both = self->program->reading == PROGRAM_SHARED;
        self->left [node][next] -= wanted->bandwidth;
        self->left [next][node] -= both ? wanted->bandwidth : 0;
        self->visited [next] = true;
        try_paths (self, link, next, hops + 1, cost + self->price [node][next] * wanted->bandwidth);
        self->visited [next] = false;
        self->left [node][next] += wanted->bandwidth;
        self->left [next][node] += both ? wanted->bandwidth : 0;
    }
}

static void try_links (solver_random_trial_t *self, size_t link, int64_t cost)
{
    if (link == self->program->links_count) {
        self->least = cost < self->least ? cost : self->least;
        return;
    }
    if (self->program->links [link].bandwidth == 0) {
        try_links (self, link + 1, cost);
        return;
    }
    size_t from = self->at [self->program->links [link].ends [0]];
    memset (self->visited, 0, sizeof self->visited);
    self->visited [from] = true;
    try_paths (self, link, from, 0, cost);
}

static void try_places (solver_random_trial_t *self, size_t site, int64_t cost)
{
    const program_t *program = self->program;
    if (site == program->sites_count) {
        try_links (self, 0, cost);
        return;
    }
    for (size_t node = 0; node < program->nodes_count; node++) {
        bool taken = program->offers ? program->offers [site * program->nodes_count + node] < 0
                                     : program->nodes [node].cpus < program->cpus [site];
        for (size_t k = 0; k < site; k++)
            taken = taken || self->at [k] == node;
        if (taken)
            continue;
        self->at [site] = node;
        int64_t own = program->offers ? program->offers [site * program->nodes_count + node]
                                      : program->nodes [node].unit_cost * program->cpus [site];
        try_places (self, site + 1, cost + own);
    }
}

static int64_t try_everything (const program_t *program)
{
    solver_random_trial_t self = {.program = program, .least = INT64_MAX};
    for (size_t i = 0; i < NODES_MOST; i++)
        for (size_t k = 0; k < NODES_MOST; k++)
            self.left [i][k] = -1;
    for (size_t i = 0; i < program->edges_count; i++) {
        uint32_t a = program->edges [i].ends [0];
        uint32_t b = program->edges [i].ends [1];
        self.left [a][b] = self.left [b][a] = program->edges [i].bandwidth;
        self.price [a][b] = self.price [b][a] = program->edges [i].unit_cost;
        for (size_t l = 0; program->barred && l < program->links_count; l++)
            self.barred [l][a][b] = self.barred [l][b][a] =
              program->barred [l * program->edges_count + i];
    }
    try_places (&self, 0, 0);
    return self.least;
}

/*  --- problems --- */

typedef struct {
    program_t program;
    program_node_t nodes [NODES_MOST];
    program_edge_t edges [EDGES_MOST];
    int64_t cpus [SITES_MOST];
    program_link_t links [LINKS_MOST];
    int64_t offers [SITES_MOST * NODES_MOST];
    uint8_t barred [LINKS_MOST * EDGES_MOST];
} solver_random_drawn_t;

static int64_t draw (prng_t *prng, int64_t least, int64_t most)
{
    return least + (int64_t) prng_below (prng, (uint64_t) (most - least + 1));
}

/*  Many edges cost nothing, or the same: there cycles and ties are. */
static int64_t draw_cost (prng_t *prng)
{
    static const int64_t costs [] = {0, 1, 1, 2, 3, 5};
    return costs [prng_below (prng, 6)];
}

static void draw_program (solver_random_drawn_t *self, prng_t *prng)
{
    size_t nodes = (size_t) draw (prng, 2, NODES_MOST);
    size_t sites = (size_t) draw (prng, 1, nodes < SITES_MOST ? (int64_t) nodes : SITES_MOST);
    uint64_t density = (uint64_t) draw (prng, 3, 10);
    bool even = prng_below (prng, 2) == 0; /* all links want the same */
    *self = (solver_random_drawn_t){
      .program = {.nodes = self->nodes,
                  .nodes_count = nodes,
                  .edges = self->edges,
                  .cpus = self->cpus,
                  .sites_count = sites,
                  .links = self->links,
                  .reading = (program_reading_t) prng_below (prng, 2),
                  .hops_max = (uint32_t) prng_below (prng, 2) * (uint32_t) draw (prng, 1, 3)}};
    for (size_t i = 0; i < nodes; i++)
        self->nodes [i] =
          (program_node_t){.cpus = draw (prng, 0, 4), .unit_cost = draw_cost (prng)};
    for (uint32_t a = 0; a < nodes; a++)
        for (uint32_t b = a + 1; b < nodes; b++)
            if (prng_below (prng, 10) < density)
                self->edges [self->program.edges_count++] = (program_edge_t){
                  .ends = {a, b}, .bandwidth = draw (prng, 0, 4), .unit_cost = draw_cost (prng)};
    for (size_t j = 0; j < sites; j++)
        self->cpus [j] = even ? 1 : draw (prng, 1, 2);
    for (uint32_t o = 0; o < sites; o++)
        for (uint32_t p = o + 1; p < sites; p++)
            if (prng_below (prng, 5) > 0) {
                bool turned = prng_below (prng, 2) == 0;
                self->links [self->program.links_count++] =
                  (program_link_t){.ends = {turned ? p : o, turned ? o : p},
                                   .bandwidth = even ? 1 : draw (prng, 0, 3)};
            }
}

/*  What each site may use is its own. */
static void draw_differences (solver_random_drawn_t *self, prng_t *prng)
{
    program_t *program = &self->program;
    for (size_t i = 0; i < program->sites_count * program->nodes_count; i++)
        self->offers [i] = prng_below (prng, 3) == 0 ? PROGRAM_BARRED : draw (prng, 0, 6);
    for (size_t i = 0; i < program->links_count * program->edges_count; i++)
        self->barred [i] = prng_below (prng, 4) == 0;
    if (prng_below (prng, 3) > 0)
        program->offers = self->offers;
    if (prng_below (prng, 3) > 0)
        program->barred = self->barred;
}

static void compare (const program_t *program, solver_kind_t kind, int64_t least, size_t number)
{
    solver_order_t order = {.kind = kind};
    solver_answer_t answer;
    solver_run (program, &order, &answer);
    const char *why = "";
    int64_t cost = answer.plan ? verify_plan (program, answer.plan, &why) : INT64_MAX;
    solver_status_t right = least == INT64_MAX ? SOLVER_INFEASIBLE : SOLVER_OPTIMAL;
    if (answer.status != right || cost != least || (answer.plan && answer.bound != least))
        fail_msg ("problem %zu, %s: %s at %" PRId64 " (bound %" PRId64
                  ", %s), where the least is %" PRId64,
                  number, solver_kind_word (kind), solver_status_word (answer.status), cost,
                  answer.bound, why, least);
    program_plan_destroy (&answer.plan);
}

static void agree (uint64_t seed, bool differences)
{
    prng_t prng;
    prng_seed (&prng, seed);
    size_t feasible = 0;
    for (size_t i = 0; i < PROBLEMS; i++) {
        solver_random_drawn_t drawn;
        draw_program (&drawn, &prng);
        if (differences)
            draw_differences (&drawn, &prng);
        char why [WHY_BYTES];
        if (!program_check (&drawn.program, why))
            fail_msg ("problem %zu: %s", i, why);
        int64_t least = try_everything (&drawn.program);
        feasible += least < INT64_MAX;
        for (size_t kind = 0; kind < SOLVER_KINDS; kind++)
            if (solver_takes ((solver_kind_t) kind, &drawn.program))
                compare (&drawn.program, (solver_kind_t) kind, least, i);
    }
    solver_rest ();
    print_message ("%zu of %d problems have a plan\n", feasible, PROBLEMS);
    assert_in_range (feasible, PROBLEMS / 4, PROBLEMS * 3 / 4);
}

static void all_solvers_agree_with_one_that_tries_everything (void **state)
{
    (void) state;
    agree (5, false);
}

static void they_agree_where_each_site_and_link_has_its_own_choice (void **state)
{
    (void) state;
    agree (6, true);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (all_solvers_agree_with_one_that_tries_everything),
      cmocka_unit_test (they_agree_where_each_site_and_link_has_its_own_choice),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
