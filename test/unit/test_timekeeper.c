/*  timekeeper: steps of the wall clock (T15). */
#include "timekeeper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static moment_t at (int64_t wall_ms, int64_t mono_ms)
{
    return (moment_t){.wall_ms = wall_ms, .mono_ms = mono_ms};
}

static void two_clocks_that_agree_raise_no_alarm (void **state)
{
    (void) state;
    timekeeper_t keeper = {0};
    moment_t start = at (1000000, 50), later = at (1060000, 60050);
    assert_false (timekeeper_see (&keeper, &start));
    assert_false (timekeeper_see (&keeper, &later));
    assert_int_equal (timekeeper_least (&keeper, &later), 1060000);
    assert_int_equal (timekeeper_most (&keeper, &later), 1060000);
}

static void T15_a_step_is_told_once (void **state)
{
    (void) state;
    timekeeper_t keeper = {0};
    moment_t start = at (1000000, 0), stepped = at (1005000, 100), after = at (1006000, 1100);
    timekeeper_see (&keeper, &start);
    assert_true (timekeeper_see (&keeper, &stepped));
    assert_false (timekeeper_see (&keeper, &after));
    moment_t back = at (1002000, 2000);
    assert_true (timekeeper_see (&keeper, &back));
}

static void T15_a_clock_that_stands_still_is_told_once (void **state)
{
    (void) state;
    timekeeper_t keeper = {0};
    int alarms = 0;
    for (int64_t mono_ms = 0; mono_ms <= 60000; mono_ms += 100) {
        moment_t now = at (1000000, mono_ms);
        alarms += timekeeper_see (&keeper, &now);
    }
    assert_int_equal (alarms, 1);
    for (int64_t mono_ms = 60100; mono_ms <= 70000; mono_ms += 100) { /* it goes on from there */
        moment_t now = at (1000000 + mono_ms - 60000, mono_ms);
        alarms += timekeeper_see (&keeper, &now);
    }
    assert_int_equal (alarms, 1);
    moment_t stepped = at (1020000, 70100);
    assert_true (timekeeper_see (&keeper, &stepped));
    for (int64_t mono_ms = 70200; mono_ms <= 80000; mono_ms += 100) { /* and stands again */
        moment_t now = at (1020000, mono_ms);
        alarms += timekeeper_see (&keeper, &now);
    }
    assert_int_equal (alarms, 2);
}

static void T15_a_step_forward_alone_lets_nothing_pass (void **state)
{
    (void) state;
    timekeeper_t keeper = {0};
    moment_t start = at (1000000, 0), stepped = at (9000000, 100);
    timekeeper_see (&keeper, &start);
    timekeeper_see (&keeper, &stepped);
    assert_int_equal (timekeeper_least (&keeper, &stepped), 1000100);
    assert_int_equal (timekeeper_most (&keeper, &stepped), 9000000);
}

static void T15_a_step_back_alone_delays_but_the_later_clock_still_refuses (void **state)
{
    (void) state;
    timekeeper_t keeper = {0};
    moment_t start = at (1000000, 0), stepped = at (900000, 100);
    timekeeper_see (&keeper, &start);
    timekeeper_see (&keeper, &stepped);
    assert_int_equal (timekeeper_least (&keeper, &stepped), 900000);
    assert_int_equal (timekeeper_most (&keeper, &stepped), 1000100);
}

static void a_wall_time_becomes_the_monotonic_time_at_which_both_have_passed_it (void **state)
{
    (void) state;
    timekeeper_t keeper = {0};
    moment_t start = at (1000000, 500);
    timekeeper_see (&keeper, &start);
    assert_int_equal (timekeeper_mono (&keeper, &start, 1002000), 2500);
    moment_t behind = at (995000, 600); /* stepped back: it must wait for the wall clock */
    timekeeper_see (&keeper, &behind);
    assert_int_equal (timekeeper_mono (&keeper, &behind, 1002000), 600 + 7000);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (two_clocks_that_agree_raise_no_alarm),
      cmocka_unit_test (T15_a_step_is_told_once),
      cmocka_unit_test (T15_a_clock_that_stands_still_is_told_once),
      cmocka_unit_test (T15_a_step_forward_alone_lets_nothing_pass),
      cmocka_unit_test (T15_a_step_back_alone_delays_but_the_later_clock_still_refuses),
      cmocka_unit_test (a_wall_time_becomes_the_monotonic_time_at_which_both_have_passed_it),
    };
    return cmocka_run_group_tests_name ("timekeeper", tests, NULL, NULL);
}
