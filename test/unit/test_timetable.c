/*  test_timetable - a site books exactly what it grants, and explains what it refuses. */
#include "timetable_fixture.h"

/*  --- what is booked --- */

static void a_hold_takes_and_a_drop_gives_back (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    compute_booking_t wanted = thin (5, 10, 20);
    uint64_t version = free_capacity_version (f.room);
    void *taken = take (&f, NULL, &wanted, 1, &refusal);
    assert_non_null (taken);
    assert_true (free_capacity_version (f.room) > version);
    assert_int_equal (free_at (&f, 0, 9), 8);
    assert_int_equal (free_at (&f, 0, 10), 3);
    assert_int_equal (free_at (&f, 0, 19), 3);
    assert_int_equal (free_at (&f, 0, 20), 8);
    assert_int_equal (f.freed, 0);

    f.resource.drop (f.resource.owner, taken);
    assert_int_equal (free_at (&f, 0, 10), 8);
    assert_int_equal (f.freed, 1);
    close_fixture (&f);
}

static void bookings_of_one_part_add_up (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    compute_booking_t wanted [] = {thin (5, 10, 20), thin (3, 15, 25),
                                   booking ("air", "fat", 33, 3, 10, 20)};
    void *current = settle (&f, NULL, take (&f, NULL, wanted, 3, &refusal));
    assert_int_equal (free_at (&f, 0, 12), 3);
    assert_int_equal (free_at (&f, 0, 17), 0);
    assert_int_equal (free_at (&f, 0, 22), 5);
    assert_int_equal (free_at (&f, 1, 12), 1);
    assert_int_equal (timetable_held (current)->count, 4);
    assert_string_equal (timetable_owner (current), "alice");
    f.resource.end (f.resource.owner, current);
    assert_int_equal (free_at (&f, 0, 17), 8);
    assert_int_equal (free_at (&f, 1, 12), 4);

    compute_booking_t too_many [] = {thin (5, 10, 20), thin (4, 15, 25)};
    assert_null (take (&f, NULL, too_many, 2, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    assert_int_equal (refusal.wanted, 9);
    assert_int_equal (refusal.free, 8);
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

static void a_pending_change_has_the_larger_of_old_and_new (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    void *current = reserve (&f, "r1", thin (6, 10, 20));

    /*  There are 8 nodes, and it has 6 of them: 7 from 15 on need only one more. */
    compute_booking_t moved = thin (7, 15, 25);
    void *taken = take (&f, current, &moved, 1, &refusal);
    assert_non_null (taken);
    assert_int_equal (free_at (&f, 0, 12), 2);
    assert_int_equal (free_at (&f, 0, 17), 1);
    assert_int_equal (free_at (&f, 0, 22), 1);

    f.resource.drop (f.resource.owner, taken);
    assert_int_equal (free_at (&f, 0, 17), 2);
    assert_int_equal (free_at (&f, 0, 22), 8);

    f.freed = 0;
    taken = take (&f, current, &moved, 1, &refusal);
    current = settle (&f, current, taken);
    assert_int_equal (free_at (&f, 0, 12), 8);
    assert_int_equal (free_at (&f, 0, 17), 1);
    assert_int_equal (free_at (&f, 0, 22), 1);
    assert_int_equal (f.freed, 1);

    /*  The booking only grows, so that nothing has become free. */
    compute_booking_t longer = thin (7, 15, 30);
    current = settle (&f, current, take (&f, current, &longer, 1, &refusal));
    assert_int_equal (f.freed, 1);

    /*  With an empty part the site leaves the reservation. */
    taken = take (&f, current, NULL, 0, &refusal);
    assert_non_null (taken);
    assert_int_equal (free_at (&f, 0, 17), 1);
    assert_null (settle (&f, current, taken));
    assert_int_equal (free_at (&f, 0, 17), 8);
    assert_int_equal (f.freed, 2);
    close_fixture (&f);
}

static void a_part_of_nothing_holds_nothing (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    void *taken = take (&f, NULL, NULL, 0, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);
    assert_null (settle (&f, NULL, take (&f, NULL, NULL, 0, &refusal)));
    assert_false (f.resource.span (f.resource.owner, &(part_body_t){.kind = PART_COMPUTE}).set);
    close_fixture (&f);
}

static void the_cleaning_gap_is_booked_too (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    free_capacity_destroy (&f.room);
    f.site.cleaning_gap_ms = 5 * TICK_MS;
    open_site (&f);
    reserve (&f, "r1", thin (8, 10, 20));
    assert_int_equal (free_at (&f, 0, 24), 0);
    assert_int_equal (free_at (&f, 0, 25), 8);

    refusal_t refusal;
    compute_booking_t soon = thin (1, 24, 30);
    assert_null (take (&f, NULL, &soon, 1, &refusal));
    assert_int_equal (refusal.from_ms, at (24));
    assert_int_equal (refusal.until_ms, at (25));
    codec_clear (&refusal_codec, &refusal);

    /*  Its own gap needs room before the next one. */
    compute_booking_t before = thin (1, 3, 6);
    assert_null (take (&f, NULL, &before, 1, &refusal));
    assert_int_equal (refusal.from_ms, at (10));
    assert_int_equal (refusal.until_ms, at (11));
    codec_clear (&refusal_codec, &refusal);
    before.until_ms = at (5);
    assert_non_null (take (&f, NULL, &before, 1, &refusal));

    part_body_t part = {.kind = PART_COMPUTE, .compute = {&before, 1}};
    span_t span = f.resource.span (f.resource.owner, &part);
    assert_true (span.set);
    assert_int_equal (span.from_ms, at (3));
    assert_int_equal (span.until_ms, at (10));
    close_fixture (&f);
}

/*  --- refusals --- */

static void nodes_are_whole_and_counted_right (void **state)
{
    (void) state;
    static const struct {
        const char *class_name;
        uint32_t cpus;
        uint32_t nodes;
        refusal_reason_t reason;
    } cases [] = {
      {"thin", 8, 8, REFUSAL_NONE},
      {"thin", 8, 7, REFUSAL_OUTSIDE},
      {"fat", 1, 1, REFUSAL_NONE},
      {"fat", 16, 1, REFUSAL_NONE},
      {"fat", 17, 2, REFUSAL_NONE},
      {"fat", 17, 1, REFUSAL_OUTSIDE},
      {"fat", 17, 3, REFUSAL_OUTSIDE},
      {"fat", 64, 4, REFUSAL_NONE},
      {"fat", 65, 5, REFUSAL_SHORT},
      {"odd", 14, 5, REFUSAL_NONE},
      {"odd", UINT32_MAX, UINT32_MAX / 3, REFUSAL_SHORT},
      {"odd", UINT32_MAX - 1, UINT32_MAX / 3 - 1, REFUSAL_OUTSIDE},
      {"none", 1, 1, REFUSAL_UNKNOWN_RESOURCE},
      {"Thin", 1, 1, REFUSAL_UNKNOWN_RESOURCE},
    };
    timetable_fixture_t f;
    open_fixture (&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refusal_t refusal;
        compute_booking_t wanted =
          booking ("air", cases [i].class_name, cases [i].cpus, cases [i].nodes, 10, 20);
        void *taken = take (&f, NULL, &wanted, 1, &refusal);
        assert_int_equal (refusal.reason, cases [i].reason);
        if (taken) {
            f.resource.drop (f.resource.owner, taken);
            continue;
        }
        char resource [80];
        snprintf (resource, sizeof resource, "ams/%s", cases [i].class_name);
        assert_string_equal (refusal.resource, resource);
        assert_string_equal (refusal.need, "air");
        assert_true (strlen (refusal.text) > 10);
        codec_clear (&refusal_codec, &refusal);
    }
    close_fixture (&f);
}

static void refuses_what_is_no_interval (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    plan_t plan = plan_for ("r1", "alice");
    refusal_t refusal = {0};
    char why [WHY_BYTES] = "";

    /*  Not even a part. */
    static const uint8_t noise [] = {0x0a, 0xff, 0x01};
    part_body_t body;
    assert_false (
      part_decode (&body, PART_COMPUTE, (bytes_t){.data = noise, .size = sizeof noise}, why));
    assert_true (*why);

    static const int64_t bad [][2] = {
      {INT64_MIN, INT64_MAX}, {-1, 10}, {10, 10}, {20, 10}, {1, INT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        compute_booking_t wanted = thin (1, 10, 20);
        wanted.from_ms = bad [i][0];
        wanted.until_ms = bad [i][1];
        packed_t part = compute_part_encode (&wanted, 1);
        *why = '\0';
        refusal = (refusal_t){0};
        assert_false (part_decode (&body, PART_COMPUTE, packed_bytes (part), why) &&
                      f.resource.valid (f.resource.owner, &plan, &body, &refusal, why));
        part_clear (&body);
        assert_true (*why || refusal.reason == REFUSAL_OUTSIDE);
        codec_clear (&refusal_codec, &refusal);
        free (part.data);
    }
    close_fixture (&f);
}

static void refuses_beyond_the_horizon (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    compute_booking_t last = thin (1, 999, 1000);
    void *taken = take (&f, NULL, &last, 1, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);
    last.until_ms++;
    assert_null (take (&f, NULL, &last, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_OUTSIDE);
    assert_int_equal (refusal.until_ms, at (1000));
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

static void refuses_what_is_too_near (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    set_now (&f, 100);
    refusal_t refusal;
    compute_booking_t soonest = thin (1, 102, 110);
    void *taken = take (&f, NULL, &soonest, 1, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);
    soonest.from_ms--;
    assert_null (take (&f, NULL, &soonest, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_TOO_NEAR);
    assert_int_equal (refusal.from_ms, at (102));
    assert_string_equal (refusal.need, "ocean");
    assert_int_equal (refusal.fresh_count, 1);
    codec_clear (&refusal_codec, &refusal);

    /*  Skew counts, whichever way it goes, up to a bound. */
    soonest = thin (1, 102, 110);
    static const int64_t skews [][2] = {{1, 1},
                                        {-1, 1},
                                        {TICK_MS, TICK_MS},
                                        {1000 * TICK_MS, FREE_CAPACITY_SKEW_MS_MAX},
                                        {INT64_MIN, FREE_CAPACITY_SKEW_MS_MAX},
                                        {INT64_MAX, FREE_CAPACITY_SKEW_MS_MAX}};
    for (size_t i = 0; i < sizeof skews / sizeof *skews; i++) {
        free_capacity_set_skew (f.room, skews [i][0]);
        assert_null (take (&f, NULL, &soonest, 1, &refusal));
        assert_int_equal (refusal.from_ms, at (102) + skews [i][1]);
        codec_clear (&refusal_codec, &refusal);
    }

    /*  A wall clock set back does not bring a window back. */
    free_capacity_set_skew (f.room, 0);
    f.now.wall_ms -= 50 * TICK_MS;
    timekeeper_see (&f.timekeeper, &f.now);
    soonest = thin (1, 101, 110);
    assert_null (take (&f, NULL, &soonest, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_TOO_NEAR);
    assert_int_equal (refusal.from_ms, at (102));
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

static void a_running_reservation_is_extended_and_shrunk_but_not_rewritten (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    void *current = reserve (&f, "r1", thin (4, 10, 100));
    set_now (&f, 50);
    compute_booking_t size_down [] = {thin (4, 10, 60), thin (2, 60, 100)};
    compute_booking_t rewritten [] = {thin (4, 10, 30), thin (2, 30, 100)};
    const struct {
        compute_booking_t bookings [2];
        size_t count;
        refusal_reason_t reason;
    } cases [] = {
      {{thin (4, 10, 100)}, 1, REFUSAL_NONE},     /* as it is */
      {{thin (4, 10, 120)}, 1, REFUSAL_NONE},     /* longer */
      {{thin (4, 10, 55)}, 1, REFUSAL_NONE},      /* shorter */
      {{thin (4, 10, 51)}, 1, REFUSAL_NONE},      /* shorter, inside the lead */
      {{thin (4, 10, 50)}, 1, REFUSAL_NONE},      /* ends now */
      {{thin (4, 10, 49)}, 1, REFUSAL_TOO_NEAR},  /* has ended already? */
      {{thin (5, 10, 100)}, 1, REFUSAL_TOO_NEAR}, /* more, in the past too */
      {{thin (3, 10, 100)}, 1, REFUSAL_TOO_NEAR}, /* less, in the past too */
      {{thin (4, 60, 100)}, 1, REFUSAL_TOO_NEAR}, /* starts later after all */
      {{thin (4, 9, 100)}, 1, REFUSAL_TOO_NEAR},
      {{thin (4, 10, 100), thin (2, 51, 100)}, 2, REFUSAL_TOO_NEAR}, /* more, too soon */
      {{thin (4, 10, 100), thin (2, 52, 100)}, 2, REFUSAL_NONE},
      {{size_down [0], size_down [1]}, 2, REFUSAL_NONE},
      {{rewritten [0], rewritten [1]}, 2, REFUSAL_TOO_NEAR},
      {{{.cpus = 0}}, 0, REFUSAL_NONE}, /* leaves */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refusal_t refusal;
        void *taken = take (&f, current, cases [i].bookings, cases [i].count, &refusal);
        if (refusal.reason != cases [i].reason)
            print_message ("case %zu\n", i);
        assert_int_equal (refusal.reason, cases [i].reason);
        codec_clear (&refusal_codec, &refusal);
        if (taken)
            f.resource.drop (f.resource.owner, taken);
    }
    /* That was a release: a modify that leaves would be a move. */
    refusal_t refusal;
    plan_t plan = plan_for ("r1", "alice");
    plan.operation = OPERATION_MODIFY;
    assert_null (take_plan (&f, &plan, current, NULL, 0, false, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_TOO_NEAR);
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

static void a_short_refusal_names_the_very_conflict (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    reserve (&f, "r1", thin (6, 30, 40));
    reserve (&f, "r2", thin (1, 35, 50));
    refusal_t refusal;
    compute_booking_t wanted [] = {booking ("air", "fat", 16, 1, 20, 60), thin (2, 20, 60),
                                   thin (1, 38, 60)};

    /*  Free: 8 to 30, 2 to 35, 1 to 40, 7 to 50, 8. Wanted: 2 to 38, then 3. */
    assert_null (take (&f, NULL, wanted, 3, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    assert_string_equal (refusal.resource, "ams/thin");
    assert_string_equal (refusal.need, "ocean");
    assert_int_equal (refusal.from_ms, at (35));
    assert_int_equal (refusal.until_ms, at (38));
    assert_int_equal (refusal.wanted, 2);
    assert_int_equal (refusal.free, 1);
    assert_string_equal (refusal.text,
                         "ams/thin has 1 nodes free of the 2 wanted, from 2023-11-14T22:48:20Z to "
                         "2023-11-14T22:51:20Z");

    /*  Fresh: both classes, from one length before (not the past) to four after. */
    assert_int_equal (refusal.fresh_count, 2);
    assert_string_equal (refusal.fresh [0].resource, "thin");
    assert_string_equal (refusal.fresh [1].resource, "fat");
    static const profile_step_t want [] = {
      {EPOCH_MS, 8},
      {EPOCH_MS + 30 * 60000, 2},
      {EPOCH_MS + 35 * 60000, 1},
      {EPOCH_MS + 40 * 60000, 7},
      {EPOCH_MS + 50 * 60000, 8},
    };
    assert_int_equal (refusal.fresh [0].steps_count, 5);
    assert_memory_equal (refusal.fresh [0].steps, want, sizeof want);
    assert_int_equal (refusal.fresh [0].until_ms, at (60 + 4 * 40));
    assert_int_equal (refusal.fresh [1].steps_count, 1);
    codec_clear (&refusal_codec, &refusal);
    assert_int_equal (free_at (&f, 1, 25), 4); /* nothing was taken */

    /*  What the reservation has itself counts as free. */
    void *current = reserve (&f, "r3", thin (1, 20, 40));
    compute_booking_t more = thin (3, 20, 60);
    assert_null (take (&f, current, &more, 1, &refusal));
    assert_int_equal (refusal.from_ms, at (30));
    assert_int_equal (refusal.until_ms, at (40));
    assert_int_equal (refusal.wanted, 3);
    assert_int_equal (refusal.free, 1);
    assert_int_equal (refusal.fresh [0].steps [0].free, 8);
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

static void a_site_of_windows_tells_no_quantity (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    free_capacity_destroy (&f.room);
    f.site.disclosure = DISCLOSE_WINDOWS;
    open_site (&f);
    reserve (&f, "r1", thin (6, 30, 40));
    refusal_t refusal;
    compute_booking_t wanted = thin (4, 20, 60);
    assert_null (take (&f, NULL, &wanted, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    assert_int_equal (refusal.from_ms, at (20));
    assert_int_equal (refusal.until_ms, at (60));
    assert_int_equal (refusal.wanted, 4);
    assert_int_equal (refusal.free, 0);
    assert_int_equal (refusal.fresh_count, 0);
    assert_non_null (strstr (refusal.text, "not disclosed"));
    codec_clear (&refusal_codec, &refusal);

    set_now (&f, 19);
    assert_null (take (&f, NULL, &wanted, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_TOO_NEAR);
    assert_int_equal (refusal.fresh_count, 0);
    assert_int_equal (refusal.from_ms, at (21));
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

static void bookings_have_a_limit (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    f.limits.bookings_max = 4;
    part_reader_t reader;
    bookings_reader (&reader);
    f.timetable = timetable_new (f.room, &reader, &f.limits);
    timetable_resource (f.timetable, &f.resource);
    refusal_t refusal;

    /*  While it is pending, a change has its extra and its new: two each. */
    compute_booking_t two [] = {thin (1, 10, 20), thin (1, 30, 40)};
    void *taken = take (&f, NULL, two, 2, &refusal);
    assert_non_null (taken);
    compute_booking_t one = thin (1, 50, 60);
    plan_t other = plan_for ("r2", "bob");
    assert_null (take_plan (&f, &other, NULL, &one, 1, false, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (refusal.resource, "bookings_max");
    assert_int_equal (refusal.wanted, 2);
    assert_int_equal (refusal.free, 0);
    codec_clear (&refusal_codec, &refusal);

    /*  Records always come back. */
    void *forced = take_plan (&f, &other, NULL, &one, 1, true, &refusal);
    assert_non_null (forced);
    f.resource.drop (f.resource.owner, forced);

    void *current = settle (&f, NULL, taken);
    taken = take_plan (&f, &other, NULL, &one, 1, false, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);
    f.resource.end (f.resource.owner, current);
    close_fixture (&f);
}

static void no_actor_has_more_bookings_than_its_own_limit (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    f.limits.bookings_per_actor_max = 4;
    part_reader_t reader;
    bookings_reader (&reader);
    f.timetable = timetable_new (f.room, &reader, &f.limits);
    timetable_resource (f.timetable, &f.resource);
    refusal_t refusal;
    plan_t alice = plan_for ("r1", "alice");
    plan_t again = plan_for ("r2", "alice");
    plan_t bob = plan_for ("r3", "bob");
    compute_booking_t three [] = {thin (1, 10, 20), thin (1, 30, 40), thin (1, 50, 60)};

    void *taken = take_plan (&f, &alice, NULL, three, 2, false, &refusal);
    assert_non_null (taken);
    assert_null (take_plan (&f, &again, NULL, three, 1, false, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (refusal.resource, "bookings_per_actor_max");
    assert_int_equal (refusal.wanted, 2);
    assert_int_equal (refusal.free, 0);
    codec_clear (&refusal_codec, &refusal);
    void *others = take_plan (&f, &bob, NULL, three, 1, false, &refusal);
    assert_non_null (others);

    /*  Once settled it counts once, and for its owner, whichever actor changed it. */
    void *current = settle (&f, NULL, taken);
    plan_t change = plan_for ("r1", "bob");
    change.operation = OPERATION_MODIFY;
    assert_null (
      take_plan (&f, &change, current, three, 3, false, &refusal)); /* one more, and three */
    assert_int_equal (refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (refusal.resource, "bookings_per_actor_max");
    assert_int_equal (refusal.wanted, 4);
    assert_int_equal (refusal.free, 2);
    codec_clear (&refusal_codec, &refusal);
    void *second = take_plan (&f, &again, NULL, three, 1, false, &refusal);
    assert_non_null (second);

    /*  A reservation that has ended does not count. */
    f.resource.end (f.resource.owner, current);
    f.resource.drop (f.resource.owner, second);
    taken = take_plan (&f, &again, NULL, three, 2, false, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);
    f.resource.drop (f.resource.owner, others);
    close_fixture (&f);
}

static void a_late_commit_asks_for_room_only (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    plan_t plan = plan_for ("r1", "alice");
    plan.edge_ms = at (8);
    set_now (&f, 11);
    compute_booking_t wanted = thin (8, 10, 20);
    void *taken = take_plan (&f, &plan, NULL, &wanted, 1, false, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);

    set_now (&f, 2);
    reserve (&f, "r2", thin (1, 15, 30));
    set_now (&f, 11);
    assert_null (take_plan (&f, &plan, NULL, &wanted, 1, false, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    assert_int_equal (refusal.from_ms, at (15));
    codec_clear (&refusal_codec, &refusal);
    close_fixture (&f);
}

/*  --- capacity and records --- */

static void lost_nodes_are_told_not_asserted (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    void *later = reserve (&f, "b-later", thin (3, 30, 40));
    void *early = reserve (&f, "a-early", thin (6, 10, 20));
    reserve (&f, "c-other", booking ("air", "fat", 64, 4, 10, 50));
    compute_booking_t more = thin (7, 10, 20);
    plan_t plan = plan_for ("a-early", "alice");
    void *taken = take_plan (&f, &plan, early, &more, 1, false, &refusal);

    const char *names [4];
    assert_int_equal (timetable_overbooked (f.timetable, at (0), names, 4), 0);
    free_capacity_set_quantity (f.room, 0, 5);
    assert_int_equal (free_at (&f, 0, 12), -2);
    assert_int_equal (free_at (&f, 0, 32), 2);
    assert_int_equal (timetable_overbooked (f.timetable, at (0), names, 4), 1);
    assert_string_equal (names [0], "a-early"); /* once, though its change is hit too */
    assert_int_equal (timetable_overbooked (f.timetable, at (20), names, 4), 0);

    free_capacity_set_quantity (f.room, 0, 0);
    free_capacity_set_quantity (f.room, 1, 3);
    assert_int_equal (timetable_overbooked (f.timetable, at (0), names, 2), 3);
    assert_string_equal (names [0], "a-early");
    assert_string_equal (names [1], "b-later");

    /*  Nothing new fits, and promises are kept. */
    compute_booking_t one = thin (1, 60, 70);
    assert_null (take (&f, NULL, &one, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    assert_int_equal (refusal.free, 0);
    codec_clear (&refusal_codec, &refusal);
    early = settle (&f, early, taken);
    assert_int_equal (free_at (&f, 0, 12), -7);

    /*  Giving some back is always possible. */
    compute_booking_t fewer = thin (2, 10, 20);
    taken = take_plan (&f, &plan, early, &fewer, 1, false, &refusal);
    assert_non_null (taken);
    settle (&f, early, taken);
    assert_int_equal (free_at (&f, 0, 12), -2);
    f.resource.end (f.resource.owner, later);
    close_fixture (&f);
}

static void records_come_back_whatever_the_site_has_become (void **state)
{
    (void) state;
    timetable_fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    plan_t plan = plan_for ("r1", "alice");

    /*  A class that is gone, a class that shrank, a node count of another time, a window of the
     *  past; and after it a booking that makes no sense, which is left out. */
    set_now (&f, 15);
    compute_booking_t old [] = {booking ("a", "gone", 4, 2, 10, 20),
                                booking ("b", "fat", 16, 9, 10, 20),
                                booking ("c", "odd", 3, 1, 20, 30)};
    void *taken = take_plan (&f, &plan, NULL, old, 3, true, &refusal);
    assert_non_null (taken);
    void *current = settle (&f, NULL, taken);
    assert_int_equal (timetable_held (current)->count, 3);
    assert_int_equal (free_at (&f, 1, 12), -5);
    const char *names [1];
    assert_int_equal (timetable_overbooked (f.timetable, at (15), names, 1), 1);

    /*  Not offered: not in the site, nothing new in it, but it can be left. */
    size_t resource;
    assert_false (free_capacity_find (f.room, "gone", &resource));
    assert_int_equal (free_capacity_offers (f.room), 3);
    compute_booking_t again = booking ("a", "gone", 4, 2, 10, 20);
    assert_null (take (&f, current, &again, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_UNKNOWN_RESOURCE);
    codec_clear (&refusal_codec, &refusal);
    assert_null (settle (&f, current, take (&f, current, NULL, 0, &refusal)));

    close_fixture (&f);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_hold_takes_and_a_drop_gives_back),
      cmocka_unit_test (bookings_of_one_part_add_up),
      cmocka_unit_test (a_pending_change_has_the_larger_of_old_and_new),
      cmocka_unit_test (a_part_of_nothing_holds_nothing),
      cmocka_unit_test (the_cleaning_gap_is_booked_too),
      cmocka_unit_test (nodes_are_whole_and_counted_right),
      cmocka_unit_test (refuses_what_is_no_interval),
      cmocka_unit_test (refuses_beyond_the_horizon),
      cmocka_unit_test (refuses_what_is_too_near),
      cmocka_unit_test (a_running_reservation_is_extended_and_shrunk_but_not_rewritten),
      cmocka_unit_test (a_short_refusal_names_the_very_conflict),
      cmocka_unit_test (a_site_of_windows_tells_no_quantity),
      cmocka_unit_test (bookings_have_a_limit),
      cmocka_unit_test (no_actor_has_more_bookings_than_its_own_limit),
      cmocka_unit_test (a_late_commit_asks_for_room_only),
      cmocka_unit_test (lost_nodes_are_told_not_asserted),
      cmocka_unit_test (records_come_back_whatever_the_site_has_become),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
