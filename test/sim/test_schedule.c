/*  Whole schedules: some dozens hold, and a replay is the same byte for byte. The long search is
 *  musubi-sim faults.
 */
#include "sim_schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS 40

static char *trace_of (uint64_t seed, bool swarm)
{
    static sim_tally_t tally;
    char why [LONG_WHY_BYTES];
    char *text = NULL;
    size_t size = 0;
    FILE *trace = open_memstream (&text, &size);
    assert_non_null (trace);
    (void) sim_schedule_run (seed, &(sim_options_t){.swarm = swarm}, &tally, trace, why);
    fclose (trace);
    return text;
}

static void a_replay_is_the_same_byte_for_byte (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char *first = trace_of (seed, false);
        char *second = trace_of (seed, false);
        assert_true (strlen (first) > 1000);
        assert_string_equal (first, second);
        free (first);
        free (second);
    }
}

static void so_is_one_of_the_wider_draw_and_another_it_is (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char *first = trace_of (seed, true);
        char *second = trace_of (seed, true);
        char *usual = trace_of (seed, false);
        assert_non_null (strstr (first, "swarm:"));
        assert_null (strstr (usual, "swarm:"));
        assert_string_equal (first, second);
        free (first);
        free (second);
        free (usual);
    }
}

static void schedules_hold_and_commit (void **state)
{
    (void) state;
    static sim_tally_t tally;
    memset (&tally, 0, sizeof tally);
    char why [LONG_WHY_BYTES];
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!sim_schedule_run (seed, &(sim_options_t){0}, &tally, NULL, why))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, why);
    assert_int_equal (tally.counts [COUNT_SCHEDULES], SEEDS);
    assert_true (tally.counts [COUNT_COMMITTED] > SEEDS / 2);
    assert_true (tally.counts [COUNT_CRASHES] > 0);
}

static void what_is_asked_for_is_built (void **state)
{
    (void) state;
    static sim_tally_t tally;
    char why [LONG_WHY_BYTES];
    char *text = NULL;
    size_t size = 0;
    FILE *trace = open_memstream (&text, &size);
    assert_non_null (trace);
    sim_options_t options = {.sites = 5, .planners = 3, .gis = 2, .clients = 4, .domains = 3};
    (void) sim_schedule_run (1, &options, &tally, trace, why);
    fclose (trace);
    assert_non_null (strstr (text, "sim://lis/s5/1"));
    assert_null (strstr (text, "sim://lis/s6/1"));
    assert_non_null (strstr (text, "sim://planner/3/1"));
    assert_non_null (strstr (text, "sim://gis/g2/1"));
    assert_null (strstr (text, "sim://gis/g3/1"));
    assert_non_null (strstr (text, "sim://nis/d3/1"));
    assert_null (strstr (text, "sim://nis/d4/1"));
    free (text);
}

static void domains_are_built_and_crossed (void **state)
{
    (void) state;
    static sim_tally_t tally;
    memset (&tally, 0, sizeof tally);
    char why [LONG_WHY_BYTES];
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!sim_schedule_run (seed, &(sim_options_t){.domains = 2}, &tally, NULL, why))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, why);
    assert_int_equal (tally.counts [COUNT_NETWORKED], SEEDS);
    assert_true (tally.counts [COUNT_CONNECTIONS] > SEEDS / 2);
    assert_true (tally.counts [COUNT_CROSSINGS] > 0);
    assert_true (tally.counts [COUNT_PROVISIONED] > 0);
    assert_true (tally.counts [COUNT_LOWERED] > 0);
    assert_true (tally.counts [COUNT_AMBUSHED] > 0);
}

static void without_domains_nobody_asks_for_links (void **state)
{
    (void) state;
    static sim_tally_t tally;
    memset (&tally, 0, sizeof tally);
    char why [LONG_WHY_BYTES];
    for (uint64_t seed = 1; seed <= 8; seed++)
        assert_true (
          sim_schedule_run (seed, &(sim_options_t){.no_domains = true}, &tally, NULL, why));
    assert_int_equal (tally.counts [COUNT_NETWORKED], 0);
    assert_int_equal (tally.counts [COUNT_CONNECTIONS], 0);
    assert_true (tally.counts [COUNT_COMMITTED] > 0);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_replay_is_the_same_byte_for_byte),
      cmocka_unit_test (so_is_one_of_the_wider_draw_and_another_it_is),
      cmocka_unit_test (schedules_hold_and_commit),
      cmocka_unit_test (what_is_asked_for_is_built),
      cmocka_unit_test (domains_are_built_and_crossed),
      cmocka_unit_test (without_domains_nobody_asks_for_links),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
