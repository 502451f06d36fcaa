/*  lagrange_bound: bounds are never above the cheapest paths, and mostly reach them. Against trying
 *  all paths, on small networks drawn by lot.
 */
#include "lagrange_bound.h"

#include "prng.h"
#include "solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PROBLEMS = 3000, NODES = 6, EDGES_MOST = NODES * (NODES - 1) / 2, LINKS_MOST = 6 };

typedef struct {
    program_t program;
    program_node_t nodes [NODES];
    program_edge_t edges [EDGES_MOST];
    int64_t cpus [NODES];
    program_link_t wanted [LINKS_MOST]; /* ends are nodes: site i is at node i */
    uint8_t banned [LINKS_MOST][2 * EDGES_MOST];
} lagrange_bound_drawn_t;

static void draw (lagrange_bound_drawn_t *self, prng_t *prng)
{
    *self =
      (lagrange_bound_drawn_t){.program = {.nodes = self->nodes,
                                           .nodes_count = NODES,
                                           .edges = self->edges,
                                           .cpus = self->cpus,
                                           .sites_count = NODES,
                                           .links = self->wanted,
                                           .links_count = 2 + prng_below (prng, LINKS_MOST - 1),
                                           .reading = (program_reading_t) prng_below (prng, 2),
                                           .hops_max = (uint32_t) (prng_below (prng, 2) * 3)}};
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = a + 1; b < NODES; b++)
            if (prng_below (prng, 10) < 6)
                self->edges [self->program.edges_count++] =
                  (program_edge_t){.ends = {a, b},
                                   .bandwidth = (int64_t) prng_below (prng, 4),
                                   .unit_cost = (int64_t) prng_below (prng, 5)};
    for (size_t l = 0; l < self->program.links_count; l++) {
        uint32_t from = (uint32_t) prng_below (prng, NODES);
        uint32_t to = (from + 1 + (uint32_t) prng_below (prng, NODES - 1)) % NODES;
        self->wanted [l] =
          (program_link_t){.ends = {from, to}, .bandwidth = 1 + (int64_t) prng_below (prng, 2)};
        for (size_t pool = 0; pool < 2 * EDGES_MOST; pool++)
            self->banned [l][pool] = prng_below (prng, 12) == 0;
    }
}

/*  --- trying all paths --- */

typedef struct {
    const lagrange_bound_drawn_t *drawn;
    int64_t left [2 * EDGES_MOST]; /* by pool */
    bool visited [NODES];
    int64_t least;
} lagrange_bound_trial_t;

static void try_link (lagrange_bound_trial_t *self, size_t link, int64_t cost);

static void try_from (lagrange_bound_trial_t *self, size_t link, uint32_t node, uint32_t hops,
                      int64_t cost)
{
    const program_t *program = &self->drawn->program;
    const program_link_t *wanted = &program->links [link];
    if (cost >= self->least)
        return;
    if (node == wanted->ends [1]) {
        bool visited [NODES];
        memcpy (visited, self->visited, sizeof visited);
        try_link (self, link + 1, cost);
        memcpy (self->visited, visited, sizeof visited);
        return;
    }
    if (program->hops_max > 0 && hops == program->hops_max)
        return;
    for (size_t e = 0; e < program->edges_count; e++)
        for (size_t side = 0; side < 2; side++) {
            const program_edge_t *edge = &program->edges [e];
            uint32_t next = edge->ends [1 - side];
            size_t pool = program->reading == PROGRAM_DIRECTED ? 2 * e + side : e;
            if (edge->ends [side] != node || self->visited [next] ||
                self->drawn->banned [link][pool] || self->left [pool] < wanted->bandwidth)
                continue;
            self->left [pool] -= wanted->bandwidth;
            self->visited [next] = true;
            try_from (self, link, next, hops + 1, cost + edge->unit_cost * wanted->bandwidth);
            self->visited [next] = false;
            self->left [pool] += wanted->bandwidth;
        }
}

static void try_link (lagrange_bound_trial_t *self, size_t link, int64_t cost)
{
    if (link == self->drawn->program.links_count) {
        self->least = cost < self->least ? cost : self->least;
        return;
    }
    uint32_t from = self->drawn->program.links [link].ends [0];
    memset (self->visited, 0, sizeof self->visited);
    self->visited [from] = true;
    try_from (self, link, from, 0, cost);
}

static int64_t try_all (const lagrange_bound_drawn_t *drawn)
{
    lagrange_bound_trial_t self = {.drawn = drawn, .least = INT64_MAX};
    for (size_t e = 0; e < drawn->program.edges_count; e++) {
        if (drawn->program.reading == PROGRAM_DIRECTED)
            self.left [2 * e] = self.left [2 * e + 1] = drawn->edges [e].bandwidth;
        else
            self.left [e] = drawn->edges [e].bandwidth;
    }
    try_link (&self, 0, 0);
    return self.least;
}

/*  --- the bound --- */

static int64_t bound_of (const lagrange_bound_drawn_t *drawn)
{
    solver_limit_t limit = {0};
    budget_t budget;
    budget_begin (&budget, &limit);
    solver_graph_t *net = solver_graph_new (&drawn->program, &budget);
    lagrange_link_t links [LINKS_MOST];
    for (size_t l = 0; l < drawn->program.links_count; l++)
        links [l] = (lagrange_link_t){.from = drawn->wanted [l].ends [0],
                                      .to = drawn->wanted [l].ends [1],
                                      .bandwidth = drawn->wanted [l].bandwidth,
                                      .banned = drawn->banned [l]};
    int64_t bound = lagrange_bound (net, links, drawn->program.links_count, INT64_MAX, &budget);
    solver_graph_destroy (&net);
    return bound;
}

static void a_bound_is_never_above_the_cheapest_paths_and_mostly_reaches_them (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 11);
    size_t none = 0;
    size_t none_proven = 0;
    size_t some = 0;
    size_t reached = 0;
    for (size_t i = 0; i < PROBLEMS; i++) {
        lagrange_bound_drawn_t drawn;
        draw (&drawn, &prng);
        int64_t least = try_all (&drawn);
        int64_t bound = bound_of (&drawn);
        if (bound > least)
            fail_msg ("problem %zu: a bound of %lld, and paths at %lld", i, (long long) bound,
                      (long long) least);
        none += least == INT64_MAX;
        none_proven += bound == INT64_MAX;
        some += least < INT64_MAX;
        reached += least < INT64_MAX && bound == least;
    }
    solver_rest ();
    print_message ("%zu of %zu proven to have no paths, %zu of %zu costs reached\n", none_proven,
                   none, reached, some);
    assert_true (none > PROBLEMS / 5 && some > PROBLEMS / 5);
    assert_true (none_proven > none * 8 / 10);
    assert_true (reached > some * 8 / 10);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_bound_is_never_above_the_cheapest_paths_and_mostly_reaches_them),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
