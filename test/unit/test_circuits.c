/*  test_circuits - a circuit has its bandwidth on every one of its links or on none, through holds,
 *  changes, edges and restarts.
 */
#include "checks.h"
#include "nis_fixture.h"

static const char *const all_links [] = {"a-r", "r-b", "b-x", "b-x2", "a-c", "c-r"};
static const int64_t capacities [] = {1000, 1000, 400, 100, 500, 800};

/*  What is taken of each link at a minute, in the order above. */
static void assert_taken (service_world_t *w, int64_t minute, const int64_t taken [6])
{
    for (size_t i = 0; i < 6; i++) {
        int64_t there = capacities [i] - free_at (w, all_links [i], minute);
        if (there != taken [i])
            print_message ("link %s at %lld: taken %lld, not %lld\n", all_links [i],
                           (long long) minute, (long long) there, (long long) taken [i]);
        assert_int_equal (there, taken [i]);
    }
}

static command_state_t held (service_world_t *w, const service_order_t *order,
                             refusal_reason_t reason)
{
    command_answer_t told;
    hold (w, order, &told);
    command_state_t state = told.state;
    assert_int_equal (told.refusal.reason, reason);
    codec_clear (&command_answer_codec, &told);
    return state;
}

static void a_circuit_takes_every_link_or_none (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    circuit_t whole = circuit ("a-r r-b b-x", 300, 10, 20);
    service_order_t order = {.reservation = "r1", .bookings = &whole, .count = 1};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_HELD);
    codec_clear (&command_answer_codec, &told);
    static const int64_t nothing [6] = {0};
    assert_taken (&w, 9, nothing);
    assert_taken (&w, 10, (int64_t [6]){300, 300, 300});
    assert_taken (&w, 19, (int64_t [6]){300, 300, 300});
    assert_taken (&w, 20, nothing);

    /*  The last link alone is too narrow: the others are not touched. */
    circuit_t second = circuit ("a-r r-b b-x", 200, 15, 25);
    order = (service_order_t){.reservation = "r2", .bookings = &second, .count = 1};
    hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_REJECTED);
    assert_int_equal (told.refusal.reason, REFUSAL_SHORT);
    assert_string_equal (told.refusal.resource, "N/b-x");
    assert_string_equal (told.refusal.need, "ocean-air");
    assert_int_equal (told.refusal.from_ms, at (15));
    assert_int_equal (told.refusal.until_ms, at (20));
    assert_int_equal (told.refusal.wanted, 200);
    assert_int_equal (told.refusal.free, 100);
    assert_non_null (strstr (told.refusal.text, "N/b-x has 100 Mbit/s free of the 200"));
    /*  Fresh: the three links named, no other. */
    assert_int_equal (told.refusal.fresh_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal (told.refusal.fresh [i].resource, all_links [i]);
    assert_int_equal (told.refusal.fresh [2].steps_count, 3);
    assert_int_equal (told.refusal.fresh [2].steps [1].free, 100);
    codec_clear (&command_answer_codec, &told);
    assert_taken (&w, 22, nothing);

    tell (&w, "Abort", &txid);
    assert_taken (&w, 10, nothing);
    assert_int_equal (held (&w, &order, REFUSAL_NONE), COMMAND_HELD);
    domain_core_check (&w.host.core);
    close_world (&w);
}

static void circuits_of_one_part_add_up_on_a_link_they_share (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    circuit_t wanted [] = {circuit ("a-r r-b", 600, 10, 20), circuit ("c-r r-b", 400, 15, 25),
                           circuit ("b-x", 1, 5, 30)};
    service_order_t order = {.reservation = "r1", .bookings = wanted, .count = 3, .prepare = true};
    assert_int_equal (held (&w, &order, REFUSAL_NONE), COMMAND_PREPARED);
    assert_taken (&w, 12, (int64_t [6]){600, 600, 1, 0, 0, 0});
    assert_taken (&w, 17, (int64_t [6]){600, 1000, 1, 0, 0, 400});
    assert_taken (&w, 22, (int64_t [6]){0, 400, 1, 0, 0, 400});

    wanted [1].mbps++;
    order.reservation = "r2";
    assert_int_equal (held (&w, &order, REFUSAL_SHORT), COMMAND_REJECTED);
    close_world (&w);
}

static void a_pending_change_has_the_larger_of_old_and_new_on_each_link (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r r-b", 700, 10, 20));

    /*  A change to another path, with more bandwidth on the link that stays, and longer. */
    circuit_t moved = circuit ("a-c c-r r-b", 500, 15, 30);
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
    for (int round = 0; round < 2; round++) {
        assert_taken (&w, 12, (int64_t [6]){700, 700, 0, 0, 0, 0});
        assert_taken (&w, 17, (int64_t [6]){700, 700, 0, 0, 500, 500});
        assert_taken (&w, 25, (int64_t [6]){0, 500, 0, 0, 500, 500});
        domain_core_check (&w.host.core);
        restart (&w);
    }
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    for (int round = 0; round < 2; round++) {
        assert_taken (&w, 12, (int64_t [6]){0});
        assert_taken (&w, 17, (int64_t [6]){0, 500, 0, 0, 500, 500});
        assert_taken (&w, 25, (int64_t [6]){0, 500, 0, 0, 500, 500});
        domain_core_check (&w.host.core);
        restart (&w);
    }

    /*  An aborted change leaves the old circuit as it was. */
    circuit_t wider = circuit ("a-r r-b", 1000, 15, 30);
    order = (service_order_t){.operation = OPERATION_MODIFY,
                              .reservation = "r1",
                              .base_version = 2,
                              .bookings = &wider,
                              .count = 1};
    txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_HELD);
    codec_clear (&command_answer_codec, &told);
    assert_taken (&w, 17, (int64_t [6]){1000, 1000, 0, 0, 500, 500});
    tell (&w, "Abort", &txid);
    assert_taken (&w, 17, (int64_t [6]){0, 500, 0, 0, 500, 500});

    order = (service_order_t){
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 2, .prepare = true};
    txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    assert_taken (&w, 17, (int64_t [6]){0});
    restart (&w);
    assert_taken (&w, 17, (int64_t [6]){0});
    close_world (&w);
}

static void assert_alarmed (const service_world_t *w, const char *what)
{
    if (!strstr (w->alarms, what))
        fail_msg ("no \"%s\" in:\n%s", what, w->alarms);
}

/*  Bookings stay; each reservation that the graph can't carry any more is named, with the link. */
static void a_graph_that_changed_under_circuits_is_told_at_the_start (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    link_t links [6];
    memcpy (links, w.settings.domain.links, sizeof links);
    w.settings.domain.links = links;
    start (&w);
    reserve (&w, "r1", circuit ("a-r r-b", 700, 10, 20));
    reserve (&w, "r2", circuit ("a-c c-r", 100, 10, 20));
    reserve (&w, "r3", circuit ("b-x", 100, 10, 20));
    restart (&w);
    assert_string_equal (w.alarms, "");

    snprintf (links [4].ends [1], sizeof links [4].ends [1], "b"); /* a-c leads to b now */
    restart (&w);
    assert_alarmed (
      &w, "reservation r2 owner=alice stays booked, but no longer fits the configuration: need");
    assert_alarmed (&w, "link c-r does not begin where the link before it ends");
    assert_null (strstr (w.alarms, "r1"));
    assert_taken (&w, 15, (int64_t [6]){700, 700, 100, 0, 100, 100});

    snprintf (links [4].ends [1], sizeof links [4].ends [1], "c");
    links [1].mbps = 600; /* r-b */
    restart (&w);
    assert_alarmed (&w, "reservation r1 overbooked link=N/r-b");
    assert_null (strstr (w.alarms, "r2"));

    links [1].mbps = 1000;
    snprintf (links [2].name, sizeof links [2].name, "b-y"); /* b-x is gone */
    restart (&w);
    assert_alarmed (&w, "reservation r3 owner=alice stays booked, but no longer fits the "
                        "configuration: N has no link b-x");
    assert_alarmed (&w, "reservation r3 overbooked link=N/b-x");

    pass (&w, 30 * MINUTE_MS); /* it is not named when its time is over */
    restart (&w);
    assert_string_equal (w.alarms, "");
    close_world (&w);
}

static void a_circuit_hangs_together (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    static const struct {
        const char *links;
        refusal_reason_t reason;
        const char *resource;
        const char *text;
    } cases [] = {
      {"a-r", REFUSAL_NONE, "", ""},
      {"r-b a-r", REFUSAL_NONE, "", ""},
      {"a-c c-r r-b b-x", REFUSAL_NONE, "", ""},
      {"b-x2 r-b c-r a-c", REFUSAL_NONE, "", ""},
      {"a-r b-x", REFUSAL_OUTSIDE, "N/b-x", "does not begin where"},
      {"a-r a-c r-b", REFUSAL_OUTSIDE, "N/r-b", "does not begin where"},
      {"a-c c-r a-r", REFUSAL_OUTSIDE, "N/a-r", "leads back"},
      {"a-r r-b b-x b-x2", REFUSAL_OUTSIDE, "N/b-x2", "leads back"},
      {"b-x b-x2", REFUSAL_OUTSIDE, "N/b-x2", "leads back"},
      {"a-r r-x", REFUSAL_UNKNOWN_RESOURCE, "N/r-x", "N has no link r-x"},
      {"N/a-r", REFUSAL_UNKNOWN_RESOURCE, "N/N/a-r", "N has no link N/a-r"},
      {"A-r", REFUSAL_UNKNOWN_RESOURCE, "N/A-r", "N has no link A-r"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name [8];
        snprintf (name, sizeof name, "r%zu", i);
        circuit_t one = circuit (cases [i].links, 1, 10, 20);
        service_order_t order = {.reservation = name, .bookings = &one, .count = 1};
        command_answer_t told;
        hold (&w, &order, &told);
        if (told.refusal.reason != cases [i].reason)
            print_message ("%s: %s\n", cases [i].links, told.refusal.text);
        assert_int_equal (told.refusal.reason, cases [i].reason);
        assert_string_equal (told.refusal.resource, cases [i].resource);
        assert_non_null (strstr (told.refusal.text, cases [i].text));
        if (cases [i].reason != REFUSAL_NONE)
            assert_string_equal (told.refusal.need, "ocean-air");
        codec_clear (&command_answer_codec, &told);
    }
    close_world (&w);
}

static void time_and_limits_are_minded (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.provider.limits.bookings.bookings_max = 5;
    start (&w);
    const struct {
        circuit_t circuit;
        refusal_reason_t reason;
    } cases [] = {
      {circuit ("a-r", 1, 0, 20), REFUSAL_TOO_NEAR},
      {circuit ("a-r", 1, 10, 1001), REFUSAL_OUTSIDE},
      {circuit ("a-r", 1001, 10, 20), REFUSAL_SHORT},
      {circuit ("a-r", UINT32_MAX, 10, 20), REFUSAL_SHORT},
      {circuit ("a-r r-b b-x", 1, 10, 20), REFUSAL_LIMIT}, /* three, and three to come */
      {circuit ("a-r r-b", 1, 10, 20), REFUSAL_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        service_order_t order = {.reservation = "r1", .bookings = &cases [i].circuit, .count = 1};
        held (&w, &order, cases [i].reason);
    }
    close_world (&w);
}

/*  T9: past its edge a vote gives the links back; its commit takes all of them again, or none. */
static void an_edge_gives_back_and_a_late_commit_takes_all_or_nothing (void **state)
{
    (void) state;
    for (int taken = 0; taken < 2; taken++) {
        service_world_t w;
        open_world (&w);
        circuit_t one = circuit ("a-r r-b b-x", 300, 950, 960);
        service_order_t order = {
          .reservation = "r1", .bookings = &one, .count = 1, .prepare = true};
        command_answer_t told;
        txid_t txid = hold (&w, &order, &told);
        assert_int_equal (told.state, COMMAND_PREPARED);
        codec_clear (&command_answer_codec, &told);
        pass (&w, 900 * MINUTE_MS + 100);
        assert_taken (&w, 955, (int64_t [6]){0});
        if (taken)
            reserve (&w, "r2", circuit ("b-x", 200, 955, 970));
        domain_core_check (&w.host.core);
        restart (&w);
        assert_int_equal (tell (&w, "Commit", &txid),
                          taken ? COMMAND_EDGE_REFUSED : COMMAND_COMMITTED);
        for (int round = 0; round < 2; round++) {
            if (taken)
                assert_taken (&w, 957, (int64_t [6]){0, 0, 200});
            else
                assert_taken (&w, 957, (int64_t [6]){300, 300, 300});
            restart (&w);
        }
        close_world (&w);
    }
}

/*  T10: a change that is refused past its edge leaves what there was, at the new version, so that
 *  it can be released. */
static void a_change_refused_past_its_edge_keeps_the_old_circuit (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("a-r r-b", 300, 950, 960));
    circuit_t longer = circuit ("a-r r-b b-x", 350, 950, 965);
    service_order_t order = {.operation = OPERATION_MODIFY,
                             .reservation = "r1",
                             .base_version = 1,
                             .bookings = &longer,
                             .count = 1,
                             .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    pass (&w, 900 * MINUTE_MS + 100);
    assert_taken (&w, 955, (int64_t [6]){300, 300, 0});
    reserve (&w, "r2", circuit ("b-x", 100, 962, 970));
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_EDGE_REFUSED);
    for (int round = 0; round < 2; round++) {
        assert_taken (&w, 955, (int64_t [6]){300, 300, 0});
        assert_taken (&w, 962, (int64_t [6]){0, 0, 100});
        domain_core_check (&w.host.core);
        restart (&w);
    }
    order = (service_order_t){
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 2, .prepare = true};
    txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    assert_taken (&w, 955, (int64_t [6]){0});
    close_world (&w);
}

/*  A link that was removed from the file keeps its bookings and is not offered any more; its
 *  circuits can be given up. */
static void links_that_are_gone_keep_their_bookings (void **state)
{
    (void) state;
    service_world_t w;
    open_world (&w);
    reserve (&w, "r1", circuit ("c-r r-b", 300, 10, 20));
    w.settings.domain.links_count = 5;
    restart (&w);
    assert_int_equal (free_at (&w, "r-b", 12), 700);
    circuit_t one = circuit ("c-r", 1, 30, 40);
    held (&w, &(service_order_t){.reservation = "r2", .bookings = &one, .count = 1},
          REFUSAL_UNKNOWN_RESOURCE);
    domain_core_check (&w.host.core);
    service_order_t order = {
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 1, .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    assert_int_equal (free_at (&w, "r-b", 12), 1000);
    close_world (&w);
}

static void a_participant_takes_parts_of_its_kind_only (void **state)
{
    (void) state;
    static service_world_t w;
    open_world (&w);
    participant_ref_t participant = {.name = "nis/N", .endpoint = "sim://nis/N"};
    memcpy (participant.store, fixture_store, STORE_ID_BYTES);
    hold_t asked = {
      .plan = {.txid = {.store = {[15] = 1}, .start = 1, .counter = 1},
               .participants = &participant,
               .participants_count = 1,
               .coordinator = {.name = PLANNER, .store = {[15] = 1}, .endpoint = "sim://p"},
               .decide_by_ms = w.host.now.wall_ms + 10000,
               .edge_ms = at (900),
               .reservation = "r1",
               .actor = "alice"},
      .part_kind = PART_COMPUTE,
    };
    compute_booking_t booking = {.need = "ocean",
                                 .class_name = "a-r",
                                 .cpus = 1,
                                 .nodes = 1,
                                 .from_ms = at (10),
                                 .until_ms = at (20)};
    packed_t part = compute_part_encode (&booking, 1);
    asked.part = part.data;
    asked.part_size = part.size;
    packed_t body = codec_encode (&hold_codec, &asked);
    ask_bytes (&w, PLANNER, "Participant", "Hold", (bytes_t){.data = body.data, .size = body.size});
    assert_int_equal (w.status, CALL_BAD_REQUEST);
    free (body.data);
    free (part.data);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_circuit_takes_every_link_or_none),
      cmocka_unit_test (circuits_of_one_part_add_up_on_a_link_they_share),
      cmocka_unit_test (a_pending_change_has_the_larger_of_old_and_new_on_each_link),
      cmocka_unit_test (a_graph_that_changed_under_circuits_is_told_at_the_start),
      cmocka_unit_test (a_circuit_hangs_together),
      cmocka_unit_test (time_and_limits_are_minded),
      cmocka_unit_test (an_edge_gives_back_and_a_late_commit_takes_all_or_nothing),
      cmocka_unit_test (a_change_refused_past_its_edge_keeps_the_old_circuit),
      cmocka_unit_test (links_that_are_gone_keep_their_bookings),
      cmocka_unit_test (a_participant_takes_parts_of_its_kind_only),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
