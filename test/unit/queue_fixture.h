/*  queue_fixture - openings_fixture with bags of tasks that are submitted, looked at and cancelled.
 */
#ifndef MUSUBI_QUEUE_FIXTURE_H
#define MUSUBI_QUEUE_FIXTURE_H

#include "bags.h"
#include "message.h"
#include "openings_fixture.h"
#include "queue.h"

#include "tasks.pb-c.h"

/*  The fields of a bag that tests choose; the others are always the same. */
typedef struct {
    const char *actor; /* NULL = alice */
    const char *request_id;
    const char *class_name;
    const char *reservation;
    const char *need;
    uint32_t cpus; /* 0 = 1 */
    uint32_t gpus;
    uint32_t count;  /* 0 = 1 */
    int64_t minutes; /* 0 = 10 */
    int32_t priority;
    bool preemptible;
    bool requeue;
    Musubi__TaskFile **inputs; /* ending with NULL; NULL = none */
    Musubi__TaskFile **outputs;
    const char *input; /* instead of inputs: one */
    const char *rank;
} wish_bag_t;

static inline void prepare_queue (field_t *self)
{
    static account_t accounts [] = {{.actor = "alice", .account = "alice"},
                                    {.actor = "bob", .account = "guest"}};
    prepare_field (self);
    self->runner.accounts = accounts;
    self->runner.accounts_count = 2;
}

static inline void open_queue (field_t *self)
{
    prepare_queue (self);
    open_field (self);
}

static inline call_status_t ask_with_id (field_t *self, const char *actor, const char *method,
                                         const char *request_id, const ProtobufCMessage *message)
{
    size_t size;
    uint8_t *packed = message_pack (message, &size);
    uint32_t start = self->w.host.store.start;
    self->w.replied = false;
    self->w.asked = 1;
    step (&self->w, &(event_t){.kind = EVENT_REQUEST,
                               .request = {.service = "Queue",
                                           .method = method,
                                           .actor = actor,
                                           .request_id = request_id,
                                           .body = {.data = packed, .size = size},
                                           .reply_to = 1}});
    free (packed);
    assert_true (self->w.replied || self->w.host.store.start != start);
    field_check (self);
    return self->w.status;
}

static inline call_status_t try_submit (field_t *self, const wish_bag_t *wish)
{
    static char *arguments [] = {"/bin/true"};
    Musubi__TaskCommand command = MUSUBI__TASK_COMMAND__INIT;
    command.n_arguments = 1;
    command.arguments = arguments;
    Musubi__SubmitRequest request = MUSUBI__SUBMIT_REQUEST__INIT;
    request.command = &command;
    request.count = wish->count > 0 ? wish->count : 1;
    request.cpus = wish->cpus > 0 ? wish->cpus : 1;
    request.gpus = wish->gpus;
    request.limit_ms = (wish->minutes > 0 ? wish->minutes : 10) * MINUTE_MS;
    request.priority = wish->priority;
    request.class_name = (char *) (wish->class_name ? wish->class_name : "");
    request.reservation = (char *) (wish->reservation ? wish->reservation : "");
    request.need = (char *) (wish->need ? wish->need : "");
    request.preemptible = wish->preemptible;
    request.requeue = wish->requeue;
    request.inputs = wish->inputs;
    for (; wish->inputs && wish->inputs [request.n_inputs]; request.n_inputs++)
        ;
    request.outputs = wish->outputs;
    for (; wish->outputs && wish->outputs [request.n_outputs]; request.n_outputs++)
        ;
    Musubi__TaskFile input = MUSUBI__TASK_FILE__INIT;
    Musubi__TaskFile *inputs [] = {&input};
    input.name = (char *) wish->input;
    if (wish->input) {
        request.inputs = inputs;
        request.n_inputs = 1;
    }
    request.rank = (char *) (wish->rank ? wish->rank : "");
    return ask_with_id (self, wish->actor ? wish->actor : "alice", "Submit",
                        wish->request_id ? wish->request_id : "", &request.base);
}

static inline uint64_t submit (field_t *self, wish_bag_t wish)
{
    if (try_submit (self, &wish) != CALL_OK)
        fail_msg ("%s", self->w.reason);
    Musubi__SubmitAnswer *told = answer (&self->w, &musubi__submit_answer__descriptor);
    uint64_t bag = told->bag;
    message_free (&told->base);
    return bag;
}

/*  The state of a task. */
typedef struct {
    task_state_t state;
    uint32_t tries;
    char node [NAME_BYTES_MAX + 1];
    char why [256];
    int32_t exit_code;
    int64_t started_ms;
} told_task_t;

static inline told_task_t task_as (field_t *self, const char *actor, uint64_t bag, uint32_t index)
{
    Musubi__TasksRequest request = MUSUBI__TASKS_REQUEST__INIT;
    request.bag = bag;
    request.from = index;
    request.most = 1;
    if (ask_with_id (self, actor, "Tasks", "", &request.base) != CALL_OK)
        fail_msg ("%s", self->w.reason);
    Musubi__TasksAnswer *told = answer (&self->w, &musubi__tasks_answer__descriptor);
    assert_int_equal (told->n_tasks, 1);
    const Musubi__TaskRecord *record = told->tasks [0];
    told_task_t task = {.state = (task_state_t) record->state,
                        .tries = record->run,
                        .exit_code = record->exit_code,
                        .started_ms = record->started_ms};
    snprintf (task.node, sizeof task.node, "%s", record->node);
    snprintf (task.why, sizeof task.why, "%s", record->why);
    message_free (&told->base);
    return task;
}

static inline told_task_t task (field_t *self, uint64_t bag, uint32_t index)
{
    return task_as (self, "alice", bag, index);
}

typedef struct {
    uint32_t queued;
    uint32_t running;
    uint32_t over;
    int64_t expected_ms;
    bool found;
    uint32_t away;
} told_bag_t;

static inline told_bag_t bag_as (field_t *self, const char *actor, uint64_t bag)
{
    Musubi__QueueRequest request = MUSUBI__QUEUE_REQUEST__INIT;
    request.after = bag - 1;
    request.most = 1;
    request.over = true;
    assert_int_equal (ask_with_id (self, actor, "Bags", "", &request.base), CALL_OK);
    Musubi__QueueAnswer *told = answer (&self->w, &musubi__queue_answer__descriptor);
    told_bag_t found = {.found = false};
    if (told->n_bags == 1 && told->bags [0]->bag == bag)
        found = (told_bag_t){told->bags [0]->queued,
                             told->bags [0]->running,
                             told->bags [0]->over,
                             told->bags [0]->expected_ms,
                             true,
                             told->bags [0]->away};
    message_free (&told->base);
    return found;
}

static inline told_bag_t bag (field_t *self, uint64_t number)
{
    return bag_as (self, "alice", number);
}

typedef struct {
    uint32_t cancelled;
    uint32_t ended;
} told_cancel_t;

/*  index < 0 = the whole bag. */
static inline told_cancel_t cancel (field_t *self, uint64_t number, int index)
{
    Musubi__CancelRequest request = MUSUBI__CANCEL_REQUEST__INIT;
    request.bag = number;
    request.one = index >= 0;
    request.index = index >= 0 ? (uint32_t) index : 0;
    if (ask_with_id (self, "alice", "Cancel", "", &request.base) != CALL_OK)
        fail_msg ("%s", self->w.reason);
    Musubi__CancelAnswer *told = answer (&self->w, &musubi__cancel_answer__descriptor);
    told_cancel_t counts = {told->cancelled, told->ended};
    message_free (&told->base);
    return counts;
}

/*  How many nodes of thin would be free at a minute if the queue had none. */
static inline int64_t free_without_work (field_t *self, int64_t minute)
{
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (minute);
    request.until_ms = at (minute + 1);
    request.without_work = true;
    ask (&self->w, "root", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (&self->w, &musubi__profile_answer__descriptor);
    int64_t quantity = told->profiles [0]->steps [0]->free;
    message_free (&told->base);
    return quantity;
}

/*  The run of a task's last try, as its machine has it. */
static inline machine_run_t *machine (field_t *self, uint64_t number, uint32_t index)
{
    told_task_t told = task (self, number, index);
    run_id_t id = {.task = {number, index}, .number = told.tries};
    machine_run_t *run = agent_run (agent_of (self, told.node), &id);
    assert_non_null (run);
    return run;
}

/*  The task's run ends by itself. */
static inline void task_ends (field_t *self, uint64_t number, uint32_t index, int32_t exit_code)
{
    machine_run_t *run = machine (self, number, index);
    machine_end (run, self->w.host.now.wall_ms);
    run->report.exit_code = exit_code;
    agents_come (self);
}

#endif
