/*  test_timetable - a site books what it says, and nothing else.
 *
 *  The resource is driven as the participant drives it: valid, take, then drop or settle, end. In
 *  the long run it must agree at every tick with a plain array per reservation and class.
 */
#include "timetable.h"

#include "admission.h"
#include "prng.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EPOCH_MS INT64_C (1700000000000)
#define TICK_MS  INT64_C (60000)

/*  Minutes of the test's day, on the clock. */
static int64_t at (int64_t minute)
{
    return EPOCH_MS + minute * TICK_MS;
}

typedef struct {
    timekeeper_t timekeeper;
    moment_t now;
    site_t site;
    node_class_t classes [3];
    lis_limits_t limits;
    room_t *room;
    timetable_t *timetable;
    resource_t resource;
    size_t freed;
} fixture_t;

static void count_freed (void *owner)
{
    fixture_t *self = owner;
    self->freed++;
}

static void set_now (fixture_t *self, int64_t minute)
{
    self->now.wall_ms = at (minute);
    self->now.mono_ms = at (minute) - EPOCH_MS + 12345;
    timekeeper_see (&self->timekeeper, &self->now);
}

static void open_site (fixture_t *self)
{
    self->room = room_new ("ams", &self->site, &self->timekeeper);
    self->timetable = timetable_new (self->room, &self->limits);
    timetable_on_freed (self->timetable, count_freed, self);
    timetable_resource (self->timetable, &self->resource);
}

/*  thin: 8 nodes of 1 CPU; fat: 4 nodes of 16. */
static void open_fixture (fixture_t *self)
{
    *self = (fixture_t){
      .classes = {{.name = "thin", .nodes = 8, .cpus_per_node = 1},
                  {.name = "fat", .nodes = 4, .cpus_per_node = 16},
                  {.name = "odd", .nodes = 5, .cpus_per_node = 3}},
      .limits = lis_limits_default,
    };
    self->site = (site_t){.classes = self->classes,
                          .classes_count = 3,
                          .lead_ms = 2 * TICK_MS,
                          .horizon_ms = 1000 * TICK_MS};
    set_now (self, 0);
    open_site (self);
}

static void close_fixture (fixture_t *self)
{
    timetable_check (self->timetable);
    timetable_destroy (&self->timetable);
    assert_null (self->timetable);
    timetable_destroy (&self->timetable);
    room_destroy (&self->room);
    assert_null (self->room);
    room_destroy (&self->room);
}

static compute_booking_t booking (const char *need, const char *class_name, uint32_t cpus,
                                  uint32_t nodes, int64_t from, int64_t until)
{
    compute_booking_t made = {
      .cpus = cpus, .nodes = nodes, .from_ms = at (from), .until_ms = at (until)};
    snprintf (made.need, sizeof made.need, "%s", need);
    snprintf (made.class_name, sizeof made.class_name, "%s", class_name);
    return made;
}

static compute_booking_t thin (uint32_t cpus, int64_t from, int64_t until)
{
    return booking ("ocean", "thin", cpus, cpus, from, until);
}

static plan_t plan_for (const char *reservation, const char *actor)
{
    plan_t plan = {.operation = OPERATION_RESERVE, .edge_ms = at (1000000)};
    snprintf (plan.reservation, sizeof plan.reservation, "%s", reservation);
    snprintf (plan.actor, sizeof plan.actor, "%s", actor);
    return plan;
}

static void *take_plan (fixture_t *self, const plan_t *plan, const void *current,
                        const compute_booking_t *bookings, size_t count, bool forced,
                        refusal_t *refusal)
{
    packed_t packed = compute_part_encode (bookings, count);
    bytes_t part = {.data = packed.data, .size = packed.size};
    char why [WHY_BYTES] = "";
    *refusal = (refusal_t){0};
    void *taken = NULL;
    if (forced || self->resource.valid (self->resource.owner, plan, part, refusal, why))
        taken = self->resource.take (self->resource.owner, &self->now, plan, current, part, forced,
                                     refusal);
    assert_true ((taken != NULL) == (refusal->reason == REFUSAL_NONE));
    free (packed.data);
    return taken;
}

static void *take (fixture_t *self, const void *current, const compute_booking_t *bookings,
                   size_t count, refusal_t *refusal)
{
    plan_t plan = plan_for ("r1", "alice");
    return take_plan (self, &plan, current, bookings, count, false, refusal);
}

static void *settle (fixture_t *self, void *current, void *taken)
{
    return self->resource.settle (self->resource.owner, current, taken);
}

/*  A reservation that is there. */
static void *reserve (fixture_t *self, const char *reservation, compute_booking_t one)
{
    refusal_t refusal;
    plan_t plan = plan_for (reservation, "alice");
    void *taken = take_plan (self, &plan, NULL, &one, 1, false, &refusal);
    assert_non_null (taken);
    return settle (self, NULL, taken);
}

/*  Free nodes in one minute. */
static int64_t free_at (const fixture_t *self, size_t class_index, int64_t minute)
{
    return calendar_least (room_calendar (self->room, class_index),
                           (interval_t){at (minute), at (minute + 1)});
}

/*  --- stretches --- */

static void says_overlapping_bookings_in_shortest_form (void **state)
{
    (void) state;
    stretch_t before [] = {{.class_index = 0, .over = {0, 10}, .nodes = 4},
                           {.class_index = 2, .over = {5, 9}, .nodes = 1}};
    stretch_t after [] = {{.class_index = 2, .over = {5, 7}, .nodes = 3},
                          {.class_index = 0, .over = {8, 12}, .nodes = 1},
                          {.class_index = 0, .over = {0, 8}, .nodes = 1},
                          {.class_index = 0, .over = {2, 4}, .nodes = 5}};
    changes_t changes = changes_between (&(stretches_t){.list = before, .count = 2},
                                         &(stretches_t){.list = after, .count = 4});
    stretches_t to = changes_after (&changes);
    stretches_t extra = changes_extra (&changes);

    static const stretch_t want_to [] = {{.class_index = 0, .over = {0, 2}, .nodes = 1},
                                         {.class_index = 0, .over = {2, 4}, .nodes = 6},
                                         {.class_index = 0, .over = {4, 12}, .nodes = 1},
                                         {.class_index = 2, .over = {5, 7}, .nodes = 3}};
    static const stretch_t want_extra [] = {{.class_index = 0, .over = {2, 4}, .nodes = 2},
                                            {.class_index = 0, .over = {10, 12}, .nodes = 1},
                                            {.class_index = 2, .over = {5, 7}, .nodes = 2}};
    assert_int_equal (to.count, 4);
    assert_memory_equal (to.list, want_to, sizeof want_to);
    assert_int_equal (extra.count, 3);
    assert_memory_equal (extra.list, want_extra, sizeof want_extra);
    assert_true (changes_free_after (&changes, 9)); /* class 0 until 10 */
    assert_false (changes_free_after (&changes, 10));
    stretches_clear (&to);
    stretches_clear (&extra);
    changes_clear (&changes);
}

static void nothing_compared_with_nothing_is_nothing (void **state)
{
    (void) state;
    static const stretches_t nothing = {0};
    changes_t changes = changes_between (&nothing, &nothing);
    assert_int_equal (changes.count, 0);
    stretches_t to = changes_after (&changes);
    assert_int_equal (to.count, 0);
    assert_int_equal (stretches_of_class (&nothing, 0).count, 0);
}

/*  --- what is booked --- */

static void a_hold_takes_and_a_drop_gives_back (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    compute_booking_t wanted = thin (5, 10, 20);
    uint64_t version = room_version (f.room);
    void *taken = take (&f, NULL, &wanted, 1, &refusal);
    assert_non_null (taken);
    assert_true (room_version (f.room) > version);
    assert_int_equal (free_at (&f, 0, 9), 8);
    assert_int_equal (free_at (&f, 0, 10), 3);
    assert_int_equal (free_at (&f, 0, 19), 3);
    assert_int_equal (free_at (&f, 0, 20), 8);
    assert_int_equal (f.freed, 0);
    timetable_check (f.timetable);

    f.resource.drop (f.resource.owner, taken);
    assert_int_equal (free_at (&f, 0, 10), 8);
    assert_int_equal (f.freed, 1);
    close_fixture (&f);
}

static void bookings_of_one_part_add_up (void **state)
{
    (void) state;
    fixture_t f;
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
    refusal_clear (&refusal);
    close_fixture (&f);
}

static void a_pending_change_has_the_larger_of_old_and_new (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    void *current = reserve (&f, "r1", thin (6, 10, 20));

    /*  8 are there, 6 are its own: 7 from 15 on need one more, not seven. */
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

    /*  Only larger: nothing has become free. */
    compute_booking_t longer = thin (7, 15, 30);
    current = settle (&f, current, take (&f, current, &longer, 1, &refusal));
    assert_int_equal (f.freed, 1);

    /*  An empty part leaves. */
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
    fixture_t f;
    open_fixture (&f);
    refusal_t refusal;
    void *taken = take (&f, NULL, NULL, 0, &refusal);
    assert_non_null (taken);
    f.resource.drop (f.resource.owner, taken);
    assert_null (settle (&f, NULL, take (&f, NULL, NULL, 0, &refusal)));
    int64_t from_ms = -1;
    int64_t until_ms = -1;
    assert_false (f.resource.span (f.resource.owner, (bytes_t){0}, &from_ms, &until_ms));
    close_fixture (&f);
}

static void the_cleaning_gap_is_booked_too (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    room_destroy (&f.room);
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
    refusal_clear (&refusal);

    /*  Its own gap needs room before the next one. */
    compute_booking_t before = thin (1, 3, 6);
    assert_null (take (&f, NULL, &before, 1, &refusal));
    assert_int_equal (refusal.from_ms, at (10));
    assert_int_equal (refusal.until_ms, at (11));
    refusal_clear (&refusal);
    before.until_ms = at (5);
    assert_non_null (take (&f, NULL, &before, 1, &refusal));

    packed_t part = compute_part_encode (&before, 1);
    int64_t from_ms;
    int64_t until_ms;
    assert_true (f.resource.span (f.resource.owner, (bytes_t){.data = part.data, .size = part.size},
                                  &from_ms, &until_ms));
    assert_int_equal (from_ms, at (3));
    assert_int_equal (until_ms, at (10));
    free (part.data);
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
    fixture_t f;
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
        refusal_clear (&refusal);
    }
    close_fixture (&f);
}

static void refuses_what_is_no_interval (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    plan_t plan = plan_for ("r1", "alice");
    refusal_t refusal = {0};
    char why [WHY_BYTES] = "";

    /*  Not even a part. */
    static const uint8_t noise [] = {0x0a, 0xff, 0x01};
    assert_false (f.resource.valid (f.resource.owner, &plan,
                                    (bytes_t){.data = noise, .size = sizeof noise}, &refusal, why));
    assert_true (*why || refusal.reason != REFUSAL_NONE);
    refusal_clear (&refusal);

    static const int64_t bad [][2] = {
      {INT64_MIN, INT64_MAX}, {-1, 10}, {10, 10}, {20, 10}, {1, INT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        compute_booking_t wanted = thin (1, 10, 20);
        wanted.from_ms = bad [i][0];
        wanted.until_ms = bad [i][1];
        packed_t part = compute_part_encode (&wanted, 1);
        *why = '\0';
        refusal = (refusal_t){0};
        assert_false (f.resource.valid (
          f.resource.owner, &plan, (bytes_t){.data = part.data, .size = part.size}, &refusal, why));
        assert_true (*why || refusal.reason == REFUSAL_OUTSIDE);
        refusal_clear (&refusal);
        free (part.data);
    }
    close_fixture (&f);
}

static void refuses_beyond_the_horizon (void **state)
{
    (void) state;
    fixture_t f;
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
    refusal_clear (&refusal);
    close_fixture (&f);
}

static void refuses_what_is_too_near (void **state)
{
    (void) state;
    fixture_t f;
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
    refusal_clear (&refusal);

    /*  Skew counts, whichever way it goes, up to a bound. */
    soonest = thin (1, 102, 110);
    static const int64_t skews [][2] = {{1, 1},
                                        {-1, 1},
                                        {TICK_MS, TICK_MS},
                                        {1000 * TICK_MS, ROOM_SKEW_MS_MAX},
                                        {INT64_MIN, ROOM_SKEW_MS_MAX},
                                        {INT64_MAX, ROOM_SKEW_MS_MAX}};
    for (size_t i = 0; i < sizeof skews / sizeof *skews; i++) {
        room_set_skew (f.room, skews [i][0]);
        assert_null (take (&f, NULL, &soonest, 1, &refusal));
        assert_int_equal (refusal.from_ms, at (102) + skews [i][1]);
        refusal_clear (&refusal);
    }

    /*  A wall clock set back does not bring a window back. */
    room_set_skew (f.room, 0);
    f.now.wall_ms -= 50 * TICK_MS;
    timekeeper_see (&f.timekeeper, &f.now);
    soonest = thin (1, 101, 110);
    assert_null (take (&f, NULL, &soonest, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_TOO_NEAR);
    assert_int_equal (refusal.from_ms, at (102));
    refusal_clear (&refusal);
    close_fixture (&f);
}

static void a_running_reservation_is_extended_and_shrunk_but_not_rewritten (void **state)
{
    (void) state;
    fixture_t f;
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
        refusal_clear (&refusal);
        if (taken)
            f.resource.drop (f.resource.owner, taken);
    }
    close_fixture (&f);
}

static void a_short_refusal_names_the_very_conflict (void **state)
{
    (void) state;
    fixture_t f;
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
                         "ams/thin has 1 of 2 nodes free from 2023-11-14T22:48:20Z to "
                         "2023-11-14T22:51:20Z");

    /*  Fresh: both classes, from one length before (not the past) to four after. */
    assert_int_equal (refusal.fresh_count, 2);
    assert_string_equal (refusal.fresh [0].class_name, "thin");
    assert_string_equal (refusal.fresh [1].class_name, "fat");
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
    refusal_clear (&refusal);
    assert_int_equal (free_at (&f, 1, 25), 4); /* nothing was taken */

    /*  What it has itself counts as free. */
    void *current = reserve (&f, "r3", thin (1, 20, 40));
    compute_booking_t more = thin (3, 20, 60);
    assert_null (take (&f, current, &more, 1, &refusal));
    assert_int_equal (refusal.from_ms, at (30));
    assert_int_equal (refusal.until_ms, at (40));
    assert_int_equal (refusal.wanted, 3);
    assert_int_equal (refusal.free, 1);
    assert_int_equal (refusal.fresh [0].steps [0].free, 8);
    refusal_clear (&refusal);
    close_fixture (&f);
}

static void a_site_of_windows_tells_no_quantity (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    room_destroy (&f.room);
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
    refusal_clear (&refusal);

    set_now (&f, 19);
    assert_null (take (&f, NULL, &wanted, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_TOO_NEAR);
    assert_int_equal (refusal.fresh_count, 0);
    assert_int_equal (refusal.from_ms, at (21));
    refusal_clear (&refusal);
    close_fixture (&f);
}

static void bookings_have_a_limit (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    f.limits.bookings_max = 4;
    f.timetable = timetable_new (f.room, &f.limits);
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
    refusal_clear (&refusal);

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

static void a_late_commit_asks_for_room_only (void **state)
{
    (void) state;
    fixture_t f;
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
    refusal_clear (&refusal);
    close_fixture (&f);
}

/*  --- capacity and records --- */

static void lost_nodes_are_told_not_asserted (void **state)
{
    (void) state;
    fixture_t f;
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
    room_set_nodes (f.room, 0, 5);
    assert_int_equal (free_at (&f, 0, 12), -2);
    assert_int_equal (free_at (&f, 0, 32), 2);
    assert_int_equal (timetable_overbooked (f.timetable, at (0), names, 4), 1);
    assert_string_equal (names [0], "a-early"); /* once, though its change is hit too */
    assert_int_equal (timetable_overbooked (f.timetable, at (20), names, 4), 0);

    room_set_nodes (f.room, 0, 0);
    room_set_nodes (f.room, 1, 3);
    assert_int_equal (timetable_overbooked (f.timetable, at (0), names, 2), 3);
    assert_string_equal (names [0], "a-early");
    assert_string_equal (names [1], "b-later");

    /*  Nothing new fits; what is promised is kept. */
    compute_booking_t one = thin (1, 60, 70);
    assert_null (take (&f, NULL, &one, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_SHORT);
    assert_int_equal (refusal.free, 0);
    refusal_clear (&refusal);
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
    fixture_t f;
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
    size_t class_index;
    assert_false (room_class (f.room, "gone", &class_index));
    assert_null (site_class (room_site (f.room), "gone"));
    compute_booking_t again = booking ("a", "gone", 4, 2, 10, 20);
    assert_null (take (&f, current, &again, 1, &refusal));
    assert_int_equal (refusal.reason, REFUSAL_UNKNOWN_RESOURCE);
    refusal_clear (&refusal);
    assert_null (settle (&f, current, take (&f, current, NULL, 0, &refusal)));

    /*  A damaged record holds nothing. */
    static const uint8_t noise [] = {0x0a, 0xff, 0x01};
    taken = f.resource.take (f.resource.owner, &f.now, &plan, NULL,
                             (bytes_t){.data = noise, .size = sizeof noise}, true, &refusal);
    assert_non_null (taken);
    assert_int_equal (timetable_held (taken)->count, 0);
    f.resource.drop (f.resource.owner, taken);
    close_fixture (&f);
}

/*  --- questions --- */

static void profiles_have_at_most_so_many_steps_and_never_too_much (void **state)
{
    (void) state;
    fixture_t f;
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
            class_profile_t profile;
            const stretches_t *counted = with ? timetable_held (current) : NULL;
            room_profile (f.room, 0, over, counted, steps_max, &profile);
            assert_true (profile.steps_count >= 1 && profile.steps_count <= steps_max);
            assert_int_equal (profile.steps [0].from_ms, over.from);
            assert_int_equal (profile.until_ms, over.until);
            assert_string_equal (profile.class_name, "thin");
            for (size_t i = 0; i < profile.steps_count; i++) {
                int64_t from = profile.steps [i].from_ms;
                int64_t until =
                  i + 1 < profile.steps_count ? profile.steps [i + 1].from_ms : over.until;
                assert_true (from < until);
                assert_true (i == 0 || profile.steps [i].free != profile.steps [i - 1].free);
                int64_t least = INT64_MAX;
                for (int64_t t = from; t < until; t += TICK_MS / 60) {
                    int64_t own = with && t >= at (160) && t < at (162) ? 1 + 50 % 7 : 0;
                    int64_t there =
                      own + calendar_least (room_calendar (f.room, 0), (interval_t){t, t + 1});
                    least = there < least ? there : least;
                }
                assert_true (profile.steps [i].free <= least);
                if (steps_max > 200 || steps_max == 1)
                    assert_int_equal (profile.steps [i].free, least);
            }
            room_profile_clear (&profile);
        }
    }
    close_fixture (&f);
}

static void spans_can_be_reserved_from_every_start (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    timetable_destroy (&f.timetable);
    room_destroy (&f.room);
    f.site.cleaning_gap_ms = 2 * TICK_MS;
    open_site (&f);
    reserve (&f, "r1", thin (6, 30, 40));
    interval_t spans [4];
    size_t count =
      room_spans (f.room, &f.now, 0, 4, 5 * TICK_MS, (interval_t){at (0), at (60)}, spans, 4);
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
    assert_int_equal (
      room_spans (f.room, &f.now, 0, 4, 27 * TICK_MS, (interval_t){at (0), at (60)}, spans, 4), 0);
    assert_int_equal (room_spans (f.room, &f.now, 0, 9, 1, (interval_t){at (0), at (60)}, spans, 4),
                      0);
    assert_int_equal (
      room_spans (f.room, &f.now, 0, 1, 1, (interval_t){at (1001), at (1060)}, spans, 4), 0);
    set_now (&f, 60);
    assert_int_equal (room_spans (f.room, &f.now, 0, 1, 1, (interval_t){at (0), at (60)}, spans, 4),
                      0);
    close_fixture (&f);
}

static bool near (double is, double want)
{
    return is > want - 1e-9 && is < want + 1e-9;
}

static void utilisation_is_a_share_of_what_there_is (void **state)
{
    (void) state;
    fixture_t f;
    open_fixture (&f);
    reserve (&f, "r1", thin (4, 10, 20));
    reserve (&f, "r2", booking ("air", "fat", 64, 4, 10, 15));
    interval_t over = {at (10), at (20)};
    assert_true (near (room_utilisation (f.room, 0, over), 0.5));
    assert_true (near (room_utilisation (f.room, 1, over), 0.5));
    assert_true (near (room_utilisation (f.room, 2, over), 0));
    assert_true (near (room_utilisation_all (f.room, over), (40 + 320) / (80 + 640 + 150.0)));
    room_set_nodes (f.room, 0, 2);
    assert_true (near (room_utilisation (f.room, 0, over), 1));
    room_set_nodes (f.room, 2, 0);
    assert_true (near (room_utilisation (f.room, 2, over), 1));
    close_fixture (&f);
}

/*  --- against plain arrays --- */

#define TICKS        96 /* a day of the model; the horizon ends before it */
#define CLASSES      3
#define RESERVATIONS 10
#define PART_MAX     4

typedef struct {
    int64_t nodes [CLASSES][TICKS];
} plain_t;

typedef struct {
    char name [8];
    void *current;
    void *taken;
    compute_booking_t part [PART_MAX]; /* committed */
    size_t part_count;
    compute_booking_t asked [PART_MAX];
    size_t asked_count;
    plain_t old;
    plain_t new;
} model_reservation_t;

typedef struct {
    fixture_t f;
    prng_t prng;
    int64_t gap;
    int64_t lead;
    int64_t horizon;
    int64_t minute;
    model_reservation_t reservations [RESERVATIONS];
    size_t outcomes [REFUSAL_REASONS];
    size_t settled;
} model_t;

static int64_t below (model_t *self, int64_t bound)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) bound);
}

static plain_t plain_of (const model_t *self, const compute_booking_t *bookings, size_t count)
{
    plain_t plain = {0};
    for (size_t i = 0; i < count; i++) {
        size_t class_index = 0;
        while (strcmp (self->f.classes [class_index].name, bookings [i].class_name) != 0)
            class_index++;
        int64_t until = (bookings [i].until_ms - EPOCH_MS) / TICK_MS + self->gap;
        for (int64_t t = (bookings [i].from_ms - EPOCH_MS) / TICK_MS; t < until; t++)
            plain.nodes [class_index][t] += bookings [i].nodes;
    }
    return plain;
}

static int64_t model_free (const model_t *self, size_t c, int64_t t)
{
    int64_t nodes = room_site (self->f.room)->classes [c].nodes;
    for (size_t r = 0; r < RESERVATIONS; r++) {
        const model_reservation_t *reservation = &self->reservations [r];
        int64_t old = reservation->old.nodes [c][t];
        int64_t new = reservation->taken ? reservation->new.nodes [c][t] : 0;
        nodes -= old > new ? old : new;
    }
    return nodes;
}

static void model_check (const model_t *self)
{
    timetable_check (self->f.timetable);
    for (size_t c = 0; c < CLASSES; c++) {
        calendar_check (room_calendar (self->f.room, c));
        for (int64_t t = 0; t < TICKS; t++)
            assert_int_equal (free_at (&self->f, c, t), model_free (self, c, t));
    }
}

/*  What the timetable should say, tick by tick. */
static verdict_t model_judge (const model_t *self, const plain_t *old, const plain_t *new,
                              size_t asked_count)
{
    for (size_t c = 0; c < CLASSES; c++)
        for (int64_t t = self->minute + self->horizon + self->gap; t < TICKS; t++)
            if (new->nodes [c][t] > old->nodes [c][t])
                return (verdict_t){.reason = REFUSAL_OUTSIDE};
    for (size_t c = 0; c < CLASSES; c++) {
        for (int64_t t = 0; t < self->minute + self->lead; t++) {
            bool more = new->nodes [c][t] > old->nodes [c][t];
            bool less = new->nodes [c][t] < old->nodes [c][t];
            if (more || (less && t < self->minute && asked_count > 0))
                return (verdict_t){.reason = REFUSAL_TOO_NEAR};
        }
    }
    for (size_t c = 0; c < CLASSES; c++) {
        for (int64_t t = 0; t < TICKS; t++) {
            int64_t extra = new->nodes [c][t] - old->nodes [c][t];
            if (extra <= 0 || model_free (self, c, t) >= extra)
                continue;
            verdict_t verdict = {.reason = REFUSAL_SHORT,
                                 .class_index = c,
                                 .over = {at (t), at (t)},
                                 .wanted = new->nodes [c][t],
                                 .free = INT64_MAX};
            for (int64_t u = t;
                 u < TICKS && model_free (self, c, u) < extra &&
                 new->nodes [c][u] == new->nodes [c][t] && old->nodes [c][u] == old->nodes [c][t];
                 u++) {
                verdict.over.until = at (u + 1);
                int64_t left = model_free (self, c, u) + old->nodes [c][u];
                verdict.free = left < verdict.free ? left : verdict.free;
            }
            return verdict;
        }
    }
    return (verdict_t){.reason = REFUSAL_NONE};
}

static void model_fresh_check (const model_t *self, const refusal_t *refusal, const plain_t *old)
{
    for (size_t i = 0; i < refusal->fresh_count; i++) {
        const class_profile_t *fresh = &refusal->fresh [i];
        size_t c;
        assert_true (room_class (self->f.room, fresh->class_name, &c));
        for (size_t s = 0; s < fresh->steps_count; s++) {
            int64_t until =
              s + 1 < fresh->steps_count ? fresh->steps [s + 1].from_ms : fresh->until_ms;
            for (int64_t ms = fresh->steps [s].from_ms; ms < until; ms += TICK_MS) {
                int64_t t = (ms - EPOCH_MS) / TICK_MS;
                if (t < TICKS)
                    assert_int_equal (fresh->steps [s].free,
                                      model_free (self, c, t) + old->nodes [c][t]);
            }
        }
    }
}

static compute_booking_t model_booking (model_t *self)
{
    size_t c = (size_t) below (self, CLASSES);
    const node_class_t *class = &self->f.classes [c];
    uint32_t cpus = 1 + (uint32_t) below (self, class->nodes * class->cpus_per_node * 5 / 8 + 1);
    int64_t from = self->minute + below (self, self->horizon + 1);
    if (below (self, 8) > 0 && from < self->minute + self->lead)
        from = self->minute + self->lead;
    int64_t until = from + 1 + below (self, 12);
    if (below (self, 16) > 0 && until > self->minute + self->horizon)
        until = self->minute + self->horizon;
    if (until <= from)
        until = from + 1;
    return booking ("n", class->name, cpus, class_nodes_for (class, cpus), from, until);
}

/*  A part: anew, or what there is with something changed. */
static void model_ask (model_t *self, model_reservation_t *reservation)
{
    reservation->asked_count = 0;
    if (reservation->current && below (self, 3) > 0) {
        memcpy (reservation->asked, reservation->part, sizeof reservation->asked);
        reservation->asked_count = reservation->part_count;
        size_t i = (size_t) below (self, (int64_t) reservation->asked_count);
        compute_booking_t *changed = &reservation->asked [i];
        int64_t minutes = below (self, 13) - 6;
        if (changed->until_ms + minutes * TICK_MS > changed->from_ms)
            changed->until_ms += minutes * TICK_MS;
        if (below (self, 2) == 0 && reservation->asked_count < PART_MAX)
            reservation->asked [reservation->asked_count++] = model_booking (self);
        return;
    }
    size_t count = (size_t) below (self, PART_MAX + 1);
    while (reservation->asked_count < count)
        reservation->asked [reservation->asked_count++] = model_booking (self);
}

static void model_take (model_t *self, model_reservation_t *reservation)
{
    model_ask (self, reservation);
    plain_t new = plain_of (self, reservation->asked, reservation->asked_count);
    verdict_t want = model_judge (self, &reservation->old, &new, reservation->asked_count);
    plan_t plan = plan_for (reservation->name, "alice");
    refusal_t refusal;
    reservation->taken = take_plan (&self->f, &plan, reservation->current, reservation->asked,
                                    reservation->asked_count, false, &refusal);
    self->outcomes [refusal.reason]++;
    assert_int_equal (refusal.reason, want.reason);
    if (want.reason == REFUSAL_SHORT) {
        assert_int_equal (refusal.from_ms, want.over.from);
        assert_int_equal (refusal.until_ms, want.over.until);
        assert_int_equal (refusal.wanted, want.wanted);
        assert_int_equal (refusal.free, want.free);
    }
    if (want.reason != REFUSAL_NONE)
        model_fresh_check (self, &refusal, &reservation->old);
    else
        reservation->new = new;
    refusal_clear (&refusal);
}

static void model_settle (model_t *self, model_reservation_t *reservation)
{
    reservation->current = settle (&self->f, reservation->current, reservation->taken);
    assert_true ((reservation->current == NULL) == (reservation->asked_count == 0));
    reservation->taken = NULL;
    reservation->old = reservation->new;
    memcpy (reservation->part, reservation->asked, sizeof reservation->part);
    reservation->part_count = reservation->asked_count;
    self->settled++;
}

/*  The process ends; the records come back: what is committed, then what is pending. */
static void model_restart (model_t *self)
{
    uint32_t nodes [CLASSES];
    for (size_t c = 0; c < CLASSES; c++)
        nodes [c] = room_site (self->f.room)->classes [c].nodes;
    timetable_destroy (&self->f.timetable);
    room_destroy (&self->f.room);
    open_site (&self->f);
    refusal_t refusal;
    for (size_t r = 0; r < RESERVATIONS; r++) {
        model_reservation_t *reservation = &self->reservations [r];
        plan_t plan = plan_for (reservation->name, "alice");
        if (reservation->current)
            reservation->current = settle (&self->f, NULL,
                                           take_plan (&self->f, &plan, NULL, reservation->part,
                                                      reservation->part_count, true, &refusal));
        if (reservation->taken)
            reservation->taken =
              take_plan (&self->f, &plan, reservation->current, reservation->asked,
                         reservation->asked_count, true, &refusal);
    }
    for (size_t c = 0; c < CLASSES; c++)
        room_set_nodes (self->f.room, c, nodes [c]);
}

static void model_step (model_t *self)
{
    model_reservation_t *reservation = &self->reservations [below (self, RESERVATIONS)];
    int64_t dice = below (self, 100);
    if (dice < 2) {
        size_t c = (size_t) below (self, CLASSES);
        room_set_nodes (self->f.room, c, (uint32_t) below (self, 2 * self->f.classes [c].nodes));
    } else if (dice < 4) {
        model_restart (self);
    } else if (dice < 8 && self->minute + self->horizon + self->gap + 20 < TICKS) {
        set_now (&self->f, ++self->minute);
    } else if (reservation->taken && dice < 40) {
        self->f.resource.drop (self->f.resource.owner, reservation->taken);
        reservation->taken = NULL;
    } else if (reservation->taken) {
        model_settle (self, reservation);
    } else if (reservation->current && dice < 15) {
        self->f.resource.end (self->f.resource.owner, reservation->current);
        reservation->current = NULL;
        reservation->old = (plain_t){0};
        reservation->part_count = 0;
    } else {
        model_take (self, reservation);
    }
}

static void model_run (uint64_t seed, int64_t gap, size_t outcomes [REFUSAL_REASONS],
                       size_t *settled)
{
    static model_t self;
    self = (model_t){.gap = gap, .lead = 2, .horizon = 40};
    prng_seed (&self.prng, seed);
    open_fixture (&self.f);
    timetable_destroy (&self.f.timetable);
    room_destroy (&self.f.room);
    self.f.site.cleaning_gap_ms = gap * TICK_MS;
    self.f.site.horizon_ms = self.horizon * TICK_MS;
    open_site (&self.f);
    for (size_t r = 0; r < RESERVATIONS; r++)
        snprintf (self.reservations [r].name, sizeof self.reservations [r].name, "r%zu", r);
    for (int step = 0; step < 600; step++) {
        model_step (&self);
        model_check (&self);
    }
    for (size_t reason = 0; reason < REFUSAL_REASONS; reason++)
        outcomes [reason] += self.outcomes [reason];
    *settled += self.settled;
    close_fixture (&self.f);
}

static void agrees_with_plain_arrays_at_every_tick (void **state)
{
    (void) state;
    size_t outcomes [REFUSAL_REASONS] = {0};
    size_t settled = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        print_message ("# seed %llu\n", (unsigned long long) seed);
        model_run (seed, (int64_t) seed % 3, outcomes, &settled);
    }
    print_message ("# taken %zu settled %zu short %zu near %zu outside %zu\n",
                   outcomes [REFUSAL_NONE], settled, outcomes [REFUSAL_SHORT],
                   outcomes [REFUSAL_TOO_NEAR], outcomes [REFUSAL_OUTSIDE]);
    assert_true (settled > 1000);
    assert_true (outcomes [REFUSAL_SHORT] > 500);
    assert_true (outcomes [REFUSAL_TOO_NEAR] > 100);
    assert_true (outcomes [REFUSAL_OUTSIDE] > 100);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (says_overlapping_bookings_in_shortest_form),
      cmocka_unit_test (nothing_compared_with_nothing_is_nothing),
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
      cmocka_unit_test (a_late_commit_asks_for_room_only),
      cmocka_unit_test (lost_nodes_are_told_not_asserted),
      cmocka_unit_test (records_come_back_whatever_the_site_has_become),
      cmocka_unit_test (profiles_have_at_most_so_many_steps_and_never_too_much),
      cmocka_unit_test (spans_can_be_reserved_from_every_start),
      cmocka_unit_test (utilisation_is_a_share_of_what_there_is),
      cmocka_unit_test (agrees_with_plain_arrays_at_every_tick),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
