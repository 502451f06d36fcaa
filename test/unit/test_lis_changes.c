/*  test_lis_changes - what a site takes, refuses, keeps and tells when reservations and the number
 *  of its nodes change, by events alone.
 */
#include "lis_fixture.h"
#include "message.h"

#include "planner.pb-c.h"

/*  --- transactions --- */

static void a_refusal_carries_what_is_free_over_the_requests_frame (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 5, 5, 10, 20));
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT;
    earliest.when_case = MUSUBI__INSTANT__WHEN_FROM_NOW_MS;
    earliest.from_now_ms = 2 * MINUTE_MS;
    Musubi__Instant deadline = MUSUBI__INSTANT__INIT;
    deadline.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    deadline.at_ms = at (400);
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.earliest = &earliest;
    frame.deadline = &deadline;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    request.window = &frame;
    size_t size;
    uint8_t *packed = message_pack (&request.base, &size);

    compute_booking_t one = booking ("thin", 4, 4, 18, 20);
    service_order_t order = {
      .reservation = "r2", .bookings = &one, .count = 1, .request = {.data = packed, .size = size}};
    command_answer_t told;
    hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_REJECTED);
    const refusal_t *refusal = &told.refusal;
    assert_int_equal (refusal->reason, REFUSAL_SHORT);
    assert_string_equal (refusal->resource, "ams/thin");
    assert_int_equal (refusal->wanted, 4);
    assert_int_equal (refusal->free, 3);
    assert_int_equal (refusal->fresh_count, 1);
    assert_int_equal (refusal->fresh [0].steps [0].from_ms, at (2));
    assert_int_equal (refusal->fresh [0].until_ms, at (400));
    assert_int_equal (refusal->fresh [0].steps_count, 3);
    codec_clear (&command_answer_codec, &told);

    /*  Without a frame the profile shows one length before and four after. Noise in place of the
     *  frame changes nothing. */
    static uint8_t noise [] = {0xff, 0xff, 0xff};
    order.request = (packed_t){.data = noise, .size = sizeof noise};
    for (int i = 0; i < 2; i++) {
        hold (&w, &order, &told);
        assert_int_equal (told.refusal.fresh [0].steps [0].from_ms, at (16));
        assert_int_equal (told.refusal.fresh [0].until_ms, at (28));
        codec_clear (&command_answer_codec, &told);
        order.request = (packed_t){0};
    }

    /*  The horizon bounds it. */
    deadline.at_ms = at (100000);
    free (packed);
    packed = message_pack (&request.base, &size);
    order.request = (packed_t){.data = packed, .size = size};
    hold (&w, &order, &told);
    assert_int_equal (told.refusal.fresh [0].until_ms, at (1000));
    codec_clear (&command_answer_codec, &told);
    free (packed);
    close_world (&w);
}

static void no_account_no_reservation (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    compute_booking_t one = booking ("thin", 1, 1, 10, 20);
    service_order_t order = {.reservation = "r1", .bookings = &one, .count = 1, .actor = "mallory"};
    command_answer_t told;
    hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_REJECTED);
    assert_int_equal (told.refusal.reason, REFUSAL_MAY_NOT);
    codec_clear (&command_answer_codec, &told);
    close_world (&w);

    static const char *const anybody [] = {"*"};
    prepare_world (&w);
    w.settings.provider.access.accounts = anybody;
    w.settings.provider.access.accounts_count = 1;
    start (&w);
    hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_HELD);
    codec_clear (&command_answer_codec, &told);
    close_world (&w);
}

static void each_limit_is_refused_by_name (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.provider.limits.bookings.bookings_max = 3;
    start (&w);
    compute_booking_t one = booking ("thin", 1, 1, 10, 20);
    service_order_t order = {.reservation = "r1", .bookings = &one, .count = 1};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_HELD);
    codec_clear (&command_answer_codec, &told);
    order.reservation = "r2";
    hold (&w, &order, &told);
    assert_int_equal (told.refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (told.refusal.resource, "bookings_max");
    assert_true (told.refusal.frees_ms > w.host.now.wall_ms); /* the first hold's end */
    codec_clear (&command_answer_codec, &told);
    tell (&w, "Abort", &txid);
    hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_HELD);
    codec_clear (&command_answer_codec, &told);
    close_world (&w);
}

static void the_larger_of_old_and_new_stays_taken_through_a_restart (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 6, 6, 10, 20));
    compute_booking_t moved = booking ("thin", 7, 7, 15, 25);
    service_order_t order = {.operation = OPERATION_MODIFY,
                             .reservation = "r1",
                             .base_version = 1,
                             .bookings = &moved,
                             .count = 1,
                             .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    static const int64_t pending [] = {2, 1, 1};
    static const int64_t settled [] = {8, 1, 1};
    for (int round = 0; round < 2; round++) {
        assert_int_equal (free_at (&w, "thin", 12), pending [0]);
        assert_int_equal (free_at (&w, "thin", 17), pending [1]);
        assert_int_equal (free_at (&w, "thin", 22), pending [2]);
        restart (&w);
    }
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    for (int round = 0; round < 2; round++) {
        assert_int_equal (free_at (&w, "thin", 12), settled [0]);
        assert_int_equal (free_at (&w, "thin", 17), settled [1]);
        assert_int_equal (free_at (&w, "thin", 22), settled [2]);
        restart (&w);
    }

    /*  A release gives everything back. */
    order = (service_order_t){
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 2, .prepare = true};
    txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (free_at (&w, "thin", 17), 1);
    restart (&w);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    assert_int_equal (free_at (&w, "thin", 17), 8);
    restart (&w);
    assert_int_equal (free_at (&w, "thin", 17), 8);
    close_world (&w);
}

static Musubi__ReservationState state_of (service_world_t *w, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (w, "alice", "Participant", "Show", &request.base);
    Musubi__ShowAnswer *told = answer (w, &musubi__show_answer__descriptor);
    assert_non_null (told->record);
    Musubi__ReservationState state = told->record->state;
    message_free (&told->base);
    return state;
}

static void a_reservation_is_activated_and_released_by_time (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", booking ("thin", 6, 6, 10, 20));
    assert_int_equal (state_of (&w, "r1"), MUSUBI__RESERVATION_STATE__RESERVED);
    pass (&w, 10 * MINUTE_MS);
    assert_int_equal (state_of (&w, "r1"), MUSUBI__RESERVATION_STATE__ACTIVATED);
    restart (&w);
    assert_int_equal (state_of (&w, "r1"), MUSUBI__RESERVATION_STATE__ACTIVATED);
    pass (&w, 10 * MINUTE_MS);
    assert_int_equal (state_of (&w, "r1"), MUSUBI__RESERVATION_STATE__RELEASED);
    close_world (&w);
}

/*  --- hints --- */

static void a_notice_says_that_something_is_free_again (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.provider.limits.bookings.hold_quota = (hold_quota_limits_t){0};
    start (&w);
    pass (&w, 1000);
    compute_booking_t one = booking ("thin", 1, 1, 10, 20);
    command_answer_t told;
    txid_t txids [8];
    char name [16];
    for (size_t i = 0; i < 8; i++) {
        snprintf (name, sizeof name, "r%zu", i);
        service_order_t order = {.reservation = name, .bookings = &one, .count = 1};
        txids [i] = hold (&w, &order, &told);
        assert_int_equal (told.state, COMMAND_HELD);
        codec_clear (&command_answer_codec, &told);
    }
    assert_int_equal (w.notices, 0);

    /*  The first notice leaves at once, later ones together. */
    for (size_t i = 0; i < 4; i++)
        tell (&w, "Abort", &txids [i]);
    assert_int_equal (w.notices, 1);
    pass (&w, 99);
    assert_int_equal (w.notices, 1);
    pass (&w, 1);
    assert_int_equal (w.notices, 2);
    pass (&w, 1000);
    assert_int_equal (w.notices, 2);

    /*  An expired hold frees nodes, too. */
    pass (&w, 120000);
    assert_true (w.notices > 2);

    /*  Capacity that becomes free in the past is not published. */
    reserve (&w, "past", booking ("thin", 1, 1, 10, 20));
    pass (&w, 30 * MINUTE_MS);
    size_t notices = w.notices;
    service_order_t order = {
      .operation = OPERATION_RELEASE, .reservation = "past", .base_version = 1, .prepare = true};
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    pass (&w, 1000);
    assert_int_equal (w.notices, notices);
    close_world (&w);
}

static void a_notice_says_that_a_reservation_has_changed (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    pass (&w, 1000);
    compute_booking_t one = booking ("thin", 1, 1, 10, 20);
    command_answer_t told;
    service_order_t order = {.reservation = "r1", .bookings = &one, .count = 1, .prepare = true};
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (w.settled_notices, 0);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    assert_int_equal (w.settled_notices, 1);
    /*  A commit that is told again changes nothing. */
    pass (&w, 1000);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    pass (&w, 1000);
    assert_int_equal (w.settled_notices, 1);

    order = (service_order_t){
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 1, .prepare = true};
    txid = hold (&w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    pass (&w, 1000);
    assert_int_equal (w.settled_notices, 2);
    close_world (&w);
}

/*  --- capacity --- */

static Musubi__CapacityAnswer *set_capacity (service_world_t *w, const char *class_name,
                                             uint32_t nodes)
{
    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) class_name;
    request.quantity = nodes;
    ask (w, "root", "Calendar", "Capacity", &request.base);
    return answer (w, &musubi__capacity_answer__descriptor);
}

static void lost_nodes_are_told_and_kept_in_mind (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r-b", booking ("thin", 5, 5, 10, 20));
    reserve (&w, "r-a", booking ("thin", 3, 3, 15, 30));
    reserve (&w, "r-c", booking ("thin", 2, 2, 40, 50));
    compute_booking_t one = booking ("thin", 1, 1, 12, 14);
    command_answer_t told;
    hold (&w, &(service_order_t){.reservation = "r-held", .bookings = &one, .count = 1}, &told);
    assert_int_equal (told.state, COMMAND_HELD);
    codec_clear (&command_answer_codec, &told);

    for (int again = 0; again < 2; again++) {
        Musubi__CapacityAnswer *hit = set_capacity (&w, "thin", 5);
        assert_int_equal (hit->overbooked_count, 3);
        assert_int_equal (hit->n_overbooked, 3);
        assert_string_equal (hit->overbooked [0], "r-a");
        assert_string_equal (hit->overbooked [1], "r-b");
        assert_string_equal (hit->overbooked [2], "r-held");
        message_free (&hit->base);
        /*  The class's, and since when it is too little. */
        assert_int_equal (records_of (&w, TABLE_CAPACITIES), 2);
    }
    assert_int_equal (free_at (&w, "thin", 17), -3);
    assert_int_equal (free_at (&w, "thin", 45), 3);
    restart (&w);
    assert_int_equal (free_at (&w, "thin", 17), -3);
    assert_int_equal (free_at (&w, "thin", 45), 3);
    pass (&w, 20000);
    assert_int_equal (w.announced_quantity, 5);

    /*  More nodes are worth a notice; the configured number needs no record. */
    size_t notices = w.notices;
    Musubi__CapacityAnswer *none = set_capacity (&w, "thin", 8);
    assert_int_equal (none->overbooked_count, 0);
    message_free (&none->base);
    assert_true (w.notices > notices);
    assert_int_equal (records_of (&w, TABLE_CAPACITIES), 0);
    assert_int_equal (free_at (&w, "thin", 17), 0);

    /*  The capacity is set to nothing, and to more than ever. */
    message_free (&set_capacity (&w, "fat", 0)->base);
    message_free (&set_capacity (&w, "thin", 10000000)->base);
    restart (&w);
    assert_int_equal (free_at (&w, "fat", 17), 0);
    assert_int_equal (free_at (&w, "thin", 45), 10000000 - 2);
    close_world (&w);
}

static void capacity_is_set_by_administrators_only (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) "thin";
    request.quantity = 1;
    static const char *const others [] = {"alice", "bob", PLANNER, "lis/ams", "", "*"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal (ask (&w, others [i], "Calendar", "Capacity", &request.base), CALL_DENIED);
    assert_int_equal (free_at (&w, "thin", 10), 8);
    request.resource = (char *) "fast";
    assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_NOT_FOUND);
    request.resource = (char *) "";
    assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_BAD_REQUEST);
    request.resource = (char *) "thin";
    request.quantity = 10000001;
    assert_int_equal (ask (&w, "root", "Calendar", "Capacity", &request.base), CALL_BAD_REQUEST);
    assert_int_equal (records_of (&w, TABLE_CAPACITIES), 0);
    close_world (&w);
}

static void records_of_another_time_are_passed_over (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    static const uint8_t five [] = {0, 0, 0, 5};
    static const struct {
        const char *key;
        size_t size;
    } cases [] = {{"gone", 4}, {"thin", 3}, {"", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        effect_t put = {.kind = EFFECT_PUT,
                        .record = {.table = TABLE_CAPACITIES,
                                   .key = {(const uint8_t *) cases [i].key, strlen (cases [i].key)},
                                   .value = {five, cases [i].size}}};
        record_put (&w, &put);
    }
    start (&w);
    assert_int_equal (free_at (&w, "thin", 10), 8);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_refusal_carries_what_is_free_over_the_requests_frame),
      cmocka_unit_test (no_account_no_reservation),
      cmocka_unit_test (each_limit_is_refused_by_name),
      cmocka_unit_test (the_larger_of_old_and_new_stays_taken_through_a_restart),
      cmocka_unit_test (a_reservation_is_activated_and_released_by_time),
      cmocka_unit_test (a_notice_says_that_something_is_free_again),
      cmocka_unit_test (a_notice_says_that_a_reservation_has_changed),
      cmocka_unit_test (lost_nodes_are_told_and_kept_in_mind),
      cmocka_unit_test (capacity_is_set_by_administrators_only),
      cmocka_unit_test (records_of_another_time_are_passed_over),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
