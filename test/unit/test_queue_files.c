/*  The queue's tasks with inputs and outputs, before a faked svc-replica: no run is ordered before
 *  its inputs are there, no task has ended before its outputs are stored, and a death of the site
 *  at any step changes neither.
 */
#include "queue_fixture.h"

#include "directory_wire.h"
#include "file_questions.h"
#include "task_files.h"

#define PENDING_MAX 64
#define FAKE_MAX    16

typedef struct {
    uint64_t call;
    char method [32];
    uint8_t body [1024];
    size_t size;
} fake_call_t;

/*  A file at a node, as the fake has it. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    staged_state_t state;
    uint32_t stay_ms; /* as last asked */
} fake_file_t;

typedef struct {
    field_t field;
    fake_call_t pending [PENDING_MAX];
    size_t pending_count;
    fake_file_t files [FAKE_MAX]; /* that were asked for */
    size_t files_count;
    staged_state_t comes; /* what a file that is new is */
    staged_state_t taken; /* what an output is */
    size_t stays;         /* questions */
    size_t taken_in;
    char path [256]; /* of the last TakeIn */
    char name [256];
    bool silent; /* it answers nothing */
    size_t begun;
    run_file_t input; /* of the last run that has begun */
    bool wrong;       /* a run has begun before its input was there */
} files_world_t;

static fake_file_t *fake_file (files_world_t *self, const char *name, const char *node)
{
    for (size_t i = 0; i < self->files_count; i++)
        if (strcmp (self->files [i].name, name) == 0 && strcmp (self->files [i].node, node) == 0)
            return &self->files [i];
    assert_true (self->files_count < FAKE_MAX);
    fake_file_t *file = &self->files [self->files_count++];
    *file = (fake_file_t){.state = self->comes};
    snprintf (file->name, sizeof file->name, "%s", name);
    snprintf (file->node, sizeof file->node, "%s", node);
    return file;
}

static void carry (void *owner, const effect_t *effect)
{
    files_world_t *self = owner;
    if (effect->kind != EFFECT_CALL)
        return;
    assert_true (self->pending_count < PENDING_MAX && effect->call.body.size <= 1024);
    fake_call_t *pending = &self->pending [self->pending_count++];
    *pending = (fake_call_t){.call = effect->call.call, .size = effect->call.body.size};
    snprintf (pending->method, sizeof pending->method, "%s", effect->call.method);
    if (pending->size > 0)
        memcpy (pending->body, effect->call.body.data, pending->size);
}

/*  The directory knows the site's svc-replica. */
static packed_t find_answer (void)
{
    directory_entry_t entry = {
      .name = "replica/ams", .store = {3}, .start = 1, .endpoint = "sim://replica/ams"};
    return codec_encode (&found_codec, &(found_t){.entries = &entry, .entries_count = 1});
}

static packed_t stay_answer (files_world_t *self, const fake_call_t *pending)
{
    char why [WHY_BYTES];
    stay_question_t asked;
    assert_true (
      codec_decode (&stay_question_codec, &asked, (bytes_t){pending->body, pending->size}, why));
    assert_string_equal (asked.who, "lis/ams");
    fake_file_t *file = fake_file (self, asked.name, asked.node);
    file->stay_ms = asked.stay_ms;
    self->stays++;
    stay_answer_t told = {.state = file->state, .size = 1000};
    if (file->state == STAGED_READY) {
        told.path = (char *) "/disk/copy";
        told.digest_known = true;
    }
    if (file->state == STAGED_LATE)
        snprintf (told.why, sizeof told.why, "no site has %.100s", file->name);
    return codec_encode (&stay_answer_codec, &told);
}

static packed_t take_in_answer (files_world_t *self, const fake_call_t *pending)
{
    char why [WHY_BYTES];
    take_in_question_t asked;
    assert_true (
      codec_decode (&take_in_question_codec, &asked, (bytes_t){pending->body, pending->size}, why));
    self->taken_in++;
    snprintf (self->path, sizeof self->path, "%s", asked.path);
    snprintf (self->name, sizeof self->name, "%s", asked.name);
    assert_string_equal (asked.owner, "alice");
    codec_clear (&take_in_question_codec, &asked);
    take_in_answer_t told = {.state = self->taken, .digest_known = self->taken == STAGED_READY};
    if (self->taken == STAGED_LATE)
        snprintf (told.why, sizeof told.why, "the name is taken");
    return codec_encode (&take_in_answer_codec, &told);
}

static void serve_one (files_world_t *self)
{
    fake_call_t pending = self->pending [0];
    service_world_t *w = &self->field.w;
    memmove (&self->pending [0], &self->pending [1], --self->pending_count * sizeof *self->pending);
    size_t at = 0;
    while (at < w->calls_count && w->calls [at].call != pending.call)
        at++;
    if (at == w->calls_count)
        return; /* of a process that has died, or it has timed out */
    bool find = strcmp (pending.method, "Find") == 0;
    bool stay = strcmp (pending.method, "Stay") == 0;
    if (!find && !stay && strcmp (pending.method, "TakeIn") != 0)
        return;
    if (self->silent && !find)
        return;
    w->calls [at] = w->calls [--w->calls_count];
    packed_t body = find   ? find_answer ()
                    : stay ? stay_answer (self, &pending)
                           : take_in_answer (self, &pending);
    step (w, &(event_t){.kind = EVENT_ANSWER,
                        .answer = {.call = pending.call,
                                   .status = CALL_OK,
                                   .reason = "",
                                   .body = {body.data, body.size},
                                   .store = {3},
                                   .store_start = 1}});
    free (body.data);
}

static void serve (files_world_t *self)
{
    while (self->pending_count > 0)
        serve_one (self);
}

/*  Lets time pass; the fake answers, agents ask. */
static void files_pass (files_world_t *self, int64_t ms)
{
    for (; ms > 0; ms -= 500) {
        pass (&self->field.w, 500);
        serve (self);
        agents_come (&self->field);
        serve (self);
    }
}

static void on_begun (void *owner, const wanted_run_t *wanted)
{
    files_world_t *self = owner;
    self->begun++;
    codec_clear (&run_file_codec, &self->input);
    if (!wanted->order || wanted->order->inputs_count == 0)
        return;
    codec_copy (&run_file_codec, &self->input, &wanted->order->inputs [0]);
    self->wrong |= fake_file (self, self->input.name, "disk-1")->state != STAGED_READY;
}

/*  thin-001 and thin-002 have storage nodes beside them. */
static void open_files (files_world_t *self)
{
    *self = (files_world_t){.comes = STAGED_READY, .taken = STAGED_READY};
    prepare_queue (&self->field);
    self->field.w.carry = carry;
    self->field.w.carrier = self;
    self->field.begun = on_begun;
    self->field.begun_owner = self;
    agent_of (&self->field, "thin-001")->storage = "disk-1";
    agent_of (&self->field, "fat-001")->storage = "disk-2";
    open_field (&self->field);
    files_pass (self, 6000);
}

static void close_files (files_world_t *self)
{
    codec_clear (&run_file_codec, &self->input);
    close_world (&self->field.w);
}

static Musubi__TaskFile file_named (const char *name, const char *path)
{
    Musubi__TaskFile file = MUSUBI__TASK_FILE__INIT;
    file.name = (char *) name;
    file.path = (char *) path;
    return file;
}

static uint64_t submit_files (files_world_t *self, const char *input, const char *output)
{
    Musubi__TaskFile in = file_named (input, ""), out = file_named (output, "out.nc");
    Musubi__TaskFile *inputs [] = {&in, NULL}, *outputs [] = {&out, NULL};
    return submit (&self->field, (wish_bag_t){.class_name = "thin",
                                              .inputs = *input ? inputs : NULL,
                                              .outputs = *output ? outputs : NULL});
}

/*  The task's run ends well; its outputs are handed over. */
static void task_run_ends (files_world_t *self, uint64_t bag, bool handed)
{
    openings_agent_t *agent = agent_of (&self->field, "thin-001");
    for (size_t i = 0; i < agent->runs_count; i++) {
        run_report_t *report = &agent->runs [i].report;
        if (report->id.task.bag != bag || run_over (report->state))
            continue;
        report->handed = handed;
        run_ends (&self->field, report->id, 0);
        return;
    }
    fail_msg ("no run of bag %d", (int) bag);
}

static void a_run_is_ordered_when_its_inputs_are_there (void **state)
{
    (void) state;
    files_world_t *world = calloc (1, sizeof *world);
    assert_non_null (world);
    open_files (world);
    world->comes = STAGED_COMING;
    uint64_t bag = submit_files (world, "era5/2020.nc", "");
    files_pass (world, 5000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_PLACED);
    assert_string_equal (task (&world->field, bag, 0).node, "thin-001");
    assert_int_equal (world->begun, 0);
    assert_int_equal (world->files_count, 1);
    world->files [0].state = STAGED_READY;
    files_pass (world, 3000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_RUNNING);
    assert_string_equal (world->input.name, "era5/2020.nc");
    assert_string_equal (world->input.path, "2020.nc");
    assert_string_equal (world->input.copy, "/disk/copy");
    assert_int_equal (world->input.size, 1000);
    /*  While it runs the stay is renewed, and ended a while after it. */
    size_t stays = world->stays;
    files_pass (world, 5 * MINUTE_MS);
    assert_true (world->stays > stays + 2);
    task_run_ends (world, bag, false);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_ENDED);
    files_pass (world, 60000);
    assert_int_equal (world->files [0].stay_ms, 0);
    stays = world->stays;
    files_pass (world, 5 * MINUTE_MS);
    assert_int_equal (world->stays, stays);
    assert_false (world->wrong);
    close_files (world);
    free (world);
}

static void an_input_that_nobody_has_stops_the_task_with_the_reason (void **state)
{
    (void) state;
    files_world_t *world = calloc (1, sizeof *world);
    assert_non_null (world);
    open_files (world);
    world->comes = STAGED_LATE;
    uint64_t bag = submit_files (world, "nothing", "");
    files_pass (world, 50000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_PLACED);
    files_pass (world, 15000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_STOPPED);
    assert_non_null (strstr (task (&world->field, bag, 0).why, "no site has nothing"));
    assert_int_equal (world->begun, 0);
    close_files (world);
    free (world);
}

static void a_task_has_ended_when_its_outputs_are_stored (void **state)
{
    (void) state;
    files_world_t *world = calloc (1, sizeof *world);
    assert_non_null (world);
    open_files (world);
    world->taken = STAGED_COMING;
    uint64_t bag = submit_files (world, "", "runs/%i.nc");
    files_pass (world, 2000);
    task_run_ends (world, bag, true);
    files_pass (world, 3000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_RUNNING);
    assert_string_equal (world->name, "runs/0.nc");
    assert_true (strchr (world->path, '/') == NULL && strstr (world->path, ".0.1.0"));
    /*  The node has its CPUs back meanwhile. */
    assert_int_equal (agent_of (&world->field, "thin-001")->cpus, 2);
    restart_field (&world->field);
    world->taken = STAGED_READY;
    files_pass (world, 8000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_ENDED);
    assert_int_equal (bag_as (&world->field, "alice", bag).over, 1);
    /*  An output that can't be stored. */
    world->taken = STAGED_LATE;
    bag = submit_files (world, "", "runs/%i.nc");
    files_pass (world, 2000);
    task_run_ends (world, bag, true);
    files_pass (world, 2000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_STOPPED);
    assert_non_null (strstr (task (&world->field, bag, 0).why, "the name is taken"));
    /*  One that was not handed over. */
    bag = submit_files (world, "", "runs/%i.nc");
    files_pass (world, 2000);
    task_run_ends (world, bag, false);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_STOPPED);
    close_files (world);
    free (world);
}

static void a_task_that_waits_for_inputs_can_be_cancelled_and_leaves_a_lost_node (void **state)
{
    (void) state;
    files_world_t *world = calloc (1, sizeof *world);
    assert_non_null (world);
    open_files (world);
    world->comes = STAGED_COMING;
    uint64_t bag = submit_files (world, "a", "");
    files_pass (world, 2000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_PLACED);
    /*  The agent is silent: the task waits again, and is placed when it is back. */
    agent_of (&world->field, "thin-001")->away = true;
    files_pass (world, 40000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_QUEUED);
    agent_of (&world->field, "thin-001")->away = false;
    files_pass (world, 2000);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_PLACED);
    /*  Beyond its limit it goes on waiting: it has not run. */
    files_pass (world, 12 * MINUTE_MS);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_PLACED);
    Musubi__CancelRequest request = MUSUBI__CANCEL_REQUEST__INIT;
    request.bag = bag;
    assert_int_equal (ask_with_id (&world->field, "alice", "Cancel", "", &request.base), CALL_OK);
    assert_int_equal (task (&world->field, bag, 0).state, TASK_STOPPED);
    files_pass (world, 2000);
    assert_int_equal (world->begun, 0);
    assert_int_equal (bag_as (&world->field, "alice", bag).over, 1);
    close_files (world);
    free (world);
}

/*  The site dies in each step of a task's way, before or after its flush. */
static void a_death_at_any_step_neither_loses_the_task_nor_runs_it_without_its_input (void **state)
{
    (void) state;
    files_world_t *world = calloc (1, sizeof *world);
    assert_non_null (world);
    for (size_t dies = 0; dies < 80; dies++) {
        size_t in = dies / 4 * 5 + 1;
        open_files (world);
        world->comes = STAGED_COMING;
        uint64_t bag = submit_files (world, "a", "b-%i");
        world->field.w.dies_flushed = dies % 2;
        if (dies % 4 < 2)
            world->field.w.dies_in = world->field.w.steps + in;
        files_pass (world, 8000);
        world->files [0].state = STAGED_READY;
        files_pass (world, 40000);
        assert_int_equal (task (&world->field, bag, 0).state, TASK_RUNNING);
        assert_int_equal (world->begun, 1);
        if (dies % 4 >= 2)
            world->field.w.dies_in = world->field.w.steps + in;
        task_run_ends (world, bag, true);
        files_pass (world, 10000);
        assert_true (world->field.w.steps >= world->field.w.dies_in);
        if (task (&world->field, bag, 0).state != TASK_ENDED)
            fail_msg ("death %zu: state %d", dies, task (&world->field, bag, 0).state);
        assert_false (world->wrong);
        close_files (world);
    }
    free (world);
}

static bool files_right (const char *const *inputs, const char *const *outputs, uint32_t count,
                         char why [WHY_BYTES])
{
    run_order_t order = {.folder = "", .index_from = 0};
    run_file_t in [4] = {0}, out [4] = {0};
    order.inputs = in;
    order.outputs = out;
    for (; inputs [order.inputs_count]; order.inputs_count++)
        in [order.inputs_count] =
          (run_file_t){.name = inputs [order.inputs_count], .path = strdup ("")};
    for (; outputs [order.outputs_count]; order.outputs_count++)
        out [order.outputs_count] =
          (run_file_t){.name = outputs [order.outputs_count], .path = strdup ("")};
    bool good = task_files_check (&order, count, why);
    for (size_t i = 0; i < 4; i++) {
        free ((char *) in [i].path);
        free ((char *) out [i].path);
    }
    return good;
}

#define NAMES(...)                                                                                 \
    (const char *const [])                                                                         \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define NONE                                                                                       \
    (const char *const [])                                                                         \
    {                                                                                              \
        NULL                                                                                       \
    }

static void names_and_paths_are_judged_for_all_tasks_of_a_bag (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    assert_true (files_right (NAMES ("era5/2020.nc", "b"), NAMES ("out-%i"), 100, why));
    assert_true (files_right (NAMES ("part-%i"), NAMES ("done-%i"), 100, why));
    assert_true (files_right (NAMES ("x/a"), NAMES ("y"), 1, why));
    /*  A cycle within the bag: an input that a task of it makes. */
    assert_false (files_right (NAMES ("x/out-7"), NAMES ("x/out-%i"), 8, why));
    assert_non_null (strstr (why, "outputs: x/out-%i is an input"));
    assert_true (files_right (NAMES ("x/out-8"), NAMES ("x/out-%i"), 8, why));
    assert_true (files_right (NAMES ("x/out-07"), NAMES ("x/out-%i"), 8, why));
    assert_false (files_right (NAMES ("a/a%i"), NAMES ("a/a1%i"), 100, why));
    assert_true (files_right (NAMES ("a/a%i"), NAMES ("a/ab%i"), 100, why));
    assert_false (files_right (NAMES ("d/n"), NAMES ("d/n"), 1, why));
    /*  A file that two tasks would make, or one task twice. */
    assert_false (files_right (NONE, NAMES ("out"), 2, why));
    assert_non_null (strstr (why, "put %i into it"));
    assert_false (files_right (NONE, NAMES ("d/%i", "e/%i"), 2, why)); /* one path */
    assert_false (files_right (NONE, NAMES ("d/%i", "d/%i"), 2, why));
    /*  One place for two; names that no file may have. */
    assert_false (files_right (NAMES ("x/a", "y/a"), NONE, 1, why));
    assert_false (files_right (NAMES ("../a"), NONE, 1, why));
    assert_non_null (strstr (why, "inputs[0].name"));
    assert_false (files_right (NAMES ("%i%i"), NONE, 1, why));
    assert_non_null (strstr (why, "at most once"));
}

static void a_bad_submission_names_the_field (void **state)
{
    (void) state;
    files_world_t *world = calloc (1, sizeof *world);
    assert_non_null (world);
    open_files (world);
    Musubi__TaskFile file = file_named ("a", "../a");
    Musubi__TaskFile *files [] = {&file, NULL};
    assert_int_equal (try_submit (&world->field, &(wish_bag_t){.inputs = files}), CALL_BAD_REQUEST);
    assert_non_null (strstr (world->field.w.reason, "inputs[0].path"));
    file = file_named ("a", "/etc/passwd");
    assert_int_equal (try_submit (&world->field, &(wish_bag_t){.outputs = files}),
                      CALL_BAD_REQUEST);
    assert_non_null (strstr (world->field.w.reason, "outputs[0].path"));
    close_files (world);
    free (world);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (names_and_paths_are_judged_for_all_tasks_of_a_bag),
      cmocka_unit_test (a_bad_submission_names_the_field),
      cmocka_unit_test (a_run_is_ordered_when_its_inputs_are_there),
      cmocka_unit_test (an_input_that_nobody_has_stops_the_task_with_the_reason),
      cmocka_unit_test (a_task_has_ended_when_its_outputs_are_stored),
      cmocka_unit_test (a_task_that_waits_for_inputs_can_be_cancelled_and_leaves_a_lost_node),
      cmocka_unit_test (a_death_at_any_step_neither_loses_the_task_nor_runs_it_without_its_input),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
