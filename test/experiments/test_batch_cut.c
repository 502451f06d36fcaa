/*  test_batch_cut - E3.5 in its small form: what a step leaves in a batch system, wherever it is
 *  cut, is what it would have left.
 */
#include "experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void the_end_is_the_same_wherever_a_step_is_cut (void **unused)
{
    (void) unused;
    experiment_order_t order = {.name = "E3.5", .small = true, .jobs = 1, .revision = "test"};
    assert_int_equal (experiment_run (&order), 0);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_end_is_the_same_wherever_a_step_is_cut),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
