/*  test_openings - reservations on the nodes of a site, with agents that come every second. */
#include "message.h"
#include "openings_fixture.h"

#include "nodes.pb-c.h"
#include "openings.pb-c.h"
#include "transaction.pb-c.h"

/*  What Show tells the owner; end it with message_free. */
static Musubi__ShowAnswer *show (field_t *self, const char *actor, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (&self->w, actor, "Participant", "Show", &request.base);
    return answer (&self->w, &musubi__show_answer__descriptor);
}

static void nodes_are_bound_late_and_run_nothing_else_until_they_are_clean (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    f.w.settings.site.cleaning_gap_ms = 30 * SECOND_MS;
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 6, 3, 10, 20));
    size_t notices = f.w.opening_notices;
    field_until (&f, 10, -6 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_WAITING);
    assert_int_equal (bound (&f), 0);
    field_until (&f, 10, -5 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_BINDING);
    assert_int_equal (opening (&f, "r1").nodes_count, 3);
    assert_true (f.w.opening_notices > notices);
    field_until (&f, 10, -1);
    assert_int_equal (opening (&f, "r1").phase, OPENING_BINDING);
    field_until (&f, 10, 0);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OPEN);
    assert_int_equal (opening (&f, "r1").wanted, 3);
    field_until (&f, 19, 0);
    assert_int_equal (opening (&f, "r1").phase, OPENING_WARNED);
    assert_int_equal (opening (&f, "r1").nodes_count, 3);
    field_until (&f, 20, 0);
    assert_int_equal (opening (&f, "r1").phase, OPENING_CLEANING);
    assert_int_equal (opening (&f, "r1").nodes_count, 0);
    assert_int_equal (bound (&f), 3);
    assert_true (spare_until (&f, "thin-001", true) == INT64_MIN);
    field_until (&f, 20, 30 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    assert_int_equal (bound (&f), 0);
    assert_true (spare_until (&f, "thin-001", true) == INT64_MAX);
    close_world (&f.w);
}

static void idle_nodes_come_first_then_what_costs_least_to_end (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    /*  Three kinds of runs: booked beyond the start; preemptible, one dear and one cheap; over by
     *  the start. */
    run_id_t booked = field_run (&f, "thin-001", "", at (30));
    run_id_t dear = field_run (&f, "thin-002", "", 0);
    run_id_t cheap = field_run (&f, "thin-003", "", 0);
    run_id_t ending = field_run (&f, "thin-004", "", at (10));
    agent_run (agent_of (&f, "thin-002"), &dear)->report.cpu_ms = 50000;
    agent_run (agent_of (&f, "thin-003"), &cheap)->report.cpu_ms = 10000;
    agents_come (&f);
    reserve (&f.w, "r1", booking ("thin", 12, 6, 10, 20));
    field_until (&f, 10, -5 * SECOND_MS);
    for (int i = 5; i <= 8; i++) {
        char name [32];
        snprintf (name, sizeof name, "thin-00%d", i);
        assert_true (bound_to (&f, name, "r1"));
    }
    assert_true (bound_to (&f, "thin-004", "r1"));
    assert_true (bound_to (&f, "thin-003", "r1"));
    assert_int_equal (bound (&f), 6);
    assert_true (told_to_end (&f, cheap));
    assert_false (told_to_end (&f, ending));
    assert_false (told_to_end (&f, dear));
    assert_false (told_to_end (&f, booked));
    /*  A run that should be over by itself is ended at the opening if it is not. */
    field_until (&f, 10, 0);
    assert_true (told_to_end (&f, ending));
    close_world (&f.w);
}

static void runs_are_warned_before_the_end_and_ended_at_it (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    field_until (&f, 10, 0);
    run_id_t early = field_run (&f, "thin-001", "r1", 0);
    assert_true (bound_to (&f, "thin-001", "r1"));
    field_until (&f, 19, -SECOND_MS);
    machine_run_t *run = agent_run (agent_of (&f, "thin-001"), &early);
    assert_int_equal (run->warned_ms, -1);
    field_until (&f, 19, SECOND_MS);
    assert_int_equal (run->warned_ms, MINUTE_MS);
    run_id_t late = field_run (&f, "thin-001", "r1", 0);
    field_pass (&f, 2 * SECOND_MS);
    run = agent_run (agent_of (&f, "thin-001"), &late);
    assert_true (run->warned_ms > 0 && run->warned_ms < MINUTE_MS);
    agent_of (&f, "thin-001")->stubborn = true;
    field_until (&f, 20, -1);
    assert_false (told_to_end (&f, early));
    field_until (&f, 20, SECOND_MS);
    assert_true (told_to_end (&f, early) && told_to_end (&f, late));
    /*  A node on which something still runs is not bound to another reservation. */
    assert_int_equal (opening (&f, "r1").phase, OPENING_CLOSING);
    field_until (&f, 21, 0);
    assert_true (bound_to (&f, "thin-001", "r1"));
    run_ends (&f, early, 0);
    run_ends (&f, late, 0);
    field_pass (&f, SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    assert_int_equal (bound (&f), 0);
    close_world (&f.w);
}

static void a_lost_node_is_replaced_and_where_there_is_none_its_owner_is_told (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    f.runner.nodes.silent_ms = 20 * SECOND_MS;
    f.runner.nodes.lease_ms = 30 * SECOND_MS;
    f.runner.nodes.lost_ms = 40 * SECOND_MS;
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 14, 7, 10, 60));
    field_until (&f, 12, 0);
    assert_int_equal (opening (&f, "r1").nodes_count, 7);
    assert_false (bound_to (&f, "thin-008", "r1"));
    agent_of (&f, "thin-002")->away = true;
    field_pass (&f, 30 * SECOND_MS); /* silent, not lost: disconnected is not failed */
    assert_true (bound_to (&f, "thin-002", "r1"));
    field_pass (&f, 15 * SECOND_MS);
    assert_false (bound_to (&f, "thin-002", "r1"));
    assert_true (bound_to (&f, "thin-008", "r1"));
    assert_int_equal (opening (&f, "r1").nodes_count, 7);
    assert_int_equal (free_at (&f.w, "thin", 100), 7);

    agent_of (&f, "thin-003")->away = true;
    field_pass (&f, 45 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").nodes_count, 6);
    assert_non_null (strstr (f.w.alarms, "opening r1 whole->degraded nodes_lacking=1"));
    assert_non_null (strstr (f.w.alarms, "reservation r1 overbooked class=ams/thin"));
    assert_int_equal (free_at (&f.w, "thin", 100), 6);
    Musubi__ShowAnswer *told = show (&f, "alice", "r1");
    Musubi__OpeningRecord *record = told->record->opening;
    assert_true (record->degraded && !record->ready);
    assert_int_equal (record->wanted, 7);
    assert_int_equal (record->bound, 6);
    assert_int_equal (record->n_alternatives, 1); /* thin will never have 7 again, as it is */
    assert_string_equal (record->alternatives [0]->class_name, "fat");
    message_free (&told->base);
    told = show (&f, "bob", "r1");
    assert_null (told->record->opening);
    message_free (&told->base);

    agent_of (&f, "thin-002")->away = false;
    field_pass (&f, SECOND_MS);
    assert_true (bound_to (&f, "thin-002", "r1"));
    told = show (&f, "alice", "r1");
    assert_true (told->record->opening->ready && !told->record->opening->degraded);
    message_free (&told->base);
    assert_int_equal (free_at (&f.w, "thin", 100), 7);
    close_world (&f.w);
}

static void drain (field_t *self, const char *node, bool drained)
{
    Musubi__DrainRequest request = MUSUBI__DRAIN_REQUEST__INIT;
    request.node = (char *) node;
    request.drained = drained;
    assert_int_equal (ask (&self->w, "root", "Nodes", "Drain", &request.base), CALL_OK);
}

static void a_drained_node_is_replaced_once_nothing_runs_there (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 60));
    field_until (&f, 10, SECOND_MS);
    assert_true (bound_to (&f, "thin-001", "r1") && bound_to (&f, "thin-002", "r1"));
    run_id_t busy = field_run (&f, "thin-001", "r1", 0);
    drain (&f, "thin-001", true);
    drain (&f, "thin-002", true);
    field_pass (&f, SECOND_MS);
    assert_true (bound_to (&f, "thin-001", "r1"));
    assert_false (bound_to (&f, "thin-002", "r1"));
    assert_true (running (&f, busy) && !told_to_end (&f, busy));
    assert_int_equal (opening (&f, "r1").nodes_count, 2);
    assert_int_equal (free_at (&f.w, "thin", 100), 6);
    run_ends (&f, busy, 0);
    field_pass (&f, SECOND_MS);
    assert_false (bound_to (&f, "thin-001", "r1"));
    assert_int_equal (opening (&f, "r1").nodes_count, 2);
    /*  A drained node stays so after a restart. What the administrator sets by Capacity is
     *  independent of that, and the lower number counts. */
    restart_field (&f);
    assert_int_equal (free_at (&f.w, "thin", 100), 6);
    drain (&f, "thin-001", false);
    drain (&f, "thin-002", false);
    field_pass (&f, SECOND_MS);
    assert_int_equal (free_at (&f.w, "thin", 100), 8);
    close_world (&f.w);
}

static void a_modified_reservation_gets_and_gives_nodes_while_it_lasts (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 8, 4, 10, 40));
    field_until (&f, 11, 0);
    run_id_t runs [4];
    for (int i = 0; i < 4; i++) {
        char name [32];
        snprintf (name, sizeof name, "thin-00%d", i + 1);
        runs [i] = field_run (&f, name, "r1", 0);
    }
    run_ends (&f, runs [1], 0);
    /*  Four nodes until minute 20, two until 30, six until 50. */
    booking_t stages [] = {booking ("thin", 8, 4, 10, 20), booking ("thin", 4, 2, 20, 30),
                           booking ("thin", 12, 6, 30, 50)};
    command_answer_t told;
    service_order_t order = {.operation = OPERATION_MODIFY,
                             .reservation = "r1",
                             .base_version = 1,
                             .bookings = stages,
                             .count = 3,
                             .prepare = true};
    txid_t txid = hold (&f.w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&f.w, "Commit", &txid), COMMAND_COMMITTED);
    field_until (&f, 19, SECOND_MS);
    assert_int_equal (opening (&f, "r1").nodes_count, 4);
    int warned = 0;
    for (int i = 1; i <= 4; i++) {
        char name [32];
        snprintf (name, sizeof name, "thin-00%d", i);
        machine_run_t *run = agent_run (agent_of (&f, name), &runs [i - 1]);
        warned += run && run->warned_ms > 0;
    }
    assert_int_equal (warned, 1); /* the idle one leaves, too */
    field_until (&f, 20, 2 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").nodes_count, 2);
    assert_int_equal (bound (&f), 2);
    int left = 0;
    for (int i = 0; i < 4; i++)
        left += running (&f, runs [i]);
    assert_int_equal (left, 2);
    field_until (&f, 30, -5 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").nodes_count, 6);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OPEN);
    assert_int_equal (due (&f), 2);
    field_until (&f, 30, 0);
    assert_int_equal (due (&f), 6);
    field_until (&f, 50, SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    close_world (&f.w);
}

static void one_that_is_left_ends_at_once (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 40));
    reserve (&f.w, "r2", booking ("fat", 16, 1, 10, 40));
    field_until (&f, 10, -2 * SECOND_MS);
    assert_int_equal (bound (&f), 3);
    command_answer_t told;
    service_order_t order = {
      .operation = OPERATION_RELEASE, .reservation = "r2", .base_version = 1, .prepare = true};
    txid_t txid = hold (&f.w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&f.w, "Commit", &txid), COMMAND_COMMITTED);
    assert_int_equal (bound (&f), 2); /* it was never open: there is nothing to end */
    field_until (&f, 11, 0);
    run_id_t run = field_run (&f, "thin-001", "r1", 0);
    order.reservation = "r1";
    txid = hold (&f.w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&f.w, "Commit", &txid), COMMAND_COMMITTED);
    assert_true (told_to_end (&f, run));
    field_pass (&f, 2 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    assert_int_equal (bound (&f), 0);
    close_world (&f.w);
}

static bool wanted_by_queue;

static bool wants (void *owner, const char *reservation)
{
    (void) owner;
    return wanted_by_queue && strcmp (reservation, "r1") == 0;
}

static void what_is_not_used_is_lent_called_back_and_at_last_given_back (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    f.runner.openings.lend_ms = 5 * MINUTE_MS;
    f.runner.openings.release_ms = 20 * MINUTE_MS;
    open_field (&f);
    openings_observe (field_openings (&f), &(openings_observer_t){.wants = wants});
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 90));
    wanted_by_queue = true;
    field_until (&f, 16, 0);
    assert_false (opening (&f, "r1").lent);
    wanted_by_queue = false;
    assert_true (spare_until (&f, "thin-001", true) == INT64_MIN);
    field_until (&f, 22, 0);
    assert_true (opening (&f, "r1").lent);
    assert_true (spare_until (&f, "thin-001", true) == at (90));
    assert_true (spare_until (&f, "thin-001", false) == INT64_MIN);
    run_id_t borrowed = field_run (&f, "thin-001", "", 0);
    field_pass (&f, SECOND_MS);
    assert_false (told_to_end (&f, borrowed));
    restart_field (&f);
    openings_observe (field_openings (&f), &(openings_observer_t){.wants = wants});
    assert_true (opening (&f, "r1").lent);
    assert_false (told_to_end (&f, borrowed));
    openings_wanted (field_openings (&f), &f.w.host.now, "r1");
    field_pass (&f, SECOND_MS);
    assert_true (told_to_end (&f, borrowed));
    assert_false (opening (&f, "r1").lent);
    field_pass (&f, 22 * MINUTE_MS);
    assert_true (opening (&f, "r1").given_back);
    assert_true (spare_until (&f, "thin-001", false) == at (90));
    assert_true (bound_to (&f, "thin-001", "r1")); /* it is accounted to its owner */
    field_until (&f, 90, SECOND_MS);
    Musubi__ShowAnswer *told = show (&f, "alice", "r1");
    assert_int_equal (told->record->opening->cpu_ms, 0);
    assert_int_equal (told->record->opening->offered_ms, 4 * 80 * MINUTE_MS);
    message_free (&told->base);
    close_world (&f.w);
}

static Musubi__ReservationUse *use_of (field_t *self, uint32_t most)
{
    Musubi__ReservationUseRequest request = MUSUBI__RESERVATION_USE_REQUEST__INIT;
    request.reservation = "r1";
    request.most = most;
    assert_int_equal (ask (&self->w, "alice", "Lis", "Use", &request.base), CALL_OK);
    return answer (&self->w, &musubi__reservation_use__descriptor);
}

static void use_is_told_over_time_and_survives_a_restart (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    Musubi__ReservationUseRequest request = MUSUBI__RESERVATION_USE_REQUEST__INIT;
    request.reservation = "r1";
    assert_int_equal (ask (&f.w, "alice", "Lis", "Use", &request.base), CALL_NOT_FOUND);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 74));
    field_until (&f, 10, SECOND_MS);
    assert_int_equal (ask (&f.w, "bob", "Lis", "Use", &request.base), CALL_DENIED);
    run_id_t one = field_run (&f, "thin-001", "r1", 0);
    run_id_t two = field_run (&f, "thin-002", "r1", 0);
    field_until (&f, 42, 0);
    run_ends (&f, one, 30 * MINUTE_MS);
    agent_run (agent_of (&f, "thin-002"), &two)->report.cpu_ms = 10 * MINUTE_MS;
    field_pass (&f, SECOND_MS);
    Musubi__ReservationUse *use = use_of (&f, 2);
    assert_int_equal (use->n_steps, 2);
    assert_int_equal (use->cpu_ms, 40 * MINUTE_MS);
    assert_int_equal (use->offered_ms, 4 * (32 * MINUTE_MS + SECOND_MS));
    assert_int_equal (use->steps [0]->from_ms, at (10));
    message_free (&use->base);
    restart_field (&f);
    field_until (&f, 74, 5 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    restart_field (&f);
    use = use_of (&f, 0);
    assert_int_equal (use->n_steps, 64);
    assert_int_equal (use->cpu_ms, 40 * MINUTE_MS);
    assert_int_equal (use->offered_ms, 4 * 64 * MINUTE_MS);
    int64_t before = 0;
    for (size_t i = 0; i < 32; i++)
        before += use->steps [i]->cpu_ms;
    assert_true (before >= 0 && before <= 40 * MINUTE_MS);
    assert_int_equal (use->steps [63]->until_ms, at (74));
    message_free (&use->base);
    close_world (&f.w);
}

static void a_site_that_is_cut_off_keeps_its_promises_alone (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    field_until (&f, 10, 0); /* no directory of the fixture ever answers */
    run_id_t run = field_run (&f, "thin-001", "r1", 0);
    Musubi__ShowAnswer *told = show (&f, "alice", "r1");
    assert_true (told->record->opening->disconnected && told->record->opening->ready);
    message_free (&told->base);
    field_until (&f, 15, 0);
    assert_true (running (&f, run));
    field_until (&f, 20, 2 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    close_world (&f.w);
}

static void a_stepped_clock_opens_and_ends_nothing (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    f.w.host.now.wall_ms += 12 * MINUTE_MS;
    field_pass (&f, SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_WAITING);
    f.w.host.now.wall_ms -= 12 * MINUTE_MS;
    field_until (&f, 10, SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OPEN);
    f.w.host.now.wall_ms += 12 * MINUTE_MS;
    field_pass (&f, SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OPEN);
    f.w.host.now.wall_ms -= 24 * MINUTE_MS;
    drain (&f, "thin-001", true); /* a reason to look at it */
    field_pass (&f, SECOND_MS);
    assert_int_equal (opening (&f, "r1").phase, OPENING_OPEN);
    assert_int_equal (opening (&f, "r1").nodes_count, 2);
    close_world (&f.w);
}

static void who_will_have_too_little_is_told_before_it_opens (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 16, 8, 10, 20));
    Musubi__ShowAnswer *told = show (&f, "alice", "r1");
    assert_false (told->record->opening->degraded);
    message_free (&told->base);
    drain (&f, "thin-001", true);
    told = show (&f, "alice", "r1");
    assert_true (told->record->opening->degraded);
    assert_int_equal (told->record->opening->n_alternatives, 1);
    assert_string_equal (told->record->opening->alternatives [0]->class_name, "fat");
    message_free (&told->base);
    field_pass (&f, 2 * SECOND_MS);
    assert_non_null (strstr (f.w.alarms, "reservation r1 overbooked class=ams/thin"));
    close_world (&f.w);
}

static void one_that_passed_while_the_site_was_down_is_over (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    reserve (&f.w, "r2", booking ("thin", 4, 2, 10, 60));
    f.w.host.now.wall_ms += 30 * MINUTE_MS;
    f.w.host.now.mono_ms += 30 * MINUTE_MS;
    restart_field (&f);
    field_pass (&f, SECOND_MS);
    opening_t view;
    assert_false (openings_find (field_openings (&f), "r1", &view));
    assert_int_equal (opening (&f, "r2").phase, OPENING_OPEN);
    assert_int_equal (opening (&f, "r2").nodes_count, 2);
    close_world (&f.w);
}

static void records_that_make_no_sense_are_passed_over (void **state)
{
    (void) state;
    field_t f;
    prepare_field (&f);
    open_field (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    field_until (&f, 11, 0);
    run_id_t run = field_run (&f, "thin-001", "r1", 0);
    static const uint8_t noise [] = {0xff, 0xff};
    static const struct {
        const char *key;
        size_t size;
    } keys [] = {{"r1", 2}, {"r1\0use", 6}, {"unknown", 7}, {"r1\0usf", 6}, {"\0use", 4}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        record_put (&f.w,
                    &(effect_t){.kind = EFFECT_PUT,
                                .record = {.table = TABLE_OPENINGS,
                                           .key = {(const uint8_t *) keys [i].key, keys [i].size},
                                           .value = {noise, sizeof noise}}});
    restart_field (&f);
    field_pass (&f, SECOND_MS);
    /*  It is bound anew, and first to the nodes where it runs. */
    assert_true (bound_to (&f, "thin-001", "r1"));
    assert_true (running (&f, run) && !told_to_end (&f, run));
    assert_int_equal (opening (&f, "r1").nodes_count, 2);
    close_world (&f.w);
}

/*  A machine of r1 that is up; the site may not know yet that another one is dead. */
static openings_agent_t *machine_of (field_t *self)
{
    opening_t view = opening (self, "r1");
    assert_int_equal (view.nodes_count, 2);
    for (size_t i = 0; i < 2; i++) {
        openings_agent_t *agent =
          agent_of (self, nodes_at (field_nodes (self), view.nodes [i]).name);
        if (!agent->away)
            return agent;
    }
    fail_msg ("all are away");
    return NULL;
}

/*  The life of a reservation: one of its nodes is lost, one run ends by itself, another is ended.
 *  The site dies in the given step; 0 = in none. Returns how many steps there were. */
static size_t life (size_t dies_in, bool flushed)
{
    static field_t f;
    prepare_field (&f);
    f.agents_count = 3; /* of thin; the rest is awaited */
    f.w.settings.site.lead_ms = 0;
    f.w.settings.site.cleaning_gap_ms = 3 * SECOND_MS;
    f.runner.nodes = (nodes_limits_t){.attend_ms = 2000,
                                      .silent_ms = 4000,
                                      .lease_ms = 6000,
                                      .lost_ms = 8000,
                                      .runs_kept_ms = 3600000};
    f.runner.openings.warning_ms = 5 * SECOND_MS;
    f.runner.openings.grace_ms = 2 * SECOND_MS;
    open_field (&f);
    int64_t begun_ms = f.w.host.now.wall_ms;
    booking_t two_nodes = booking ("thin", 4, 2, 0, 1);
    two_nodes.from_ms = begun_ms + 8 * SECOND_MS;
    two_nodes.until_ms = begun_ms + 35 * SECOND_MS;
    reserve (&f.w, "r1", two_nodes);
    f.w.steps = 0;
    f.w.dies_in = dies_in;
    f.w.dies_flushed = flushed;
    run_id_t one = {0}, two = {0};
    for (int second = 0; second < 45; second++) {
        field_pass (&f, SECOND_MS);
        opening_t view = opening (&f, "r1");
        if (second < 6)
            assert_true (view.phase <= OPENING_BINDING);
        if (second >= 9 && second < 34)
            assert_true (opening_is_open (view.phase));
        if (second == 10) {
            openings_agent_t *lost = machine_of (&f);
            lost->away = true;
            one = field_run (&f, machine_of (&f)->name, "r1", 0);
        }
        if (second == 15)
            run_ends (&f, one, 3000);
        if (second == 25)
            two = field_run (&f, machine_of (&f)->name, "r1", 0);
        if (second >= 26 && second < 34)
            assert_true (running (&f, two) && !told_to_end (&f, two));
    }
    assert_int_equal (opening (&f, "r1").phase, OPENING_OVER);
    assert_int_equal (bound (&f), 0);
    assert_false (running (&f, one) || running (&f, two));
    assert_false (told_to_end (&f, one));
    assert_true (told_to_end (&f, two));
    assert_int_equal (opening (&f, "r1").used_ms, 3000);
    size_t steps = f.w.steps;
    close_world (&f.w);
    return steps;
}

static void the_site_may_die_in_every_step_of_a_life (void **state)
{
    (void) state;
    size_t steps = life (0, false);
    assert_true (steps > 100);
    for (size_t i = 1; i <= steps; i++) {
        life (i, false);
        life (i, true);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nodes_are_bound_late_and_run_nothing_else_until_they_are_clean),
      cmocka_unit_test (idle_nodes_come_first_then_what_costs_least_to_end),
      cmocka_unit_test (runs_are_warned_before_the_end_and_ended_at_it),
      cmocka_unit_test (a_lost_node_is_replaced_and_where_there_is_none_its_owner_is_told),
      cmocka_unit_test (a_drained_node_is_replaced_once_nothing_runs_there),
      cmocka_unit_test (a_modified_reservation_gets_and_gives_nodes_while_it_lasts),
      cmocka_unit_test (one_that_is_left_ends_at_once),
      cmocka_unit_test (what_is_not_used_is_lent_called_back_and_at_last_given_back),
      cmocka_unit_test (use_is_told_over_time_and_survives_a_restart),
      cmocka_unit_test (a_site_that_is_cut_off_keeps_its_promises_alone),
      cmocka_unit_test (a_stepped_clock_opens_and_ends_nothing),
      cmocka_unit_test (who_will_have_too_little_is_told_before_it_opens),
      cmocka_unit_test (one_that_passed_while_the_site_was_down_is_over),
      cmocka_unit_test (records_that_make_no_sense_are_passed_over),
      cmocka_unit_test (the_site_may_die_in_every_step_of_a_life),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
