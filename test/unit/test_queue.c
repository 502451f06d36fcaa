/*  test_queue - work on the nodes of a site: started in order, beside reservations and in them,
 *  preempted, cancelled, lost, and all of it again after a restart.
 */
#include "queue_fixture.h"

#include "nodes.pb-c.h"

static void tasks_run_and_end_with_their_exit_codes (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.count = 3});
    agents_come (&f);
    assert_int_equal (bag (&f, number).running, 3);
    assert_int_equal (task (&f, number, 2).state, TASK_RUNNING);
    task_ends (&f, number, 0, 0);
    task_ends (&f, number, 1, 7);
    assert_int_equal (task (&f, number, 0).state, TASK_ENDED);
    assert_int_equal (task (&f, number, 1).state, TASK_ENDED);
    assert_int_equal (task (&f, number, 1).exit_code, 7);
    assert_int_equal (bag (&f, number).over, 2);
    restart_field (&f);
    assert_int_equal (bag (&f, number).running, 1);
    assert_int_equal (task (&f, number, 1).exit_code, 7);
    task_ends (&f, number, 2, 0);
    assert_int_equal (bag (&f, number).over, 3);
    assert_string_equal (f.w.alarms, "");
    close_world (&f.w);
}

static void a_node_without_room_does_not_eat_a_bag (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    agents_come (&f);
    f.agents [0].unfit = true;
    const char *bad = f.agents [0].name;
    uint64_t number = submit (&f, (wish_bag_t){.class_name = "thin", .count = 5});
    agents_come (&f);
    agents_come (&f);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal (task (&f, number, i).state, TASK_RUNNING);
        assert_string_not_equal (task (&f, number, i).node, bad);
    }
    assert_true (task (&f, number, 0).tries > 1 || task (&f, number, 4).tries > 1);

    /*  When no other node is free, it waits until one is. */
    for (size_t i = 0; i < f.agents_count; i++)
        f.agents [i].unfit = true;
    uint64_t waits = submit (&f, (wish_bag_t){.class_name = "fat"});
    agents_come (&f);
    assert_int_equal (task (&f, waits, 0).state, TASK_QUEUED);
    restart_field (&f);
    agents_come (&f);
    for (size_t i = 0; i < f.agents_count; i++)
        f.agents [i].unfit = false;
    field_until (&f, 1, 0);
    agents_come (&f);
    assert_int_equal (task (&f, waits, 0).state, TASK_RUNNING);
    close_world (&f.w);
}

static void what_runs_is_in_the_calendar_until_its_limit_and_no_longer_than_it_runs (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.class_name = "thin", .cpus = 2, .count = 3});
    assert_int_equal (free_at (&f.w, "thin", 5), 5);
    assert_int_equal (free_at (&f.w, "thin", 11), 8);
    assert_int_equal (free_without_work (&f, 5), 8); /* as audits look at it */
    restart_field (&f);
    assert_int_equal (free_at (&f.w, "thin", 5), 5);
    task_ends (&f, number, 0, 0);
    assert_int_equal (free_at (&f.w, "thin", 5), 6);
    restart_field (&f);
    assert_int_equal (free_at (&f.w, "thin", 5), 6);
    close_world (&f.w);
}

static void nothing_is_promised_twice_where_work_and_reservations_meet (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    submit (&f, (wish_bag_t){.class_name = "thin", .cpus = 2, .count = 6, .minutes = 30});
    command_answer_t told;
    booking_t three = booking ("thin", 6, 3, 10, 20);
    service_order_t order = {.reservation = "r1", .bookings = &three, .count = 1, .prepare = true};
    hold (&f.w, &order, &told);
    assert_int_equal (told.refusal.reason, REFUSAL_SHORT);
    codec_clear (&command_answer_codec, &told);
    reserve (&f.w, "r2", booking ("thin", 4, 2, 10, 20));
    uint64_t waits = submit (&f, (wish_bag_t){.class_name = "thin", .cpus = 2});
    assert_int_equal (task (&f, waits, 0).state, TASK_QUEUED); /* it would still run at 10 */
    uint64_t brief = submit (&f, (wish_bag_t){.class_name = "thin", .cpus = 2, .minutes = 9});
    agents_come (&f);
    assert_int_equal (task (&f, brief, 0).state, TASK_RUNNING);
    close_world (&f.w);
}

static void a_bag_that_waits_is_told_when_and_starts_then_by_itself (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 16, 8, 5, 20));
    uint64_t waits = submit (&f, (wish_bag_t){.class_name = "thin"});
    assert_int_equal (bag (&f, waits).queued, 1);
    assert_int_equal (bag (&f, waits).expected_ms, at (20));
    field_until (&f, 20, -1);
    assert_int_equal (bag (&f, waits).queued, 1);
    field_until (&f, 20, 5000);
    assert_int_equal (task (&f, waits, 0).state, TASK_RUNNING);
    close_world (&f.w);
}

static void higher_priority_goes_first_and_then_who_came_first (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t fills = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16, .count = 4});
    uint64_t low = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16, .priority = -1});
    uint64_t first = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16});
    uint64_t second = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16});
    uint64_t high = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16, .priority = 5});
    agents_come (&f);
    uint64_t order [] = {high, first, second, low};
    for (uint32_t i = 0; i < 4; i++) {
        task_ends (&f, fills, i, 0);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal (bag (&f, order [k]).queued, k > i);
    }
    close_world (&f.w);
}

static void a_reservations_tasks_wait_for_its_opening_and_run_on_its_nodes (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    uint64_t number =
      submit (&f, (wish_bag_t){.reservation = "r1", .count = 5, .cpus = 1, .minutes = 5});
    assert_int_equal (bag (&f, number).expected_ms, at (10));
    field_until (&f, 10, -1);
    assert_int_equal (bag (&f, number).queued, 5);
    field_until (&f, 10, 0);
    assert_int_equal (bag (&f, number).running, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true (bound_to (&f, task (&f, number, i).node, "r1"));
    task_ends (&f, number, 0, 0);
    assert_int_equal (bag (&f, number).running, 4);
    assert_int_equal (bag (&f, number).queued, 0);
    close_world (&f.w);
}

static void tasks_of_a_need_run_where_and_when_it_has_nodes (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    booking_t both [] = {booking ("thin", 4, 2, 10, 20), booking ("fat", 16, 1, 10, 20)};
    snprintf (both [1].need, sizeof both [1].need, "air");
    command_answer_t told;
    service_order_t order = {.reservation = "r1", .bookings = both, .count = 2, .prepare = true};
    txid_t txid = hold (&f.w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&f.w, "Commit", &txid), COMMAND_COMMITTED);
    wish_bag_t wide = {.reservation = "r1", .need = "ocean", .cpus = 3};
    assert_int_equal (try_submit (&f, &wide), CALL_BAD_REQUEST);
    wish_bag_t elsewhere = {.reservation = "r1", .need = "air", .class_name = "thin"};
    assert_int_equal (try_submit (&f, &elsewhere), CALL_BAD_REQUEST);
    assert_non_null (strstr (f.w.reason, "of class thin"));
    assert_int_equal (try_submit (&f, &(wish_bag_t){.reservation = "r1", .need = "earth"}),
                      CALL_NOT_FOUND);
    uint64_t number =
      submit (&f, (wish_bag_t){.reservation = "r1", .need = "air", .cpus = 2, .count = 9});
    field_until (&f, 10, 1000);
    assert_int_equal (bag (&f, number).running, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_true (strncmp (task (&f, number, i).node, "fat", 3) == 0);
    close_world (&f.w);
}

static void a_reservations_tasks_wait_for_nodes_that_are_booked_later (void **state)
{
    (void) state;
    for (int restarts = 0; restarts < 2; restarts++) {
        field_t f;
        open_queue (&f);
        booking_t stages [] = {booking ("thin", 2, 1, 10, 20), booking ("thin", 6, 3, 20, 30)};
        command_answer_t told;
        service_order_t order = {
          .reservation = "r1", .bookings = stages, .count = 2, .prepare = true};
        txid_t txid = hold (&f.w, &order, &told);
        codec_clear (&command_answer_codec, &told);
        assert_int_equal (tell (&f.w, "Commit", &txid), COMMAND_COMMITTED);
        uint64_t number =
          submit (&f, (wish_bag_t){.reservation = "r1", .count = 3, .cpus = 2, .minutes = 15});
        field_until (&f, 10, 1000);
        assert_int_equal (bag (&f, number).running, 1);
        field_until (&f, 20, -2000);
        assert_int_equal (bound (&f), 3);
        if (restarts > 0)
            restart_field (&f);
        field_until (&f, 20, -1);
        assert_int_equal (bag (&f, number).running, 1);
        field_until (&f, 20, restarts > 0 ? 5000 : 0); /* its agents have to come again */
        assert_int_equal (bag (&f, number).running, 3);
        close_world (&f.w);
    }
}

static void a_reservations_tasks_end_with_it_and_what_waits_is_never_begun (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 2, 1, 10, 20));
    uint64_t number =
      submit (&f, (wish_bag_t){.reservation = "r1", .count = 3, .cpus = 2, .requeue = true});
    field_until (&f, 19, 2000);
    assert_true (machine (&f, number, 0)->warned_ms > 0);
    field_until (&f, 20, 3000);
    assert_int_equal (task (&f, number, 0).state, TASK_STOPPED);
    assert_int_equal (task (&f, number, 1).state, TASK_CANCELLED);
    assert_int_equal (bag (&f, number).over, 3);
    restart_field (&f);
    assert_int_equal (bag (&f, number).over, 3);
    close_world (&f.w);
}

static void what_waits_for_a_time_in_which_the_site_was_down_is_never_begun (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 2, 1, 10, 20));
    uint64_t number = submit (&f, (wish_bag_t){.reservation = "r1"});
    stop (&f.w);
    f.w.host.now.wall_ms += 25 * MINUTE_MS;
    f.w.host.now.mono_ms += 25 * MINUTE_MS;
    start (&f.w);
    field_pass (&f, 1000);
    assert_int_equal (task (&f, number, 0).state, TASK_CANCELLED);
    assert_int_equal (try_submit (&f, &(wish_bag_t){.reservation = "r1"}), CALL_DENIED);
    assert_non_null (strstr (f.w.reason, "has ended"));
    close_world (&f.w);
}

static void a_reservation_that_is_left_before_its_opening_takes_its_tasks_along (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 2, 1, 10, 20));
    uint64_t number = submit (&f, (wish_bag_t){.reservation = "r1"});
    command_answer_t told;
    service_order_t order = {
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 1, .prepare = true};
    txid_t txid = hold (&f.w, &order, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&f.w, "Commit", &txid), COMMAND_COMMITTED);
    assert_int_equal (task (&f, number, 0).state, TASK_CANCELLED);
    close_world (&f.w);
}

static void only_who_may_use_a_reservation_submits_to_it (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 2, 1, 10, 20));
    assert_int_equal (try_submit (&f, &(wish_bag_t){.actor = "bob", .reservation = "r1"}),
                      CALL_DENIED);
    assert_int_equal (try_submit (&f, &(wish_bag_t){.reservation = "r9"}), CALL_NOT_FOUND);
    assert_int_equal (try_submit (&f, &(wish_bag_t){.actor = "eve"}), CALL_DENIED);
    field_until (&f, 21, 0);
    assert_int_equal (try_submit (&f, &(wish_bag_t){.reservation = "r1"}), CALL_DENIED);
    assert_non_null (strstr (f.w.reason, "has ended"));
    close_world (&f.w);
}

static void preemptible_work_makes_room_for_reservations_and_is_run_again (void **state)
{
    (void) state;
    field_t f;
    prepare_queue (&f);
    f.runner.openings.lend_ms = 0;
    open_field (&f);
    uint64_t number = submit (&f, (wish_bag_t){.class_name = "thin",
                                               .cpus = 2,
                                               .count = 8,
                                               .minutes = 100,
                                               .preemptible = true,
                                               .requeue = true});
    uint64_t ends = submit (
      &f, (wish_bag_t){
            .class_name = "fat", .cpus = 16, .count = 4, .minutes = 100, .preemptible = true});
    agents_come (&f);
    assert_int_equal (bag (&f, number).running, 8);
    reserve (&f.w, "r1", booking ("thin", 6, 3, 10, 20)); /* is granted all the same */
    reserve (&f.w, "r2", booking ("fat", 16, 1, 10, 20));
    field_until (&f, 9, -10 * SECOND_MS);
    assert_int_equal (bag (&f, number).running, 8);
    field_until (&f, 9, 1000);
    size_t warned = 0;
    for (uint32_t i = 0; i < 8; i++)
        warned += machine (&f, number, i)->warned_ms >= 0;
    assert_int_equal (warned, 3);
    field_until (&f, 10, 0);
    assert_int_equal (bag (&f, number).running, 5);
    assert_int_equal (bag (&f, number).queued, 3);
    assert_int_equal (bag (&f, ends).over, 1);
    assert_int_equal (opening (&f, "r1").nodes_count, 3);
    for (uint32_t i = 0; i < 8; i++)
        assert_true (task (&f, number, i).state != TASK_RUNNING ||
                     !bound_to (&f, task (&f, number, i).node, "r1"));
    field_until (&f, 20, 10000);
    assert_int_equal (bag (&f, number).running, 8);
    uint32_t tries = 0;
    for (uint32_t i = 0; i < 8; i++)
        tries += task (&f, number, i).tries;
    assert_int_equal (tries, 11);
    close_world (&f.w);
}

/*  openpbs#1868: the nodes of a reservation were all lost, and its jobs ran on others'. */
static void a_reservation_that_is_left_with_no_nodes_runs_its_tasks_nowhere_else (void **state)
{
    (void) state;
    field_t f;
    prepare_queue (&f);
    f.runner.nodes.silent_ms = 20 * SECOND_MS;
    f.runner.nodes.lease_ms = 30 * SECOND_MS;
    f.runner.nodes.lost_ms = 60 * SECOND_MS;
    open_field (&f);
    reserve (&f.w, "r1", booking ("fat", 64, 4, 10, 60));
    uint64_t number = submit (&f, (wish_bag_t){.reservation = "r1", .count = 3, .requeue = true});
    field_until (&f, 12, 0);
    assert_int_equal (bag (&f, number).running, 3);
    for (size_t i = 0; i < f.agents_count; i++)
        f.agents [i].away = strcmp (f.agents [i].class_name, "fat") == 0;
    field_until (&f, 15, 0);
    assert_int_equal (opening (&f, "r1").nodes_count, 0);
    assert_int_equal (bag (&f, number).queued, 3);
    uint64_t more = submit (&f, (wish_bag_t){.reservation = "r1", .requeue = true});
    restart_field (&f);
    field_until (&f, 20, 0);

    /*  Nodes of another class are idle, and tasks without a reservation run on them. */
    uint64_t others = submit (&f, (wish_bag_t){.class_name = "thin"});
    agents_come (&f);
    assert_int_equal (task (&f, others, 0).state, TASK_RUNNING);
    for (size_t i = 0; i < f.agents_count; i++)
        for (size_t k = 0; !f.agents [i].away && k < f.agents [i].runs_count; k++)
            assert_int_equal (f.agents [i].runs [k].report.id.task.bag, others);

    /*  After its end none of its tasks runs, whichever node comes back then. */
    field_until (&f, 61, 0);
    for (size_t i = 0; i < f.agents_count; i++)
        f.agents [i].away = false;
    agents_come (&f);
    field_until (&f, 70, 0);
    assert_int_equal (bag (&f, number).over, 3);
    assert_int_equal (bag (&f, more).over, 1);
    assert_int_equal (task (&f, more, 0).tries, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal (task (&f, number, i).tries, 1);
    close_world (&f.w);
}

static void drain_node (field_t *self, const char *node)
{
    Musubi__DrainRequest request = MUSUBI__DRAIN_REQUEST__INIT;
    request.node = (char *) node;
    request.drained = true;
    ask (&self->w, "root", "Nodes", "Drain", &request.base);
}

/*  Two of four nodes have long runs; the other two are booked, and then taken away. */
static void crowd (field_t *self, bool clear, uint64_t *again, uint64_t *ends)
{
    prepare_queue (self);
    self->runner.openings.clear = clear;
    open_field (self);
    *again =
      submit (self, (wish_bag_t){.class_name = "fat", .cpus = 16, .minutes = 100, .requeue = true});
    *ends = submit (self, (wish_bag_t){.class_name = "fat", .cpus = 16, .minutes = 100});
    agents_come (self);
    reserve (&self->w, "r1", booking ("fat", 32, 2, 10, 20));
    field_until (self, 5, 0);
    for (size_t i = 0; i < self->agents_count; i++)
        if (strcmp (self->agents [i].class_name, "fat") == 0 &&
            strcmp (self->agents [i].name, task (self, *again, 0).node) != 0 &&
            strcmp (self->agents [i].name, task (self, *ends, 0).node) != 0)
            drain_node (self, self->agents [i].name);
}

static void a_reservation_is_not_kept_from_opening_by_what_may_run_for_long (void **state)
{
    (void) state;
    field_t f;
    uint64_t again, ends;
    crowd (&f, true, &again, &ends);
    /*  A task that comes now and could run into the reservation is not begun. */
    uint64_t late = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 1, .minutes = 10});
    agents_come (&f);
    assert_int_equal (task (&f, late, 0).state, TASK_QUEUED);
    field_until (&f, 10, -6 * SECOND_MS);
    assert_int_equal (machine (&f, again, 0)->warned_ms, -1);
    field_until (&f, 10, -1000);
    assert_true (machine (&f, again, 0)->warned_ms > 0 && machine (&f, ends, 0)->warned_ms > 0);
    assert_int_equal (task (&f, again, 0).state, TASK_RUNNING);
    field_until (&f, 10, 15 * SECOND_MS);
    assert_int_equal (opening (&f, "r1").nodes_count, 2);
    assert_int_equal (bag (&f, again).queued, 1);
    assert_int_equal (task (&f, ends, 0).state, TASK_STOPPED);
    assert_string_equal (task (&f, ends, 0).why,
                         "a reservation needs its node (opening/clear = end)");
    assert_null (strstr (f.w.alarms, "whole->degraded"));
    restart_field (&f);
    field_until (&f, 21, 0);
    assert_int_equal (task (&f, again, 0).state, TASK_RUNNING);
    assert_int_equal (task (&f, again, 0).tries, 2);
    close_world (&f.w);
}

static void where_the_site_wants_it_a_reservation_waits_for_what_runs (void **state)
{
    (void) state;
    field_t f;
    uint64_t again, ends;
    crowd (&f, false, &again, &ends);
    field_until (&f, 10, 15 * SECOND_MS);
    assert_int_equal (task (&f, again, 0).state, TASK_RUNNING);
    assert_int_equal (task (&f, ends, 0).state, TASK_RUNNING);
    assert_non_null (strstr (f.w.alarms, "opening r1 whole->degraded nodes_lacking=2"));
    close_world (&f.w);
}

static void what_is_warned_is_ended_in_time_however_short_the_warning_is (void **state)
{
    (void) state;
    field_t f;
    prepare_queue (&f);
    f.runner.openings.bind_ms = 500;
    f.runner.openings.warning_ms = f.runner.queue.warning_ms = 2000;
    f.runner.openings.grace_ms = f.runner.queue.grace_ms = 1000;
    open_field (&f);
    uint64_t number = submit (
      &f, (wish_bag_t){
            .class_name = "fat", .cpus = 16, .count = 4, .minutes = 100, .preemptible = true});
    agents_come (&f);
    assert_int_equal (bag (&f, number).running, 4);
    reserve (&f.w, "r1", booking ("fat", 64, 4, 10, 20));
    field_until (&f, 10, -7500);
    assert_int_equal (bag (&f, number).running, 4);
    field_until (&f, 10, -1000);
    assert_int_equal (bag (&f, number).over, 4);
    assert_non_null (strstr (task (&f, number, 0).why, "preempted"));
    close_world (&f.w);
}

static void an_unused_reservation_is_lent_and_called_back (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    reserve (&f.w, "r1", booking ("thin", 16, 8, 10, 60));
    uint64_t number = submit (
      &f, (wish_bag_t){.class_name = "thin", .cpus = 2, .preemptible = true, .requeue = true});
    submit (&f, (wish_bag_t){.class_name = "thin", .minutes = 100});
    field_until (&f, 14, 0);
    uint64_t borrows = submit (
      &f, (wish_bag_t){.class_name = "thin", .cpus = 2, .preemptible = true, .requeue = true});
    assert_int_equal (task (&f, borrows, 0).state, TASK_QUEUED);
    field_until (&f, 15, 2000);
    assert_int_equal (task (&f, borrows, 0).state, TASK_RUNNING);
    assert_true (bound_to (&f, task (&f, borrows, 0).node, "r1"));
    uint64_t own = submit (&f, (wish_bag_t){.reservation = "r1", .cpus = 2, .count = 8});
    field_pass (&f, 120 * SECOND_MS);
    assert_int_equal (bag (&f, own).running, 8);
    assert_int_equal (task (&f, borrows, 0).state, TASK_QUEUED);
    (void) number;
    close_world (&f.w);
}

static void cancelled_tasks_are_never_begun_and_those_that_run_are_ended (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16, .count = 8});
    agents_come (&f);
    told_cancel_t one = cancel (&f, number, 6);
    assert_int_equal (one.cancelled, 1);
    assert_int_equal (task (&f, number, 6).state, TASK_CANCELLED);
    task_ends (&f, number, 0, 0);
    assert_int_equal (task (&f, number, 4).state, TASK_RUNNING);
    agents_come (&f);
    restart_field (&f);
    told_cancel_t all = cancel (&f, number, -1);
    assert_int_equal (all.cancelled, 2);
    assert_int_equal (all.ended, 4);
    agents_come (&f);
    agents_come (&f);
    assert_int_equal (bag (&f, number).over, 8);
    assert_int_equal (task (&f, number, 1).state, TASK_STOPPED);
    assert_string_equal (task (&f, number, 1).why, "cancelled by alice");
    assert_int_equal (task (&f, number, 7).state, TASK_CANCELLED);
    assert_int_equal (free_at (&f.w, "fat", 1), 4);
    restart_field (&f);
    assert_int_equal (bag (&f, number).over, 8);
    assert_int_equal (cancel (&f, number, -1).cancelled, 0);
    close_world (&f.w);
}

static void a_lost_run_is_run_again_where_that_is_wanted (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t again =
      submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16, .requeue = true, .minutes = 100});
    uint64_t once = submit (&f, (wish_bag_t){.class_name = "fat", .cpus = 16, .minutes = 100});
    agents_come (&f);
    openings_agent_t *first = agent_of (&f, task (&f, again, 0).node);
    openings_agent_t *second = agent_of (&f, task (&f, once, 0).node);
    first->away = second->away = true;
    field_pass (&f, 340 * SECOND_MS);
    assert_int_equal (task (&f, once, 0).state, TASK_LOST);
    assert_int_equal (task (&f, again, 0).state, TASK_RUNNING);
    assert_int_equal (task (&f, again, 0).tries, 2);
    assert_string_not_equal (task (&f, again, 0).node, first->name);
    close_world (&f.w);
}

static void a_run_that_outlives_its_limit_is_told_to_end (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.minutes = 10});
    field_until (&f, 10, 4000);
    assert_int_equal (task (&f, number, 0).state, TASK_RUNNING);
    field_until (&f, 10, 7000);
    assert_int_equal (task (&f, number, 0).state, TASK_STOPPED);
    assert_string_equal (task (&f, number, 0).why, "it ran longer than its limit");
    close_world (&f.w);
}

static void the_same_submission_again_is_the_same_bag (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    wish_bag_t wish = {.request_id = "q1", .count = 2};
    uint64_t number = submit (&f, wish);
    assert_int_equal (submit (&f, wish), number);
    restart_field (&f);
    assert_int_equal (submit (&f, wish), number);
    wish.count = 3;
    assert_int_equal (try_submit (&f, &wish), CALL_BAD_REQUEST);
    wish.actor = "bob";
    assert_int_not_equal (submit (&f, wish), number);
    close_world (&f.w);
}

static void bad_submissions_are_refused_and_say_why (void **state)
{
    (void) state;
    field_t f;
    prepare_queue (&f);
    f.runner.queue.bags_per_actor_max = 2;
    open_field (&f);
    struct {
        wish_bag_t wish;
        call_status_t status;
        const char *says;
    } cases [] = {
      {{.cpus = 17}, CALL_BAD_REQUEST, "cpus: a task runs on one node, and those here have 16"},
      {{.cpus = 3, .class_name = "thin"}, CALL_BAD_REQUEST, "those of class thin have 2"},
      {{.class_name = "slim"}, CALL_NOT_FOUND, "class_name: lis/ams has no class slim"},
      {{.gpus = 1}, CALL_BAD_REQUEST, "has no batch system that gives tasks GPUs"},
      {{.count = 1000001}, CALL_BAD_REQUEST, "count: 1000001 should be 1 to 1000000"},
      {{.minutes = 31 * 1440}, CALL_BAD_REQUEST, "limit_ms"},
      {{.priority = 1001}, CALL_BAD_REQUEST, "priority: 1001 should be -1000 to 1000"},
      {{.need = "ocean"}, CALL_BAD_REQUEST, "need: ocean, but reservation is empty"},
      {{.reservation = "r1", .preemptible = true}, CALL_BAD_REQUEST, "preemptible"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal (try_submit (&f, &cases [i].wish), cases [i].status);
        if (!strstr (f.w.reason, cases [i].says))
            fail_msg ("%s: says %s", cases [i].says, f.w.reason);
    }
    submit (&f, (wish_bag_t){.minutes = 1});
    submit (&f, (wish_bag_t){.minutes = 1});
    assert_int_equal (try_submit (&f, &(wish_bag_t){.minutes = 1}), CALL_DENIED);
    assert_non_null (strstr (f.w.reason, "a tenth of limits/bags_max"));
    Musubi__SubmitRequest nothing = MUSUBI__SUBMIT_REQUEST__INIT;
    ask_with_id (&f, "alice", "Submit", "", &nothing.base);
    assert_int_equal (f.w.status, CALL_BAD_REQUEST);
    assert_string_equal (f.w.reason, "command: missing");
    close_world (&f.w);
}

static void others_see_and_touch_nothing_of_a_bag (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.count = 2});
    assert_false (bag_as (&f, "bob", number).found);
    assert_true (bag_as (&f, "root", number).found);
    Musubi__CancelRequest cancelled = MUSUBI__CANCEL_REQUEST__INIT;
    cancelled.bag = number;
    assert_int_equal (ask_with_id (&f, "bob", "Cancel", "", &cancelled.base), CALL_DENIED);
    Musubi__TaskId id = MUSUBI__TASK_ID__INIT;
    id.bag = number;
    Musubi__OutputRequest output = MUSUBI__OUTPUT_REQUEST__INIT;
    output.task = &id;
    assert_int_equal (ask_with_id (&f, "bob", "Output", "", &output.base), CALL_DENIED);
    cancelled.bag = number + 1;
    assert_int_equal (ask_with_id (&f, "alice", "Cancel", "", &cancelled.base), CALL_NOT_FOUND);
    close_world (&f.w);
}

static void bags_leave_when_they_have_been_over_long_enough_and_numbers_do_not_come_back (
  void **state)
{
    (void) state;
    field_t f;
    prepare_queue (&f);
    f.runner.queue.retention_ms = MINUTE_MS;
    open_field (&f);
    uint64_t number = submit (&f, (wish_bag_t){.count = 3});
    agents_come (&f);
    for (uint32_t i = 0; i < 3; i++)
        task_ends (&f, number, i, 0);
    assert_int_equal (records_of (&f.w, TABLE_TASKS), 3);
    field_pass (&f, 2 * MINUTE_MS);
    assert_false (bag (&f, number).found);
    assert_int_equal (records_of (&f.w, TABLE_TASKS), 0);
    restart_field (&f);
    assert_int_equal (submit (&f, (wish_bag_t){.count = 1}), number + 1);
    close_world (&f.w);
}

static void a_damaged_record_of_a_task_is_a_lost_task (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.count = 2});
    agents_come (&f);
    for (size_t i = 0; i < f.w.host.records.count; i++) {
        host_in_memory_kept_t *record = &f.w.host.records.list [i];
        if (record->table == TABLE_TASKS && record->key.data [11] == 0)
            record->value.size = 1; /* no decoder takes it */
    }
    restart_field (&f);
    assert_int_equal (task (&f, number, 0).state, TASK_LOST);
    assert_int_equal (task (&f, number, 1).state, TASK_RUNNING);
    assert_non_null (strstr (f.w.alarms, "table=tasks"));
    close_world (&f.w);
}

/*  An actor or a request id that no record can hold is refused at once. */
static void what_is_accepted_is_there_after_a_restart (void **state)
{
    (void) state;
    static account_t accounts [] = {{.actor = "*", .account = "guest"}};
    static const wish_bag_t wrong [] = {{.request_id = "a b"},
                                        {.request_id = "a\tb"},
                                        {.actor = "a b"},
                                        {.actor = "a\x7f"},
                                        {.actor = ""}};
    field_t f;
    prepare_queue (&f);
    f.runner.accounts = accounts;
    f.runner.accounts_count = 1;
    open_field (&f);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_not_equal (try_submit (&f, &wrong [i]), CALL_OK);
        assert_non_null (strstr (f.w.reason, wrong [i].actor ? "actor" : "request_id"));
    }
    uint64_t number = submit (&f, (wish_bag_t){.request_id = "a-b"});
    agents_come (&f);
    assert_int_equal (records_of (&f.w, TABLE_BAGS), 1);
    restart_field (&f);
    assert_int_equal (bag (&f, number).running, 1);
    assert_string_equal (f.w.alarms, "");
    close_world (&f.w);
}

/*  A bag with a longer command than is allowed would not fit into an answer. */
static void a_submission_as_large_as_a_message_is_refused (void **state)
{
    (void) state;
    static char unknown [BODY_BYTES_MAX - 4];
    static const uint8_t field [] = {0xfa, 0x3f, 0xfc, 0xff, 0x3f};
    field_t f;
    open_queue (&f);
    memset (unknown, 'x', sizeof unknown);
    memcpy (unknown, field, sizeof field);
    f.w.replied = false;
    f.w.asked = 1;
    step (&f.w,
          &(event_t){.kind = EVENT_REQUEST,
                     .request = {.service = "Queue",
                                 .method = "Submit",
                                 .actor = "alice",
                                 .request_id = "",
                                 .body = {.data = (uint8_t *) unknown, .size = sizeof unknown},
                                 .reply_to = 1}});
    assert_int_equal (f.w.status, CALL_BAD_REQUEST);
    assert_non_null (strstr (f.w.reason, "submission: "));
    close_world (&f.w);
}

static host_in_memory_kept_t *record_in (service_world_t *w, uint8_t table)
{
    for (size_t i = 0; i < w->host.records.count; i++)
        if (w->host.records.list [i].table == table)
            return &w->host.records.list [i];
    fail_msg ("no record in table %d", table);
    return NULL;
}

/*  A record that can't be read stays in the store, named by an alarm, until another takes its
 *  place; then it is put aside first. */
static void what_cannot_be_read_is_kept_aside (void **state)
{
    (void) state;
    field_t f;
    open_queue (&f);
    uint64_t number = submit (&f, (wish_bag_t){.count = 1});
    agents_come (&f);
    host_in_memory_kept_t *bad = record_in (&f.w, TABLE_BAGS);
    bad->value.data [0] = 0xff; /* no message begins so */
    size_t size = bad->value.size;
    restart_field (&f);
    assert_false (bag (&f, number).found);
    assert_non_null (
      strstr (f.w.alarms, "table=bags key=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01"));
    assert_int_equal (record_in (&f.w, TABLE_BAGS)->value.size, size);
    assert_int_equal (submit (&f, (wish_bag_t){.count = 1}), number + 1);
    restart_field (&f);
    assert_int_equal (records_of (&f.w, TABLE_BAGS), 2);

    /*  A node's record is written anew when its agent comes. */
    host_in_memory_kept_t *node = record_in (&f.w, TABLE_NODES);
    char name [64] = "";
    memcpy (name, node->key.data, node->key.size);
    node->value.data [0] = 0xff;
    size = node->value.size;
    restart_field (&f);
    agents_come (&f);
    const host_in_memory_kept_t *aside = record_in (&f.w, TABLE_ASIDE);
    assert_int_equal (records_of (&f.w, TABLE_ASIDE), 1);
    assert_int_equal (aside->key.data [0], TABLE_NODES);
    assert_memory_equal (aside->key.data + 1, name, strlen (name));
    assert_int_equal (aside->value.size, size);
    assert_int_equal (aside->value.data [0], 0xff);
    restart_field (&f);
    assert_int_equal (records_of (&f.w, TABLE_ASIDE), 1);
    close_world (&f.w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (tasks_run_and_end_with_their_exit_codes),
      cmocka_unit_test (a_node_without_room_does_not_eat_a_bag),
      cmocka_unit_test (what_runs_is_in_the_calendar_until_its_limit_and_no_longer_than_it_runs),
      cmocka_unit_test (nothing_is_promised_twice_where_work_and_reservations_meet),
      cmocka_unit_test (a_bag_that_waits_is_told_when_and_starts_then_by_itself),
      cmocka_unit_test (higher_priority_goes_first_and_then_who_came_first),
      cmocka_unit_test (a_reservations_tasks_wait_for_its_opening_and_run_on_its_nodes),
      cmocka_unit_test (tasks_of_a_need_run_where_and_when_it_has_nodes),
      cmocka_unit_test (a_reservations_tasks_wait_for_nodes_that_are_booked_later),
      cmocka_unit_test (a_reservations_tasks_end_with_it_and_what_waits_is_never_begun),
      cmocka_unit_test (what_waits_for_a_time_in_which_the_site_was_down_is_never_begun),
      cmocka_unit_test (a_reservation_that_is_left_before_its_opening_takes_its_tasks_along),
      cmocka_unit_test (only_who_may_use_a_reservation_submits_to_it),
      cmocka_unit_test (preemptible_work_makes_room_for_reservations_and_is_run_again),
      cmocka_unit_test (a_reservation_that_is_left_with_no_nodes_runs_its_tasks_nowhere_else),
      cmocka_unit_test (a_reservation_is_not_kept_from_opening_by_what_may_run_for_long),
      cmocka_unit_test (where_the_site_wants_it_a_reservation_waits_for_what_runs),
      cmocka_unit_test (what_is_warned_is_ended_in_time_however_short_the_warning_is),
      cmocka_unit_test (an_unused_reservation_is_lent_and_called_back),
      cmocka_unit_test (cancelled_tasks_are_never_begun_and_those_that_run_are_ended),
      cmocka_unit_test (a_lost_run_is_run_again_where_that_is_wanted),
      cmocka_unit_test (a_run_that_outlives_its_limit_is_told_to_end),
      cmocka_unit_test (the_same_submission_again_is_the_same_bag),
      cmocka_unit_test (bad_submissions_are_refused_and_say_why),
      cmocka_unit_test (others_see_and_touch_nothing_of_a_bag),
      cmocka_unit_test (
        bags_leave_when_they_have_been_over_long_enough_and_numbers_do_not_come_back),
      cmocka_unit_test (a_damaged_record_of_a_task_is_a_lost_task),
      cmocka_unit_test (what_is_accepted_is_there_after_a_restart),
      cmocka_unit_test (a_submission_as_large_as_a_message_is_refused),
      cmocka_unit_test (what_cannot_be_read_is_kept_aside),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
