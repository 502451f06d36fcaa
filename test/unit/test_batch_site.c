/*  test_batch_site - a site whose nodes are a batch system's: what the back end is told of
 *  reservations, and tasks that become jobs.
 */
#include "batch_fixture.h"

#include "nodes.pb-c.h"
#include "openings.pb-c.h"
#include "transaction.pb-c.h"

#include <inttypes.h>

static Musubi__ShowAnswer *show (batch_world_t *self, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (&self->f.w, "alice", "Participant", "Show", &request.base);
    return answer (&self->f.w, &musubi__show_answer__descriptor);
}

/*  Why it is in trouble, when it is disconnected; "" when it is not. */
static const char *disconnected (batch_world_t *self, const char *reservation, char why [WHY_BYTES])
{
    Musubi__ShowAnswer *told = show (self, reservation);
    const Musubi__OpeningRecord *record = told->record->opening;
    snprintf (why, WHY_BYTES, "%s", record->disconnected ? record->trouble : "");
    message_free (&told->base);
    return why;
}

static void a_reservation_that_is_hit_by_a_booking_is_degraded (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("thin", 16, 8, 10, 20));
    assert_false (degraded (&w, "r1"));
    book (&w, 1, 15, 30);
    assert_true (degraded (&w, "r1"));
    book (&w, 0, 0, 0);
    assert_false (degraded (&w, "r1"));
    close_world (&w.f.w);
}

static void one_of_a_silent_batch_system_is_disconnected_with_the_reason (void **state)
{
    (void) state;
    batch_world_t w;
    char why [WHY_BYTES];
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    memcpy (w.picture.why, "timed out", 10);
    look (&w);
    assert_string_equal (disconnected (&w, "r1", why), "timed out");
    w.picture.why [0] = '\0';
    look (&w);
    field_until (&w.f, 10, -5 * SECOND_MS);
    memcpy (w.picture.why, "timed out", 10);
    look (&w); /* while the back end is at work */
    assert_string_equal (disconnected (&w, "r1", why), "timed out");
    work_ends (&w, "it does not answer");
    assert_string_equal (disconnected (&w, "r1", why), "prepare: it does not answer");
    close_world (&w.f.w);
}

static void nodes_that_are_others_until_its_start_are_awaited (void **state)
{
    (void) state;
    batch_world_t w;
    batch_prepare (&w);
    w.f.runner.openings.bind_ms = 5 * MINUTE_MS;
    open_field (&w.f);
    agent (&w)->away = false;
    agent (&w)->batch = &w.picture;
    look (&w);
    work_ends (&w, NULL);
    reserve (&w.f.w, "r1", booking ("fat", 48, 3, 10, 20));
    reserve (&w.f.w, "r2", booking ("fat", 48, 3, 20, 30));
    field_until (&w.f, 10, 0);
    work_ends (&w, NULL);
    field_until (&w.f, 18, 0);
    assert_int_equal (opening (&w.f, "r2").nodes_count, 1);
    assert_false (degraded (&w, "r2"));
    field_until (&w.f, 20, -4 * SECOND_MS);
    assert_true (degraded (&w, "r2"));
    close_world (&w.f.w);
}

static void a_reservation_gets_nodes_that_nobody_has_booked (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    for (size_t i = 0; i < 8; i++)
        w.nodes [i].cpus_busy = i != 7; /* thin-008 is idle */
    book (&w, 6, 15, 30);
    reserve (&w.f.w, "r1", booking ("thin", 4, 2, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare r1 alice thin-007 thin-008");
    close_world (&w.f.w);
}

static void nodes_are_nobody_elses_before_the_back_end_has_closed (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_string_equal (w.asked, "prepare r1 alice fat-001");
    work_ends (&w, NULL);
    service_order_t leave = {
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 1, .prepare = true};
    command_answer_t told;
    txid_t txid = hold (&w.f.w, &leave, &told);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w.f.w, "Commit", &txid), COMMAND_COMMITTED);
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "close r1 alice fat-001");
    work_ends (&w, "it hangs");
    assert_true (bound_to (&w.f, "fat-001", "r1"));
    field_pass (&w.f, 2 * SECOND_MS);
    assert_string_equal (w.asked, "close r1 alice fat-001");
    work_ends (&w, NULL);
    assert_int_equal (bound (&w.f), 0);
    close_world (&w.f.w);
}

static void what_is_not_as_it_was_told_is_told_again (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    work_ends (&w, NULL);
    field_until (&w.f, 10, 0);
    assert_string_equal (w.asked, "open r1 alice fat-001");
    work_ends (&w, NULL);
    field_until (&w.f, 10, 31 * SECOND_MS);
    assert_string_equal (w.asked, "watch r1 alice fat-001");
    work_ends (&w, "root has deleted it");
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "open r1 alice fat-001");
    assert_false (opening (&w.f, "r1").prepared);
    work_ends (&w, NULL);
    assert_true (opening (&w.f, "r1").prepared);
    restart_field (&w.f);
    assert_string_equal (w.asked, "reconcile r1 alice fat-001");
    work_ends (&w, NULL);
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "open r1 alice fat-001");
    close_world (&w.f.w);
}

static void what_is_over_when_the_site_comes_back_is_closed (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    field_until (&w.f, 10, -5 * SECOND_MS);
    work_ends (&w, NULL);
    for (size_t i = 8; i < NODES; i++)
        w.nodes [i].up = false;
    look (&w);
    assert_string_equal (w.asked, "prepare r1 alice");
    work_ends (&w, NULL);
    assert_int_equal (bound (&w.f), 0);
    memory_host_turn (&w.f.w.host, w.f.w.host.now.mono_ms + 30 * MINUTE_MS); /* it is away */
    restart_field (&w.f);
    work_ends (&w, NULL);
    field_pass (&w.f, SECOND_MS);
    assert_string_equal (w.asked, "close r1 alice");
    close_world (&w.f.w);
}

/*  A batch system that has died before it stored the removal has the reservation again. */
static void what_was_closed_is_looked_for_once_more (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    works_end_until (&w, "close r1 ");
    int64_t closed_ms = w.f.w.host.now.mono_ms;
    work_ends (&w, NULL);
    works_end_until (&w, "reconcile");
    assert_in_range (w.f.w.host.now.mono_ms - closed_ms, 14 * SECOND_MS, 17 * SECOND_MS);
    assert_string_equal (w.asked, "reconcile"); /* r1 is not to be there */
    work_ends (&w, "slurmctld does not answer");
    w.asked [0] = '\0';
    works_end_until (&w, "reconcile");
    work_ends (&w, NULL);
    works_end_until (&w, "count");
    work_says (&w, true, BACK_END_NO_ACCOUNTING);
    w.asked [0] = '\0';
    field_pass (&w.f, MINUTE_MS);
    assert_string_equal (w.asked, "");
    close_world (&w.f.w);
}

static void use_is (batch_world_t *self, Musubi__UseCounted counted, int64_t cpu_ms)
{
    Musubi__ShowAnswer *told = show (self, "r1");
    assert_int_equal (told->record->opening->counted, counted);
    assert_int_equal (told->record->opening->cpu_ms, cpu_ms);
    message_free (&told->base);
}

/*  Once it is over, by its batch system's accounting, which may not answer at first; also after a
 *  restart. */
static void what_it_used_is_what_the_accounting_says (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    uint64_t number = submit (&w.f, (wish_bag_t){.reservation = "r1", .minutes = 5});
    works_end_until (&w, "open r1 ");
    work_ends (&w, NULL);
    field_pass (&w.f, SECOND_MS);
    machine (&w.f, number, 0)->report.cpu_ms = 3000;
    task_ends (&w.f, number, 0, 0);
    works_end_until (&w, "close r1 ");
    int64_t closed_ms = w.f.w.host.now.mono_ms;
    use_is (&w, MUSUBI__USE_COUNTED__USE_TOLD, 3000);
    works_end_until (&w, "count r1 alice");
    assert_in_range (w.f.w.host.now.mono_ms - closed_ms, 19 * SECOND_MS, 22 * SECOND_MS);
    work_ends (&w, "slurmdbd does not answer");
    use_is (&w, MUSUBI__USE_COUNTED__USE_TOLD, 3000);
    restart_field (&w.f);
    w.asked [0] = '\0';
    works_end_until (&w, "count r1 alice");
    work_says (&w, true, "4500");
    use_is (&w, MUSUBI__USE_COUNTED__USE_ACCOUNTED, 4500);
    restart_field (&w.f);
    use_is (&w, MUSUBI__USE_COUNTED__USE_ACCOUNTED, 4500);
    works_end_until (&w, "reconcile");
    w.asked [0] = '\0';
    work_ends (&w, NULL);
    field_pass (&w.f, MINUTE_MS);
    assert_string_equal (w.asked, ""); /* it is asked for once */
    close_world (&w.f.w);
}

static void without_an_accounting_it_is_what_its_tasks_told (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    works_end_until (&w, "count r1 alice");
    work_says (&w, true, BACK_END_NO_ACCOUNTING);
    use_is (&w, MUSUBI__USE_COUNTED__USE_UNACCOUNTED, 0);
    close_world (&w.f.w);
}

static void tasks_become_jobs_while_there_is_room (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    uint64_t bag = submit (&w.f, (wish_bag_t){.count = JOBS_MAX + 2});
    look (&w);
    assert_int_equal (task (&w.f, bag, JOBS_MAX - 1).state, TASK_RUNNING);
    assert_int_equal (task (&w.f, bag, JOBS_MAX).state, TASK_QUEUED);
    task_ends (&w.f, bag, 0, 3);
    look (&w);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_ENDED);
    assert_int_equal (task (&w.f, bag, JOBS_MAX).state, TASK_RUNNING);
    restart_field (&w.f); /* none is handed over twice */
    look (&w);
    assert_int_equal (task (&w.f, bag, 1).state, TASK_RUNNING);
    assert_int_equal (task (&w.f, bag, 1).tries, 1);
    assert_int_equal (agent (&w)->runs_count, JOBS_MAX);
    close_world (&w.f.w);
}

static void tasks_of_a_reservation_are_queued_once_it_is_prepared (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    uint64_t bag =
      submit (&w.f, (wish_bag_t){.reservation = "r1", .count = JOBS_MAX + 1, .minutes = 5});
    field_until (&w.f, 10, -5 * SECOND_MS);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_QUEUED);
    work_ends (&w, NULL);
    look (&w);
    assert_int_equal (task (&w.f, bag, JOBS_MAX).state, TASK_RUNNING);
    uint64_t other = submit (&w.f, (wish_bag_t){.minutes = 5}); /* they are not in its way */
    look (&w);
    assert_int_equal (task (&w.f, other, 0).state, TASK_RUNNING);
    field_until (&w.f, 10, 0);
    work_ends (&w, NULL);
    field_until (&w.f, 20, 0);
    look (&w);
    assert_int_equal (task (&w.f, bag, 0).state, TASK_STOPPED);
    close_world (&w.f.w);
}

/*  "ACCOUNT CHARGED QOS" of the last run that has begun. */
static char charged [256];

static void see_charged (void *owner, const wanted_run_t *wanted)
{
    (void) owner;
    snprintf (charged, sizeof charged, "%s %s %s", wanted->order->account, wanted->order->charged,
              wanted->order->qos);
}

static void what_an_actor_charges_is_told_with_tasks_and_reservations (void **state)
{
    (void) state;
    static account_t accounts [] = {
      {.actor = "alice", .account = "climate", .charged = "physics", .qos = "high"},
      {.actor = "bob", .account = "guest"}};
    batch_world_t w;
    batch_prepare (&w);
    w.f.runner.accounts = accounts;
    w.f.begun = see_charged;
    open_field (&w.f);
    agent (&w)->away = false;
    agent (&w)->batch = &w.picture;
    look (&w);
    work_ends (&w, NULL);
    submit (&w.f, (wish_bag_t){.minutes = 5});
    look (&w);
    assert_string_equal (charged, "climate physics high");
    submit (&w.f, (wish_bag_t){.actor = "bob", .minutes = 5});
    look (&w);
    assert_string_equal (charged, "guest  ");
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 10, 20));
    works_end_until (&w, "prepare r1 climate:physics ");
    close_world (&w.f.w);
}

/*  alice's section charges something, and bob's does not. */
static void charging_open (batch_world_t *w)
{
    static account_t accounts [] = {
      {.actor = "alice", .account = "climate", .charged = "physics", .section = "accounts/climate"},
      {.actor = "bob", .account = "guest", .section = "accounts/guest"}};
    batch_prepare (w);
    w->f.runner.accounts = accounts;
    open_field (&w->f);
    agent (w)->away = false;
    agent (w)->batch = &w->picture;
    look (w);
    work_ends (w, NULL);
    assert_true (w->charging > 0);
}

static command_state_t hold_of (batch_world_t *w, const char *actor, char why [WHY_BYTES])
{
    char name [16];
    compute_booking_t one = booking ("fat", 16, 1, 10, 20);
    snprintf (name, sizeof name, "h%u", (unsigned) w->f.w.counter);
    service_order_t order = {.reservation = name, .bookings = &one, .count = 1, .actor = actor};
    command_answer_t told;
    txid_t txid = hold (&w->f.w, &order, &told);
    command_state_t state = told.state;
    snprintf (why, WHY_BYTES, "%s", told.refusal.text);
    codec_clear (&command_answer_codec, &told);
    if (state == COMMAND_HELD)
        tell (&w->f.w, "Abort", &txid);
    return state;
}

/*  Is asked again after so many seconds, and not before. */
static void charges_asked_until (batch_world_t *w, int64_t seconds)
{
    size_t before = w->charges;
    field_pass (&w->f, (seconds - 2) * SECOND_MS);
    assert_int_equal (w->charges, before);
    field_pass (&w->f, 4 * SECOND_MS);
    assert_int_equal (w->charges, before + 1);
}

#define NO_PHYSICS "Slurm has no account physics of the user climate"

static void nothing_new_is_sold_to_an_account_that_may_not_charge (void **state)
{
    (void) state;
    batch_world_t w;
    bool ready;
    char why [LONG_WHY_BYTES];
    charging_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 20, 30)); /* nothing is known yet */
    charges_end_told (&w, "accounts/climate: " NO_PHYSICS "\naccounts/climate-2: no\n");
    assert_int_equal (hold_of (&w, "alice", why), COMMAND_REJECTED);
    assert_string_equal (why, "alice may have nothing new here: accounts/climate: " NO_PHYSICS);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.minutes = 5}), CALL_DENIED);
    assert_non_null (strstr (w.f.w.reason, "accounts/climate: " NO_PHYSICS));
    assert_int_equal (hold_of (&w, "bob", why), COMMAND_HELD);
    submit (&w.f, (wish_bag_t){.actor = "bob", .minutes = 5});
    assert_string_equal (trouble (&w, "r1", &ready, why), "accounts/climate: " NO_PHYSICS);
    assert_true (degraded (&w, "r1"));
    charges_asked_until (&w, 300);
    charges_end_told (&w, NULL); /* what it said last counts */
    assert_int_equal (hold_of (&w, "alice", why), COMMAND_REJECTED);
    charges_asked_until (&w, 30);
    charges_end_told (&w, "accounts/climate: ?\n");
    assert_int_equal (hold_of (&w, "alice", why), COMMAND_REJECTED);
    charges_asked_until (&w, 30);
    charges_end_told (&w, "");
    assert_int_equal (hold_of (&w, "alice", why), COMMAND_HELD);
    submit (&w.f, (wish_bag_t){.minutes = 5});
    assert_string_equal (trouble (&w, "r1", &ready, why), "");
    assert_false (degraded (&w, "r1"));
    close_world (&w.f.w);
}

static void a_reservation_of_an_unfit_account_can_be_given_back (void **state)
{
    (void) state;
    batch_world_t w;
    charging_open (&w);
    reserve (&w.f.w, "r1", booking ("fat", 16, 1, 20, 30));
    charges_end_told (&w, "accounts/climate: " NO_PHYSICS "\n");
    command_answer_t told;
    service_order_t order = {
      .operation = OPERATION_RELEASE, .reservation = "r1", .base_version = 1, .prepare = true};
    txid_t txid = hold (&w.f.w, &order, &told);
    assert_int_equal (told.state, COMMAND_PREPARED);
    codec_clear (&command_answer_codec, &told);
    assert_int_equal (tell (&w.f.w, "Commit", &txid), COMMAND_COMMITTED);
    close_world (&w.f.w);
}

/*  What Queue.Bags and Queue.Tasks say of why the first task waits. */
static void waits_are (batch_world_t *self, uint64_t number, const char *wanted)
{
    Musubi__TasksRequest of_bag = MUSUBI__TASKS_REQUEST__INIT;
    of_bag.bag = number;
    assert_int_equal (ask_with_id (&self->f, "alice", "Tasks", "", &of_bag.base), CALL_OK);
    Musubi__TasksAnswer *tasks = answer (&self->f.w, &musubi__tasks_answer__descriptor);
    assert_string_equal (tasks->tasks [0]->waits, wanted);
    message_free (&tasks->base);
    Musubi__QueueRequest all = MUSUBI__QUEUE_REQUEST__INIT;
    assert_int_equal (ask_with_id (&self->f, "alice", "Bags", "", &all.base), CALL_OK);
    Musubi__QueueAnswer *bags = answer (&self->f.w, &musubi__queue_answer__descriptor);
    assert_string_equal (bags->bags [0]->why, wanted);
    message_free (&bags->base);
}

static void a_job_that_waits_is_queued_for_the_batch_systems_own_reason (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    agent (&w)->waits = "Slurm says PENDING, Priority";
    uint64_t number = submit (&w.f, (wish_bag_t){.count = 2});
    look (&w);
    assert_int_equal (bag (&w.f, number).queued, 2);
    assert_int_equal (bag (&w.f, number).running, 0);
    waits_are (&w, number, "Slurm says PENDING, Priority");
    run_report_t *first = &agent (&w)->runs [0].report;
    snprintf (first->why, sizeof first->why, "Slurm says PENDING, Resources");
    look (&w);
    waits_are (&w, number, "Slurm says PENDING, Resources");
    first->state = RUN_RUNNING;
    *first->why = '\0';
    look (&w);
    assert_int_equal (bag (&w.f, number).queued, 1);
    assert_int_equal (bag (&w.f, number).running, 1);
    assert_int_equal (task (&w.f, number, 0).state, TASK_RUNNING);
    task_ends (&w.f, number, 0, 0);
    assert_string_equal (task (&w.f, number, 0).why, "");
    close_world (&w.f.w);
}

static void what_can_never_start_there_is_refused (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    w.picture.longest_ms = 30 * MINUTE_MS;
    for (size_t i = 0; i < NODES; i++)
        w.nodes [i].cpus = 8;
    look (&w);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "a", .minutes = 31}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "limit_ms: slurm 22.05.8 lets no job there run for "
                                           "longer than 1800 s, and this one asks for 1860 s"));
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "b", .cpus = 9}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "cpus: a task runs on one node, and none of slurm "
                                           "22.05.8 gives a job more than 8 CPUs, not 9"));
    submit (&w.f, (wish_bag_t){.minutes = 30, .cpus = 8, .gpus = 1}); /* it tells of no GPUs */
    w.picture.features = true;
    w.nodes [3].gpus = 2;
    look (&w);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "c", .gpus = 3}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "gpus: a task runs on one node, and none of slurm "
                                           "22.05.8 gives a job more than 2 GPUs, not 3"));
    submit (&w.f, (wish_bag_t){.gpus = 2});
    close_world (&w.f.w);
}

static void what_a_batch_system_cannot_do_is_refused (void **state)
{
    (void) state;
    batch_world_t w;
    batch_open (&w);
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "a", .class_name = "fat"}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "class_name: should be none here: slurm runs"));
    assert_int_equal (try_submit (&w.f, &(wish_bag_t){.request_id = "b", .input = "a/file"}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (w.f.w.reason, "inputs, outputs: should be none here"));
    close_world (&w.f.w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_reservation_that_is_hit_by_a_booking_is_degraded),
      cmocka_unit_test (one_of_a_silent_batch_system_is_disconnected_with_the_reason),
      cmocka_unit_test (nodes_that_are_others_until_its_start_are_awaited),
      cmocka_unit_test (a_reservation_gets_nodes_that_nobody_has_booked),
      cmocka_unit_test (nodes_are_nobody_elses_before_the_back_end_has_closed),
      cmocka_unit_test (what_is_not_as_it_was_told_is_told_again),
      cmocka_unit_test (what_is_over_when_the_site_comes_back_is_closed),
      cmocka_unit_test (what_was_closed_is_looked_for_once_more),
      cmocka_unit_test (what_it_used_is_what_the_accounting_says),
      cmocka_unit_test (without_an_accounting_it_is_what_its_tasks_told),
      cmocka_unit_test (tasks_become_jobs_while_there_is_room),
      cmocka_unit_test (tasks_of_a_reservation_are_queued_once_it_is_prepared),
      cmocka_unit_test (what_an_actor_charges_is_told_with_tasks_and_reservations),
      cmocka_unit_test (nothing_new_is_sold_to_an_account_that_may_not_charge),
      cmocka_unit_test (a_reservation_of_an_unfit_account_can_be_given_back),
      cmocka_unit_test (a_job_that_waits_is_queued_for_the_batch_systems_own_reason),
      cmocka_unit_test (what_can_never_start_there_is_refused),
      cmocka_unit_test (what_a_batch_system_cannot_do_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
