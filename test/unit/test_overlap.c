/*  test_overlap - who makes way on a machine, and who goes on: by example, and at random against
 *  the rules.
 */
#include "overlap.h"

#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define UNTIL_MS 1000 /* of what runs, if a test says nothing else */
#define LEFT_MS  400

static overlap_run_t run (uint64_t bag, int32_t priority, uint32_t cpus)
{
    return (overlap_run_t){.id = {.task = {.bag = bag}, .number = 1},
                           .priority = priority,
                           .cpus = cpus,
                           .width = cpus,
                           .until_ms = UNTIL_MS,
                           .left_ms = LEFT_MS};
}

/*  Runs of bags above 100 have no time after a moment. */
static bool fits (void *owner, const overlap_run_t *one)
{
    const int64_t *most_ms = owner;
    return one->id.task.bag <= 100 || one->ends_ms <= *most_ms;
}

static overlap_answer_t clash (overlap_run_t *runs, size_t count, const overlap_run_t *comes,
                               uint32_t cpus_free)
{
    int64_t never_ms = INT64_MAX;
    return overlap_clash (runs, count, comes, cpus_free, fits, &never_ms);
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
    assert_int_equal (clash (runs, 4, &comes, 0), OVERLAP_GOES);
    assert_true (picked (runs, 4, 9) && picked (runs, 4, 5));
    assert_false (picked (runs, 4, 7) || picked (runs, 4, 2)); /* higher, and earlier */
    assert_int_equal (clash (runs, 4, &comes, 2), OVERLAP_GOES);
    assert_true (picked (runs, 4, 9));
    assert_false (picked (runs, 4, 5));
    comes.width = 4;
    assert_int_equal (clash (runs, 4, &comes, 0), OVERLAP_WAITS);
    assert_false (picked (runs, 4, 9)); /* in vain */
}

static void one_that_is_told_already_is_not_told_again (void **state)
{
    (void) state;
    overlap_run_t runs [] = {run (9, 0, 2), run (8, 0, 2)};
    overlap_run_t comes = run (4, 0, 2);
    runs [0].suspended = true;
    assert_int_equal (clash (runs, 2, &comes, 0), OVERLAP_GOES);
    assert_false (picked (runs, 2, 9) || picked (runs, 2, 8));
}

/*  The second one is too wide, and the third does not pass it: its rest may be long. */
static void they_go_on_in_order_as_far_as_there_is_room (void **state)
{
    (void) state;
    overlap_run_t runs [] = {run (9, 5, 0), run (3, 0, 0), run (4, 0, 0), run (1, 9, 8)};
    runs [0].suspended = runs [1].suspended = runs [2].suspended = true;
    runs [0].width = runs [2].width = 2;
    runs [1].width = 3;
    overlap_resume (runs, 4, 4);
    assert_true (picked (runs, 4, 9));
    assert_false (picked (runs, 4, 3) || picked (runs, 4, 4) || picked (runs, 4, 1));
    overlap_resume (runs, 4, 7);
    assert_true (picked (runs, 4, 9) && picked (runs, 4, 3) && picked (runs, 4, 4));
}

/*  Each is over at 900, after the one that comes and what it has left; bag 101 has time until
 *  899. */
static void who_has_no_time_for_its_rest_does_not_make_way (void **state)
{
    (void) state;
    overlap_run_t comes = run (4, 0, 1);
    comes.until_ms = 500;
    for (int64_t most_ms = 899; most_ms <= 900; most_ms++) {
        overlap_run_t runs [] = {run (101, 0, 1), run (7, 0, 1)};
        assert_int_equal (overlap_clash (runs, 2, &comes, 0, fits, &most_ms), OVERLAP_GOES);
        assert_true (picked (runs, 2, most_ms == 900 ? 101 : 7)); /* another makes way */
        assert_int_equal (runs [most_ms == 900].ends_ms, 900);
        assert_false (picked (runs, 2, most_ms == 900 ? 7 : 101));
        overlap_run_t both [] = {run (101, 0, 1), run (7, 0, 1)};
        overlap_run_t wide = comes;
        wide.width = 2;
        assert_int_equal (overlap_clash (both, 2, &wide, 0, fits, &most_ms),
                          most_ms == 900 ? OVERLAP_GOES : OVERLAP_LEAVES);
        assert_int_equal (picked (both, 2, 7), most_ms == 900);
    }
}

/*  It stands still already, and would have to stand for longer: who comes does not, even if CPUs
 *  are free. One that comes after it waits. */
static void what_stands_still_keeps_its_time_and_its_turn (void **state)
{
    (void) state;
    int64_t most_ms = 899;
    overlap_run_t runs [] = {run (101, 0, 0)};
    runs [0].suspended = true;
    runs [0].width = 2;
    overlap_run_t comes = run (4, 0, 1);
    comes.until_ms = 500;
    assert_int_equal (overlap_clash (runs, 1, &comes, 2, fits, &most_ms), OVERLAP_LEAVES);
    comes.id.task.bag = 200;
    assert_int_equal (overlap_clash (runs, 1, &comes, 2, fits, &most_ms), OVERLAP_WAITS);
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
        bool way = clash (runs, count, &comes, free_cpus) == OVERLAP_GOES;
        for (size_t i = 0; i < count; i++) {
            bool after =
              runs [i].priority < 0 || (runs [i].priority == 0 && runs [i].id.task.bag > 500);
            later += after ? runs [i].cpus : 0;
            assert_true (after || !runs [i].picked);
            given += runs [i].picked ? runs [i].cpus : 0;
            if (runs [i].picked && least == 99)
                least = runs [i].cpus; /* the first in the order is the last that was needed */
        }
        assert_int_equal (way, free_cpus + later >= comes.width);
        assert_true (!way || free_cpus + given >= comes.width);
        assert_true (given == 0 || (way && free_cpus + given - least < comes.width));
    }
}

/*  A machine on which everything runs, at random, for at most as long as was said. */
static void at_random_nothing_is_over_later_than_was_said (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 30);
    for (int round = 0; round < 2000; round++) {
        overlap_run_t runs [8];
        int64_t said_ms [8], real_ms [8];
        size_t count = 1 + prng_below (&prng, 7);
        for (size_t i = 0; i < count; i++) {
            runs [i] = run (1 + i, 0, 1 + (uint32_t) prng_below (&prng, 4));
            runs [i].until_ms = 1 + (int64_t) prng_below (&prng, 60);
            runs [i].left_ms = 1 + (int64_t) prng_below (&prng, 60);
        }
        overlap_run_t comes = run (1 + prng_below (&prng, count), -1 + (int) prng_below (&prng, 3),
                                   1 + (uint32_t) prng_below (&prng, 8));
        comes.until_ms = 1 + (int64_t) prng_below (&prng, 60);
        uint32_t cpus = (uint32_t) prng_below (&prng, 2);
        if (clash (runs, count, &comes, cpus) != OVERLAP_GOES)
            continue;
        for (size_t i = 0; i < count; i++) {
            cpus += runs [i].cpus;
            runs [i].suspended = runs [i].picked;
            said_ms [i] = runs [i].picked ? runs [i].ends_ms : runs [i].until_ms;
            real_ms [i] = (int64_t) prng_below (
              &prng, (uint64_t) (runs [i].picked ? runs [i].left_ms : said_ms [i]) + 1);
        }
        int64_t comes_ms = (int64_t) prng_below (&prng, (uint64_t) comes.until_ms + 1);
        for (int64_t now_ms = 0; now_ms < 600; now_ms++) {
            uint32_t used = now_ms < comes_ms ? comes.width : 0;
            for (size_t i = 0; i < count; i++)
                used += !runs [i].suspended && now_ms < real_ms [i] ? runs [i].width : 0;
            for (size_t i = 0; i < count; i++) {
                if (!runs [i].suspended)
                    continue;
                if (runs [i].width > cpus - used)
                    break;
                runs [i].suspended = false;
                real_ms [i] += now_ms;
                used += runs [i].width;
                assert_true (real_ms [i] <= said_ms [i]);
            }
        }
        for (size_t i = 0; i < count; i++)
            assert_false (runs [i].suspended);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_last_ones_make_way_and_no_more_than_are_needed),
      cmocka_unit_test (one_that_is_told_already_is_not_told_again),
      cmocka_unit_test (they_go_on_in_order_as_far_as_there_is_room),
      cmocka_unit_test (who_has_no_time_for_its_rest_does_not_make_way),
      cmocka_unit_test (what_stands_still_keeps_its_time_and_its_turn),
      cmocka_unit_test (at_random_enough_make_way_and_none_in_vain),
      cmocka_unit_test (at_random_nothing_is_over_later_than_was_said),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
