/*  test_free_capacity - what a site answers about its free nodes: profiles, spans, utilisation; and
 *  the comparison of lists of stretches, on which bookings rest.
 */
#include "timetable_fixture.h"

/*  --- stretches --- */

static void says_overlapping_bookings_in_shortest_form (void **state)
{
    (void) state;
    resource_interval_t before [] = {{.resource = 0, .over = {0, 10}, .quantity = 4},
                                     {.resource = 2, .over = {5, 9}, .quantity = 1}};
    resource_interval_t after [] = {{.resource = 2, .over = {5, 7}, .quantity = 3},
                                    {.resource = 0, .over = {8, 12}, .quantity = 1},
                                    {.resource = 0, .over = {0, 8}, .quantity = 1},
                                    {.resource = 0, .over = {2, 4}, .quantity = 5}};
    interval_changes_t changes =
      interval_list_changes (&(interval_list_t){.list = before, .count = 2},
                             &(interval_list_t){.list = after, .count = 4});
    interval_list_t to = interval_changes_after (&changes);
    interval_list_t extra = interval_changes_extra (&changes);

    static const resource_interval_t want_to [] = {{.resource = 0, .over = {0, 2}, .quantity = 1},
                                                   {.resource = 0, .over = {2, 4}, .quantity = 6},
                                                   {.resource = 0, .over = {4, 12}, .quantity = 1},
                                                   {.resource = 2, .over = {5, 7}, .quantity = 3}};
    static const resource_interval_t want_extra [] = {
      {.resource = 0, .over = {2, 4}, .quantity = 2},
      {.resource = 0, .over = {10, 12}, .quantity = 1},
      {.resource = 2, .over = {5, 7}, .quantity = 2}};
    assert_int_equal (to.count, 4);
    assert_memory_equal (to.list, want_to, sizeof want_to);
    assert_int_equal (extra.count, 3);
    assert_memory_equal (extra.list, want_extra, sizeof want_extra);
    assert_true (interval_changes_free_after (&changes, 9)); /* resource 0 until 10 */
    assert_false (interval_changes_free_after (&changes, 10));
    interval_list_clear (&to);
    interval_list_clear (&extra);
    interval_changes_clear (&changes);
}

static void one_compared_with_nothing_is_itself (void **state)
{
    (void) state;
    static const interval_list_t nothing = {0};
    resource_interval_t only = {.resource = 3, .over = {5, 9}, .quantity = 2};
    interval_list_t one = {.list = &only, .count = 1};
    for (int turned = 0; turned < 2; turned++) {
        interval_changes_t changes =
          turned ? interval_list_changes (&one, &nothing) : interval_list_changes (&nothing, &one);
        interval_list_t to = interval_changes_after (&changes);
        interval_list_t extra = interval_changes_extra (&changes);
        assert_int_equal (to.count, turned ? 0 : 1);
        assert_int_equal (extra.count, turned ? 0 : 1);
        if (!turned) {
            assert_memory_equal (to.list, &only, sizeof only);
            assert_memory_equal (extra.list, &only, sizeof only);
        }
        assert_int_equal (interval_changes_free_after (&changes, 8), turned);
        interval_list_clear (&to);
        interval_list_clear (&extra);
        interval_changes_clear (&changes);
    }
}

static void nothing_compared_with_nothing_is_nothing (void **state)
{
    (void) state;
    static const interval_list_t nothing = {0};
    interval_changes_t changes = interval_list_changes (&nothing, &nothing);
    assert_int_equal (changes.count, 0);
    interval_list_t to = interval_changes_after (&changes);
    assert_int_equal (to.count, 0);
    assert_int_equal (interval_list_of_resource (&nothing, 0).count, 0);
}

/*  --- questions --- */

static void profiles_have_at_most_so_many_steps_and_never_too_much (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    void *current = NULL;
    for (int i = 0; i < 100; i++) {
        char name [16];
        snprintf (name, sizeof name, "r%d", i);
        void *made = reserve (&f, name, thin (1 + (uint32_t) i % 7, 10 + 3 * i, 12 + 3 * i));
        current = i == 50 ? made : current;
    }
    interval_t over = {at (5), at (400)};
    for (size_t steps_max = 1; steps_max < 300; steps_max += 7) {
        for (int with = 0; with < 2; with++) {
            profile_t profile;
            const interval_list_t *counted = with ? timetable_held (current) : NULL;
            free_capacity_profile (f.room, 0, over, counted, steps_max, &profile);
            assert_true (profile.steps_count >= 1 && profile.steps_count <= steps_max);
            assert_int_equal (profile.steps [0].from_ms, over.from);
            assert_int_equal (profile.until_ms, over.until);
            assert_string_equal (profile.resource, "thin");
            for (size_t i = 0; i < profile.steps_count; i++) {
                int64_t from = profile.steps [i].from_ms;
                int64_t until =
                  i + 1 < profile.steps_count ? profile.steps [i + 1].from_ms : over.until;
                assert_true (from < until);
                assert_true (i == 0 || profile.steps [i].free != profile.steps [i - 1].free);
                int64_t least = INT64_MAX;
                for (int64_t t = from; t < until; t += TICK_MS / 60) {
                    int64_t own = with && t >= at (160) && t < at (162) ? 1 + 50 % 7 : 0;
                    int64_t there = own + calendar_least (free_capacity_calendar (f.room, 0),
                                                          (interval_t){t, t + 1});
                    least = there < least ? there : least;
                }
                assert_true (profile.steps [i].free <= least);
                if (steps_max > 200 || steps_max == 1)
                    assert_int_equal (profile.steps [i].free, least);
            }
            free_capacity_profile_clear (&profile);
        }
    }
    close_fixture (&f);
}

static void many_profiles_share_the_steps_and_those_that_need_few_leave_theirs (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    for (int i = 0; i < 20; i++) {
        char name [16];
        snprintf (name, sizeof name, "r%d", i);
        reserve (&f, name, thin (1 + (uint32_t) i % 7, 10 + 3 * i, 12 + 3 * i));
    }
    reserve (&f, "fat", booking ("air", "fat", 16, 1, 10, 20));
    /*  thin has 41 steps, fat 3, odd 1; asked twice, each has its share twice. */
    static const size_t resources [] = {0, 1, 2, 0};
    static const struct {
        size_t count;
        size_t steps_max;
        size_t thin_most;
    } cases [] = {{3, 3, 1},   {3, 4, 1},   {3, 10, 6}, {3, 44, 40},
                  {3, 45, 41}, {4, 28, 12}, {1, 20, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        profile_t profiles [4];
        size_t steps = 0;
        free_capacity_profiles (f.room, resources, cases [i].count, (interval_t){at (0), at (100)},
                                NULL, cases [i].steps_max, profiles);
        for (size_t p = 0; p < cases [i].count; p++) {
            assert_string_equal (profiles [p].resource,
                                 free_capacity_resource_name (f.room, resources [p]));
            steps += profiles [p].steps_count;
        }
        assert_true (steps <= cases [i].steps_max);
        assert_true (profiles [0].steps_count <= cases [i].thin_most);
        assert_true (profiles [0].steps_count > cases [i].thin_most / 2);
        if (cases [i].count > 1 && cases [i].steps_max >= 10)
            assert_int_equal (profiles [1].steps_count, 3);
        for (size_t p = 0; p < cases [i].count; p++)
            free_capacity_profile_clear (&profiles [p]);
    }
    close_fixture (&f);
}

static void spans_can_be_reserved_from_every_start (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    free_capacity_destroy (&f.room);
    f.site.cleaning_gap_ms = 2 * TICK_MS;
    open_site (&f);
    reserve (&f, "r1", thin (6, 30, 40));
    interval_t spans [4];
    size_t count = free_capacity_spans (f.room, &f.now, 0, 4, 5 * TICK_MS,
                                        (interval_t){at (0), at (60)}, spans, 4);
    assert_int_equal (count, 2);
    assert_int_equal (spans [0].from, at (2));   /* the lead */
    assert_int_equal (spans [0].until, at (28)); /* its own gap */
    assert_int_equal (spans [1].from, at (42));
    assert_int_equal (spans [1].until, at (60));
    for (size_t i = 0; i < count; i++) {
        for (int64_t from = spans [i].from; from + 5 * TICK_MS <= spans [i].until;
             from += TICK_MS) {
            refusal_t refusal;
            compute_booking_t wanted = thin (4, 0, 0);
            wanted.from_ms = from;
            wanted.until_ms = from + 5 * TICK_MS;
            void *taken = take (&f, NULL, &wanted, 1, &refusal);
            assert_non_null (taken);
            f.resource.drop (f.resource.owner, taken);
        }
    }
    /*  Too long, too many, behind the horizon, in the past. */
    assert_int_equal (free_capacity_spans (f.room, &f.now, 0, 4, 27 * TICK_MS,
                                           (interval_t){at (0), at (60)}, spans, 4),
                      0);
    assert_int_equal (
      free_capacity_spans (f.room, &f.now, 0, 9, 1, (interval_t){at (0), at (60)}, spans, 4), 0);
    assert_int_equal (
      free_capacity_spans (f.room, &f.now, 0, 1, 1, (interval_t){at (1001), at (1060)}, spans, 4),
      0);
    set_now (&f, 60);
    assert_int_equal (
      free_capacity_spans (f.room, &f.now, 0, 1, 1, (interval_t){at (0), at (60)}, spans, 4), 0);
    close_fixture (&f);
}

static bool near (double is, double want)
{
    return is > want - 1e-9 && is < want + 1e-9;
}

static void utilisation_is_a_share_of_what_there_is (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    reserve (&f, "r1", thin (4, 10, 20));
    reserve (&f, "r2", booking ("air", "fat", 64, 4, 10, 15));
    interval_t over = {at (10), at (20)};
    assert_true (near (free_capacity_utilisation (f.room, 0, over), 0.5));
    assert_true (near (free_capacity_utilisation (f.room, 1, over), 0.5));
    assert_true (near (free_capacity_utilisation (f.room, 2, over), 0));
    assert_true (
      near (free_capacity_utilisation_all (f.room, over), (40 + 320) / (80 + 640 + 150.0)));
    free_capacity_set_quantity (f.room, 0, 2);
    assert_true (near (free_capacity_utilisation (f.room, 0, over), 1));
    free_capacity_set_quantity (f.room, 2, 0);
    assert_true (near (free_capacity_utilisation (f.room, 2, over), 1));
    close_fixture (&f);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (says_overlapping_bookings_in_shortest_form),
      cmocka_unit_test (one_compared_with_nothing_is_itself),
      cmocka_unit_test (nothing_compared_with_nothing_is_nothing),
      cmocka_unit_test (profiles_have_at_most_so_many_steps_and_never_too_much),
      cmocka_unit_test (many_profiles_share_the_steps_and_those_that_need_few_leave_theirs),
      cmocka_unit_test (spans_can_be_reserved_from_every_start),
      cmocka_unit_test (utilisation_is_a_share_of_what_there_is),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
