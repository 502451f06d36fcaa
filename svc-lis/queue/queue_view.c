/*  queue_view - answers Bags and Tasks. */
#include "access.h"
#include "codec_table.h"
#include "message.h"
#include "queue_state.h"

#include "tasks.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGE_BYTES_MAX (BODY_BYTES_MAX / 2) /* of submissions in one answer */
#define RECORD_BYTES   128                  /* beside that */

static uint32_t page (const queue_t *self, uint32_t most)
{
    return most > 0 && most < self->limits.list_max ? most : self->limits.list_max;
}

/*  --- Bags --- */

/*  When its first waiting task is expected to start; 0 = not known. */
static int64_t expected_ms (const queue_t *self, const bag_t *bag)
{
    opening_t opening;
    if (bag->waiting.waiting == 0)
        return 0;
    if (*bag->asked.order.reservation)
        return openings_find (self->parts.openings, bag->asked.order.reservation, &opening)
                 ? opening.from_ms
                 : 0;
    for (size_t i = 0; i < self->parts.site->classes_count; i++)
        if (self->promises [i].bag == &bag->waiting)
            return self->promises [i].at_ms;
    return 0;
}

/*  When a node that a bag's tasks could have is theirs to have; INT64_MAX = not known. */
static int64_t queue_view_ready_ms (const queue_t *self, const backfill_bag_t *waiting)
{
    int64_t least_ms = INT64_MAX;
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++) {
        const backfill_node_t *node = &self->loads [i];
        if ((waiting->class == BACKFILL_ANY || waiting->class == node->class) &&
            node->cpus >= waiting->cpus && node->ready_ms < least_ms)
            least_ms = node->ready_ms;
    }
    return least_ms;
}

/*  Why its first waiting task does not start. */
static const char *waits_why (const queue_t *self, const moment_t *now, const bag_t *bag,
                              arena_t *arena)
{
    const bag_t *first = ordered_after (bags_waiting (self->bags), NULL);
    opening_t opening;
    if (bag->waiting.waiting == 0)
        return "";
    if (*bag->asked.order.reservation)
        return openings_find (self->parts.openings, bag->asked.order.reservation, &opening) &&
                   opening_is_open (opening.phase)
                 ? "its reservation's CPUs are in use"
                 : "its reservation is not open yet";
    size_t batch = nodes_batch (self->parts.nodes);
    if (batch != NODES_NONE && bag->waiting.files && !*nodes_at (self->parts.nodes, batch).storage)
        return "the batch system's agent has told no storage node (inputs/shared)";
    if (batch != NODES_NONE)
        return "the batch system has as many jobs from here as it may have";
    int64_t free_ms = queue_view_ready_ms (self, &bag->waiting);
    if (free_ms == INT64_MAX)
        return "no node that it could have can be used now";
    if (free_ms > queue_now_ms (self, now))
        return "all nodes that it could have are reserved now";
    if (!first || first == bag)
        return "no node has CPUs free for so long; it is the first in turn";
    char *why = arena_take (arena, WHY_BYTES);
    snprintf (why, WHY_BYTES, "bag %" PRIu64 " is the first in turn, and waits", first->number);
    return why;
}

static bool run_now (const queue_t *self, const bag_t *bag, uint32_t index, const task_t *task,
                     run_t *run)
{
    run_id_t id = {.task = {bag->number, index}, .number = task->tries};
    bool runs = task->state == TASK_PLACED || task->state == TASK_RUNNING;
    return runs && nodes_run (self->parts.nodes, &id, run);
}

/*  What the batch system says of a task that it has not begun; NULL = it has none. */
static const char *batch_waits (const queue_t *self, const bag_t *bag, uint32_t index,
                                const task_t *task)
{
    run_t run;
    bool handed = task->state == TASK_PLACED && nodes_batch (self->parts.nodes) != NODES_NONE &&
                  task->node == nodes_batch (self->parts.nodes);
    return handed && run_now (self, bag, index, task, &run) ? run.why : NULL;
}

/*  Of its placed tasks, how many wait for their inputs, and for which one; and in the batch system,
 *  and why the first of these does. */
typedef struct {
    uint32_t inputs;
    const char *input;
    uint32_t handed;
    const char *reason;
} bag_waits_t;

static bag_waits_t bag_waits (const queue_t *self, const bag_t *bag)
{
    bag_waits_t waits = {.input = "", .reason = ""};
    uint32_t seen = 0;
    for (uint32_t i = bag->tasks_room; i > 0 && seen < bag->running; i--) {
        const task_t *task = bag_task (bag, i - 1);
        if (!task || (task->state != TASK_PLACED && task->state != TASK_RUNNING))
            continue;
        seen++;
        const char *reason = batch_waits (self, bag, i - 1, task);
        if (task->files_state == FILES_COMING) {
            waits.inputs++;
            waits.input = queue_files_waits (task);
        } else if (reason) {
            waits.handed++;
            waits.reason = reason;
        }
    }
    return waits;
}

static bool queue_view_shown (const queue_t *self, const request_t *request,
                              const bags_question_t *question, const bag_t *bag)
{
    return (question->over || bag->over_ms == 0) &&
           (!*question->owner || strcmp (question->owner, bag->owner) == 0) &&
           may (self->parts.access, VERB_LIST, request->actor, request->actor, bag->owner);
}

static void queue_view_bag_tell (const queue_t *self, const moment_t *now, const bag_t *bag,
                                 Musubi__BagRecord *record, arena_t *arena)
{
    bag_waits_t waits = bag_waits (self, bag);
    const char *why = *waits.reason ? waits.reason : waits_why (self, now, bag, arena);
    record->awaiting_input = waits.inputs;
    record->why = (char *) (*why ? why : waits.input);
    record->bag = bag->number;
    record->owner = (char *) bag->owner;
    record->submitted = (Musubi__SubmitRequest *) message_unpack_in (
      &musubi__submit_request__descriptor, packed_bytes (bag->submitted), &arena->allocator);
    record->submitted->count = bag->asked.count; /* of guests: those that are here */
    record->submitted_ms = bag->submitted_ms;
    record->queued = bag->waiting.waiting + waits.handed;
    record->running = bag->running - waits.inputs - waits.handed;
    record->over = bag->over;
    record->failed = bag->failed;
    record->expected_ms = expected_ms (self, bag);
    record->away = bag->away;
    record->home = bag->guest ? bag->guest->home.name : "";
}

void queue_on_bags (void *owner, const moment_t *now, const request_t *request, void *body)
{
    queue_t *self = owner;
    const bags_question_t *question = body;
    uint32_t most = page (self, question->most);
    ARENA (arena);
    Musubi__QueueAnswer answer = MUSUBI__QUEUE_ANSWER__INIT;
    answer.bags = codec_messages (&musubi__bag_record__descriptor, most, &arena);
    size_t bytes = 0;
    bag_t *bag = bags_after (self->bags, question->after);
    for (; bag && answer.n_bags < most && bytes < PAGE_BYTES_MAX;
         bag = bags_after (self->bags, bag->number)) {
        if (!queue_view_shown (self, request, question, bag))
            continue;
        queue_view_bag_tell (self, now, bag, answer.bags [answer.n_bags++], &arena);
        bytes += bag->submitted.size + RECORD_BYTES;
    }
    answer.more = bag != NULL;
    service_reply (self->parts.service, request, packed_of (&answer.base));
}

/*  --- Tasks --- */

static void task_tell (const queue_t *self, const moment_t *now, const bag_t *bag, uint32_t index,
                       Musubi__TaskRecord *record, arena_t *arena)
{
    const task_t *task = bag_task (bag, index);
    record->task = codec_put (&task_id_codec, &(task_id_t){bag->number, index}, arena);
    record->state = (Musubi__TaskState) bag_task_state (bag, index);
    if (record->state == MUSUBI__TASK_STATE__TASK_QUEUED)
        record->waits = (char *) waits_why (self, now, bag, arena);
    if (!task)
        return;
    record->run = task->tries;
    record->node = task->node_name;
    record->started_ms = task->started_ms;
    record->ended_ms = task->ended_ms;
    record->exit_code = task->exit_code;
    record->signal = task->signal;
    run_t run;
    bool runs = run_now (self, bag, index, task, &run);
    record->cpu_ms = runs ? run.cpu_ms : task->cpu_ms;
    record->why = task->why;
    record->phase = task->files_state != FILES_NONE ? MUSUBI__TASK_PHASE__PHASE_TRANSFERRING
                    : runs && run.suspended         ? MUSUBI__TASK_PHASE__PHASE_SUSPENDED
                                                    : MUSUBI__TASK_PHASE__PHASE_COMPUTING;
    const char *reason = batch_waits (self, bag, index, task);
    if (reason || *queue_files_waits (task))
        record->waits = (char *) (reason ? reason : queue_files_waits (task));
    if (task->trip)
        record->site = task->trip->site;
    record->dropped = task->dropped;
}

void queue_on_tasks (void *owner, const moment_t *now, const request_t *request, void *body)
{
    queue_t *self = owner;
    const tasks_question_t *question = body;
    bag_t *bag;
    if (!queue_allowed (self, request, question->bag, &bag))
        return;
    uint32_t from = question->from < bag->asked.count ? question->from : bag->asked.count;
    uint32_t left = bag->asked.count - from;
    uint32_t count = page (self, question->most);
    count = count < left ? count : left;
    ARENA (arena);
    Musubi__TasksAnswer answer = MUSUBI__TASKS_ANSWER__INIT;
    answer.n_tasks = count;
    answer.tasks = codec_messages (&musubi__task_record__descriptor, count, &arena);
    answer.more = count < left;
    for (uint32_t i = 0; i < count; i++)
        task_tell (self, now, bag, from + i, answer.tasks [i], &arena);
    service_reply (self->parts.service, request, packed_of (&answer.base));
}
