/*  solver: worked examples with known optima, limits, and which programs are refused. */
#include "program_verify.h"

#include "program_form.h"
#include "solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/*  --- worked examples: ip-samples.json --- */

enum {
    NODES_PLAIN_MOST = 12,  /* larger ones are beyond GLPK without help */
    PLAIN_STEPS_MAX = 4000, /* for those */
};

typedef struct {
    const char *name;
    program_reading_t reading;
    uint32_t hops_max;
} solver_variant_t;

static const solver_variant_t variants [] = {
  {"shared", PROGRAM_SHARED, 0},
  {"dir", PROGRAM_DIRECTED, 0},
  {"shared_p2", PROGRAM_SHARED, 2},
  {"dir_p2", PROGRAM_DIRECTED, 2},
};

static json_t *samples_load (void)
{
    json_error_t error;
    json_t *samples = json_load_file (TEST_DATA "/ip-samples.json", 0, &error);
    if (!samples)
        fail_msg (TEST_DATA "/ip-samples.json: %s", error.text);
    return samples;
}

static int64_t expected (const json_t *samples, size_t index, const char *variant)
{
    const json_t *instance = json_array_get (json_object_get (samples, "instances"), index);
    const json_t *value = json_object_get (json_object_get (instance, "expected"), variant);
    assert_non_null (value);
    return json_is_null (value) ? INT64_MAX : json_integer_value (value);
}

/*  Proven and right; or, where the solver was not asked for a proof, not wrong. */
static void check_answer (const instance_t *instance, const solver_answer_t *answer, int64_t least,
                          bool proof)
{
    const char *why = "";
    int64_t cost = answer->plan ? verify_plan (&instance->program, answer->plan, &why) : INT64_MAX;
    if (answer->plan && (cost < least || cost != answer->plan->cost))
        fail_msg ("%s: a plan at %" PRId64 ", told as %" PRId64 ": %s", instance->id, cost,
                  answer->plan->cost, why);
    switch (answer->status) {
    case SOLVER_OPTIMAL:
    case SOLVER_INFEASIBLE:
        if (cost != least)
            fail_msg ("%s: %s at %" PRId64 ", where the least is %" PRId64, instance->id,
                      solver_status_word (answer->status), cost, least);
        break;
    case SOLVER_FEASIBLE:
    case SOLVER_UNKNOWN:
        if (proof || answer->bound > least)
            fail_msg ("%s: %s, bound %" PRId64 ", where the least is %" PRId64, instance->id,
                      solver_status_word (answer->status), answer->bound, least);
    }
}

static void check_samples (solver_kind_t kind)
{
    json_t *samples = samples_load ();
    for (size_t v = 0; v < sizeof variants / sizeof variants [0]; v++) {
        if (kind == SOLVER_GLPK_PRUNED && variants [v].hops_max == 0)
            continue;
        size_t count = 0;
        char why [LONG_WHY_BYTES];
        instance_t *instances =
          program_form_read (samples, variants [v].reading, variants [v].hops_max, &count, why);
        if (!instances) {
            fail_msg ("%s", why);
            return;
        }
        assert_int_equal (count, 25);
        for (size_t i = 0; i < count; i++) {
            bool help = kind == SOLVER_AUTO || kind == SOLVER_GLPK;
            bool proof = help || instances [i].program.nodes_count <= NODES_PLAIN_MOST;
            solver_order_t order = {.kind = kind, .limit.steps_max = proof ? 0 : PLAIN_STEPS_MAX};
            solver_answer_t answer;
            solver_run (&instances [i].program, &order, &answer);
            check_answer (&instances [i], &answer, expected (samples, i, variants [v].name), proof);
            program_plan_destroy (&answer.plan);
        }
        program_form_free (instances, count);
    }
    json_decref (samples);
    solver_rest ();
}

static void auto_gives_every_value_of_the_worked_examples (void **state)
{
    (void) state;
    check_samples (SOLVER_AUTO);
}

static void glpk_gives_every_value_of_the_worked_examples (void **state)
{
    (void) state;
    check_samples (SOLVER_GLPK);
}

static void glpk_pruned_gives_every_value_of_the_small_ones_and_no_wrong_one (void **state)
{
    (void) state;
    check_samples (SOLVER_GLPK_PRUNED);
}

static void glpk_plain_gives_every_value_of_the_small_ones_and_no_wrong_one (void **state)
{
    (void) state;
    check_samples (SOLVER_GLPK_PLAIN);
}

/*  --- a ring with spokes: many ways, all full when all need them --- */

enum { RING_NODES_MOST = 64, RING_SITES_MOST = 40 };

typedef struct {
    program_t program;
    program_node_t nodes [RING_NODES_MOST];
    program_edge_t edges [2 * RING_NODES_MOST];
    int64_t cpus [RING_SITES_MOST];
    program_link_t links [RING_SITES_MOST * (RING_SITES_MOST - 1) / 2];
} ring_t;

/*  Each node is joined to the next and the one after that, with this bandwidth; all sites are
 *  linked with each other at 1. */
static void ring_make (ring_t *self, size_t nodes, size_t sites, int64_t bandwidth)
{
    *self = (ring_t){.program = {.nodes = self->nodes,
                                 .nodes_count = nodes,
                                 .edges = self->edges,
                                 .cpus = self->cpus,
                                 .sites_count = sites,
                                 .links = self->links}};
    for (uint32_t i = 0; i < nodes; i++) {
        self->nodes [i] = (program_node_t){.cpus = 1, .unit_cost = 1 + i % 3};
        for (uint32_t step = 1; step <= 2; step++)
            self->edges [self->program.edges_count++] =
              (program_edge_t){.ends = {i, (i + step) % (uint32_t) nodes},
                               .bandwidth = bandwidth,
                               .unit_cost = 2 + i % 2};
    }
    for (uint32_t o = 0; o < sites; o++) {
        self->cpus [o] = 1;
        for (uint32_t p = o + 1; p < sites; p++)
            self->links [self->program.links_count++] =
              (program_link_t){.ends = {o, p}, .bandwidth = 1};
    }
}

/*  --- limits --- */

/*  A clock that goes on by a millisecond whenever it is read. */
static int64_t reads_us (void *of)
{
    int64_t *reads = of;
    return 1000 * ++*reads;
}

static void a_limit_of_time_holds_and_nothing_is_claimed (void **state)
{
    (void) state;
    ring_t ring;
    ring_make (&ring, 60, 40, 12); /* 780 links: far more than its edges can carry */
    int64_t reads = 0;
    solver_order_t order = {
      .kind = SOLVER_AUTO,
      .limit = {.time_us_max = 500000, .clock_us = reads_us, .clock = &reads},
    };
    solver_answer_t answer;
    solver_run (&ring.program, &order, &answer);
    assert_in_range (reads, 1, 510); /* it ends when the clock says so */
    assert_true (answer.status == SOLVER_UNKNOWN || answer.status == SOLVER_INFEASIBLE);
    assert_null (answer.plan);
}

/*  Whatever the limit is, answers are true; with more steps no less is known. */
static void what_is_told_early_is_true (void **state)
{
    (void) state;
    ring_t ring;
    ring_make (&ring, 9, 4, 2);
    solver_order_t order = {.kind = SOLVER_AUTO};
    solver_answer_t whole;
    solver_run (&ring.program, &order, &whole);
    assert_int_equal (whole.status, SOLVER_OPTIMAL);
    size_t unproven = 0;
    for (size_t kind = 0; kind < SOLVER_KINDS; kind++) {
        order.kind = (solver_kind_t) kind;
        if (!solver_takes (order.kind, &ring.program))
            continue;
        for (uint64_t steps = 1; steps < 4000; steps += 1 + steps / 4) {
            order.limit.steps_max = steps;
            solver_answer_t answer;
            solver_run (&ring.program, &order, &answer);
            instance_t instance = {.id = solver_kind_word (order.kind), .program = ring.program};
            check_answer (&instance, &answer, whole.plan->cost, false);
            unproven += answer.status != SOLVER_OPTIMAL;
            program_plan_destroy (&answer.plan);
        }
    }
    assert_true (unproven > 0);
    program_plan_destroy (&whole.plan);
    solver_rest ();
}

static void the_same_steps_give_the_same_answer (void **state)
{
    (void) state;
    ring_t ring;
    ring_make (&ring, 20, 6, 2);
    solver_order_t order = {.kind = SOLVER_AUTO, .limit.steps_max = 300};
    solver_answer_t once;
    solver_answer_t again;
    solver_run (&ring.program, &order, &once);
    solver_run (&ring.program, &order, &again);
    assert_int_equal (once.status, again.status);
    assert_int_equal (once.bound, again.bound);
    assert_int_equal (once.steps, again.steps);
    assert_int_equal (!once.plan, !again.plan);
    if (once.plan && again.plan)
        assert_memory_equal (once.plan->nodes, again.plan->nodes, 6 * sizeof *once.plan->nodes);
    program_plan_destroy (&once.plan);
    program_plan_destroy (&again.plan);
}

static void any_plan_will_do_where_that_is_said (void **state)
{
    (void) state;
    ring_t ring;
    ring_make (&ring, 12, 4, 3);
    for (size_t kind = 0; kind < SOLVER_KINDS; kind++) {
        solver_order_t order = {.kind = (solver_kind_t) kind, .first = true};
        if (!solver_takes (order.kind, &ring.program))
            continue;
        solver_answer_t answer;
        solver_run (&ring.program, &order, &answer);
        assert_non_null (answer.plan);
        const char *why = "";
        assert_int_equal (verify_plan (&ring.program, answer.plan, &why), answer.plan->cost);
        program_plan_destroy (&answer.plan);
    }
    solver_rest ();
}

/*  --- what a program must be --- */

static void refused (const program_t *program, const char *word)
{
    char why [WHY_BYTES];
    assert_false (program_check (program, why));
    if (!strstr (why, word))
        fail_msg ("\"%s\" does not name %s", why, word);
}

static void what_is_wrong_is_named (void **state)
{
    (void) state;
    ring_t ring;
    char why [WHY_BYTES];
    ring_make (&ring, 8, 3, 1);
    assert_true (program_check (&ring.program, why));

    ring.nodes [3].cpus = -1;
    refused (&ring.program, "nodes[3]");
    ring_make (&ring, 8, 3, 1);
    ring.cpus [1] = 0;
    refused (&ring.program, "request.cpu[1]");
    ring_make (&ring, 8, 3, 1);
    ring.edges [5].ends [1] = 8;
    refused (&ring.program, "edges[5]");
    ring_make (&ring, 8, 3, 1);
    ring.edges [5] = ring.edges [4];
    refused (&ring.program, "joined already");
    ring_make (&ring, 8, 3, 1);
    ring.links [2].ends [0] = ring.links [2].ends [1];
    refused (&ring.program, "request.links[2]");
    ring_make (&ring, 8, 3, 1);
    ring.links [0].bandwidth = PROGRAM_AMOUNT_MAX + 1;
    refused (&ring.program, "request.links[0]");
    ring_make (&ring, 8, 3, 1);
    ring.program.sites_count = 0;
    refused (&ring.program, "request.cpu");
    ring_make (&ring, 8, 3, 1);
    ring.edges [0].unit_cost = PROGRAM_UNIT_COST_MAX;
    ring.links [0].bandwidth = PROGRAM_AMOUNT_MAX;
    refused (&ring.program, "larger units");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (auto_gives_every_value_of_the_worked_examples),
      cmocka_unit_test (glpk_gives_every_value_of_the_worked_examples),
      cmocka_unit_test (glpk_pruned_gives_every_value_of_the_small_ones_and_no_wrong_one),
      cmocka_unit_test (glpk_plain_gives_every_value_of_the_small_ones_and_no_wrong_one),
      cmocka_unit_test (a_limit_of_time_holds_and_nothing_is_claimed),
      cmocka_unit_test (what_is_told_early_is_true),
      cmocka_unit_test (the_same_steps_give_the_same_answer),
      cmocka_unit_test (any_plan_will_do_where_that_is_said),
      cmocka_unit_test (what_is_wrong_is_named),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
