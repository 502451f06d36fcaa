/*  timers: order, cancelling, and random use against a plain list. */
#include "prng.h"
#include "timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define FIRED_MAX 4096

typedef struct {
    timers_t *timers;
    uint64_t fired [FIRED_MAX];
    size_t fired_count;
    uint64_t cancel_when_fired; /* a timer that the next firing cancels */
} timers_fixture_t;

static void on_fire (void *owner, const moment_t *now, uint64_t token)
{
    (void) now;
    timers_fixture_t *self = owner;
    assert_true (self->fired_count < FIRED_MAX);
    self->fired [self->fired_count++] = token;
    timers_cancel (self->timers, self->cancel_when_fired);
    self->cancel_when_fired = 0;
}

static int set_up (void **state)
{
    timers_fixture_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    self->timers = timers_new ();
    *state = self;
    return 0;
}

static int tear_down (void **state)
{
    timers_fixture_t *self = *state;
    timers_destroy (&self->timers);
    timers_destroy (&self->timers); /* twice is harmless */
    free (self);
    return 0;
}

static uint64_t set (timers_fixture_t *self, int64_t mono_ms, uint64_t token)
{
    return timers_set (self->timers, mono_ms, on_fire, self, token);
}

static void run (timers_fixture_t *self, int64_t mono_ms)
{
    timers_run (self->timers, &(moment_t){.mono_ms = mono_ms});
}

static void fires_in_order_of_time_then_of_setting (void **state)
{
    timers_fixture_t *self = *state;
    set (self, 30, 3);
    set (self, 10, 1);
    set (self, 30, 4);
    set (self, 20, 2);
    run (self, 30);
    assert_int_equal (self->fired_count, 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal (self->fired [i], i + 1);
}

static void never_fires_before_its_time (void **state)
{
    timers_fixture_t *self = *state;
    set (self, 10, 1);
    assert_int_equal (timers_due (self->timers), 10);
    run (self, 9);
    assert_int_equal (self->fired_count, 0);
    run (self, 10);
    assert_int_equal (self->fired_count, 1);
    assert_int_equal (timers_due (self->timers), INT64_MAX);
}

static void a_cancelled_timer_does_not_fire (void **state)
{
    timers_fixture_t *self = *state;
    uint64_t first = set (self, 10, 1);
    set (self, 10, 2);
    timers_cancel (self->timers, first);
    timers_cancel (self->timers, first);
    timers_cancel (self->timers, 0);
    run (self, 10);
    assert_int_equal (self->fired_count, 1);
    assert_int_equal (self->fired [0], 2);
}

static void an_old_number_does_not_cancel_the_next_user_of_its_slot (void **state)
{
    timers_fixture_t *self = *state;
    uint64_t first = set (self, 10, 1);
    run (self, 10);
    uint64_t second = set (self, 20, 2);
    assert_true (first != second);
    timers_cancel (self->timers, first);
    run (self, 20);
    assert_int_equal (self->fired_count, 2);
}

static void one_that_fires_may_cancel_another_that_is_due (void **state)
{
    timers_fixture_t *self = *state;
    set (self, 10, 1);
    self->cancel_when_fired = set (self, 10, 2);
    run (self, 10);
    assert_int_equal (self->fired_count, 1);
}

static void the_next_due_is_never_a_cancelled_one (void **state)
{
    timers_fixture_t *self = *state;
    uint64_t soon = set (self, 10, 1);
    set (self, 50, 2);
    timers_cancel (self->timers, soon);
    assert_int_equal (timers_due (self->timers), 50);
}

static void agrees_with_a_plain_list (void **state)
{
    timers_fixture_t *self = *state;
    enum { ROUNDS = 20000, LIVE_MAX = 256 };
    uint64_t seed = 7;
    print_message ("# seed %llu\n", (unsigned long long) seed);
    prng_t prng;
    prng_seed (&prng, seed);
    struct {
        uint64_t timer;
        int64_t mono_ms;
        uint64_t token;
    } live [LIVE_MAX];
    size_t live_count = 0;
    int64_t mono_ms = 0;
    for (uint64_t token = 1; token <= ROUNDS; token++) {
        uint64_t choice = prng_below (&prng, 4);
        if (choice < 2 && live_count < LIVE_MAX) {
            int64_t due_ms = mono_ms + (int64_t) prng_below (&prng, 100);
            live [live_count].timer = set (self, due_ms, token);
            live [live_count].mono_ms = due_ms;
            live [live_count++].token = token;
        } else if (choice == 2 && live_count > 0) {
            size_t at = prng_below (&prng, live_count);
            timers_cancel (self->timers, live [at].timer);
            live [at] = live [--live_count];
        } else {
            mono_ms += (int64_t) prng_below (&prng, 20);
            self->fired_count = 0;
            run (self, mono_ms);
            size_t due = 0;
            for (size_t i = 0; i < live_count;) {
                if (live [i].mono_ms > mono_ms) {
                    i++;
                    continue;
                }
                bool found = false;
                for (size_t f = 0; f < self->fired_count && !found; f++)
                    found = self->fired [f] == live [i].token;
                assert_true (found);
                due++;
                live [i] = live [--live_count];
            }
            assert_int_equal (self->fired_count, due);
        }
        int64_t next_ms = INT64_MAX;
        for (size_t i = 0; i < live_count; i++)
            if (live [i].mono_ms < next_ms)
                next_ms = live [i].mono_ms;
        assert_true (timers_due (self->timers) == next_ms);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int main (void)
{
    const struct CMUnitTest tests [] = {
      TEST (fires_in_order_of_time_then_of_setting),
      TEST (never_fires_before_its_time),
      TEST (a_cancelled_timer_does_not_fire),
      TEST (an_old_number_does_not_cancel_the_next_user_of_its_slot),
      TEST (one_that_fires_may_cancel_another_that_is_due),
      TEST (the_next_due_is_never_a_cancelled_one),
      TEST (agrees_with_a_plain_list),
    };
    return cmocka_run_group_tests_name ("timers", tests, NULL, NULL);
}
