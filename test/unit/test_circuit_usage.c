/*  test_circuit_usage - circuits may be used when their owner says so, or when their window opens.
 *  That is published, stored, and deleted with the reservation.
 */
#include "checks.h"
#include "nis_fixture.h"

#include "circuit_usage.h"
#include "message.h"

#include "transaction.pb-c.h"

typedef enum { NEITHER = 0, PROVISIONED = 1, ACTIVE = 2, BOTH = 3 } circuit_usage_told_t;

static call_status_t ask_use (service_world_t *w, const char *actor, const char *method,
                              const char *reservation)
{
    Musubi__UseRequest request = MUSUBI__USE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    call_status_t status = ask (w, actor, "Nis", method, &request.base);
    domain_core_check (&w->host.core);
    return status;
}

static circuit_usage_told_t use (service_world_t *w, const char *method, const char *reservation)
{
    assert_int_equal (ask_use (w, "alice", method, reservation), CALL_OK);
    Musubi__UseAnswer *answered = answer (w, &musubi__use_answer__descriptor);
    circuit_usage_told_t told =
      (answered->provisioned ? PROVISIONED : 0) | (answered->active ? ACTIVE : 0);
    message_free (&answered->base);
    return told;
}

/*  As Show tells it. */
static bool shown (service_world_t *w, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (w, "alice", "Participant", "Show", &request.base);
    Musubi__ShowAnswer *told = answer (w, &musubi__show_answer__descriptor);
    assert_non_null (told->record);
    bool provisioned = told->record->provisioned;
    message_free (&told->base);
    return provisioned;
}

static void open_mode (service_world_t *w, use_mode_t mode)
{
    prepare_world (w);
    w->settings.use = mode;
    start (w);
}

static void circuits_may_be_used_when_asked_and_are_active_while_open (void **state)
{
    (void) state;
    service_world_t w;
    open_mode (&w, USE_ASKED);
    reserve (&w, "r1", circuit ("a-r r-b", 100, 10, 20));
    assert_false (shown (&w, "r1"));
    assert_int_equal (use (&w, "Provision", "r1"), PROVISIONED);
    assert_int_equal (use (&w, "Provision", "r1"), PROVISIONED); /* again is harmless */
    assert_true (shown (&w, "r1"));
    assert_int_equal (w.use_notices, 0);
    pass (&w, 10 * MINUTE_MS - 1);
    assert_int_equal (use (&w, "Provision", "r1"), PROVISIONED);
    assert_int_equal (w.use_notices, 0);
    pass (&w, 1);
    assert_int_equal (w.use_notices, 1); /* by itself, at that moment */
    assert_int_equal (use (&w, "Provision", "r1"), BOTH);
    restart (&w);
    assert_int_equal (use (&w, "Provision", "r1"), BOTH);

    pass (&w, 1000); /* past the rest between two hints */
    size_t notices = w.use_notices;
    assert_int_equal (use (&w, "Release", "r1"), NEITHER);
    assert_int_equal (use (&w, "Release", "r1"), NEITHER);
    assert_false (shown (&w, "r1"));
    assert_int_equal (w.use_notices, notices + 1);
    pass (&w, 1000);
    assert_int_equal (use (&w, "Provision", "r1"), BOTH);
    assert_int_equal (w.use_notices, notices + 2);
    pass (&w, 10 * MINUTE_MS);
    assert_int_equal (w.use_notices, notices + 3); /* the window has closed */
    assert_int_equal (use (&w, "Release", "r1"), NEITHER);
    close_world (&w);
}

static void what_was_asked_survives_a_restart (void **state)
{
    (void) state;
    service_world_t w;
    open_mode (&w, USE_ASKED);
    reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
    reserve (&w, "r2", circuit ("a-r", 100, 10, 20));
    use (&w, "Provision", "r1");
    use (&w, "Release", "r2");
    assert_int_equal (records_of (&w, TABLE_USES), 1);
    restart (&w);
    domain_core_check (&w.host.core);
    assert_true (shown (&w, "r1"));
    assert_false (shown (&w, "r2"));
    pass (&w, 15 * MINUTE_MS);
    assert_int_equal (use (&w, "Provision", "r1"), BOTH);
    close_world (&w);
}

static void a_domain_may_provision_by_itself_at_the_start (void **state)
{
    (void) state;
    for (int restarts = 0; restarts < 2; restarts++) {
        service_world_t w;
        open_mode (&w, USE_AT_START);
        reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
        reserve (&w, "r2", circuit ("a-r", 100, 10, 20));
        assert_int_equal (use (&w, "Release", "r2"), NEITHER); /* does not want it */
        if (restarts)
            restart (&w);
        assert_false (shown (&w, "r1"));
        pass (&w, 10 * MINUTE_MS);
        assert_true (shown (&w, "r1"));
        assert_false (shown (&w, "r2"));
        assert_int_equal (w.use_notices, 1);
        if (restarts)
            restart (&w);
        assert_int_equal (use (&w, "Provision", "r1"), BOTH);
        pass (&w, MINUTE_MS);
        assert_int_equal (use (&w, "Release", "r1"), NEITHER);
        pass (&w, MINUTE_MS);
        if (restarts)
            restart (&w);
        assert_false (shown (&w, "r1")); /* given up is given up */
        assert_int_equal (use (&w, "Provision", "r2"), BOTH);
        close_world (&w);
    }
}

static void several_windows_open_and_close_in_turn (void **state)
{
    (void) state;
    service_world_t w;
    open_mode (&w, USE_AT_START);
    circuit_t two [] = {circuit ("a-r", 100, 10, 20), circuit ("r-b", 100, 30, 40)};
    service_order_t order = {.reservation = "r1", .bookings = two, .count = 2, .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    static const struct {
        int64_t minutes; /* to let pass */
        circuit_usage_told_t told;
    } cases [] = {{10, BOTH}, {9, BOTH}, {1, PROVISIONED}, {9, PROVISIONED}, {1, BOTH}, {9, BOTH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pass (&w, cases [i].minutes * MINUTE_MS);
        assert_int_equal (use (&w, "Provision", "r1"), cases [i].told);
    }
    assert_int_equal (w.use_notices, 3);
    pass (&w, MINUTE_MS);
    assert_int_equal (w.use_notices, 4);
    assert_int_equal (ask_use (&w, "alice", "Provision", "r1"), CALL_DENIED); /* all over */
    close_world (&w);
}

static void a_change_moves_the_window_and_leaving_ends_the_use (void **state)
{
    (void) state;
    service_world_t w;
    open_mode (&w, USE_ASKED);
    reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
    use (&w, "Provision", "r1");
    pass (&w, 12 * MINUTE_MS);
    size_t notices = w.use_notices;

    /*  Shortened to end soon. */
    circuit_t shorter = circuit ("a-r", 100, 10, 14);
    service_order_t order = {.operation = OPERATION_MODIFY,
                             .reservation = "r1",
                             .base_version = 1,
                             .bookings = &shorter,
                             .count = 1,
                             .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    assert_int_equal (use (&w, "Provision", "r1"), BOTH);
    assert_int_equal (w.use_notices, notices);
    pass (&w, 2 * MINUTE_MS);
    assert_int_equal (w.use_notices, notices + 1);
    assert_int_equal (ask_use (&w, "alice", "Provision", "r1"), CALL_DENIED);

    /*  Another one is released while it is active. */
    reserve (&w, "r2", circuit ("a-r", 100, 20, 30));
    use (&w, "Provision", "r2");
    pass (&w, 8 * MINUTE_MS);
    notices = w.use_notices;
    assert_int_equal (use (&w, "Provision", "r2"), BOTH);
    order = (service_order_t){
      .operation = OPERATION_RELEASE, .reservation = "r2", .base_version = 1, .prepare = true};
    txid = hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (use (&w, "Provision", "r2"), BOTH); /* until it is committed */
    assert_int_equal (tell (&w, "Commit", &txid), COMMAND_COMMITTED);
    pass (&w, 1000);
    assert_int_equal (w.use_notices, notices + 1);
    assert_int_equal (records_of (&w, TABLE_USES), 1); /* r1's */
    assert_int_equal (ask_use (&w, "alice", "Provision", "r2"), CALL_DENIED);
    assert_int_equal (use (&w, "Release", "r2"), NEITHER);
    close_world (&w);
}

static void only_its_owner_and_administrators_say_and_only_of_what_is_committed (void **state)
{
    (void) state;
    service_world_t w;
    open_mode (&w, USE_ASKED);
    reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
    circuit_t one = circuit ("a-r", 100, 10, 20);
    command_answer_t told;
    service_order_t order = {
      .reservation = "r-held", .bookings = &one, .count = 1, .prepare = true};
    hold (&w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    static const struct {
        const char *actor;
        const char *reservation;
        call_status_t status;
        const char *reason;
    } cases [] = {
      {"alice", "r1", CALL_OK, ""},
      {"root", "r1", CALL_OK, ""},
      {"bob", "r1", CALL_DENIED, "bob does not own reservation r1"},
      {PLANNER, "r1", CALL_DENIED, "does not own"},
      {"", "r1", CALL_DENIED, "does not own"},
      {"alice", "r2", CALL_NOT_FOUND, "nis/N knows no reservation r2"},
      {"alice", "r-held", CALL_DENIED, "reservation r-held is not committed"},
      {"bob", "r-held", CALL_DENIED, "does not own"},
      {"alice", "", CALL_BAD_REQUEST, "reservation"},
      {"alice", "a b", CALL_BAD_REQUEST, "reservation"},
    };
    static const char *const methods [] = {"Provision", "Release"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t m = 0; m < 2; m++) {
            assert_int_equal (ask_use (&w, cases [i].actor, methods [m], cases [i].reservation),
                              cases [i].status);
            assert_non_null (strstr (w.reason, cases [i].reason));
        }
    }
    close_world (&w);
}

static void the_use_is_forgotten_with_the_reservation (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    w.settings.provider.participant.retention_ms = 60 * MINUTE_MS;
    start (&w);
    reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
    use (&w, "Provision", "r1");
    assert_int_equal (records_of (&w, TABLE_USES), 1);
    pass (&w, 70 * MINUTE_MS);
    assert_int_equal (records_of (&w, TABLE_USES), 1);
    pass (&w, 60 * MINUTE_MS);
    assert_int_equal (records_of (&w, TABLE_RESERVATIONS), 0);
    assert_int_equal (records_of (&w, TABLE_USES), 0);
    assert_int_equal (ask_use (&w, "alice", "Provision", "r1"), CALL_NOT_FOUND);
    close_world (&w);
}

static void records_that_make_no_sense_are_passed_over (void **state)
{
    (void) state;
    service_world_t w;
    prepare_world (&w);
    start (&w);
    reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
    static const uint8_t yes [] = {0x08, 0x01};
    static const uint8_t noise [] = {0xff, 0xff};
    const struct {
        bytes_t key;
        bytes_t value;
    } cases [] = {
      {{(const uint8_t *) "r1", 2}, {noise, 2}},     /* not a record */
      {{(const uint8_t *) "unknown", 7}, {yes, 2}},  /* of nobody */
      {{(const uint8_t *) "with\0in", 7}, {yes, 2}}, /* not an id */
      {{(const uint8_t *) "", 0}, {yes, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        record_put (
          &w, &(effect_t){
                .kind = EFFECT_PUT,
                .record = {.table = TABLE_USES, .key = cases [i].key, .value = cases [i].value}});
    restart (&w);
    domain_core_check (&w.host.core);
    assert_false (shown (&w, "r1"));
    assert_int_equal (use (&w, "Provision", "r1"), PROVISIONED);
    restart (&w);
    assert_true (shown (&w, "r1"));
    close_world (&w);
}

/*  Setting the wall clock neither opens a window nor keeps one open. */
static void a_window_is_open_by_both_clocks (void **state)
{
    (void) state;
    service_world_t w;
    open_mode (&w, USE_ASKED);
    reserve (&w, "r1", circuit ("a-r", 100, 10, 20));
    use (&w, "Provision", "r1");
    w.host.now.wall_ms += 12 * MINUTE_MS;
    assert_int_equal (use (&w, "Provision", "r1"), PROVISIONED);
    w.host.now.wall_ms -= 12 * MINUTE_MS;
    pass (&w, 12 * MINUTE_MS);
    assert_int_equal (use (&w, "Provision", "r1"), BOTH);
    w.host.now.wall_ms += 10 * MINUTE_MS;
    assert_int_equal (ask_use (&w, "alice", "Provision", "r1"), CALL_DENIED);
    assert_int_equal (use (&w, "Release", "r1"), NEITHER);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (circuits_may_be_used_when_asked_and_are_active_while_open),
      cmocka_unit_test (what_was_asked_survives_a_restart),
      cmocka_unit_test (a_domain_may_provision_by_itself_at_the_start),
      cmocka_unit_test (several_windows_open_and_close_in_turn),
      cmocka_unit_test (a_change_moves_the_window_and_leaving_ends_the_use),
      cmocka_unit_test (only_its_owner_and_administrators_say_and_only_of_what_is_committed),
      cmocka_unit_test (the_use_is_forgotten_with_the_reservation),
      cmocka_unit_test (records_that_make_no_sense_are_passed_over),
      cmocka_unit_test (a_window_is_open_by_both_clocks),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
