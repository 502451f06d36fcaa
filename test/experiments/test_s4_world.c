/*  S4's federation and requests are what their header says. */
#include "s4_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_federation_is_that_of_table_1 (void **state)
{
    (void) state;
    s4_world_t world;
    s4_world_make (&world);
    uint64_t cpus = 0;
    for (size_t i = 0; i < S4_SITES; i++)
        cpus += world.sites [i].classes->nodes;
    assert_int_equal (cpus, S4_CPUS);
    /* Meshes of 4, 3 and 3 sites; two exchange points in N and S, one in U. */
    static const size_t links [S4_DOMAINS] = {6 + 8, 3 + 6, 3 + 3};
    static const size_t vertices [S4_DOMAINS] = {4 + 2, 3 + 2, 3 + 1};
    for (size_t d = 0; d < S4_DOMAINS; d++) {
        assert_int_equal (world.domains [d].links_count, links [d]);
        assert_int_equal (world.domains [d].vertices_count, vertices [d]);
        for (size_t i = 0; i < links [d]; i++) {
            const link_t *link = &world.domains [d].links [i];
            bool exchange = link->ends [1][0] == 'X';
            assert_int_equal (link->mbps, exchange ? 10000 : 5000);
            assert_int_equal (link->price, exchange ? 3000000 : 5000000);
        }
    }
    assert_int_equal (domain_link (&world.domains [2], "U1-X2"), SIZE_MAX);
    assert_int_not_equal (domain_link (&world.domains [2], "U1-X1"), SIZE_MAX);
    s4_world_clear (&world);
}

static void a_day_at_load_1_asks_for_every_cpu_of_a_day (void **state)
{
    (void) state;
    double asked = 0;
    double users [S4_USERS] = {0};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        size_t count;
        scenario_request_t *list = s4_requests (seed, 1, S4_DAY_MS, &count);
        for (size_t i = 0; i < count; i++) {
            users [list [i].user]++;
            for (size_t j = 0; j < list [i].jobs_count; j++)
                asked += (double) list [i].jobs [j].cpus * (double) list [i].jobs [j].duration_ms;
        }
        free (list);
    }
    double share = asked / (100.0 * S4_CPUS * (double) S4_DAY_MS);
    assert_true (share > 0.98 && share < 1.02);
    assert_true (users [0] / users [1] > 0.97 && users [0] / users [1] < 1.03);
}

static void each_request_is_of_one_of_four_shapes_and_within_its_frame (void **state)
{
    (void) state;
    size_t count;
    size_t shapes [5][7] = {0};
    scenario_request_t *list = s4_requests (3, 1, S4_DAY_MS, &count);
    int64_t flexibility_ms = (int64_t) (3 * s4_interval_ms (1));
    for (size_t i = 0; i < count; i++) {
        const scenario_request_t *request = &list [i];
        shapes [request->jobs_count][request->links_count]++;
        assert_true (request->distinct);
        assert_true (i == 0 || list [i - 1].arrival_ms <= request->arrival_ms);
        assert_true (request->arrival_ms < S4_DAY_MS);
        assert_true (request->earliest_ms >= S4_DAY_MS && request->earliest_ms < 2 * S4_DAY_MS);
        assert_int_equal (request->within_ms - request->span_ms, flexibility_ms);
        for (size_t j = 0; j < request->jobs_count; j++)
            assert_int_equal (request->jobs [j].cpus, request->jobs [0].cpus);
        for (size_t k = 0; k < request->links_count; k++)
            assert_int_equal (request->links [k].mbps, 1000);
    }
    assert_true (shapes [2][1] > 0 && shapes [3][2] > 0 && shapes [3][3] > 0 && shapes [4][6] > 0);
    assert_int_equal (shapes [2][1] + shapes [3][2] + shapes [3][3] + shapes [4][6], count);
    free (list);
}

static void the_same_seed_asks_the_same_and_another_does_not (void **state)
{
    (void) state;
    size_t count [3];
    scenario_request_t *lists [3];
    for (size_t i = 0; i < 3; i++)
        lists [i] = s4_requests (i == 2 ? 8 : 7, 0.5, S4_DAY_MS, &count [i]);
    assert_int_equal (count [0], count [1]);
    for (size_t i = 0; i < count [0]; i++) {
        assert_int_equal (lists [0][i].arrival_ms, lists [1][i].arrival_ms);
        assert_int_equal (lists [0][i].earliest_ms, lists [1][i].earliest_ms);
        assert_int_equal (lists [0][i].jobs [0].cpus, lists [1][i].jobs [0].cpus);
    }
    assert_int_not_equal (lists [0][0].arrival_ms, lists [2][0].arrival_ms);
    for (size_t i = 0; i < 3; i++)
        free (lists [i]);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_federation_is_that_of_table_1),
      cmocka_unit_test (a_day_at_load_1_asks_for_every_cpu_of_a_day),
      cmocka_unit_test (each_request_is_of_one_of_four_shapes_and_within_its_frame),
      cmocka_unit_test (the_same_seed_asks_the_same_and_another_does_not),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
