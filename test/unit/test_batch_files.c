/*  test_batch_files - tasks with inputs at a site whose nodes are a batch system's, before a faked
 *  svc-replica: they become jobs when their inputs have come to the storage node that all its nodes
 *  see.
 */
#include "batch_fixture.h"
#include "replica_fake.h"

typedef struct {
    batch_world_t w;
    replica_fake_t fake;
} batch_files_t;

static void see_all (void *owner, const effect_t *effect)
{
    batch_files_t *self = owner;
    see_work (&self->w, effect);
    fake_carry (&self->fake, effect);
}

/*  A site whose agent has come, and names that storage node; NULL = none. */
static batch_files_t *files_open (const char *storage)
{
    batch_files_t *self = must (calloc (1, sizeof *self));
    batch_prepare (&self->w);
    self->fake = (replica_fake_t){.field = &self->w.f, .size = 1000};
    self->w.f.w.carry = see_all;
    self->w.f.w.carrier = self;
    open_field (&self->w.f);
    agent (&self->w)->away = false;
    agent (&self->w)->storage = storage;
    agent (&self->w)->batch = &self->w.picture;
    look (&self->w);
    work_ends (&self->w, NULL);
    fake_pass (&self->fake, 2);
    return self;
}

static void files_close (batch_files_t *self)
{
    close_fake (&self->fake);
    free (self);
}

static void a_job_is_ordered_when_its_inputs_are_there (void **state)
{
    (void) state;
    batch_files_t *self = files_open ("disk-1");
    field_t *f = &self->w.f;
    agent (&self->w)->waits = "Slurm says PENDING, Priority";
    uint64_t number = submit (f, (wish_bag_t){.input = "era5", .minutes = 5});
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, number, 0).state, TASK_PLACED);
    assert_string_equal (task (f, number, 0).node, "slurm");
    assert_int_equal (agent (&self->w)->runs_count, 0);
    fake_copy_t *copy = fake_copy (&self->fake, "era5", "disk-1");
    copy->there = true;
    fake_pass (&self->fake, 3);
    assert_int_equal (agent (&self->w)->runs_count, 1);
    /*  How long it waits there is nobody's business, and its input stays so long. */
    fake_pass (&self->fake, 600);
    assert_int_equal (task (f, number, 0).tries, 1);
    assert_int_equal (task (f, number, 0).state, TASK_PLACED);
    run_report_t *job = &agent (&self->w)->runs [0].report;
    job->state = RUN_RUNNING;
    *job->why = '\0';
    fake_pass (&self->fake, 240);
    assert_int_equal (task (f, number, 0).state, TASK_RUNNING);
    assert_true (copy->stayed);
    task_ends (f, number, 0, 0);
    assert_int_equal (task (f, number, 0).state, TASK_ENDED);
    fake_pass (&self->fake, 20);
    assert_false (copy->stayed);
    files_close (self);
}

/*  None begins twice, and what waited for its input is placed anew. */
static void a_site_that_dies_while_inputs_come_begins_none_twice (void **state)
{
    (void) state;
    batch_files_t *self = files_open ("disk-1");
    field_t *f = &self->w.f;
    uint64_t began = submit (f, (wish_bag_t){.input = "near", .minutes = 50});
    uint64_t waits = submit (f, (wish_bag_t){.input = "far", .minutes = 50});
    fake_copy (&self->fake, "near", "disk-1")->there = true;
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, began, 0).state, TASK_RUNNING);
    assert_int_equal (task (f, waits, 0).state, TASK_PLACED);
    restart_field (f);
    fake_pass (&self->fake, 5);
    assert_int_equal (agent (&self->w)->runs_count, 1);
    fake_copy (&self->fake, "far", "disk-1")->there = true;
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, waits, 0).state, TASK_RUNNING);
    assert_int_equal (task (f, began, 0).tries, 1);
    assert_int_equal (agent (&self->w)->runs_count, 2);
    files_close (self);
}

static void tasks_whose_inputs_come_have_room_there (void **state)
{
    (void) state;
    batch_files_t *self = files_open ("disk-1");
    field_t *f = &self->w.f;
    uint64_t number = submit (f, (wish_bag_t){.input = "era5", .count = JOBS_MAX + 2});
    fake_pass (&self->fake, 5);
    submit (f, (wish_bag_t){.minutes = 5}); /* another pass */
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, number, JOBS_MAX - 1).state, TASK_PLACED);
    assert_int_equal (task (f, number, JOBS_MAX).state, TASK_QUEUED);
    fake_copy (&self->fake, "era5", "disk-1")->there = true;
    fake_pass (&self->fake, 5);
    assert_int_equal (agent (&self->w)->runs_count, JOBS_MAX);
    files_close (self);
}

/*  All works end well until one is asked for that begins so. */
static void files_until (batch_files_t *self, const char *asked)
{
    for (int seconds = 0; strncmp (self->w.asked, asked, strlen (asked)) != 0; seconds++) {
        assert_true (seconds < 3600);
        if (self->w.work > 0)
            work_ends (&self->w, NULL);
        fake_pass (&self->fake, 1);
    }
}

static void what_waits_for_an_input_ends_with_its_reservation (void **state)
{
    (void) state;
    batch_files_t *self = files_open ("disk-1");
    field_t *f = &self->w.f;
    reserve (&f->w, "r1", booking ("fat", 16, 1, 10, 20));
    uint64_t number = submit (f, (wish_bag_t){.reservation = "r1", .input = "era5", .minutes = 5});
    files_until (self, "open r1");
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, number, 0).state, TASK_PLACED);
    work_ends (&self->w, NULL);
    files_until (self, "close r1");
    fake_pass (&self->fake, 2);
    assert_int_equal (task (f, number, 0).state, TASK_CANCELLED);
    assert_string_equal (task (f, number, 0).why, "its reservation has ended");
    fake_copy (&self->fake, "era5", "disk-1")->there = true;
    fake_pass (&self->fake, 15);
    assert_int_equal (agent (&self->w)->runs_count, 0);
    files_close (self);
}

static void where_no_storage_node_is_seen_tasks_with_files_are_refused (void **state)
{
    (void) state;
    batch_files_t *self = files_open (NULL);
    field_t *f = &self->w.f;
    assert_int_equal (try_submit (f, &(wish_bag_t){.request_id = "a", .input = "era5"}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (f->w.reason, "inputs, outputs: should be none here"));
    assert_non_null (strstr (f->w.reason, "batch/inputs/shared"));
    agent (&self->w)->storage = "disk-1";
    fake_pass (&self->fake, 2);
    Musubi__TaskFile list = MUSUBI__TASK_FILE__INIT;
    Musubi__TaskFile *folder [] = {&list, NULL};
    list.name = (char *) "run7/.folder/1";
    list.path = (char *) ".folder/run7/.folder/1";
    assert_int_equal (try_submit (f, &(wish_bag_t){.request_id = "b", .inputs = folder}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (f->w.reason, "inputs: should be files here"));
    uint64_t number = submit (f, (wish_bag_t){.input = "era5"});
    fake_pass (&self->fake, 2);
    assert_int_equal (task (f, number, 0).state, TASK_PLACED);
    agent (&self->w)->storage = NULL; /* its administrator has changed his mind */
    fake_copy (&self->fake, "era5", "disk-1")->there = true;
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, number, 0).state, TASK_QUEUED);
    agent (&self->w)->storage = "disk-1";
    fake_pass (&self->fake, 5);
    assert_int_equal (task (f, number, 0).state, TASK_RUNNING);
    files_close (self);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_job_is_ordered_when_its_inputs_are_there),
      cmocka_unit_test (a_site_that_dies_while_inputs_come_begins_none_twice),
      cmocka_unit_test (tasks_whose_inputs_come_have_room_there),
      cmocka_unit_test (what_waits_for_an_input_ends_with_its_reservation),
      cmocka_unit_test (where_no_storage_node_is_seen_tasks_with_files_are_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
