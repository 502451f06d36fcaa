/*  sim_process - how a process spends its time: take what has come, step, flush, let leave.
 *
 *  The order is the real host's (host.c): nothing of a batch leaves before the flush. Deaths fall
 *  before the flush, or after it between any two of the messages that leave.
 */
#include "sim_process.h"

#include "must.h"
#include "segment.h"
#include "sim_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_MAX         8
#define SERVICE_US_MIN    15
#define SERVICE_US_MAX    120
#define FLUSH_US_MIN      300
#define FLUSH_US_MAX      3000
#define END_US_MAX        8000000 /* as libcommon/host has it */
#define SLOW_US_MAX       400000
#define WORK_US_MAX       2000
#define READ_US_MAX       3000
#define DIES_BEFORE_FLUSH SIZE_MAX

static int64_t between (prng_t *prng, int64_t least, int64_t most)
{
    return least + (int64_t) prng_below (prng, (uint64_t) (most - least));
}

static int64_t mono_us (const sim_process_t *self, int64_t at_us)
{
    return self->mono_origin_us + at_us + at_us / 1000 * self->clock.drift_ppm / 1000;
}

void process_moment (const sim_process_t *self, int64_t at_us, prng_t *prng, moment_t *moment)
{
    int64_t run_us = at_us + at_us / 1000 * self->clock.drift_ppm / 1000;
    int64_t wall_ms = SIM_EPOCH_MS + run_us / 1000 + self->clock.wall_offset_ms;
    int64_t stamp_ms = sim_store_stamp_ms (self->store);
    moment->wall_ms = wall_ms > stamp_ms ? wall_ms : stamp_ms;
    moment->mono_ms = mono_us (self, at_us) / 1000;
    for (size_t i = 0; i < ENTROPY_BYTES; i += sizeof (uint64_t)) {
        uint64_t word = prng_next (prng);
        memcpy (moment->entropy + i, &word, sizeof word);
    }
    moment->store_bytes = sim_store_bytes (self->store);
    moment->store_free_bytes = sim_store_free_bytes (self->store);
}

static void inbox_push (sim_process_t *self, waiting_t waiting)
{
    if (self->inbox_count == self->inbox_room) {
        self->inbox_room = self->inbox_room ? 2 * self->inbox_room : 16;
        self->inbox = must (realloc (self->inbox, self->inbox_room * sizeof (waiting_t)));
    }
    self->inbox [self->inbox_count++] = waiting;
}

static void take_keep (sim_process_t *self, sim_message_t *message)
{
    if (self->taken_count == self->taken_room) {
        self->taken_room = self->taken_room ? 2 * self->taken_room : 16;
        self->taken = must (realloc (self->taken, self->taken_room * sizeof (sim_message_t *)));
    }
    self->taken [self->taken_count++] = message;
}

static void reading_free (reading_t *reading)
{
    if (reading)
        free (reading->rows);
    free (reading);
}

/*  The records as they are now, with their bytes behind the list. */
static void reading_take (reading_t *self, const sim_store_t *store)
{
    row_t *rows = sim_store_read (store, &self->order, &self->count, &self->more);
    size_t size = (self->count + 1) * sizeof *rows;
    for (size_t i = 0; i < self->count; i++)
        size += rows [i].key.size + rows [i].value.size;
    self->rows = must (malloc (size));
    uint8_t *at = (uint8_t *) &self->rows [self->count];
    for (size_t i = 0; i < self->count; i++) {
        self->rows [i] =
          (row_t){{at, rows [i].key.size}, {at + rows [i].key.size, rows [i].value.size}};
        memcpy (at, rows [i].key.data, rows [i].key.size);
        if (rows [i].value.size > 0)
            memcpy (at + rows [i].key.size, rows [i].value.data, rows [i].value.size);
        at += rows [i].key.size + rows [i].value.size;
    }
    free (rows);
}

void process_alarm_set (sim_t *sim, sim_process_t *self)
{
    if (self->alarm_mono_ms == INT64_MAX)
        return;
    int64_t wait_us = 1000 * self->alarm_mono_ms - mono_us (self, sim->now_us);
    if (wait_us < 0)
        wait_us = 0;
    wait_us += wait_us / 1000 * -self->clock.drift_ppm / 1000;
    if (wait_us < 0)
        wait_us = 0;
    sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + wait_us,
                                          .kind = TICK_ALARM,
                                          .process = self->number,
                                          .life = self->life,
                                          .number = self->alarm});
}

bool process_works_itself (const char *kind)
{
    return strcmp (kind, SEGMENT_WORK) == 0;
}

/*  --- a batch --- */

static void step (sim_t *sim, sim_process_t *self, int64_t at_us, const event_t *event)
{
    moment_t moment;
    process_moment (self, at_us, &self->prng, &moment);
    sim->steps++;
    self->core.step (self->core.self, &moment, event);
    effect_t effect;
    while (self->core.next (self->core.self, &effect))
        process_effect (sim, self, &effect);
}

static void step_request (sim_t *sim, sim_process_t *self, int64_t at_us, sim_message_t *message)
{
    if (self->replies_count == self->replies_room) {
        self->replies_room = self->replies_room ? 2 * self->replies_room : 16;
        self->replies_open =
          must (realloc (self->replies_open, self->replies_room * sizeof (reply_open_t)));
    }
    uint64_t reply_to = ++self->replies;
    self->replies_open [self->replies_count++] =
      (reply_open_t){.reply_to = reply_to, .request = sim_message_copy (message)};
    step (sim, self, at_us,
          &(event_t){.kind = EVENT_REQUEST,
                     .request = {.service = message->service,
                                 .method = message->method,
                                 .actor = message->actor,
                                 .request_id = message->request_id,
                                 .body = sim_message_body (message),
                                 .reply_to = reply_to}});
}

static void step_answer (sim_t *sim, sim_process_t *self, int64_t at_us,
                         const sim_message_t *message)
{
    assert (message);
    event_t event = {.kind = EVENT_ANSWER,
                     .answer = {.call = message->call,
                                .status = message->status,
                                .reason = message->reason,
                                .body = sim_message_body (message),
                                .store_start = message->store.start}};
    memcpy (event.answer.store, message->store.id, STORE_ID_BYTES);
    step (sim, self, at_us, &event);
}

static void step_notice (sim_t *sim, sim_process_t *self, int64_t at_us,
                         const sim_message_t *message)
{
    assert (message);
    char endpoint [SIM_ADDRESS_BYTES + 8];
    snprintf (endpoint, sizeof endpoint, "%s/events", message->address);
    event_t event = {.kind = EVENT_NOTICE,
                     .notice = {.endpoint = endpoint,
                                .topic = message->method,
                                .number = message->number,
                                .store_start = message->store.start,
                                .body = sim_message_body (message)}};
    memcpy (event.notice.store, message->store.id, STORE_ID_BYTES);
    step (sim, self, at_us, &event);
}

static void work_do (sim_t *sim, const sim_process_t *self, sim_work_t *work)
{
    work->done = true;
    if (process_works_itself (work->kind)) {
        work->ok = true;
        sim_store_segment (self->store,
                           (bytes_t){.data = work->arguments, .size = work->arguments_size},
                           &work->result, &work->result_size);
        sim_trace (sim, self->number, "    does %s", work->kind);
        return;
    }
    work->ok =
      sim->worker (sim->worker_owner, self->number, mono_us (self, sim->now_us) / 1000, work->kind,
                   (bytes_t){.data = work->arguments, .size = work->arguments_size}, &work->result,
                   &work->result_size);
    sim_trace (sim, self->number, "    does %s: %s", work->kind, work->ok ? "done" : "failed");
}

static void step_work (sim_t *sim, sim_process_t *self, int64_t at_us, uint64_t number)
{
    static const char why [] = "no worker in the simulated host";
    sim_work_t *work = sim_works_find (&self->works, number);
    event_t event = {
      .kind = EVENT_WORK,
      .work = {.work = number, .result = {.data = (const uint8_t *) why, .size = sizeof why - 1}}};
    if (work && !work->done)
        work_do (sim, self, work);
    if (work) {
        event.work.ok = work->ok;
        event.work.result = (bytes_t){.data = work->result, .size = work->result_size};
    }
    sim_trace (sim, self->number, "<- work %s", work ? work->kind : why);
    step (sim, self, at_us, &event);
    sim_works_remove (&self->works, number);
}

static void step_rows (sim_t *sim, sim_process_t *self, int64_t at_us, const reading_t *reading)
{
    sim_trace (sim, self->number, "<- rows table=%u count=%zu", reading->order.table,
               reading->count);
    step (sim, self, at_us,
          &(event_t){.kind = EVENT_ROWS,
                     .rows = {.read = reading->order.read,
                              .rows = reading->rows,
                              .count = reading->count,
                              .more = reading->more}});
}

static void step_waiting (sim_t *sim, sim_process_t *self, int64_t at_us, const waiting_t *waiting)
{
    if (waiting->message && sim_tracing (sim)) {
        char text [SIM_TEXT_BYTES];
        sim_wire_text (waiting->message, text);
        sim_trace (sim, self->number, "<- %s from %s: %s",
                   waiting->kind == EVENT_REQUEST  ? "request"
                   : waiting->kind == EVENT_ANSWER ? "answer"
                                                   : "hint",
                   waiting->message->status == CALL_TIMED_OUT && waiting->kind == EVENT_ANSWER
                     ? "nobody"
                     : sim_name (sim, waiting->message->from),
                   text);
    }
    switch (waiting->kind) {
    case EVENT_REQUEST:
        step_request (sim, self, at_us, waiting->message);
        break;
    case EVENT_ANSWER:
        step_answer (sim, self, at_us, waiting->message);
        break;
    case EVENT_NOTICE:
        step_notice (sim, self, at_us, waiting->message);
        break;
    case EVENT_TIMER:
        self->alarm_waits = false;
        step (sim, self, at_us, &(event_t){.kind = EVENT_TIMER});
        break;
    case EVENT_WORK:
        step_work (sim, self, at_us, waiting->number);
        break;
    case EVENT_ROWS:
        step_rows (sim, self, at_us, waiting->reading);
        break;
    case EVENT_FLOW:
        step (sim, self, at_us, &(event_t){.kind = EVENT_FLOW, .flow = waiting->news->event});
        break;
    case EVENT_END:
        step (sim, self, at_us, &(event_t){.kind = EVENT_END});
        break;
    case EVENT_RECORD:
    case EVENT_START:
        assert (false);
    }
}

static bool happens (prng_t *prng, uint32_t chance)
{
    return chance > 0 && prng_below (prng, 1000) < chance;
}

/*  As the host does on SIGTERM: it ends when its core says so, or when its time is up. */
static void tell_to_end (sim_t *sim, sim_process_t *self)
{
    if (self->told)
        return;
    sim_trace (sim, self->number, "is told to end");
    self->told = true;
    inbox_push (self, (waiting_t){.kind = EVENT_END});
    sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + END_US_MAX,
                                          .kind = TICK_TIME_UP,
                                          .process = self->number,
                                          .life = self->life,
                                          .number = sim->faults.pause_ms_max});
}

/*  The batch has been stepped. Draws how long its flush takes, and whether the process dies in it.
 */
static void batch_close (sim_t *sim, sim_process_t *self, int64_t spent_us)
{
    bool stores = sim_store_waiting (self->store);
    if (sim->paced)
        spent_us = stores ? sim->flush_us : 0;
    else if (stores)
        spent_us += between (&sim->prng, FLUSH_US_MIN, FLUSH_US_MAX);
    if (happens (&sim->prng, sim->faults.slow))
        spent_us += between (&sim->prng, 0, SLOW_US_MAX);
    self->dies = sim->crashes < sim->faults.crashes_max && (stores || self->transacts) &&
                 happens (&sim->prng, sim->faults.crash);
    if (self->dies && happens (&sim->prng, sim->faults.told)) {
        self->dies = false;
        tell_to_end (sim, self);
    }
    if (self->dies) {
        bool before_flush = stores && prng_below (&sim->prng, 3) == 0;
        self->dies_after =
          before_flush ? DIES_BEFORE_FLUSH : prng_below (&sim->prng, self->leaving_count + 1);
    }
    self->busy = true;
    sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + spent_us,
                                          .kind = TICK_BATCH_END,
                                          .process = self->number,
                                          .life = self->life});
}

static void batch_begin (sim_t *sim, sim_process_t *self)
{
    if (self->busy || self->inbox_count == 0 || sim->failed || self->stands_until_us > sim->now_us)
        return;
    size_t count = 1 + prng_below (&sim->prng, BATCH_MAX);
    if (count > self->inbox_count || sim->paced)
        count = self->inbox_count;
    int64_t spent_us = 0;
    for (size_t i = 0; i < count; i++) {
        spent_us += between (&sim->prng, SERVICE_US_MIN, SERVICE_US_MAX);
        step_waiting (sim, self, sim->now_us + spent_us, &self->inbox [i]);
        if (self->inbox [i].message)
            take_keep (self, self->inbox [i].message);
        reading_free (self->inbox [i].reading);
        free (self->inbox [i].news);
    }
    self->inbox_count -= count;
    memmove (self->inbox, self->inbox + count, self->inbox_count * sizeof (waiting_t));
    batch_close (sim, self, spent_us);
}

/*  A call leaves: its timeout begins to run. */
static void call_leaves (sim_t *sim, sim_process_t *self, const sim_message_t *request,
                         int64_t timeout_ms)
{
    if (self->calls_count == self->calls_room) {
        self->calls_room = self->calls_room ? 2 * self->calls_room : 16;
        self->calls = must (realloc (self->calls, self->calls_room * sizeof (call_open_t)));
    }
    sim_message_t *late = sim_message_new (MESSAGE_ANSWER, (bytes_t){0});
    late->from = late->to = self->number;
    late->call = request->call;
    late->status = CALL_TIMED_OUT;
    memcpy (late->service, request->service, sizeof late->service);
    memcpy (late->method, request->method, sizeof late->method);
    sim_text (late->reason, sizeof late->reason, "no answer in time");
    self->calls [self->calls_count++] = (call_open_t){.call = request->call, .late = late};
    sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + 1000 * timeout_ms,
                                          .kind = TICK_LATE,
                                          .process = self->number,
                                          .life = self->life,
                                          .number = request->call});
}

static void notice_leaves (sim_t *sim, const sim_process_t *self, sim_message_t *notice)
{
    char endpoint [SIM_ADDRESS_BYTES + 8];
    snprintf (endpoint, sizeof endpoint, "%s/events", self->address);
    for (size_t p = 0; p < sim->processes_count; p++) {
        if (!sim->hears [p])
            continue;
        const sim_process_t *other = sim->processes [p];
        for (size_t s = 0; s < other->subscriptions_count; s++) {
            if (other->state != PROCESS_UP || strcmp (other->subscriptions [s], endpoint) != 0)
                continue;
            sim_message_t *copy = sim_message_copy (notice);
            copy->to = other->number;
            sim_send (sim, copy);
        }
    }
    free (notice);
}

/*  Read at once, as it was flushed; it comes later, when others may have come before it, and what
 *  was read may have changed. */
static void reading_leaves (sim_t *sim, sim_process_t *self, reading_t *reading)
{
    reading_take (reading, self->store);
    if (sim->paced) {
        inbox_push (self, (waiting_t){.kind = EVENT_ROWS, .reading = reading});
        return;
    }
    if (self->readings_count == self->readings_room) {
        self->readings_room = self->readings_room ? 2 * self->readings_room : 16;
        self->readings =
          must (realloc (self->readings, self->readings_room * sizeof (reading_t *)));
    }
    self->readings [self->readings_count++] = reading;
    int64_t most_us = happens (&sim->prng, sim->faults.slow) ? SLOW_US_MAX : READ_US_MAX;
    sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + between (&sim->prng, 1, most_us),
                                          .kind = TICK_ROWS,
                                          .process = self->number,
                                          .life = self->life,
                                          .number = reading->order.read});
}

static void leave (sim_t *sim, sim_process_t *self, leaving_t *leaving)
{
    sim_message_t *message = leaving->message;
    leaving->message = NULL;
    if (leaving->reading) {
        reading_leaves (sim, self, leaving->reading);
        leaving->reading = NULL;
        return;
    }
    if (leaving->order) {
        sim->flow (sim->flow_owner, self->number, &leaving->order->order);
        free (leaving->order);
        leaving->order = NULL;
        return;
    }
    if (!message) {
        sim_work_t *work = sim_works_find (&self->works, leaving->number);
        if (work && prng_below (&sim->prng, 2) == 0)
            work_do (sim, self, work);
        int64_t most_us =
          sim->faults.work_ms_max > 0 ? 1000 * (int64_t) sim->faults.work_ms_max : WORK_US_MAX;
        sim_queue_push (sim->queue,
                        &(tick_t){.at_us = sim->now_us + between (&sim->prng, 1, most_us),
                                  .kind = TICK_WORK,
                                  .process = self->number,
                                  .life = self->life,
                                  .number = leaving->number});
        return;
    }
    if (message->kind == MESSAGE_NOTICE) {
        notice_leaves (sim, self, message);
        return;
    }
    if (message->kind == MESSAGE_REQUEST) {
        call_leaves (sim, self, message, leaving->timeout_ms);
        const sim_process_t *to = sim_at_address (sim, message->address);
        message->to = to ? to->number : SIM_NOBODY;
    }
    sim_send (sim, message);
}

static void tally_taken (sim_t *sim, const sim_process_t *self, fault_kind_t fault)
{
    for (size_t i = 0; i < self->taken_count; i++)
        sim_tally_message (sim->tally, self->taken [i], fault);
}

static void taken_clear (sim_process_t *self)
{
    for (size_t i = 0; i < self->taken_count; i++)
        free (self->taken [i]);
    self->taken_count = 0;
}

static void batch_flush (sim_t *sim, sim_process_t *self)
{
    if (!sim_store_waiting (self->store))
        return;
    moment_t moment;
    prng_t unused = {{1, 2, 3, 4}};
    process_moment (self, sim->now_us, &unused, &moment);
    if (!sim_store_flush (self->store, moment.wall_ms))
        sim_fail (sim, "%s puts more than its store has room for", self->program.name);
    if (sim->observer.flushed)
        sim->observer.flushed (sim->observer.owner, self->number);
}

/*  The batch's flush is over. What it promises may leave, or the process dies while it leaves. */
void process_batch_end (sim_t *sim, sim_process_t *self)
{
    if (self->stands_until_us > sim->now_us) {
        sim_queue_push (sim->queue, &(tick_t){.at_us = self->stands_until_us,
                                              .kind = TICK_BATCH_END,
                                              .process = self->number,
                                              .life = self->life});
        return;
    }
    if (self->dies && self->dies_after == DIES_BEFORE_FLUSH) {
        sim_trace (sim, self->number, "dies before the flush");
        tally_taken (sim, self, FAULT_UNFLUSHED);
        sim_down (sim, self);
        return;
    }
    batch_flush (sim, self);
    size_t count = self->dies ? self->dies_after : self->leaving_count;
    size_t left = 0;
    self->leaves = true;
    while (left < count && !sim->failed && !self->struck)
        leave (sim, self, &self->leaving [left++]);
    self->leaves = false;
    if (self->dies || self->struck) {
        sim_trace (sim, self->number, "dies after the flush, %zu of %zu left", left,
                   self->leaving_count);
        tally_taken (sim, self, FAULT_FLUSHED);
        for (size_t i = left; i < self->leaving_count; i++)
            if (self->leaving [i].message)
                sim_tally_message (sim->tally, self->leaving [i].message, FAULT_UNSENT);
        if (self->struck)
            sim_down_for (sim, self, self->struck_pause_ms);
        else
            sim_down (sim, self);
        return;
    }
    self->leaving_count = 0;
    self->transacts = false;
    self->busy = false;
    taken_clear (self);
    if (self->stops && self->told) {
        sim_trace (sim, self->number, "ends as it was told");
        sim_down (sim, self);
        return;
    }
    if (self->stops) {
        process_crash (sim, self);
        self->state = PROCESS_ENDED;
        if (sim->observer.ended)
            sim->observer.ended (sim->observer.owner, self->number);
        return;
    }
    batch_begin (sim, self);
}

/*  --- what comes --- */

static bool wrong_store (const sim_process_t *self, const sim_message_t *request)
{
    static const uint8_t any [STORE_ID_BYTES] = {0};
    return memcmp (request->to_store, any, STORE_ID_BYTES) != 0 &&
           memcmp (request->to_store, sim_store_identity (self->store)->id, STORE_ID_BYTES) != 0;
}

/*  The host itself answers a message that is meant for another store (core.h). */
static void refuse_store (sim_t *sim, sim_process_t *self, sim_message_t *request)
{
    sim_message_t *answer = sim_message_new (MESSAGE_ANSWER, (bytes_t){0});
    answer->from = self->number;
    answer->to = request->from;
    answer->to_life = request->to_life;
    answer->call = request->call;
    answer->status = CALL_WRONG_STORE;
    answer->store = *sim_store_identity (self->store);
    memcpy (answer->service, request->service, sizeof answer->service);
    memcpy (answer->method, request->method, sizeof answer->method);
    sim_text (answer->reason, sizeof answer->reason, "another store serves this address");
    free (request);
    sim_send (sim, answer);
}

/*  The open call that this answers; false when it is not open any more. */
static bool call_close (sim_process_t *self, uint64_t call, sim_message_t **late)
{
    for (size_t i = 0; i < self->calls_count; i++) {
        if (self->calls [i].call == call) {
            *late = self->calls [i].late;
            self->calls [i] = self->calls [--self->calls_count];
            return true;
        }
    }
    return false;
}

void process_receive (sim_t *sim, sim_process_t *self, sim_message_t *message)
{
    sim_message_t *late;
    switch (message->kind) {
    case MESSAGE_REQUEST:
        if (wrong_store (self, message)) {
            refuse_store (sim, self, message);
            return;
        }
        inbox_push (self, (waiting_t){.kind = EVENT_REQUEST, .message = message});
        break;
    case MESSAGE_ANSWER:
        if (message->to_life != self->life || !call_close (self, message->call, &late)) {
            free (message); /* an earlier life asked, or the answer has come already */
            return;
        }
        free (late);
        inbox_push (self, (waiting_t){.kind = EVENT_ANSWER, .message = message});
        break;
    case MESSAGE_NOTICE:
        inbox_push (self, (waiting_t){.kind = EVENT_NOTICE, .message = message});
        break;
    }
    batch_begin (sim, self);
}

void process_alarm (sim_t *sim, sim_process_t *self, uint64_t alarm)
{
    if (alarm != self->alarm || self->alarm_waits)
        return;
    if (mono_us (self, sim->now_us) / 1000 < self->alarm_mono_ms) {
        self->alarm++;
        int64_t wait_us = 1000 * self->alarm_mono_ms - mono_us (self, sim->now_us);
        sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + wait_us + 1,
                                              .kind = TICK_ALARM,
                                              .process = self->number,
                                              .life = self->life,
                                              .number = self->alarm});
        return;
    }
    self->alarm_waits = true;
    inbox_push (self, (waiting_t){.kind = EVENT_TIMER});
    batch_begin (sim, self);
}

void process_wake (sim_t *sim, sim_process_t *self)
{
    if (self->state == PROCESS_UP)
        batch_begin (sim, self);
}

void process_late (sim_t *sim, sim_process_t *self, uint64_t call)
{
    sim_message_t *late;
    if (!call_close (self, call, &late))
        return;
    inbox_push (self, (waiting_t){.kind = EVENT_ANSWER, .message = late});
    batch_begin (sim, self);
}

void process_rows (sim_t *sim, sim_process_t *self, uint64_t read)
{
    size_t at = 0;
    while (self->readings [at]->order.read != read)
        at++;
    inbox_push (self, (waiting_t){.kind = EVENT_ROWS, .reading = self->readings [at]});
    self->readings [at] = self->readings [--self->readings_count];
    batch_begin (sim, self);
}

void process_news (sim_t *sim, sim_process_t *self, const flow_event_t *event)
{
    sim_news_t *news = must (calloc (1, sizeof *news));
    news->event = *event;
    if (event->digest) {
        memcpy (news->digest, event->digest, FLOW_DIGEST_BYTES);
        news->event.digest = news->digest;
    }
    snprintf (news->why, sizeof news->why, "%s", event->why ? event->why : "");
    news->event.why = news->why;
    inbox_push (self, (waiting_t){.kind = EVENT_FLOW, .news = news});
    batch_begin (sim, self);
}

void process_work (sim_t *sim, sim_process_t *self, uint64_t work)
{
    inbox_push (self, (waiting_t){.kind = EVENT_WORK, .number = work});
    batch_begin (sim, self);
}

/*  --- life and death --- */

typedef struct {
    sim_t *sim;
    sim_process_t *self;
} loading_t;

static void load (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    const loading_t *loading = owner;
    step (loading->sim, loading->self, loading->sim->now_us,
          &(event_t){.kind = EVENT_RECORD, .record = {.table = table, .key = key, .value = value}});
}

void process_start (sim_t *sim, sim_process_t *self)
{
    assert (self->state == PROCESS_DOWN);
    sim_store_open (self->store);
    self->state = PROCESS_UP;
    self->life++;
    self->alarm_mono_ms = INT64_MAX;
    self->mono_origin_us = (int64_t) prng_below (&sim->prng, 1000000) * 1000;
    self->notices = 0;
    const store_identity_t *identity = sim_store_identity (self->store);
    sim_trace (sim, self->number, "starts store=%02x%02x%02x%02x start=%u address=%s",
               identity->id [0], identity->id [1], identity->id [2], identity->id [3],
               identity->start, self->address);
    self->program.make (self->program.owner, &self->core);
    loading_t loading = {.sim = sim, .self = self};
    sim_store_each (self->store, false, load, &loading);
    char events [SIM_ADDRESS_BYTES + 8];
    char data [SIM_ADDRESS_BYTES]; /* where others dial for bulk bytes */
    snprintf (data, sizeof data, "tcp://%s", self->address + strlen ("sim://"));
    snprintf (events, sizeof events, "%s/events", self->address);
    step (
      sim, self, sim->now_us,
      &(event_t){
        .kind = EVENT_START,
        .start = {.store = *identity, .endpoint = self->address, .events = events, .data = data}});
    batch_close (sim, self, between (&sim->prng, SERVICE_US_MIN, SERVICE_US_MAX));
}

void process_crash (sim_t *sim, sim_process_t *self)
{
    (void) sim;
    if (self->core.destroy)
        self->core.destroy (self->core.self);
    self->core = (core_t){0};
    sim_store_forget (self->store);
    if (self->loses)
        sim_store_lose (self->store);
    self->loses = false;
    for (size_t i = 0; i < self->inbox_count; i++) {
        free (self->inbox [i].message);
        reading_free (self->inbox [i].reading);
        free (self->inbox [i].news);
    }
    for (size_t i = 0; i < self->calls_count; i++)
        free (self->calls [i].late);
    for (size_t i = 0; i < self->replies_count; i++)
        free (self->replies_open [i].request);
    for (size_t i = 0; i < self->leaving_count; i++) {
        free (self->leaving [i].message);
        reading_free (self->leaving [i].reading);
        free (self->leaving [i].order);
    }
    taken_clear (self);
    for (size_t i = 0; i < self->readings_count; i++)
        reading_free (self->readings [i]);
    sim_works_clear (&self->works);
    self->readings_count = 0;
    self->inbox_count = self->calls_count = self->replies_count = self->leaving_count = 0;
    self->subscriptions_count = 0;
    self->busy = self->dies = self->transacts = self->stops = self->alarm_waits = false;
    self->told = false;
    self->stands_until_us = 0;
    self->struck = self->leaves = false;
    self->state = PROCESS_DOWN;
    self->life++;
}

void process_destroy (sim_process_t **self_p)
{
    sim_process_t *self = *self_p;
    if (!self)
        return;
    assert (!self->core.self); /* it was set to NULL before: see sim_destroy */
    if (self->store_owned)
        sim_store_destroy (&self->store);
    free (self->inbox);
    free (self->calls);
    free (self->replies_open);
    free (self->taken);
    free (self->leaving);
    free (self->readings);
    free (self);
    *self_p = NULL;
}
