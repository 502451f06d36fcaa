/*  planner - with solver processes: windows are solved side by side and may end in any order; what
 *  comes too late or never is not claimed to be known. Here the test is the worker.
 */
#include "network_asking.h"

#include "message.h"
#include "solving_wire.h"

enum { WORKERS = 3 };

/*  a and b, a connection between them, in one of ten windows an hour apart. */
static const net_wish_t pair = {.sites = {"a", "b"},
                                .needs = 2,
                                .links = {{0, 1, 600, 0, 0, 0}},
                                .links_count = 1,
                                .start_ms = FED_HOUR_MS,
                                .latest_ms = 10 * FED_HOUR_MS,
                                .algorithm = "ip"};

static void begin (fed_t *fed, uint64_t seed, solver_kind_t solver, uint32_t workers)
{
    net_build (fed, seed, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    ip_settings_t *ip = &fed->procs [fed_find (fed, "p0")].planner.ip;
    ip->solver = solver;
    ip->workers = workers;
    fed_up (fed);
}

/*  Answers as svc-planner's own solver process would. */
static bool solve (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    solving_t solving;
    solver_answer_t answer;
    char why [LONG_WHY_BYTES];
    if (!solving_order_decode (&solving, arguments, why))
        fail_msg ("%s", why);
    assert_in_range (solving.order.limit.time_us_max, 1, 5000000);
    assert_int_equal (solving.order.limit.steps_max, 20000);
    solver_run (&solving.program, &solving.order, &answer);
    packed_t bytes = solving_answer_encode (&solving.program, &answer, 1);
    program_plan_destroy (&answer.plan);
    solving_clear (&solving);
    solver_rest ();
    *result = bytes.data;
    *result_size = bytes.size;
    return true;
}

static bool break_down (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    (void) arguments;
    *result = fed_bytes ((bytes_t){.data = (const uint8_t *) "it broke", .size = 8});
    *result_size = 8;
    return false;
}

/*  --- the same list --- */

static void windows_solved_side_by_side_are_those_solved_in_turn (void **state)
{
    (void) state;
    static const char *const policies [] = {"time", "cost"};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        net_wish_t wish = {.needs = 3, /* anywhere: which of equals is a planner's lot */
                           .links = {{0, 1, 600, 0, 0, 0}, {1, 2, 400, 0, 0, 0}},
                           .links_count = 2,
                           .start_ms = FED_HOUR_MS,
                           .latest_ms = 10 * FED_HOUR_MS,
                           .policy = policies [seed % 2],
                           .algorithm = "ip",
                           .dry_run = true};
        Musubi__Answer *answers [2];
        for (size_t aside = 0; aside < 2; aside++) {
            fed_t fed;
            begin (&fed, seed, SOLVER_GLPK, aside ? WORKERS : 0);
            fed.worker = solve;
            answers [aside] = reserve_net (&fed, "p0", "", &wish);
            expect_status (answers [aside], MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
            assert_int_equal (fed.works_most, aside ? WORKERS : 0);
            assert_int_equal (fed.works_count, 0);
            fed_end (&fed);
        }
        assert_int_equal (answers [0]->start_ms, answers [1]->start_ms);
        assert_int_equal (answers [0]->cost, answers [1]->cost);
        for (size_t i = 0; i < 3; i++)
            assert_string_equal (answers [0]->compute [i]->site, answers [1]->compute [i]->site);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal (answers [0]->network [i]->n_path, answers [1]->network [i]->n_path);
            for (size_t k = 0; k < answers [0]->network [i]->n_path; k++)
                assert_string_equal (answers [0]->network [i]->path [k],
                                     answers [1]->network [i]->path [k]);
        }
        message_free (&answers [0]->base);
        message_free (&answers [1]->base);
    }
}

static void what_the_search_does_at_once_needs_no_process (void **state)
{
    (void) state;
    fed_t fed;
    begin (&fed, 2, SOLVER_AUTO, WORKERS);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &pair);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (fed.works_most, 0);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  --- what does not come --- */

static void what_is_not_told_in_time_is_not_claimed (void **state)
{
    (void) state;
    fed_t fed;
    begin (&fed, 3, SOLVER_GLPK, WORKERS);
    int64_t begun_ms = fed.mono_ms; /* and nobody does any work */
    uint64_t asked = ask_reserve_net (&fed, "p0", "r1@g1", &pair);
    fed_run (&fed, 1000);
    assert_false (fed_answered (&fed, asked));
    net_wish_t other = pair;
    other.algorithm = "auto";
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r2@g1", &other);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_true (fed.mono_ms - begun_ms < 2000); /* others are served meanwhile */
    message_free (&answer->base);

    answer = read_answer (&fed, asked);
    assert_in_range (fed.mono_ms - begun_ms, 5000, 6000);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "0 have none, 0 are unknown"));
    assert_non_null (strstr (answer->reasons [0]->text, "10 were not reached within 5s"));
    message_free (&answer->base);

    /* When those processes have ended at last, there is room for others. */
    fed.worker = solve;
    fed_run (&fed, 1000);
    assert_int_equal (fed.works_count, 0);
    answer = reserve_net (&fed, "p0", "r3@g1", &pair);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    assert_int_equal (fed.works_most, WORKERS);
    fed_end (&fed);
}

static void a_solver_that_broke_down_is_told_of (void **state)
{
    (void) state;
    fed_t fed;
    begin (&fed, 4, SOLVER_GLPK, WORKERS);
    fed.worker = break_down;
    size_t warnings = fed.warnings;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &pair);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    assert_non_null (strstr (answer->reasons [0]->text, "0 have none, 10 are unknown"));
    assert_non_null (strstr (answer->reasons [0]->text, "it broke"));
    assert_string_equal (answer->reasons [answer->n_reasons - 1]->text,
                         "a solver that broke down might have found a plan: ask again with the "
                         "same request id");
    assert_int_equal (fed.warnings - warnings, 10);
    message_free (&answer->base);

    /* It was not refused: as soon as a solver does its work, the same request is committed. */
    fed.worker = solve;
    answer = reserve_net (&fed, "p0", "r1@g1", &pair);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_planner_ends_while_solvers_are_at_work (void **state)
{
    (void) state;
    fed_t fed;
    begin (&fed, 5, SOLVER_GLPK, WORKERS);
    (void) ask_reserve_net (&fed, "p0", "r1@g1", &pair);
    (void) ask_reserve_net (&fed, "p0", "r2@g1", &pair);
    fed_run (&fed, 500);
    assert_int_equal (fed.works_count, WORKERS); /* of both together */
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (windows_solved_side_by_side_are_those_solved_in_turn),
      cmocka_unit_test (what_the_search_does_at_once_needs_no_process),
      cmocka_unit_test (what_is_not_told_in_time_is_not_claimed),
      cmocka_unit_test (a_solver_that_broke_down_is_told_of),
      cmocka_unit_test (a_planner_ends_while_solvers_are_at_work),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
