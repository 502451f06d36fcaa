/*  bilb_level - eqs 5 to 7, and scores. */
#include "bilb_level.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect (double got, double wanted)
{
    if (!(fabs (got - wanted) <= 1e-12 * fabs (wanted)))
        fail_msg ("%.17g instead of %.17g", got, wanted);
}

static void gain_raises_the_level_and_loss_lowers_it_alike (void **state)
{
    (void) state;
    expect (bilb_level_next (10, 100, 250, 0.02), 10.3); /* 10 + .02 x 10 x (2.5 - 1) */
    expect (bilb_level_next (10, 250, 100, 0.02), 9.7);
    expect (bilb_level_next (10, 100, 100, 0.02), 10);
    expect (bilb_level_next (4, 50, 100, 1), 8);
}

static void a_level_never_leaves_its_range (void **state)
{
    (void) state;
    expect (bilb_level_next (10, 1e6, 1, 0.02), BILB_LEVEL_MIN);
    assert_true (bilb_level_next (0, 1, 2, 0.02) == 0);
    assert_true (isinf (bilb_level_next (INFINITY, 2, 1, 0.02)));
    assert_true (isinf (bilb_level_next (1e308, 1, 1e300, 1)));
}

static void a_round_without_jobs_changes_nothing (void **state)
{
    (void) state;
    expect (bilb_level_next (10, 0, 0, 0.02), 10);
    expect (bilb_level_next (10, 5, 0, 0.02), 10);
    expect (bilb_level_next (10, 0, 5, 0.02), 10);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (gain_raises_the_level_and_loss_lowers_it_alike),
      cmocka_unit_test (a_level_never_leaves_its_range),
      cmocka_unit_test (a_round_without_jobs_changes_nothing),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
