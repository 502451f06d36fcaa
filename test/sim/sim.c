/*  sim - the run: one queue of ticks, processes that start, die and come back, and the delivery of
 *  messages.
 */
#include "sim.h"

#include "must.h"
#include "sim_process.h"
#include "sim_wire.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_US_MIN     1000
#define HEAL_PAUSE_US    20000
#define RECALL_ENTROPY   20261121
#define RECALL_CALLS_MAX 8

sim_t *sim_new (uint64_t seed, sim_tally_t *tally, FILE *trace)
{
    sim_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->queue = sim_queue_new ();
    self->net = sim_net_new (seed ^ 0x6e6574776f726bu, tally);
    self->tally = tally;
    self->trace = trace;
    prng_seed (&self->prng, seed);
    return self;
}

void sim_destroy (sim_t **self_p)
{
    sim_t *self = *self_p;
    if (!self)
        return;
    for (size_t p = 0; p < self->processes_count; p++)
        process_crash (self, self->processes [p]); /* a finisher may open a dead one's store */
    for (size_t p = 0; p < self->processes_count; p++)
        process_destroy (&self->processes [p]);
    sim_queue_destroy (&self->queue);
    sim_net_destroy (&self->net);
    free (self);
    *self_p = NULL;
}

void sim_observe (sim_t *self, const sim_observer_t *observer)
{
    self->observer = *observer;
}

int sim_add (sim_t *self, const sim_program_t *program, const sim_clock_t *clock, int store_of,
             int64_t start_us)
{
    assert (self->processes_count < SIM_PROCESSES_MAX);
    sim_process_t *process = calloc (1, sizeof *process);
    if (!process)
        abort ();
    process->number = (int) self->processes_count;
    process->program = *program;
    process->clock = *clock;
    process->moves = 1;
    snprintf (process->address, sizeof process->address, "sim://%.60s/1", program->name);
    prng_seed (&process->prng, prng_next (&self->prng));
    if (store_of == SIM_NOBODY) {
        uint8_t id [STORE_ID_BYTES];
        for (size_t i = 0; i < sizeof id; i++)
            id [i] = (uint8_t) prng_next (&self->prng);
        process->store = sim_store_new (id);
        process->store_owned = true;
    } else {
        assert (self->processes [store_of]->state == PROCESS_DEAD);
        process->store = self->processes [store_of]->store;
    }
    self->processes [self->processes_count++] = process;
    sim_queue_push (self->queue, &(tick_t){.at_us = start_us,
                                           .kind = TICK_START,
                                           .process = process->number,
                                           .life = process->life});
    return process->number;
}

void sim_fault (sim_t *self, const sim_faults_t *faults, const sim_net_faults_t *net)
{
    self->faults = *faults;
    sim_net_set (self->net, net);
}

sim_net_t *sim_net (sim_t *self)
{
    return self->net;
}

void sim_heal (sim_t *self)
{
    sim_trace (self, SIM_NOBODY, "--- all faults end ---");
    self->faults = (sim_faults_t){0};
    sim_net_heal (self->net);
    for (size_t p = 0; p < self->processes_count; p++)
        if (self->processes [p]->state == PROCESS_DOWN)
            sim_queue_push (self->queue, &(tick_t){.at_us = self->now_us + HEAL_PAUSE_US,
                                                   .kind = TICK_START,
                                                   .process = (int) p,
                                                   .life = self->processes [p]->life});
}

void sim_kill (sim_t *self, int process, int64_t at_us, int64_t pause_ms)
{
    sim_queue_push (self->queue, &(tick_t){.at_us = at_us,
                                           .kind = TICK_CRASH,
                                           .process = process,
                                           .number = (uint64_t) pause_ms});
}

void sim_lose (sim_t *self, int process)
{
    self->processes [process]->loses = true;
}

void sim_strike (sim_t *self, int process, int64_t pause_ms)
{
    sim_process_t *struck = self->processes [process];
    if (!struck->leaves) {
        sim_kill (self, process, self->now_us, pause_ms);
        return;
    }
    struck->struck = true;
    struck->struck_pause_ms = pause_ms;
}

void sim_stand (sim_t *self, int process, int64_t until_us)
{
    sim_process_t *still = self->processes [process];
    if (still->state != PROCESS_UP || until_us <= still->stands_until_us)
        return;
    sim_trace (self, process, "stands still until %lld ms", (long long) (until_us / 1000));
    still->stands_until_us = until_us;
    sim_queue_push (
      self->queue,
      &(tick_t){.at_us = until_us, .kind = TICK_WAKE, .process = process, .life = still->life});
}

bool sim_stands (const sim_t *self, int process)
{
    return self->processes [process]->stands_until_us > self->now_us;
}

void sim_step_clock (sim_t *self, int process, int64_t by_ms)
{
    sim_trace (self, process, "its wall clock is stepped by_ms=%lld", (long long) by_ms);
    self->processes [process]->clock.wall_offset_ms += by_ms;
}

void sim_at (sim_t *self, int64_t at_us, tick_fn *act, void *owner, uint64_t token)
{
    sim_queue_push (
      self->queue,
      &(tick_t){.at_us = at_us, .kind = TICK_CALL, .number = token, .act = act, .owner = owner});
}

static bool serves_at (const sim_process_t *process, const char *address)
{
    bool serves = process->state == PROCESS_UP || process->state == PROCESS_DOWN;
    return serves && strcmp (process->address, address) == 0;
}

sim_process_t *sim_at_address (sim_t *sim, const char *address)
{
    uint32_t hash = 2166136261;
    for (const char *at = address; *at; at++)
        hash = (hash ^ (uint8_t) *at) * 16777619;
    int *found = &sim->found [(hash ^ hash >> 16) % SIM_FOUND];
    if (*found < (int) sim->processes_count && serves_at (sim->processes [*found], address))
        return sim->processes [*found]; /* those that serve have an address of their own each */
    for (size_t p = 0; p < sim->processes_count; p++)
        if (serves_at (sim->processes [p], address)) {
            *found = (int) p;
            return sim->processes [p];
        }
    return NULL;
}

void sim_send (sim_t *sim, sim_message_t *message)
{
    if (sim->observer.left)
        sim->observer.left (sim->observer.owner, message);
    int64_t arrivals_us [2];
    size_t count = sim_net_route (sim->net, sim->now_us, message, arrivals_us);
    for (size_t i = 0; i < count; i++)
        sim_queue_push (sim->queue, &(tick_t){.at_us = arrivals_us [i],
                                              .kind = TICK_ARRIVAL,
                                              .process = message->to,
                                              .message = sim_message_copy (message)});
    if (count == 0 && message->kind != MESSAGE_NOTICE)
        sim_trace (sim, message->from, "-> %s.%s to %s is lost", message->service, message->method,
                   sim_name (sim, message->to));
    free (message);
}

/*  The process comes back at another address, sometimes at one that another process used to have:
 *  the host must then tell the two apart by to_store. */
static void move (sim_t *sim, sim_process_t *process)
{
    char old [SIM_ADDRESS_BYTES];
    memcpy (old, process->address, sizeof old);
    process->moves++;
    size_t spare = prng_below (&sim->prng, 3);
    if (spare < sim->abandoned_count) {
        memcpy (process->address, sim->abandoned [spare], SIM_ADDRESS_BYTES);
        memcpy (sim->abandoned [spare], old, sizeof old);
        return;
    }
    snprintf (process->address, sizeof process->address, "sim://%.60s/%u", process->program.name,
              process->moves);
    if (sim->abandoned_count < SIM_PROCESSES_MAX)
        memcpy (sim->abandoned [sim->abandoned_count++], old, sizeof old);
}

void sim_down (sim_t *sim, sim_process_t *process)
{
    sim->crashes++;
    sim->tally->counts [COUNT_CRASHES]++;
    process_crash (sim, process);
    if (sim->observer.dies && sim->observer.dies (sim->observer.owner, process->number)) {
        process->state = PROCESS_DEAD;
        sim_trace (sim, process->number, "never comes back");
        return;
    }
    if (sim->faults.move > 0 && !process->program.stays &&
        prng_below (&sim->prng, 1000) < sim->faults.move)
        move (sim, process);
    int64_t pause_us =
      PAUSE_US_MIN + 1000 * (int64_t) prng_below (&sim->prng, sim->faults.pause_ms_max + 1);
    sim_queue_push (sim->queue, &(tick_t){.at_us = sim->now_us + pause_us,
                                          .kind = TICK_START,
                                          .process = process->number,
                                          .life = process->life});
}

void sim_down_for (sim_t *sim, sim_process_t *process, int64_t pause_ms)
{
    uint32_t kept = sim->faults.pause_ms_max;
    sim->faults.pause_ms_max = (uint32_t) pause_ms;
    sim_down (sim, process);
    sim->faults.pause_ms_max = kept;
}

static void on_crash (sim_t *self, sim_process_t *process, int64_t pause_ms)
{
    if (process->state != PROCESS_UP)
        return;
    sim_trace (self, process->number, "dies%s", process->busy ? " in the middle of a batch" : "");
    for (size_t i = 0; i < process->taken_count; i++)
        sim_tally_message (self->tally, process->taken [i], FAULT_UNFLUSHED);
    if (pause_ms >= 0) {
        sim_down_for (self, process, pause_ms);
        return;
    }
    self->tally->counts [COUNT_CRASHES]++;
    process_crash (self, process);
    process->state = PROCESS_DEAD;
}

/*  The request waits until those before it are served, and then for its own service time. False
 *  when it need not wait. */
static bool waits (sim_t *self, sim_process_t *process, tick_t *tick)
{
    sim_message_t *message = tick->message;
    if (!self->serve || message->served || message->kind != MESSAGE_REQUEST)
        return false;
    message->served = true;
    int64_t from_us =
      process->serves_until_us > self->now_us ? process->serves_until_us : self->now_us;
    process->serves_until_us = from_us + self->serve (self->serve_owner, message);
    if (process->serves_until_us == self->now_us)
        return false;
    tick->at_us = process->serves_until_us;
    sim_queue_push (self->queue, tick);
    return true;
}

static void on_arrival (sim_t *self, sim_process_t *process, tick_t *tick)
{
    if (process->state == PROCESS_UP && waits (self, process, tick))
        return;
    if (process->state == PROCESS_UP) {
        process_receive (self, process, tick->message);
        return;
    }
    sim_tally_message (self->tally, tick->message, FAULT_DEAD);
    if (process->state == PROCESS_DOWN && tick->message->kind == MESSAGE_REQUEST &&
        sim_net_keeps (self->net)) {
        tick->at_us = self->now_us + 50000; /* its sender keeps it until it is back */
        sim_queue_push (self->queue, tick);
        return;
    }
    free (tick->message);
}

static void on_tick (sim_t *self, tick_t *tick)
{
    if (tick->kind == TICK_CALL) {
        tick->act (tick->owner, tick->number);
        return;
    }
    sim_process_t *process = self->processes [tick->process];
    bool current = process->life == tick->life;
    switch (tick->kind) {
    case TICK_ARRIVAL:
        on_arrival (self, process, tick);
        break;
    case TICK_CRASH:
        on_crash (self, process, (int64_t) tick->number);
        break;
    case TICK_TIME_UP:
        if (current)
            on_crash (self, process, (int64_t) tick->number);
        break;
    case TICK_CALL:
        break; /* the tick concerns no process */
    case TICK_START:
        if (current && process->state == PROCESS_DOWN)
            process_start (self, process);
        break;
    case TICK_BATCH_END:
        if (current)
            process_batch_end (self, process);
        break;
    case TICK_ALARM:
        if (current)
            process_alarm (self, process, tick->number);
        break;
    case TICK_WAKE:
        if (current)
            process_wake (self, process);
        break;
    case TICK_LATE:
        if (current)
            process_late (self, process, tick->number);
        break;
    case TICK_WORK:
        if (current)
            process_work (self, process, tick->number);
        break;
    case TICK_ROWS:
        if (current)
            process_rows (self, process, tick->number);
        break;
    }
}

void sim_run (sim_t *self, int64_t until_us)
{
    tick_t tick;
    while (!self->failed && sim_queue_due (self->queue) <= until_us &&
           sim_queue_pop (self->queue, &tick)) {
        assert (tick.at_us >= self->now_us);
        self->now_us = tick.at_us;
        on_tick (self, &tick);
    }
    if (!self->failed && self->now_us < until_us)
        self->now_us = until_us;
}

int64_t sim_now_us (const sim_t *self)
{
    return self->now_us;
}

uint64_t sim_steps (const sim_t *self)
{
    return self->steps;
}

size_t sim_processes (const sim_t *self)
{
    return self->processes_count;
}

const char *sim_name (const sim_t *self, int process)
{
    return process == SIM_NOBODY ? "nobody" : self->processes [process]->program.name;
}

bool sim_up (const sim_t *self, int process)
{
    return self->processes [process]->state == PROCESS_UP;
}

const char *sim_address (const sim_t *self, int process)
{
    return self->processes [process]->address;
}

const store_identity_t *sim_identity (const sim_t *self, int process)
{
    return sim_store_identity (self->processes [process]->store);
}

const sim_store_t *sim_store (const sim_t *self, int process)
{
    return self->processes [process]->store;
}

void sim_small_store (sim_t *self, int process, uint64_t bytes, uint64_t left_bytes)
{
    sim_store_t *store = self->processes [process]->store;
    uint64_t free_bytes = sim_store_free_bytes (store);
    uint64_t used_bytes = sim_store_bytes (store) - free_bytes;
    sim_trace (self, process, "its store has room for %llu bytes more",
               (unsigned long long) left_bytes);
    sim_store_size (store, bytes, bytes - left_bytes - used_bytes);
}

void sim_pace (sim_t *self, int64_t flight_us, int64_t flush_us)
{
    self->paced = true;
    self->flush_us = flush_us;
    sim_net_pace (self->net, flight_us);
}

void sim_flow (sim_t *self, sim_flow_fn *order, void *owner)
{
    self->flow = order;
    self->flow_owner = owner;
}

void sim_flow_news (sim_t *self, int process, const flow_event_t *news)
{
    if (self->processes [process]->state == PROCESS_UP && !self->failed)
        process_news (self, self->processes [process], news);
}

void sim_worker (sim_t *self, sim_worker_fn *worker, void *owner)
{
    self->worker = worker;
    self->worker_owner = owner;
}

void sim_serve (sim_t *self, sim_serve_fn *serve, void *owner)
{
    self->serve = serve;
    self->serve_owner = owner;
}

/*  --- what would be there after a restart --- */

/*  A record of a command that the core has put since it was recalled; or one that it wants to read,
 *  without a value. */
typedef struct {
    uint64_t read;
    packed_t key;
    packed_t value;
} recalled_record_t;

struct sim_recalled {
    core_t core;
    moment_t moment;
    const sim_store_t *store;
    recalled_record_t *records;
    size_t count;
    size_t room;
};

static packed_t recalled_copy (bytes_t bytes)
{
    packed_t copy = {.data = must (malloc (bytes.size + 1)), .size = bytes.size};
    if (bytes.size > 0)
        memcpy (copy.data, bytes.data, bytes.size);
    return copy;
}

static void recalled_keep (sim_recalled_t *self, uint64_t read, bytes_t key, bytes_t value)
{
    self->records = must_grow (self->records, self->count, &self->room, sizeof *self->records);
    self->records [self->count++] =
      (recalled_record_t){.read = read, .key = recalled_copy (key), .value = recalled_copy (value)};
}

/*  Keeps what it puts and what it wants to read, of commands. */
static void recall_take (sim_recalled_t *self, const effect_t *effect)
{
    if (effect->kind == EFFECT_PUT && effect->record.table == TABLE_COMMANDS)
        recalled_keep (self, 0, effect->record.key, effect->record.value);
    if (effect->kind == EFFECT_READ && effect->read.table == TABLE_COMMANDS)
        recalled_keep (self, effect->read.read, effect->read.from, (bytes_t){0});
}

/*  The record that it has put last, or else the durable one. */
static void recall_show (sim_recalled_t *self, size_t at)
{
    const packed_t key = self->records [at].key;
    read_order_t order = {
      .table = TABLE_COMMANDS, .from = {.data = key.data, .size = key.size}, .most = 1};
    event_t event = {.kind = EVENT_ROWS, .rows = {.read = self->records [at].read}};
    self->records [at].read = 0;
    row_t *rows = sim_store_read (self->store, &order, &event.rows.count, &event.rows.more);
    for (size_t i = 0; i < self->count; i++)
        if (self->records [i].value.size > 0 && self->records [i].key.size == key.size &&
            memcmp (self->records [i].key.data, key.data, key.size) == 0) {
            const packed_t value = self->records [i].value;
            rows [0] = (row_t){order.from, {.data = value.data, .size = value.size}};
            event.rows.count = 1;
        }
    event.rows.rows = rows;
    self->core.step (self->core.self, &self->moment, &event);
    free (rows);
}

static void recall_load (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    sim_recalled_t *recall = owner;
    recall->core.step (
      recall->core.self, &recall->moment,
      &(event_t){.kind = EVENT_RECORD, .record = {.table = table, .key = key, .value = value}});
}

/*  Directories that remember nothing answer the announcements of this process at once, so it serves
 *  (T14). */
static void recall_welcome (sim_recalled_t *recall)
{
    effect_t effect;
    uint64_t calls [RECALL_CALLS_MAX];
    size_t count = 0;
    while (recall->core.next (recall->core.self, &effect)) {
        recall_take (recall, &effect);
        if (effect.kind == EFFECT_CALL && strcmp (effect.call.method, "Announce") == 0 &&
            count < RECALL_CALLS_MAX)
            calls [count++] = effect.call.call;
    }
    packed_t body = sim_wire_welcome (recall->moment.wall_ms);
    for (size_t i = 0; i < count; i++)
        recall->core.step (recall->core.self, &recall->moment,
                           &(event_t){.kind = EVENT_ANSWER,
                                      .answer = {.call = calls [i],
                                                 .reason = "",
                                                 .body = {.data = body.data, .size = body.size},
                                                 .store_start = 1}});
    free (body.data);
}

static sim_message_t *recall_reply (sim_recalled_t *recall)
{
    effect_t effect;
    sim_message_t *answer = NULL;
    while (recall->core.next (recall->core.self, &effect)) {
        recall_take (recall, &effect);
        if (effect.kind != EFFECT_REPLY || answer)
            continue;
        answer = sim_message_new (MESSAGE_ANSWER, effect.reply.body);
        answer->status = effect.reply.status;
        sim_text (answer->reason, sizeof answer->reason, effect.reply.reason);
    }
    return answer;
}

sim_recalled_t *sim_recalled_new (sim_t *sim, int process)
{
    const sim_process_t *from = sim->processes [process];
    sim_recalled_t *self = must (calloc (1, sizeof *self));
    prng_t prng;
    prng_seed (&prng, RECALL_ENTROPY);
    process_moment (from, sim->now_us, &prng, &self->moment);
    self->store = from->store;
    from->program.make (from->program.owner, &self->core);
    sim_store_each (from->store, false, recall_load, self);
    store_identity_t identity = *sim_store_identity (from->store);
    identity.start++;
    self->core.step (
      self->core.self, &self->moment,
      &(event_t){.kind = EVENT_START,
                 .start = {.store = identity, .endpoint = from->address, .events = from->address}});
    recall_welcome (self);
    return self;
}

void sim_recalled_destroy (sim_recalled_t **self_p)
{
    sim_recalled_t *self = *self_p;
    if (!self)
        return;
    self->core.destroy (self->core.self);
    for (size_t i = 0; i < self->count; i++) {
        free (self->records [i].key.data);
        free (self->records [i].value.data);
    }
    free (self->records);
    free (self);
    *self_p = NULL;
}

sim_message_t *sim_recalled_ask (sim_recalled_t *self, const char *service, const char *method,
                                 const char *actor, bytes_t body)
{
    self->core.step (self->core.self, &self->moment,
                     &(event_t){.kind = EVENT_REQUEST,
                                .request = {.service = service,
                                            .method = method,
                                            .actor = actor,
                                            .request_id = "",
                                            .body = body,
                                            .reply_to = 1}});
    sim_message_t *answer = recall_reply (self);
    for (size_t i = 0; i < self->count && !answer; i++)
        if (self->records [i].read > 0) {
            recall_show (self, i);
            answer = recall_reply (self);
        }
    return answer;
}

sim_message_t *sim_recall (sim_t *self, int process, const char *service, const char *method,
                           const char *actor, bytes_t body)
{
    sim_recalled_t *recalled = sim_recalled_new (self, process);
    sim_message_t *answer = sim_recalled_ask (recalled, service, method, actor, body);
    sim_recalled_destroy (&recalled);
    return answer;
}

/*  --- verdict and trace --- */

void sim_fail (sim_t *self, const char *format, ...)
{
    if (self->failed)
        return;
    self->failed = true;
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (self->why, sizeof self->why, format, arguments);
    va_end (arguments);
    sim_trace (self, SIM_NOBODY, "FAILED: %s", self->why);
}

bool sim_failed (const sim_t *self)
{
    return self->failed;
}

const char *sim_why (const sim_t *self)
{
    return self->why;
}

bool sim_tracing (const sim_t *self)
{
    return self->trace != NULL;
}

void sim_trace (sim_t *self, int process, const char *format, ...)
{
    if (!self->trace)
        return;
    fprintf (self->trace, "%6lld.%06lld %-12s ", (long long) (self->now_us / 1000000),
             (long long) (self->now_us % 1000000),
             process == SIM_NOBODY ? "" : self->processes [process]->program.name);
    va_list arguments;
    va_start (arguments, format);
    vfprintf (self->trace, format, arguments);
    va_end (arguments);
    fputc ('\n', self->trace);
}

void sim_log (sim_t *sim, const sim_process_t *process, log_level_t level, const char *line)
{
    static const char *const words [] = {"debug", "info", "warning", "alarm"};
    sim_trace (sim, process->number, "    %s: %s", words [level], line);
    if (sim->observer.logged)
        sim->observer.logged (sim->observer.owner, process->number, line);
}
