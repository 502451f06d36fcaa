/*  test_overlap - who makes way on a machine, and who goes on: by example, and at random against the
 *  rules.
 */
#include "overlap.h"

#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static overlap_run_t run (uint64_t bag, int32_t priority, uint32_t cpus)
{
    return (overlap_run_t){
      .id = {.task = {.bag = bag}, .number = 1}, .priority = priority, .cpus = cpus};
}

static bool picked (const overlap_run_t *runs, size_t count, uint64_t bag)
{
    for (size_t i = 0; i < count; i++)
        if (runs [i].id.task.bag == bag)
            return runs [i].picked;
    fail_msg ("no run of bag %d", (int) bag);
    return false;
}

static void the_last_ones_make_way_and_no_more_than_are_needed (void **state)
{
    (void) state;
    overlap_run_t runs [] = {run (9, 0, 1), run (5, 0, 2), run (7, 1, 4), run (2, 0, 4)};
    overlap_run_t comes = run (4, 0, 3);
    assert_true (overlap_clash (runs, 4, &comes, 0));
    assert_true (picked (runs, 4, 9) && picked (runs, 4, 5));
    assert_false (picked (runs, 4, 7) || picked (runs, 4, 2)); /* higher, and earlier */
    assert_true (overlap_clash (runs, 4, &comes, 2));
    assert_true (picked (runs, 4, 9));
    assert_false (picked (runs, 4, 5));
    comes.cpus = 4;
    assert_false (overlap_clash (runs, 4, &comes, 0));
    assert_false (picked (runs, 4, 9)); /* in vain */
}

static void one_that_is_told_already_is_not_told_again (void **state)
{
    (void) state;
    overlap_run_t runs [] = {run (9, 0, 2), run (8, 0, 2)};
    overlap_run_t comes = run (4, 0, 2);
    runs [0].suspended = true;
    assert_true (overlap_clash (runs, 2, &comes, 0));
    assert_false (picked (runs, 2, 9) || picked (runs, 2, 8));
}

static void the_first_ones_go_on_as_far_as_there_is_room (void **state)
{
    (void) state;
    overlap_run_t runs [] = {run (9, 5, 2), run (3, 0, 3), run (4, 0, 2), run (1, 9, 8)};
    runs [0].suspended = runs [1].suspended = runs [2].suspended = true;
    overlap_resume (runs, 4, 4);
    assert_true (picked (runs, 4, 9) && picked (runs, 4, 4));
    assert_false (picked (runs, 4, 3) || picked (runs, 4, 1));
}

/*  Whoever is picked comes after the new one; enough are picked, and none could be spared. */
static void at_random_enough_make_way_and_none_in_vain (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 38);
    for (int round = 0; round < 20000; round++) {
        overlap_run_t runs [8];
        size_t count = prng_below (&prng, 8);
        for (size_t i = 0; i < count; i++)
            runs [i] = run (1 + prng_below (&prng, 1000), (int32_t) prng_below (&prng, 3) - 1,
                            1 + (uint32_t) prng_below (&prng, 4));
        overlap_run_t comes = run (500, 0, 1 + (uint32_t) prng_below (&prng, 8));
        uint32_t free_cpus = (uint32_t) prng_below (&prng, 4), later = 0, given = 0, least = 99;
        bool way = overlap_clash (runs, count, &comes, free_cpus);
        for (size_t i = 0; i < count; i++) {
            bool after =
              runs [i].priority < 0 || (runs [i].priority == 0 && runs [i].id.task.bag > 500);
            later += after ? runs [i].cpus : 0;
            assert_true (after || !runs [i].picked);
            given += runs [i].picked ? runs [i].cpus : 0;
            if (runs [i].picked && least == 99)
                least = runs [i].cpus; /* the first in the order is the last that was needed */
        }
        assert_int_equal (way, free_cpus + later >= comes.cpus);
        assert_true (!way || free_cpus + given >= comes.cpus);
        assert_true (given == 0 || (way && free_cpus + given - least < comes.cpus));
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_last_ones_make_way_and_no_more_than_are_needed),
      cmocka_unit_test (one_that_is_told_already_is_not_told_again),
      cmocka_unit_test (the_first_ones_go_on_as_far_as_there_is_room),
      cmocka_unit_test (at_random_enough_make_way_and_none_in_vain),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
