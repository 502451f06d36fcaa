/*  test_queue_match - tasks go where their inputs are and where their rank wants them; machines
 *  transfer while they compute, and the lower priority makes way.
 */
#include "replica_fake.h"

static void a_task_goes_where_its_input_is (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    fake_copy (&r, "era5", "thin-005")->there = true;
    fake_copy (&r, "era6", "thin-007")->there = true;
    uint64_t first = submit (&f, (wish_bag_t){.input = "era5"});
    uint64_t other = submit (&f, (wish_bag_t){.input = "era6"});
    assert_int_equal (task (&f, first, 0).state, TASK_QUEUED); /* until that is known */
    fake_pass (&r, 4);
    assert_int_equal (task (&f, first, 0).state, TASK_RUNNING);
    assert_string_equal (task (&f, first, 0).node, "thin-005");
    assert_string_equal (task (&f, other, 0).node, "thin-007");
    close_fake (&r);
}

/*  Two CPUs, and a third task: the rank comes before the staging, the staging before the name. */
static void a_bags_rank_comes_before_its_staging (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    fake_copy (&r, "era5", "thin-005")->there = true;
    fake_copy (&r, "era5", "thin-006");
    uint64_t crowded = submit (&f, (wish_bag_t){.input = "era5", .count = 2});
    fake_pass (&r, 4);
    assert_string_equal (task (&f, crowded, 1).node, "thin-005");
    uint64_t wide = submit (&f, (wish_bag_t){.rank = "cpus", .count = 2});
    uint64_t dear = submit (&f, (wish_bag_t){.rank = "price - 0*cpus", .cpus = 2});
    assert_int_equal (strncmp (task (&f, wide, 0).node, "fat", 3), 0);
    assert_int_equal (strncmp (task (&f, wide, 1).node, "fat", 3), 0);
    assert_int_equal (strncmp (task (&f, dear, 0).node, "thin", 4), 0);
    close_fake (&r);
}

/*  Of the nodes that the reservation has, not the first one. */
static void a_reservations_tasks_go_where_their_rank_and_inputs_want_them (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    reserve (&f.w, "r1", booking ("thin", 4, 2, 10, 20));
    fake_pass (&r, 600);
    const char *first = NULL, *last = NULL;
    for (size_t i = 0; i < f.agents_count; i++)
        if (bound_to (&f, f.agents [i].name, "r1")) {
            first = first ? first : f.agents [i].name;
            last = f.agents [i].name;
        }
    assert_string_not_equal (first, last);
    fake_copy (&r, "era5", last)->there = true;
    uint64_t near = submit (&f, (wish_bag_t){.reservation = "r1", .input = "era5", .minutes = 5});
    assert_int_equal (task (&f, near, 0).state, TASK_QUEUED); /* until it is known where that is */
    fake_pass (&r, 4);
    assert_int_equal (task (&f, near, 0).state, TASK_RUNNING);
    assert_string_equal (task (&f, near, 0).node, last);
    uint64_t alone =
      submit (&f, (wish_bag_t){.reservation = "r1", .rank = "cpus_free", .count = 2, .minutes = 5});
    assert_string_equal (task (&f, alone, 0).node, first);
    close_fake (&r);
}

/*  Only thin-001 has a storage node, and its input is on its way there. */
static uint64_t transfer_begins (replica_fake_t *r, wish_bag_t wish)
{
    for (size_t i = 0; i < r->field->agents_count; i++)
        if (strcmp (r->field->agents [i].name, "thin-001") != 0)
            r->field->agents [i].storage = NULL;
    fake_pass (r, 1);
    uint64_t data = submit (r->field, wish);
    fake_pass (r, 3);
    assert_string_equal (task (r->field, data, 0).node, "thin-001");
    assert_int_equal (task (r->field, data, 0).state, TASK_PLACED);
    return data;
}

static void while_a_machine_transfers_it_computes_for_others_which_make_way_then (void **state)
{
    (void) state;
    for (int restarts = 0; restarts < 2; restarts++) {
        field_t f;
        replica_fake_t r;
        open_fake (&r, &f);
        uint64_t data =
          transfer_begins (&r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin"});
        uint64_t compute =
          submit (&f, (wish_bag_t){.cpus = 2, .count = 8, .class_name = "thin", .minutes = 60});
        fake_pass (&r, 1);
        uint32_t there = 0; /* the task of these that runs beside the transfer */
        while (strcmp (task (&f, compute, there).node, "thin-001") != 0)
            there++;
        assert_int_equal (task (&f, compute, there).state, TASK_RUNNING);
        assert_false (machine (&f, compute, there)->report.suspended);

        fake_copy (&r, "big", "thin-001")->there = true;
        fake_pass (&r, 4);
        assert_true (machine (&f, compute, there)->report.suspended);
        assert_int_equal (task (&f, compute, there).state, TASK_RUNNING); /* it has not ended */
        assert_int_equal (task (&f, data, 0).state, TASK_RUNNING);
        if (restarts)
            restart_field (&f);
        fake_pass (&r, 3);
        assert_true (machine (&f, compute, there)->report.suspended);
        task_ends (&f, data, 0, 0);
        fake_pass (&r, 2);
        assert_false (machine (&f, compute, there)->report.suspended);
        assert_int_equal (task (&f, compute, there).tries, 1);
        task_ends (&f, compute, there, 5);
        assert_int_equal (task (&f, compute, there).state, TASK_ENDED);
        assert_int_equal (task (&f, compute, there).exit_code, 5);
        assert_string_equal (f.w.alarms, "");
        close_fake (&r);
    }
}

/*  It was told to make way, and then to end, by a site that has forgotten since what it heard. */
static void what_has_not_made_way_yet_has_its_cpus_after_a_restart (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    uint64_t data =
      transfer_begins (&r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin"});
    uint64_t compute =
      submit (&f, (wish_bag_t){.cpus = 2, .count = 9, .class_name = "thin", .minutes = 60});
    fake_pass (&r, 1);
    uint32_t there = 0;
    while (strcmp (task (&f, compute, there).node, "thin-001") != 0)
        there++;
    openings_agent_t *agent = agent_of (&f, "thin-001");
    agent->away = agent->stubborn = true;
    fake_copy (&r, "big", "thin-001")->there = true;
    fake_pass (&r, 4);
    cancel (&f, compute, (int) there);
    cancel (&f, data, -1);
    restart_field (&f);
    agent->away = false;
    fake_pass (&r, 3);
    assert_int_equal (task (&f, compute, there).state, TASK_RUNNING);
    assert_int_equal (task (&f, compute, 8).state, TASK_QUEUED);
    task_ends (&f, compute, there, 0);
    fake_pass (&r, 1);
    assert_int_equal (task (&f, compute, 8).state, TASK_RUNNING);
    assert_string_equal (task (&f, compute, 8).node, "thin-001");
    close_fake (&r);
}

/*  The input of the next task comes while the machine computes; what came first, or has a higher
 *  priority, does not make way for it. */
static void while_a_machine_computes_the_next_tasks_input_comes (void **state)
{
    (void) state;
    for (int higher = 0; higher < 2; higher++) {
        field_t f;
        replica_fake_t r;
        open_fake (&r, &f);
        uint64_t compute = submit (
          &f,
          (wish_bag_t){.cpus = 2, .count = 8, .class_name = "thin", .priority = higher ? 5 : 0});
        fake_pass (&r, 1);
        uint64_t data =
          transfer_begins (&r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin"});
        assert_true (fake_copy (&r, "big", "thin-001")->stayed);
        fake_copy (&r, "big", "thin-001")->there = true;
        fake_pass (&r, 5);
        assert_int_equal (task (&f, data, 0).state, TASK_PLACED);
        uint32_t there = 0;
        while (strcmp (task (&f, compute, there).node, "thin-001") != 0)
            there++;
        assert_false (machine (&f, compute, there)->report.suspended);
        task_ends (&f, compute, there, 0);
        fake_pass (&r, 1);
        assert_int_equal (task (&f, data, 0).state, TASK_RUNNING);
        close_fake (&r);
    }
}

/*  One that is cancelled while others make way for it has them go on. */
static void what_made_way_in_vain_goes_on (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    uint64_t data =
      transfer_begins (&r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin"});
    uint64_t compute = submit (&f, (wish_bag_t){.cpus = 1, .count = 16, .class_name = "thin"});
    fake_pass (&r, 1);
    fake_copy (&r, "big", "thin-001")->there = true;
    fake_pass (&r, 4);
    cancel (&f, data, -1);
    fake_pass (&r, 3);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal (task (&f, compute, i).state, TASK_RUNNING);
        assert_false (machine (&f, compute, i)->report.suspended);
    }
    close_fake (&r);
}

/*  How many tasks of a bag have been begun on thin-001. */
static uint32_t begun_there (replica_fake_t *r, uint64_t bag, uint32_t count)
{
    uint32_t begun = 0;
    for (uint32_t i = 0; i < count; i++)
        begun += strcmp (task (r->field, bag, i).node, "thin-001") == 0;
    return begun;
}

/*  One of the two that make way ends, while the other has not heard yet. Its CPU is not for a third
 *  one; nor are those of the one for whom they make way, nor when it is over. */
static void cpus_that_came_free_for_one_go_to_no_other (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    uint64_t data = transfer_begins (
      &r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin", .priority = 10});
    uint64_t narrow = submit (&f, (wish_bag_t){.count = 40, .class_name = "thin"});
    fake_pass (&r, 1);
    assert_int_equal (begun_there (&r, narrow, 40), 2);
    uint32_t first = 0;
    while (strcmp (task (&f, narrow, first).node, "thin-001") != 0)
        first++;
    machine_run_t *ends = machine (&f, narrow, first);
    fake_copy (&r, "big", "thin-001")->there = true;
    agent_of (&f, "thin-001")->away = true;
    fake_pass (&r, 3);
    machine_end (ends, f.w.host.now.wall_ms);
    agent_of (&f, "thin-001")->away = false;
    fake_pass (&r, 3);
    assert_int_equal (task (&f, data, 0).state, TASK_RUNNING);
    assert_int_equal (begun_there (&r, narrow, 40), 2);
    task_ends (&f, data, 0, 0);
    fake_pass (&r, 2);
    assert_int_equal (begun_there (&r, narrow, 40), 3); /* the one goes on, and one has ended */
    close_fake (&r);
}

/*  It stands still for longer than its limit of ten minutes, and is not ended for that; what it has
 *  left counts from when it goes on. */
static void a_limit_stands_still_with_its_run (void **state)
{
    (void) state;
    for (int restarts = 0; restarts < 2; restarts++) {
        field_t f;
        replica_fake_t r;
        open_fake (&r, &f);
        uint64_t data = transfer_begins (
          &r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin", .minutes = 60});
        uint64_t compute = submit (&f, (wish_bag_t){.cpus = 2, .count = 8, .class_name = "thin"});
        fake_pass (&r, 1);
        uint32_t there = 0;
        while (strcmp (task (&f, compute, there).node, "thin-001") != 0)
            there++;
        fake_copy (&r, "big", "thin-001")->there = true;
        fake_pass (&r, 4);
        assert_true (machine (&f, compute, there)->report.suspended);
        int64_t booked =
          free_without_work (&f, 72); /* it is in the calendar for ten minutes more */
        assert_int_equal (booked, 8);
        if (restarts)
            restart_field (&f);
        fake_pass (&r, 20 * 60);
        assert_true (machine (&f, compute, there)->report.suspended);
        assert_int_equal (task (&f, compute, there).state, TASK_RUNNING);
        task_ends (&f, data, 0, 0);
        fake_pass (&r, 9 * 60);
        assert_int_equal (task (&f, compute, there).state, TASK_RUNNING);
        fake_pass (&r, 3 * 60);
        assert_int_equal (task (&f, compute, there).state, TASK_STOPPED);
        close_fake (&r);
    }
}

/*  All nodes are reserved from minute 30 on: a rest of 20 minutes after an hour, or after 5
 *  minutes, has no room or has. */
static void who_would_have_no_time_left_does_not_make_way (void **state)
{
    (void) state;
    for (int64_t minutes = 5; minutes <= 20; minutes += 15) {
        field_t f;
        replica_fake_t r;
        open_fake (&r, &f);
        reserve (&f.w, "r1", booking ("thin", 16, 8, 35, 45));
        uint64_t data = transfer_begins (
          &r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin", .minutes = minutes});
        uint64_t compute =
          submit (&f, (wish_bag_t){.cpus = 2, .count = 8, .class_name = "thin", .minutes = 20});
        fake_pass (&r, 1);
        fake_copy (&r, "big", "thin-001")->there = true;
        fake_pass (&r, 4);
        uint32_t suspended = 0;
        for (uint32_t i = 0; i < 8; i++)
            suspended += machine (&f, compute, i)->report.suspended;
        assert_int_equal (suspended, minutes == 5);
        assert_int_equal (task (&f, data, 0).state, minutes == 5 ? TASK_RUNNING : TASK_QUEUED);
        close_fake (&r);
    }
}

/*  Its agent hears nothing: the machine may as well not be able to stop it. */
static void what_does_not_stop_in_time_goes_on (void **state)
{
    (void) state;
    field_t f;
    replica_fake_t r;
    open_fake (&r, &f);
    uint64_t data = transfer_begins (
      &r, (wish_bag_t){.input = "big", .cpus = 2, .class_name = "thin", .priority = 10});
    uint64_t compute = submit (&f, (wish_bag_t){.cpus = 2, .count = 9, .class_name = "thin"});
    fake_pass (&r, 1);
    uint32_t there = 0;
    while (strcmp (task (&f, compute, there).node, "thin-001") != 0)
        there++;
    agent_of (&f, "thin-001")->never_stops = true;
    fake_copy (&r, "big", "thin-001")->there = true;
    fake_pass (&r, 14);
    run_t run;
    run_id_t id = {.task = {compute, there}, .number = 1};
    assert_true (nodes_run (field_nodes (&f), &id, &run));
    assert_false (run.suspend);
    agent_of (&f, "thin-001")->never_stops = false;
    fake_pass (&r, 14);
    assert_false (machine (&f, compute, there)->report.suspended); /* nor is it told again */
    assert_int_equal (task (&f, data, 0).state, TASK_QUEUED);
    task_ends (&f, compute, there, 0);
    fake_pass (&r, 2);
    assert_int_equal (task (&f, data, 0).state, TASK_RUNNING);
    close_fake (&r);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_task_goes_where_its_input_is),
      cmocka_unit_test (a_bags_rank_comes_before_its_staging),
      cmocka_unit_test (a_reservations_tasks_go_where_their_rank_and_inputs_want_them),
      cmocka_unit_test (while_a_machine_transfers_it_computes_for_others_which_make_way_then),
      cmocka_unit_test (what_has_not_made_way_yet_has_its_cpus_after_a_restart),
      cmocka_unit_test (while_a_machine_computes_the_next_tasks_input_comes),
      cmocka_unit_test (what_made_way_in_vain_goes_on),
      cmocka_unit_test (cpus_that_came_free_for_one_go_to_no_other),
      cmocka_unit_test (a_limit_stands_still_with_its_run),
      cmocka_unit_test (who_would_have_no_time_left_does_not_make_way),
      cmocka_unit_test (what_does_not_stop_in_time_goes_on),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
