/*  prng: repeatable, in range, moved by entropy. */
#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_same_seed_gives_the_same_numbers (void **state)
{
    (void) state;
    prng_t a, b;
    prng_seed (&a, 42);
    prng_seed (&b, 42);
    for (int i = 0; i < 100; i++)
        assert_true (prng_next (&a) == prng_next (&b));
}

static void stirring_changes_what_follows (void **state)
{
    (void) state;
    prng_t a, b;
    prng_seed (&a, 42);
    prng_seed (&b, 42);
    uint8_t entropy [ENTROPY_BYTES] = {1};
    prng_stir (&a, entropy);
    int same = 0;
    for (int i = 0; i < 100; i++)
        same += prng_next (&a) == prng_next (&b);
    assert_true (same < 3);
}

static void entropy_that_cancels_the_state_does_not_silence_it (void **state)
{
    (void) state;
    prng_t self;
    prng_seed (&self, 42);
    uint8_t entropy [ENTROPY_BYTES];
    memcpy (entropy, self.state, sizeof entropy);
    prng_stir (&self, entropy);
    assert_true (prng_next (&self) != prng_next (&self));
}

static void below_covers_its_range_evenly (void **state)
{
    (void) state;
    prng_t self;
    prng_seed (&self, 1);
    int seen [10] = {0};
    for (int i = 0; i < 100000; i++) {
        uint64_t drawn = prng_below (&self, 10);
        assert_true (drawn < 10);
        seen [drawn]++;
    }
    for (int i = 0; i < 10; i++) /* 10 000 each, standard deviation 95 */
        assert_in_range (seen [i], 9500, 10500);
}

static void unit_stays_in_its_interval (void **state)
{
    (void) state;
    prng_t self;
    prng_seed (&self, 1);
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double drawn = prng_unit (&self);
        assert_true (drawn >= 0 && drawn < 1);
        sum += drawn;
    }
    assert_true (sum > 49000 && sum < 51000);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_same_seed_gives_the_same_numbers),
      cmocka_unit_test (stirring_changes_what_follows),
      cmocka_unit_test (entropy_that_cancels_the_state_does_not_silence_it),
      cmocka_unit_test (below_covers_its_range_evenly),
      cmocka_unit_test (unit_stays_in_its_interval),
    };
    return cmocka_run_group_tests_name ("prng", tests, NULL, NULL);
}
