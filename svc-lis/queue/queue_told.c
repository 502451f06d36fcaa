/*  queue_told - what people are told about bags and tasks. */
#include "access.h"
#include "queue_state.h"
#include "queue_wire.h"

#include <inttypes.h>
#include <string.h>

#define PAGE_BYTES_MAX (BODY_BYTES_MAX / 2) /* of what was submitted, in one answer */
#define RECORD_BYTES   128                  /* beside that */

static uint32_t page (const queue_t *self, uint32_t most)
{
    return most > 0 && most < self->limits.list_max ? most : self->limits.list_max;
}

/*  --- Bags --- */

/*  When its first task that waits is expected to start; 0 = not known. */
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

static bool shown (const queue_t *self, const request_t *request, const bags_question_t *question,
                   const bag_t *bag)
{
    return (question->over || bag->over_ms == 0) &&
           (!*question->owner || strcmp (question->owner, bag->owner) == 0) &&
           may (self->parts.access, VERB_LIST, request->actor, request->actor, bag->owner);
}

static void on_bags (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    queue_t *self = owner;
    const bags_question_t *question = body;
    uint32_t most = page (self, question->most);
    bag_record_t *records = must (calloc (most, sizeof *records));
    size_t count = 0;
    size_t bytes = 0;
    bag_t *bag = bags_after (self->bags, question->after);
    for (; bag && count < most && bytes < PAGE_BYTES_MAX;
         bag = bags_after (self->bags, bag->number)) {
        if (!shown (self, request, question, bag))
            continue;
        records [count++] = (bag_record_t){bag, expected_ms (self, bag)};
        bytes += bag->submitted.size + RECORD_BYTES;
    }
    service_reply (self->parts.service, request, bags_answer_encode (records, count, bag != NULL));
    free (records);
}

/*  --- Tasks --- */

static int64_t cpu_ms_now (const queue_t *self, const bag_t *bag, uint32_t index,
                           const task_t *task)
{
    run_id_t id = {.task = {bag->number, index}, .number = task->tries};
    run_t run;
    bool runs = task->state == TASK_PLACED || task->state == TASK_RUNNING;
    return runs && nodes_run (self->parts.nodes, &id, &run) ? run.cpu_ms : task->cpu_ms;
}

static task_record_t task_record (const queue_t *self, const bag_t *bag, uint32_t index)
{
    const task_t *task = bag_task (bag, index);
    task_record_t record = {.id = {bag->number, index}, .state = bag_task_state (bag, index)};
    if (!task)
        return record;
    record.tries = task->tries;
    record.node = task->node_name;
    record.started_ms = task->started_ms;
    record.ended_ms = task->ended_ms;
    record.exit_code = task->exit_code;
    record.signal = task->signal;
    record.cpu_ms = cpu_ms_now (self, bag, index, task);
    record.why = task->why;
    record.site = task->trip ? task->trip->site : NULL;
    record.dropped = task->dropped;
    return record;
}

static void on_tasks (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    queue_t *self = owner;
    const tasks_question_t *question = body;
    bag_t *bag;
    if (!queue_allowed (self, request, question->bag, &bag))
        return;
    uint32_t from = question->from < bag->asked.count ? question->from : bag->asked.count;
    uint32_t left = bag->asked.count - from;
    uint32_t count = page (self, question->most);
    count = count < left ? count : left;
    tasks_told_t told = {.tasks = must (calloc ((size_t) count + 1, sizeof *told.tasks)),
                         .count = count,
                         .more = count < left};
    for (uint32_t i = 0; i < count; i++)
        told.tasks [i] = task_record (self, bag, from + i);
    service_reply (self->parts.service, request, codec_encode (&tasks_told_codec, &told));
    free (told.tasks);
}

void queue_serve_told (queue_t *self)
{
    service_serve (self->parts.service, "Queue", "Bags", &bags_question_codec, on_bags, self);
    service_serve (self->parts.service, "Queue", "Tasks", &tasks_question_codec, on_tasks, self);
}
