/*  The made-up grid and the requests to it are what their headers say. */
#include "grid.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void narrow_and_wide_differ_in_the_sites_links_alone (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        grid_t narrow;
        grid_t wide;
        grid_make (&narrow, seed, false);
        grid_make (&wide, seed, true);
        assert_int_equal (narrow.network.links_count, wide.network.links_count);
        size_t sites = 0;
        for (size_t i = 0; i < narrow.network.links_count; i++) {
            const link_t *n = &narrow.network.links [i];
            const link_t *w = &wide.network.links [i];
            assert_string_equal (n->ends [0], w->ends [0]);
            assert_string_equal (n->ends [1], w->ends [1]);
            if (n->ends [0][0] == 's') {
                assert_int_equal (w->mbps, 5000);
                assert_true (n->mbps == 1000 || n->mbps == 2500 || n->mbps == 5000);
                sites++;
            } else {
                assert_int_equal (n->mbps, w->mbps);
            }
        }
        assert_int_equal (sites, GRID_SITES);
        size_t systems [GRID_SYSTEMS] = {0};
        for (size_t i = 0; i < GRID_SITES; i++)
            systems [narrow.system [i]]++;
        for (size_t i = 0; i < GRID_SYSTEMS; i++)
            assert_true (systems [i] >= 4);
        grid_clear (&narrow);
        grid_clear (&wide);
    }
}

static cpu_histogram_t made_up (void)
{
    cpu_histogram_t histogram;
    char why [WHY_BYTES];
    assert_true (cpu_histogram_read (&histogram, "8 3\n16 1\n", why));
    return histogram;
}

static void a_histogram_says_which_line_is_wrong (void **state)
{
    (void) state;
    cpu_histogram_t histogram;
    char why [WHY_BYTES];
    assert_false (cpu_histogram_read (&histogram, "8 3\n16\n", why));
    assert_non_null (strstr (why, "line 2"));
    assert_false (cpu_histogram_read (&histogram, "", why));
    assert_false (cpu_histogram_read (&histogram, "0 3\n", why));
    assert_false (cpu_histogram_read (&histogram, "8 three\n", why));
    assert_true (cpu_histogram_read (&histogram, "8 3\n16 1", why));
    assert_true (cpu_histogram_mean (&histogram) == 10);
}

static scenario_request_t *draw (scenario_kind_t kind, double load, size_t *count)
{
    static cpu_histogram_t histogram;
    histogram = made_up ();
    scenario_order_t order = {.kind = kind,
                              .load = load,
                              .cpus = 5000,
                              .until_ms = INT64_C (40) * 86400000,
                              .histogram = &histogram};
    return scenario_make (&order, 7, count);
}

static void the_load_asked_for_is_the_load_that_comes (void **state)
{
    (void) state;
    size_t count;
    scenario_request_t *list = draw (SCENARIO_WORKFLOW, 0.5, &count);
    double asked = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < SCENARIO_JOBS; j++)
            asked += (double) list [i].jobs [j].cpus * (double) list [i].jobs [j].duration_ms;
    double share = asked / (5000 * 40 * 86400000.0);
    assert_true (share > 0.48 && share < 0.52);
    free (list);
}

static void in_a_workflow_each_link_lies_in_both_its_jobs (void **state)
{
    (void) state;
    size_t count;
    scenario_request_t *list = draw (SCENARIO_WORKFLOW, 0.2, &count);
    assert_true (count > 1000);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal (list [i].links_count, 2);
        for (size_t k = 0; k < 2; k++) {
            const scenario_link_t *link = &list [i].links [k];
            for (int end = 0; end < 2; end++) {
                const scenario_job_t *job = &list [i].jobs [link->ends [end]];
                assert_true (link->offset_ms >= job->offset_ms);
                assert_true (link->offset_ms + link->duration_ms <=
                             job->offset_ms + job->duration_ms);
            }
        }
        assert_true (list [i].within_ms >= list [i].span_ms);
    }
    free (list);
}

static void a_coallocation_has_one_duration_and_all_links (void **state)
{
    (void) state;
    size_t count;
    scenario_request_t *list = draw (SCENARIO_COALLOCATION, 0.2, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal (list [i].links_count, 3);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal (list [i].links [k].duration_ms, list [i].span_ms);
            assert_int_equal (list [i].jobs [k].duration_ms, list [i].span_ms);
            assert_int_equal (list [i].jobs [k].offset_ms, 0);
            assert_true (list [i].links [k].ends [0] != list [i].links [k].ends [1]);
        }
    }
    free (list);
}

static void a_shrunken_grid_has_all_systems_alike_and_no_loose_ends (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        grid_t grid;
        char why [WHY_BYTES];
        size_t systems [GRID_SYSTEMS] = {0};
        uint64_t cpus = 0;
        grid_make (&grid, seed, false);
        size_t links = grid.network.links_count;
        grid_shrink (&grid, 6);
        assert_int_equal (grid.sites_count, 6);
        for (size_t i = 0; i < grid.sites_count; i++) {
            systems [grid.system [i]]++;
            cpus += grid.sites [i].classes->nodes;
            assert_string_equal (grid.sites [i].classes->attributes->value,
                                 grid_systems [grid.system [i]]);
        }
        for (size_t i = 0; i < GRID_SYSTEMS; i++)
            assert_int_equal (systems [i], 2);
        assert_int_equal (grid.cpus, cpus);
        assert_int_equal (grid.network.links_count, links - (GRID_SITES - 6));
        assert_true (domain_check (&grid.network, "grid", why));
        grid_clear (&grid);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (narrow_and_wide_differ_in_the_sites_links_alone),
      cmocka_unit_test (a_shrunken_grid_has_all_systems_alike_and_no_loose_ends),
      cmocka_unit_test (a_histogram_says_which_line_is_wrong),
      cmocka_unit_test (the_load_asked_for_is_the_load_that_comes),
      cmocka_unit_test (in_a_workflow_each_link_lies_in_both_its_jobs),
      cmocka_unit_test (a_coallocation_has_one_duration_and_all_links),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
