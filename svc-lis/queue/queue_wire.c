/*  queue_wire - protobuf <-> plain values: what is asked and answered. */
#include "queue_wire.h"

#include "message.h"
#include "must.h"
#include "site.h"
#include "tasks.pb-c.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

static bool no_text (const char *text)
{
    return !text || !*text;
}

/*  "" is right, too. */
static bool word_take (char *to, const char *from, const char *field, char why [WHY_BYTES])
{
    return text_take (to, NAME_BYTES_MAX, from ? from : "", TEXT_WORD_OR_NONE, field, why);
}

static bool title_take (char *to, const char *from, const char *field, char why [WHY_BYTES])
{
    *to = '\0';
    return no_text (from) || text_take (to, NAME_BYTES_MAX, from, TEXT_ANY, field, why);
}

/*  --- Submit --- */

static bool numbers_take (submission_t *to, const Musubi__SubmitRequest *from,
                          const submitter_t *by, char why [WHY_BYTES])
{
    if (from->count < 1 || from->count > by->count_max)
        return wrong (why, "count: %u should be 1 to %u, says limit tasks_per_bag_max", from->count,
                      by->count_max);
    if (from->cpus < 1 || from->cpus > CPUS_PER_NODE_MAX)
        return wrong (why, "cpus: %u should be 1 to %d, of one node", from->cpus,
                      CPUS_PER_NODE_MAX);
    if (from->limit_ms < 1 || from->limit_ms > by->limit_ms_max)
        return wrong (why, "limit_ms: %lld should be 1 to %lld, says limit task_limit",
                      (long long) from->limit_ms, (long long) by->limit_ms_max);
    int64_t cpu_ms_most = from->limit_ms * from->cpus;
    if (from->cpu_limit_ms < 0 || from->cpu_limit_ms > cpu_ms_most)
        return wrong (why, "cpu_limit_ms: %lld should be at most cpus x limit_ms, %lld",
                      (long long) from->cpu_limit_ms, (long long) cpu_ms_most);
    if (from->priority < -TASK_PRIORITY_MOST || from->priority > TASK_PRIORITY_MOST)
        return wrong (why, "priority: %d should be %d to %d", from->priority, -TASK_PRIORITY_MOST,
                      TASK_PRIORITY_MOST);
    to->count = from->count;
    to->priority = from->priority;
    return true;
}

static bool words_take (submission_t *to, const Musubi__SubmitRequest *from,
                        char reservation [NAME_BYTES_MAX + 1], char need [NAME_BYTES_MAX + 1],
                        char why [WHY_BYTES])
{
    if (!title_take (to->name, from->name, "name", why) ||
        !word_take (to->class_name, from->class_name, "class_name", why) ||
        !word_take (reservation, from->reservation, "reservation", why) ||
        !title_take (need, from->need, "need", why))
        return false;
    if (*need && !*reservation)
        return wrong (why, "need: %s of which reservation? reservation is empty", need);
    if (from->preemptible && *reservation)
        return wrong (why, "preemptible: a reservation's tasks have its nodes; leave one of "
                           "preemptible and reservation out");
    if (from->shared && *reservation)
        return wrong (why, "shared: a reservation's tasks stay on its nodes; leave one of shared "
                           "and reservation out");
    return true;
}

static bool order_take (submission_t *to, const Musubi__SubmitRequest *from, const submitter_t *by,
                        char why [WHY_BYTES])
{
    const Musubi__TaskCommand *command = from->command;
    char reservation [NAME_BYTES_MAX + 1];
    char need [NAME_BYTES_MAX + 1];
    if (!words_take (to, from, reservation, need, why) || !numbers_take (to, from, by, why))
        return false;
    if (!command)
        return wrong (why, "command: missing");
    run_order_t order = {
      .arguments = (const char *const *) command->arguments,
      .arguments_count = command->n_arguments,
      .environment = (const char *const *) command->environment,
      .environment_count = command->n_environment,
      .folder = command->folder,
      .output = command->output,
      .errors = command->errors,
      .cpus = from->cpus,
      .limit_ms = from->limit_ms,
      .cpu_limit_ms = from->cpu_limit_ms > 0 ? from->cpu_limit_ms : from->limit_ms * from->cpus,
      .account = by->account,
      .owner = by->owner,
      .reservation = reservation,
      .need = need,
    };
    if (!run_order_check (&order, why))
        return false;
    to->order = run_order_copy (&order);
    return true;
}

bool submit_decode (submission_t *asked, bytes_t body, const submitter_t *by, char why [WHY_BYTES])
{
    Musubi__SubmitRequest *from =
      (Musubi__SubmitRequest *) message_unpack (&musubi__submit_request__descriptor, body);
    if (!from)
        return wrong (why, "not a SubmitRequest");
    *asked = (submission_t){
      .preemptible = from->preemptible, .requeue = from->requeue, .shared = from->shared};
    bool good = order_take (asked, from, by, why);
    message_free (&from->base);
    return good;
}

packed_t submit_answer_encode (uint64_t bag)
{
    Musubi__SubmitAnswer answer = MUSUBI__SUBMIT_ANSWER__INIT;
    answer.bag = bag;
    return packed_of (&answer.base);
}

/*  --- Bags --- */

bool bags_question_decode (bags_question_t *question, bytes_t body, char why [WHY_BYTES])
{
    Musubi__QueueRequest *from =
      (Musubi__QueueRequest *) message_unpack (&musubi__queue_request__descriptor, body);
    if (!from)
        return wrong (why, "not a QueueRequest");
    *question = (bags_question_t){.after = from->after, .most = from->most, .over = from->over};
    bool good = word_take (question->owner, from->owner, "owner", why);
    message_free (&from->base);
    return good;
}

packed_t bags_answer_encode (const bag_record_t *records, size_t count, bool more)
{
    Musubi__BagRecord **list = messages_new (&musubi__bag_record__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        const bag_t *bag = records [i].bag;
        bytes_t submitted = {bag->submitted.data, bag->submitted.size};
        list [i]->bag = bag->number;
        list [i]->owner = (char *) bag->owner;
        list [i]->submitted =
          (Musubi__SubmitRequest *) message_unpack (&musubi__submit_request__descriptor, submitted);
        list [i]->submitted->count = bag->asked.count; /* of guests, those that are here */
        list [i]->submitted_ms = bag->submitted_ms;
        list [i]->queued = bag->waiting.waiting;
        list [i]->running = bag->running;
        list [i]->over = bag->over;
        list [i]->failed = bag->failed;
        list [i]->expected_ms = records [i].expected_ms;
        list [i]->away = bag->away;
        list [i]->home = bag->guest ? bag->guest->home.name : "";
    }
    Musubi__QueueAnswer answer = MUSUBI__QUEUE_ANSWER__INIT;
    answer.n_bags = count;
    answer.bags = list;
    answer.more = more;
    packed_t packed = packed_of (&answer.base);
    for (size_t i = 0; i < count; i++)
        message_free (&list [i]->submitted->base);
    free (list);
    return packed;
}

/*  --- Tasks --- */

static const Musubi__TaskState states [] = {
  [TASK_QUEUED] = MUSUBI__TASK_STATE__TASK_QUEUED,
  [TASK_PLACED] = MUSUBI__TASK_STATE__TASK_PLACED,
  [TASK_RUNNING] = MUSUBI__TASK_STATE__TASK_RUNNING,
  [TASK_ENDED] = MUSUBI__TASK_STATE__TASK_ENDED,
  [TASK_STOPPED] = MUSUBI__TASK_STATE__TASK_STOPPED,
  [TASK_LOST] = MUSUBI__TASK_STATE__TASK_LOST,
  [TASK_CANCELLED] = MUSUBI__TASK_STATE__TASK_CANCELLED,
  [TASK_AWAY] = MUSUBI__TASK_STATE__TASK_AWAY,
  [TASK_RETURNED] = MUSUBI__TASK_STATE__TASK_RETURNED,
};

bool tasks_question_decode (tasks_question_t *question, bytes_t body, char why [WHY_BYTES])
{
    Musubi__TasksRequest *from =
      (Musubi__TasksRequest *) message_unpack (&musubi__tasks_request__descriptor, body);
    if (!from)
        return wrong (why, "not a TasksRequest");
    *question = (tasks_question_t){.bag = from->bag, .from = from->from, .most = from->most};
    message_free (&from->base);
    return true;
}

static void record_put (Musubi__TaskRecord *to, Musubi__TaskId *id, const bag_t *bag,
                        uint32_t index)
{
    const task_t *task = bag_task (bag, index);
    musubi__task_record__init (to);
    musubi__task_id__init (id);
    id->bag = bag->number;
    id->index = index;
    to->task = id;
    to->state = states [bag_task_state (bag, index)];
    if (!task)
        return;
    to->run = task->tries;
    to->node = task->node_name;
    to->started_ms = task->started_ms;
    to->ended_ms = task->ended_ms;
    to->exit_code = task->exit_code;
    to->signal = task->signal;
    to->cpu_ms = task->cpu_ms;
    to->dropped = task->dropped;
    to->why = task->why;
    if (task->trip)
        to->site = task->trip->site;
}

packed_t tasks_answer_encode (const bag_t *bag, uint32_t from, uint32_t count, cpu_ms_fn *cpu_ms,
                              void *owner)
{
    Musubi__TaskRecord *messages = must (calloc (count + 1, sizeof *messages));
    Musubi__TaskId *ids = must (calloc (count + 1, sizeof *ids));
    Musubi__TaskRecord **list = must (calloc (count + 1, sizeof *list));
    for (uint32_t i = 0; i < count; i++) {
        record_put (&messages [i], &ids [i], bag, from + i);
        messages [i].cpu_ms = cpu_ms (owner, bag, from + i);
        list [i] = &messages [i];
    }
    Musubi__TasksAnswer answer = MUSUBI__TASKS_ANSWER__INIT;
    answer.n_tasks = count;
    answer.tasks = list;
    answer.more = from + count < bag->asked.count;
    packed_t packed = packed_of (&answer.base);
    free (list);
    free (ids);
    free (messages);
    return packed;
}

/*  --- Cancel, Output --- */

bool cancel_decode (cancel_t *cancel, bytes_t body, char why [WHY_BYTES])
{
    Musubi__CancelRequest *from =
      (Musubi__CancelRequest *) message_unpack (&musubi__cancel_request__descriptor, body);
    if (!from)
        return wrong (why, "not a CancelRequest");
    *cancel = (cancel_t){.bag = from->bag, .one = from->one, .index = from->index};
    message_free (&from->base);
    return true;
}

packed_t cancel_answer_encode (uint32_t cancelled, uint32_t ended)
{
    Musubi__CancelAnswer answer = MUSUBI__CANCEL_ANSWER__INIT;
    answer.cancelled = cancelled;
    answer.ended = ended;
    return packed_of (&answer.base);
}

bool output_question_decode (output_question_t *question, bytes_t body, char why [WHY_BYTES])
{
    Musubi__OutputRequest *from =
      (Musubi__OutputRequest *) message_unpack (&musubi__output_request__descriptor, body);
    if (!from)
        return wrong (why, "not an OutputRequest");
    const Musubi__TaskId *task = from->task;
    if (task)
        *question = (output_question_t){.task = {task->bag, task->index},
                                        .errors = from->errors,
                                        .offset = from->offset,
                                        .most = from->most};
    message_free (&from->base);
    return task || wrong (why, "task: missing");
}

packed_t output_answer_encode (bytes_t data, uint64_t size, bool over, uint64_t dropped)
{
    Musubi__OutputAnswer answer = MUSUBI__OUTPUT_ANSWER__INIT;
    answer.data = (ProtobufCBinaryData){.len = data.size, .data = (uint8_t *) data.data};
    answer.size = size;
    answer.over = over;
    answer.dropped = dropped;
    return packed_of (&answer.base);
}
