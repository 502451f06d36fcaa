/*  test_selector - which site a file is fetched from. */
#include "selector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MB 1000000

static const char *const sites [] = {"ams", "berlin", "oslo"};

static const char *chosen (const selector_t *self, int64_t mono_ms, uint64_t size)
{
    int64_t again_ms;
    size_t i = selector_choose (self, mono_ms, sites, 3, size, &again_ms);
    return i < 3 ? sites [i] : "none";
}

/*  A transfer that came at this rate. */
static void measure (selector_t *self, const char *site, int64_t bytes_per_second)
{
    selector_begun (self, site);
    selector_ended (self, site, (uint64_t) bytes_per_second * 10, 10000);
}

static void by_rtt_the_nearest_wins_however_slow_it_is (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_RTT, 4);
    selector_heard (self, "ams", 9000);
    selector_heard (self, "berlin", 2000);
    selector_heard (self, "oslo", 5000);
    measure (self, "berlin", MB);
    measure (self, "ams", 100 * MB);
    assert_string_equal (chosen (self, 0, 1000 * MB), "berlin");
    selector_destroy (&self);
}

static void by_throughput_the_quickest_wins_and_for_a_small_file_the_nearest (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 4);
    selector_heard (self, "ams", 90000);
    selector_heard (self, "berlin", 2000);
    selector_heard (self, "oslo", 50000);
    measure (self, "ams", 100 * MB);
    measure (self, "berlin", 5 * MB);
    measure (self, "oslo", 20 * MB);
    assert_string_equal (chosen (self, 0, 1000 * MB), "ams");
    assert_string_equal (chosen (self, 0, 1000), "berlin");
    selector_destroy (&self);
}

static void the_present_load_of_a_source_counts (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 4);
    for (size_t i = 0; i < 3; i++)
        measure (self, sites [i], 10 * MB);
    measure (self, "berlin", 12 * MB);
    assert_string_equal (chosen (self, 0, 100 * MB), "berlin");
    selector_load (self, "berlin", 3); /* feeds three others */
    assert_string_equal (chosen (self, 0, 100 * MB), "ams");
    selector_begun (self, "ams");
    assert_string_equal (chosen (self, 0, 100 * MB), "oslo");
    selector_destroy (&self);
}

static void what_was_measured_while_shared_is_not_held_against_the_source (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 4);
    selector_begun (self, "ams");
    selector_begun (self, "ams");
    selector_ended (self, "ams", 50 * MB, 10000); /* 5 MB/s beside another one: it has 10 */
    selector_ended (self, "ams", 0, 0);
    measure (self, "berlin", 9 * MB);
    measure (self, "oslo", 9 * MB);
    assert_string_equal (chosen (self, 0, 100 * MB), "ams");
    selector_destroy (&self);
}

static void a_pair_never_has_more_transfers_than_its_cap (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 2);
    for (size_t i = 0; i < 6; i++) {
        const char *site = chosen (self, 0, MB);
        assert_string_not_equal (site, "none");
        selector_begun (self, site);
    }
    int64_t again_ms;
    assert_int_equal (selector_choose (self, 0, sites, 3, MB, &again_ms), 3);
    assert_true (again_ms == INT64_MAX); /* when one ends */
    selector_ended (self, "oslo", 0, 0);
    assert_string_equal (chosen (self, 0, MB), "oslo");
    selector_destroy (&self);
}

static void a_failed_source_is_left_out_longer_each_time_and_forgiven_by_success (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 4);
    const char *one [] = {"ams"};
    int64_t again_ms;
    selector_failed (self, 1000, "ams");
    assert_int_equal (selector_choose (self, 1000, one, 1, MB, &again_ms), 1);
    assert_int_equal (again_ms, 1000 + SELECTOR_BACKOFF_MS);
    assert_int_equal (selector_choose (self, again_ms, one, 1, MB, &again_ms), 0);
    selector_failed (self, 2000, "ams");
    assert_int_equal (selector_choose (self, 2000, one, 1, MB, &again_ms), 1);
    assert_int_equal (again_ms, 2000 + 2 * SELECTOR_BACKOFF_MS);
    for (size_t i = 0; i < 40; i++)
        selector_failed (self, 3000, "ams");
    assert_int_equal (selector_choose (self, 3000, one, 1, MB, &again_ms), 1);
    assert_int_equal (again_ms, 3000 + SELECTOR_BACKOFF_MS_MAX);
    measure (self, "ams", MB);
    assert_int_equal (selector_choose (self, 3000, one, 1, MB, &again_ms), 0);
    selector_destroy (&self);
}

static void a_small_transfer_that_succeeds_forgives_too_and_who_is_busy_is_not_blamed (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 4);
    const char *one [] = {"ams"};
    int64_t again_ms;
    for (size_t i = 0; i < 5; i++)
        selector_failed (self, 0, "ams");
    selector_begun (self, "ams");
    selector_ended (self, "ams", 5, 10);
    assert_int_equal (selector_choose (self, 0, one, 1, MB, &again_ms), 0);
    for (size_t i = 0; i < 5; i++)
        selector_busy (self, 1000, "ams");
    assert_int_equal (selector_choose (self, 1000, one, 1, MB, &again_ms), 1);
    assert_int_equal (again_ms, 1000 + SELECTOR_BUSY_MS);
    selector_destroy (&self);
}

static void who_is_asked_counts_until_it_has_answered (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 2);
    selector_asks (self, "ams");
    assert_false (selector_full (self, "ams"));
    selector_begun (self, "ams");
    assert_true (selector_full (self, "ams"));
    selector_asked (self, "ams");
    assert_false (selector_full (self, "ams"));
    selector_destroy (&self);
}

static void sources_never_measured_are_tried_by_name (void **state)
{
    (void) state;
    selector_t *self = selector_new (SELECT_THROUGHPUT, 4);
    assert_string_equal (chosen (self, 0, MB), "ams");
    measure (self, "ams", MB); /* slower than assumed: the next one is tried */
    assert_string_equal (chosen (self, 0, 100 * MB), "berlin");
    selector_destroy (&self);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (by_rtt_the_nearest_wins_however_slow_it_is),
      cmocka_unit_test (by_throughput_the_quickest_wins_and_for_a_small_file_the_nearest),
      cmocka_unit_test (the_present_load_of_a_source_counts),
      cmocka_unit_test (what_was_measured_while_shared_is_not_held_against_the_source),
      cmocka_unit_test (a_pair_never_has_more_transfers_than_its_cap),
      cmocka_unit_test (a_failed_source_is_left_out_longer_each_time_and_forgiven_by_success),
      cmocka_unit_test (a_small_transfer_that_succeeds_forgives_too_and_who_is_busy_is_not_blamed),
      cmocka_unit_test (who_is_asked_counts_until_it_has_answered),
      cmocka_unit_test (sources_never_measured_are_tried_by_name),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
