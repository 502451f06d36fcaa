/*  test_cpu_usage - sums are exact, however use is spread over parts. */
#include "cpu_usage.h"

#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void what_is_added_is_spread_over_its_time (void **state)
{
    (void) state;
    cpu_usage_t spent;
    cpu_usage_init (&spent, (interval_t){1000, 65000});
    assert_int_equal (spent.width_ms, 1000);
    cpu_usage_add (&spent, (interval_t){1500, 3500}, 2000, 4000);
    assert_int_equal (spent.cpu_ms [0], 500);
    assert_int_equal (spent.cpu_ms [1], 1000);
    assert_int_equal (spent.cpu_ms [2], 500);
    assert_int_equal (spent.offered_ms [1], 2000);
    use_step_t steps [CPU_USAGE_STEPS];
    assert_int_equal (cpu_usage_steps (&spent, 3500, steps, CPU_USAGE_STEPS), 3);
    assert_int_equal (steps [2].until_ms, 3500);
    assert_int_equal (cpu_usage_steps (&spent, 3500, steps, 2), 2);
    assert_int_equal (steps [0].cpu_ms, 1500);
    assert_int_equal (cpu_usage_steps (&spent, 1000, steps, 2), 0);
}

static void a_window_that_grows_keeps_its_parts_few (void **state)
{
    (void) state;
    cpu_usage_t spent;
    cpu_usage_init (&spent, (interval_t){0, 64000});
    cpu_usage_add (&spent, (interval_t){0, 64000}, 640, 64);
    cpu_usage_add (&spent, (interval_t){64000, 200000}, 1000, 0);
    assert_int_equal (spent.width_ms, 4000);
    assert_int_equal (cpu_usage_used (&spent), 1640);
    assert_int_equal (cpu_usage_offered (&spent), 64);
    assert_int_equal (spent.cpu_ms [0], 40);
}

static void what_came_before_or_took_no_time_counts_all_the_same (void **state)
{
    (void) state;
    cpu_usage_t spent;
    cpu_usage_init (&spent, (interval_t){5000, 6000});
    cpu_usage_add (&spent, (interval_t){0, 1000}, 7, 0);
    cpu_usage_add (&spent, (interval_t){5500, 5500}, 5, 0);
    assert_int_equal (cpu_usage_used (&spent), 12);
}

static void no_millisecond_is_lost_in_random_sums (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 11);
    for (int round = 0; round < 200; round++) {
        cpu_usage_t spent;
        int64_t cpu = 0, offered = 0;
        cpu_usage_init (&spent, (interval_t){0, 1 + (int64_t) prng_below (&prng, 100000000)});
        for (int i = 0; i < 50; i++) {
            int64_t from = (int64_t) prng_below (&prng, 200000000);
            int64_t more = (int64_t) prng_below (&prng, INT64_C (1) << 40);
            interval_t over = {from, from + (int64_t) prng_below (&prng, 50000000)};
            cpu_usage_add (&spent, over, more, more / 3);
            cpu += more;
            offered += more / 3;
        }
        assert_true (cpu_usage_used (&spent) == cpu && cpu_usage_offered (&spent) == offered);
        use_step_t steps [7];
        size_t count = cpu_usage_steps (&spent, INT64_MAX, steps, 7);
        int64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            assert_true (steps [i].cpu_ms >= 0 && steps [i].offered_ms >= 0);
            assert_true (i == 0 || steps [i].from_ms == steps [i - 1].until_ms);
            sum += steps [i].cpu_ms;
        }
        assert_true (sum == cpu);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_added_is_spread_over_its_time),
      cmocka_unit_test (a_window_that_grows_keeps_its_parts_few),
      cmocka_unit_test (what_came_before_or_took_no_time_counts_all_the_same),
      cmocka_unit_test (no_millisecond_is_lost_in_random_sums),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
