/*  queue_api - answers Submit, Cancel and Output. */
#include "access.h"
#include "codec_table.h"
#include "message.h"
#include "queue_state.h"

#include "tasks.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUBMISSION_BYTES_MAX (2 * TASK_TEXT_BYTES_MAX) /* a command's text and some numbers */
#define STORE_FREE_PARTS     10 /* no bag is taken when a smaller part of the store is free */

bool queue_allowed (queue_t *self, const request_t *request, uint64_t number, bag_t **bag)
{
    *bag = bags_find (self->bags, number);
    if (!*bag)
        return service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                               "%s has no bag %" PRIu64, self->parts.service->name, number);
    if (!may (self->parts.access, VERB_USE, request->actor, request->actor, (*bag)->owner))
        return service_refuse (self->parts.service, request, CALL_DENIED,
                               "bag %" PRIu64 " belongs to another owner than %.63s", number,
                               request->actor);
    return true;
}

static bool index_check (const queue_t *self, const request_t *request, const bag_t *bag,
                         uint32_t index)
{
    if (index >= bag->asked.count)
        service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                        "bag %" PRIu64 " has tasks 0 to %" PRIu32, bag->number,
                        bag->asked.count - 1);
    return index < bag->asked.count;
}

__attribute__ ((format (printf, 3, 4))) static call_status_t queue_api_no (char why [WHY_BYTES],
                                                                           call_status_t status,
                                                                           const char *format, ...)
{
    format_rest (why, WHY_BYTES, format);
    return status;
}

/*  --- Submit --- */

/*  The site must have the class that is named, and nodes with so many CPUs in it, or in any. */
call_status_t queue_class_check (const queue_t *self, const submission_t *asked,
                                 char why [WHY_BYTES])
{
    const site_t *site = self->parts.site;
    const char *name = self->parts.service->name;
    uint32_t most = 0;
    bool found = false;
    call_status_t handed = queue_handover_check (self, asked, why);
    if (handed != CALL_OK)
        return handed;
    for (size_t i = 0; i < site->classes_count; i++) {
        const node_class_t *class = &site->classes [i];
        if (*asked->class_name && strcmp (asked->class_name, class->name) != 0)
            continue;
        found = true;
        most = class->cpus_per_node > most ? class->cpus_per_node : most;
    }
    if (!found)
        return queue_api_no (why, CALL_NOT_FOUND, "class_name: %s has no class %s", name,
                             asked->class_name);
    if (asked->order.cpus > most)
        return queue_api_no (
          why, CALL_BAD_REQUEST,
          "cpus: a task runs on one node, and those %s%s have %" PRIu32 " CPUs, not %" PRIu32,
          *asked->class_name ? "of class " : "here", asked->class_name, most, asked->order.cpus);
    return CALL_OK;
}

/*  The reservation must have the need that is named, and a node here with so many CPUs.
 */
static bool fit_check (const queue_t *self, const request_t *request, const submission_t *asked)
{
    const run_order_t *order = &asked->order;
    service_t *service = self->parts.service;
    compute_booking_t *bookings;
    size_t count;
    bool found = false;
    bool fits = false;
    if (!queue_part (self, order->reservation, &bookings, &count))
        return true;
    for (size_t i = 0; i < count; i++) {
        const char *class_name = bookings [i].class_name;
        size_t class;
        if (*order->need && strcmp (bookings [i].need, order->need) != 0)
            continue;
        found = true;
        if ((!*asked->class_name || strcmp (class_name, asked->class_name) == 0) &&
            free_capacity_find (self->parts.room, class_name, &class) &&
            self->parts.site->classes [class].cpus_per_node >= order->cpus)
            fits = true;
    }
    free (bookings);
    if (!found)
        service_refuse (service, request, CALL_NOT_FOUND,
                        "need: reservation %s has no need %s at %s", order->reservation,
                        order->need, service->name);
    else if (!fits)
        service_refuse (service, request, CALL_BAD_REQUEST,
                        "cpus: a task runs on one node, and %s has none with %" PRIu32 "%s%s at %s",
                        order->reservation, order->cpus, *asked->class_name ? " of class " : "",
                        asked->class_name, service->name);
    return fits;
}

static bool reservation_check (const queue_t *self, const moment_t *now, const request_t *request,
                               const submission_t *asked)
{
    const char *reservation = asked->order.reservation;
    service_t *service = self->parts.service;
    reservation_view_t view;
    opening_t opening;
    if (!*reservation)
        return true;
    if (!participant_find (self->parts.participant, reservation, &view) || view.version == 0)
        return service_refuse (service, request, CALL_NOT_FOUND,
                               "reservation: %s has no reservation %s", service->name, reservation);
    if (!may (self->parts.access, VERB_USE, request->actor, request->actor, view.owner))
        return service_refuse (service, request, CALL_DENIED,
                               "reservation: %s belongs to another owner than %.63s", reservation,
                               request->actor);
    bool known = openings_find (self->parts.openings, reservation, &opening);
    bool ended =
      known ? opening.phase >= OPENING_CLOSING || opening.until_ms <= queue_now_ms (self, now)
            : queue_past (self, now, reservation);
    if (!view.current || ended)
        return service_refuse (service, request, CALL_DENIED, "reservation: %s has ended",
                               reservation);
    return fit_check (self, request, asked);
}

/*  Names the limit that refuses the bag. A bag that is over makes room for another. */
call_status_t queue_limits_check (const queue_t *self, const moment_t *now, const char *owner,
                                  char why [WHY_BYTES])
{
    const char *name = self->parts.service->name;
    if (bags_count (self->bags) >= self->limits.bags_max)
        return queue_api_no (why, CALL_DENIED,
                             "limits/bags_max: %s keeps at most %" PRIu32 " bags that are not over",
                             name, self->limits.bags_max);
    if (bags_of (self->bags, owner) >= self->limits.bags_per_actor_max)
        return queue_api_no (why, CALL_DENIED,
                             "%s keeps at most %" PRIu32
                             " bags of one owner, a tenth of limits/bags_max",
                             name, self->limits.bags_per_actor_max);
    if (!moment_room (now, now->store_bytes / STORE_FREE_PARTS, 0))
        return queue_api_no (why, CALL_DENIED,
                             "the store of %s is nearly full: it takes no new bags", name);
    return CALL_OK;
}

/*  Answers a submission that has come before (R9); false when it is new. */
static bool queue_api_repeated (queue_t *self, const request_t *request)
{
    const bag_t *bag = bags_requested (self->bags, request->actor, request->request_id);
    if (!bag)
        return false;
    if (bag->submitted.size == request->body.size &&
        (request->body.size == 0 ||
         memcmp (bag->submitted.data, request->body.data, request->body.size) == 0))
        service_reply (self->parts.service, request, codec_encode (&submitted_codec, bag));
    else
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "request id %.63s was used for another submission, bag %" PRIu64,
                        request->request_id, bag->number);
    return true;
}

static void accept (queue_t *self, const moment_t *now, const request_t *request,
                    const submission_t *asked)
{
    bag_t *bag = bags_add (self->bags, bags_next_number (self->bags), request->actor,
                           request->request_id, packed_copy (request->body), asked);
    bag->submitted_ms = now->wall_ms;
    if (*asked->class_name)
        free_capacity_find (self->parts.room, asked->class_name, &bag->waiting.class);
    const char *reservation = asked->order.reservation;
    outbox_log (self->parts.service->outbox, LEVEL_INFO,
                "bag %" PRIu64 " submitted owner=%s tasks=%" PRIu32 " cpus=%" PRIu32
                " limit_s=%" PRId64 " priority=%d%s%s",
                bag->number, bag->owner, asked->count, asked->order.cpus,
                asked->order.limit_ms / 1000, asked->priority, *reservation ? " reservation=" : "",
                reservation);
    service_count (self->parts.service, "bags_submitted", 1);
    queue_put_bag (self, bag);
    queue_settle (self, now, bag);
    if (*reservation) {
        bags_reservation (self->bags, reservation)->dirty = true;
        openings_wanted (self->parts.openings, now, reservation);
    }
    queue_soon (self);
    service_reply (self->parts.service, request, codec_encode (&submitted_codec, bag));
}

static bool submission_check (const queue_t *self, const moment_t *now, const request_t *request,
                              const submission_t *asked)
{
    char why [WHY_BYTES];
    call_status_t status = queue_class_check (self, asked, why);
    if (status == CALL_OK && !reservation_check (self, now, request, asked))
        return false;
    if (status == CALL_OK)
        status = queue_limits_check (self, now, request->actor, why);
    if (status != CALL_OK)
        service_refuse (self->parts.service, request, status, "%s", why);
    return status == CALL_OK;
}

/*  The submission of a request, if it may be had here; false with the request refused. */
static bool submission_read (const queue_t *self, const moment_t *now, const request_t *request,
                             submission_t *asked)
{
    char why [WHY_BYTES];
    const account_t *account = self->parts.account (self->parts.account_owner, request->actor);
    if (!account)
        return service_refuse (self->parts.service, request, CALL_DENIED,
                               "actor: \"%.63s\" has no local account at %s", request->actor,
                               self->parts.service->name);
    if (*account->unfit)
        return service_refuse (self->parts.service, request, CALL_DENIED,
                               "actor: \"%.63s\" may submit nothing here: %s", request->actor,
                               account->unfit);
    submitter_t by = {.owner = request->actor,
                      .account = account->account,
                      .count_max = self->limits.tasks_per_bag_max,
                      .limit_ms_max = self->limits.limit_ms_max};
    if (request->body.size > SUBMISSION_BYTES_MAX)
        return service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                               "submission: %zu bytes should be at most %d", request->body.size,
                               SUBMISSION_BYTES_MAX);
    if (!submit_decode (asked, request->body, &by, why))
        return service_refuse (self->parts.service, request, CALL_BAD_REQUEST, "%s", why);
    if (submission_check (self, now, request, asked))
        return true;
    submission_clear (asked);
    return false;
}

static void on_submit (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    queue_t *self = owner;
    submission_t asked = {.order.reservation = ""};
    bool known = self->parts.account (self->parts.account_owner, request->actor);
    if (known && queue_api_repeated (self, request))
        return;
    if (submission_read (self, now, request, &asked))
        accept (self, now, request, &asked);
}

/*  The cheapest class that such a task may go to, for its whole limit. */
static int64_t task_price (const queue_t *self, const submission_t *asked)
{
    const site_t *site = self->parts.site;
    double least = -1;
    for (size_t i = 0; i < site->classes_count; i++) {
        const node_class_t *class = &site->classes [i];
        if ((*asked->class_name && strcmp (asked->class_name, class->name) != 0) ||
            class->cpus_per_node < asked->order.cpus)
            continue;
        double price =
          (double) class->price * asked->order.cpus * (double) asked->order.limit_ms / 3600000;
        least = least < 0 || price < least ? price : least;
    }
    return (int64_t) least;
}

static void on_expect (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    queue_t *self = owner;
    submission_t asked = {0};
    if (!submission_read (self, now, request, &asked))
        return;
    Musubi__ExpectAnswer told = MUSUBI__EXPECT_ANSWER__INIT;
    told.expected_ms = queue_expected (self, now, &asked);
    told.price = task_price (self, &asked);
    service_reply (self->parts.service, request, packed_of (&told.base));
    submission_clear (&asked);
}

/*  --- Cancel --- */

typedef struct {
    queue_t *queue;
    const char *why;
} canceller_t;

static void tell_cancelled (void *owner, bag_t *bag, uint32_t index)
{
    canceller_t *canceller = owner;
    task_text (&bag_task (bag, index)->why, canceller->why);
    queue_put_task (canceller->queue, bag, index);
}

static bool runs (const bag_t *bag, uint32_t index)
{
    task_state_t state = bag_task_state (bag, index);
    return state == TASK_PLACED || state == TASK_RUNNING;
}

/*  Returns 1 if the task had not begun. */
static uint32_t cancel_one (queue_t *self, bag_t *bag, uint32_t index, const char *why)
{
    if (bag_task_state (bag, index) != TASK_QUEUED)
        return 0;
    if (!bag_task (bag, index))
        bag_task_new (bag, index);
    task_move (self->bags, bag, index, TASK_CANCELLED);
    tell_cancelled (&(canceller_t){self, why}, bag, index);
    return 1;
}

static uint32_t stop_all (queue_t *self, const moment_t *now, bag_t *bag, uint32_t from,
                          uint32_t until, const char *why)
{
    uint32_t count = 0;
    uint32_t most = bag->running; /* some end at once */
    until = until < bag->tasks_room ? until : bag->tasks_room;
    for (uint32_t i = from; i < until && count < most; i++) {
        if (!runs (bag, i))
            continue;
        queue_stop_task (self, now, bag, i, STOP_CANCELLED, why);
        count++;
    }
    return count;
}

static void on_cancel (void *owner, const moment_t *now, const request_t *request, void *body)
{
    queue_t *self = owner;
    const cancel_t *cancel = body;
    bag_t *bag;
    char why [WHY_BYTES];
    if (!queue_allowed (self, request, cancel->bag, &bag))
        return;
    if (cancel->one && !index_check (self, request, bag, cancel->index))
        return;
    snprintf (why, sizeof why, "cancelled by %.63s", request->actor);
    Musubi__CancelAnswer told = MUSUBI__CANCEL_ANSWER__INIT;
    uint32_t from = cancel->one ? cancel->index : 0;
    uint32_t until = cancel->one ? cancel->index + 1 : bag->asked.count;
    told.ended = stop_all (self, now, bag, from, until, why);
    told.ended += self->sharer.withdraw (self->sharer.owner, now, bag, from, until);
    if (cancel->one)
        told.cancelled = cancel_one (self, bag, cancel->index, why);
    else
        told.cancelled = bag_cancel (self->bags, bag, tell_cancelled, &(canceller_t){self, why});
    if (told.cancelled > 0 || told.ended > 0)
        outbox_log (self->parts.service->outbox, LEVEL_INFO,
                    "bag %" PRIu64 " cancelled by=%s tasks=%" PRIu32 " ended=%" PRIu32, bag->number,
                    request->actor, told.cancelled, told.ended);
    if (!cancel->one)
        queue_put_bag (self, bag);
    queue_settle (self, now, bag);
    queue_soon (self);
    service_reply (self->parts.service, request, packed_of (&told.base));
}

/*  --- Output --- */

static bool reader_take (queue_t *self, uint64_t token, reader_t *reader)
{
    for (size_t i = 0; i < self->readers_count; i++) {
        if (self->readers [i].token != token)
            continue;
        *reader = self->readers [i];
        self->readers [i] = self->readers [--self->readers_count];
        return true;
    }
    return false;
}

static void on_output_told (void *owner, uint64_t token, bytes_t data, uint64_t size,
                            const char *why)
{
    queue_t *self = owner;
    reader_t reader;
    if (!reader_take (self, token, &reader))
        return;
    if (why) {
        outbox_refuse (self->parts.service->outbox, reader.reply_to, CALL_NOT_FOUND, why);
        return;
    }
    Musubi__OutputAnswer told = MUSUBI__OUTPUT_ANSWER__INIT;
    told.data = bytes_put (data.data, data.size);
    told.size = size;
    told.over = reader.over;
    told.dropped = reader.dropped;
    service_reply_to (self->parts.service, reader.reply_to, packed_of (&told.base));
}

void queue_output (queue_t *self, const moment_t *now, const request_t *request, const bag_t *bag,
                   const output_question_t *question)
{
    if (!index_check (self, request, bag, question->task.index))
        return;
    const task_t *task = bag_task (bag, question->task.index);
    if (!task || task->tries == 0) {
        service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                        "task %" PRIu64 ".%" PRIu32 " has not been started", bag->number,
                        question->task.index);
        return;
    }
    run_id_t id = {.task = question->task, .number = task->tries};
    run_t run;
    uint64_t token = ++self->readers_next;
    self->readers =
      must (reallocarray (self->readers, self->readers_count + 1, sizeof *self->readers));
    self->readers [self->readers_count++] =
      (reader_t){token, request->reply_to, task_over (task->state),
                 nodes_run (self->parts.nodes, &id, &run) ? run.dropped : task->dropped};
    nodes_output (self->parts.nodes, now, &id, question->errors, question->offset, question->most,
                  on_output_told, self, token);
}

static void queue_api_on_output (void *owner, const moment_t *now, const request_t *request,
                                 void *body)
{
    queue_t *self = owner;
    const output_question_t *question = body;
    bag_t *bag;
    if (!queue_allowed (self, request, question->task.bag, &bag))
        return;
    const task_t *task = bag_task (bag, question->task.index);
    if (task && task->trip)
        self->sharer.output (self->sharer.owner, now, request, task, question);
    else
        queue_output (self, now, request, bag, question);
}

void queue_serve (queue_t *self)
{
    service_serve (self->parts.service, "Queue", "Submit", NULL, ALWAYS, on_submit, self);
    service_serve (self->parts.service, "Queue", "Expect", NULL, ALWAYS, on_expect, self);
    service_serve (self->parts.service, "Queue", "Bags", &bags_question_codec, ALWAYS,
                   queue_on_bags, self);
    service_serve (self->parts.service, "Queue", "Tasks", &tasks_question_codec, ALWAYS,
                   queue_on_tasks, self);
    service_serve (self->parts.service, "Queue", "Cancel", &cancel_codec, ALWAYS, on_cancel, self);
    service_serve (self->parts.service, "Queue", "Output", &output_question_codec, ALWAYS,
                   queue_api_on_output, self);
}
