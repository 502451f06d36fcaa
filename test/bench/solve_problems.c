/*  solve_problems - makes a day of requests, and networks drawn at random. */
#include "solve_problems.h"

#include "prng.h"
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    S4_SITES = 10,
    S4_NODES = 12,
    S4_EDGES = 29,
    S4_WINDOWS = 10, /* problems of one request */
    DAY_MIN = 24 * 60,
    DURATION_MOST_MIN = 120,
    HORIZON_MIN = 2 * DAY_MIN, /* the reserved day, and time for what ends later */
};

static void *must_get (void *memory)
{
    if (!memory)
        abort ();
    return memory;
}

/*  --- S4 --- */

/*  One entry a minute: what is free in it. */
typedef struct {
    int64_t cpus [S4_NODES][HORIZON_MIN];
    int64_t bandwidth [S4_EDGES][HORIZON_MIN];
    problem_t whole; /* everything free */
} s4_t;

static const int64_t s4_cpus [S4_SITES] = {8, 16, 32, 64, 8, 16, 32, 8, 16, 32};
static const uint32_t s4_domains [] = {0, 4, 7, 10}; /* by domain, sites from and to: N, S, U */

static void s4_edge (s4_t *self, uint32_t a, uint32_t b, int64_t bandwidth, int64_t unit_cost)
{
    self->whole.edges [self->whole.program.edges_count++] =
      (program_edge_t){.ends = {a, b}, .bandwidth = bandwidth, .unit_cost = unit_cost};
}

static void problem_room (problem_t *problem, size_t nodes, size_t edges)
{
    *problem = (problem_t){0};
    problem->nodes = must_get (calloc (nodes, sizeof *problem->nodes));
    problem->edges = must_get (calloc (edges, sizeof *problem->edges));
}

static s4_t *s4_new (void)
{
    s4_t *self = must_get (calloc (1, sizeof *self));
    problem_room (&self->whole, S4_NODES, S4_EDGES);
    self->whole.program.nodes_count = S4_NODES;
    for (size_t i = 0; i < S4_SITES; i++)
        self->whole.nodes [i] = (program_node_t){.cpus = s4_cpus [i], .unit_cost = 1};
    for (size_t d = 0; d < 3; d++)
        for (uint32_t a = s4_domains [d]; a < s4_domains [d + 1]; a++)
            for (uint32_t b = a + 1; b < s4_domains [d + 1]; b++)
                s4_edge (self, a, b, 5, 5);
    for (uint32_t a = 0; a < S4_SITES; a++)
        s4_edge (self, a, S4_SITES, 10, 3);
    for (uint32_t a = 0; a < s4_domains [2]; a++)
        s4_edge (self, a, S4_SITES + 1, 10, 3);
    for (size_t t = 0; t < HORIZON_MIN; t++) {
        for (size_t i = 0; i < S4_NODES; i++)
            self->cpus [i][t] = self->whole.nodes [i].cpus;
        for (size_t e = 0; e < S4_EDGES; e++)
            self->bandwidth [e][t] = self->whole.edges [e].bandwidth;
    }
    return self;
}

/*  Shapes: two sites; a chain of three; three, all linked; four, all linked. */
static void s4_request (problem_t *problem, prng_t *prng)
{
    static const size_t sites [] = {2, 3, 3, 4};
    size_t type = prng_below (prng, 4);
    int64_t cpus = INT64_C (1) << prng_below (prng, 4);
    problem->program.sites_count = sites [type];
    for (uint32_t a = 0; a < sites [type]; a++) {
        problem->cpus [a] = cpus;
        for (uint32_t b = a + 1; b < sites [type]; b++)
            if (type != 1 || b == a + 1)
                problem->links [problem->program.links_count++] =
                  (program_link_t){.ends = {a, b}, .bandwidth = 1};
    }
}

static int64_t least_of (const int64_t *free, size_t from, size_t until)
{
    int64_t least = free [from];
    for (size_t t = from; t < until; t++)
        least = free [t] < least ? free [t] : least;
    return least;
}

static void s4_window (const s4_t *self, problem_t *problem, size_t from, size_t until)
{
    const program_t wanted = problem->program;
    problem_t asked = *problem;
    problem_room (problem, S4_NODES, S4_EDGES);
    problem->program = self->whole.program;
    problem->program.sites_count = wanted.sites_count;
    problem->program.links_count = wanted.links_count;
    memcpy (problem->cpus, asked.cpus, sizeof asked.cpus);
    memcpy (problem->links, asked.links, sizeof asked.links);
    memcpy (problem->nodes, self->whole.nodes, S4_NODES * sizeof *problem->nodes);
    memcpy (problem->edges, self->whole.edges, S4_EDGES * sizeof *problem->edges);
    for (size_t i = 0; i < S4_NODES; i++)
        problem->nodes [i].cpus = least_of (self->cpus [i], from, until);
    for (size_t e = 0; e < S4_EDGES; e++)
        problem->edges [e].bandwidth = least_of (self->bandwidth [e], from, until);
}

static void point (problem_t *problem)
{
    problem->program.nodes = problem->nodes;
    problem->program.edges = problem->edges;
    problem->program.cpus = problem->cpus;
    problem->program.links = problem->links;
}

static void s4_take (s4_t *self, const program_t *program, const program_plan_t *plan, size_t from,
                     size_t until)
{
    for (size_t t = from; t < until; t++) {
        for (size_t j = 0; j < program->sites_count; j++)
            self->cpus [plan->nodes [j]][t] -= program->cpus [j];
        for (size_t l = 0; l < program->links_count; l++)
            for (size_t k = 0; k + 1 < plan->path_lengths [l]; k++) {
                const uint32_t *path = &plan->paths [l * program->nodes_count + k];
                for (size_t e = 0; e < S4_EDGES; e++) {
                    const uint32_t *ends = program->edges [e].ends;
                    if ((ends [0] == path [0] && ends [1] == path [1]) ||
                        (ends [0] == path [1] && ends [1] == path [0]))
                        self->bandwidth [e][t] -= program->links [l].bandwidth;
                }
            }
    }
}

/*  One request makes a problem for each start; the first start with a plan is taken. */
static void s4_serve (s4_t *self, prng_t *prng, problem_t *problems, double between_min)
{
    static const size_t durations [] = {30, 60, 120};
    problem_t asked = {0};
    s4_request (&asked, prng);
    size_t duration = durations [prng_below (prng, 3)];
    size_t earliest = prng_below (prng, DAY_MIN);
    double step = 3 * between_min / (S4_WINDOWS - 1);
    bool taken = false;
    for (size_t w = 0; w < S4_WINDOWS; w++) {
        size_t from = earliest + (size_t) lround (step * (double) w);
        problem_t *problem = &problems [w];
        *problem = asked;
        s4_window (self, problem, from, from + duration);
        point (problem);
        if (taken)
            continue;
        solver_order_t order = {.kind = SOLVER_AUTO};
        solver_answer_t answer;
        solver_run (&problem->program, &order, &answer);
        if (answer.plan) {
            s4_take (self, &problem->program, answer.plan, from, from + duration);
            taken = true;
        }
        program_plan_destroy (&answer.plan);
    }
}

problem_t *problems_s4 (uint64_t seed, size_t *count)
{
    /* All CPUs of a day (232) are asked for by this many requests: 3 sites x 3.75 CPUs x 70 min in
     * the mean. */
    const size_t requests = (size_t) lround (232.0 * DAY_MIN / (3 * 3.75 * 70));
    prng_t prng;
    prng_seed (&prng, seed);
    s4_t *self = s4_new ();
    *count = requests * S4_WINDOWS;
    problem_t *problems = must_get (calloc (*count, sizeof *problems));
    for (size_t r = 0; r < requests; r++)
        s4_serve (self, &prng, &problems [r * S4_WINDOWS], 2.0 * DAY_MIN / (double) requests);
    free (self->whole.nodes);
    free (self->whole.edges);
    free (self);
    return problems;
}

/*  --- larger ones --- */

static int64_t left_of (prng_t *prng, int64_t whole, double used)
{
    double share = 1 - 2 * used * prng_unit (prng);
    return share <= 0 ? 0 : (int64_t) ((double) whole * share + 0.5);
}

static void large_edge (problem_t *problem, prng_t *prng, uint32_t a, uint32_t b, int64_t whole,
                        int64_t unit_cost, double used)
{
    problem->edges [problem->program.edges_count++] = (program_edge_t){
      .ends = {a, b}, .bandwidth = left_of (prng, whole, used), .unit_cost = unit_cost};
}

/*  Joins all sites of a domain to the exchange point. */
static void large_join (problem_t *problem, prng_t *prng, uint32_t from, uint32_t until,
                        uint32_t exchange, double used)
{
    for (uint32_t a = from; a < until; a++)
        large_edge (problem, prng, a, exchange, 10, 3, used);
}

static void large_draw (problem_t *problem, prng_t *prng, size_t sites, double used)
{
    size_t exchanges = sites / 4 > 1 ? sites / 4 : 1;
    problem_room (problem, sites + exchanges, sites * 2 + sites * 3);
    problem->program.nodes_count = sites + exchanges;
    for (size_t i = 0; i < sites; i++)
        problem->nodes [i] = (program_node_t){
          .cpus = left_of (prng, INT64_C (8) << prng_below (prng, 4), used), .unit_cost = 1};
    uint32_t from = 0;
    for (size_t domain = 0; from < sites; domain++) {
        uint32_t until = from + 3 + (uint32_t) prng_below (prng, 3);
        until = until > sites ? (uint32_t) sites : until;
        for (uint32_t a = from; a < until; a++)
            for (uint32_t b = a + 1; b < until; b++)
                large_edge (problem, prng, a, b, 5, 5, used);
        /* Joined to the exchange point of the domain before, so that all are connected, and to
         * others at random. */
        size_t own = domain % exchanges;
        size_t before = domain > 0 ? (domain - 1) % exchanges : own;
        size_t further = prng_below (prng, exchanges);
        large_join (problem, prng, from, until, (uint32_t) (sites + own), used);
        if (before != own)
            large_join (problem, prng, from, until, (uint32_t) (sites + before), used);
        if (further != own && further != before)
            large_join (problem, prng, from, until, (uint32_t) (sites + further), used);
        from = until;
    }
}

problem_t *problems_large (uint64_t seed, size_t count, size_t sites, size_t requested,
                           double linked, double used)
{
    prng_t prng;
    prng_seed (&prng, seed);
    problem_t *problems = must_get (calloc (count, sizeof *problems));
    for (size_t i = 0; i < count; i++) {
        problem_t *problem = &problems [i];
        large_draw (problem, &prng, sites, used);
        problem->program.sites_count = requested;
        for (uint32_t a = 0; a < requested; a++) {
            problem->cpus [a] = 4;
            for (uint32_t b = a + 1; b < requested; b++)
                if (prng_unit (&prng) < linked)
                    problem->links [problem->program.links_count++] =
                      (program_link_t){.ends = {a, b}, .bandwidth = 1};
        }
        point (problem);
    }
    return problems;
}

void problems_free (problem_t *problems, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free (problems [i].nodes);
        free (problems [i].edges);
    }
    free (problems);
}
