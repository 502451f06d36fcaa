/*  sim_operator - tasks, each until it is answered. */
#include "sim_operator.h"

#include "outbox.h"

#include <stdlib.h>
#include <string.h>

#define ADMINISTRATOR "auditor"
#define TIMEOUT_MS    300
#define PATIENT_MS    2000
#define AGAIN_MS      150
#define TRIES_MAX     400
#define LOOKS_MAX     10 /* for a reservation with circuits */

/*  The domain of some link of the connection. */
static bool domain_of (const sim_operator_t *self, const sim_connection_t *connection, uint32_t aim,
                       size_t *domain)
{
    if (connection->links_count == 0)
        return false;
    const char *link = connection->links [aim % connection->links_count];
    for (size_t d = 0; d < self->domains_count; d++) {
        const char *name = sim_name (self->sim, self->domains [d]) + strlen ("nis/");
        size_t size = strlen (name);
        if (strncmp (link, name, size) == 0 && link [size] == '/') {
            *domain = d;
            return true;
        }
    }
    return false;
}

/*  Some reservation with circuits that was told committed. */
static bool find_circuits (const sim_operator_t *self, sim_task_t *task)
{
    const sim_request_t *known [SIM_REQUESTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < self->book->count; i++) {
        const sim_request_t *request = &self->book->requests [i];
        if (request->operation == OPERATION_RESERVE && request->answer.status == ANSWER_COMMITTED &&
            request->answer.connections_count > 0)
            known [count++] = request;
    }
    if (count == 0)
        return false;
    const sim_answer_t *answer = &known [task->aim % count]->answer;
    if (!domain_of (self, &answer->connections [task->aim % answer->connections_count], task->aim,
                    &task->domain))
        return false; /* both its ends are at one site */
    sim_text (task->reservation, sizeof task->reservation, answer->reservation);
    sim_text (task->actor, sizeof task->actor, known [task->aim % count]->actor);
    return true;
}

static void ask (sim_operator_t *self, sim_task_t *task)
{
    bool lower = task->kind == TASK_LOWER;
    packed_t body =
      lower ? sim_wire_capacity (task->link, task->mbps) : sim_wire_use (task->reservation);
    task->tries++;
    task->call = ++self->calls;
    outbox_push (
      self->outbox,
      &(effect_t){.kind = EFFECT_CALL,
                  .call = {.call = task->call,
                           .endpoint = sim_address (self->sim, self->domains [task->domain]),
                           .service = lower ? "Calendar" : "Nis",
                           .method = lower                          ? "Capacity"
                                     : task->kind == TASK_PROVISION ? "Provision"
                                                                    : "Release",
                           .actor = lower ? ADMINISTRATOR : task->actor,
                           .request_id = lower ? "" : task->reservation,
                           .body = {.data = body.data, .size = body.size},
                           .timeout_ms = self->patient ? PATIENT_MS : TIMEOUT_MS}});
    free (body.data);
}

static void begin (sim_operator_t *self, sim_task_t *task, int64_t mono_ms)
{
    if (task->kind == TASK_LOWER || *task->reservation || find_circuits (self, task)) {
        ask (self, task);
        return;
    }
    task->due_ms = mono_ms + AGAIN_MS;
    task->ended = ++task->tries == LOOKS_MAX; /* no reservation has circuits */
}

static void on_answer (sim_operator_t *self, int64_t mono_ms, const event_t *event)
{
    for (size_t i = 0; i < self->tasks_count; i++) {
        sim_task_t *task = &self->tasks [i];
        if (task->call != event->answer.call || task->ended)
            continue;
        call_status_t status = event->answer.status;
        task->call = 0;
        task->due_ms = mono_ms + AGAIN_MS;
        task->ended =
          status == CALL_OK || (task->kind != TASK_LOWER && status != CALL_TIMED_OUT &&
                                status != CALL_OVERLOADED && status != CALL_NOT_SERVING);
        if (task->kind == TASK_LOWER && status == CALL_OK) {
            sim_check_lowered (self->check, self->domains [task->domain], task->link, task->mbps);
            self->check->tally->counts [COUNT_LOWERED]++;
        }
        if (task->kind == TASK_LOWER && (status == CALL_DENIED || task->tries == TRIES_MAX))
            sim_fail (self->sim, "an administrator may not lower %s at %s: %s", task->link,
                      sim_name (self->sim, self->domains [task->domain]), event->answer.reason);
    }
}

static void operator_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_operator_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        for (size_t i = 0; i < self->tasks_count; i++) { /* a new life: calls are forgotten */
            self->tasks [i].call = 0;
            self->tasks [i].due_ms =
              now->mono_ms + (self->tasks [i].tries ? AGAIN_MS : self->tasks [i].after_ms);
        }
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now->mono_ms, event);
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < self->tasks_count; i++) {
        sim_task_t *task = &self->tasks [i];
        if (!task->ended && !task->call && task->due_ms <= now->mono_ms)
            begin (self, task, now->mono_ms);
        if (!task->ended && !task->call && task->due_ms < due_ms)
            due_ms = task->due_ms;
    }
    outbox_timer (self->outbox, due_ms);
}

static bool operator_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_operator_t *) owner)->outbox, effect);
}

static void operator_destroy (void *owner)
{
    outbox_destroy (&((sim_operator_t *) owner)->outbox);
}

void sim_operator_make (void *owner, core_t *core)
{
    sim_operator_t *self = owner;
    self->outbox = outbox_new ();
    *core = (core_t){
      .self = self, .step = operator_step, .next = operator_next, .destroy = operator_destroy};
}

bool sim_operator_ended (const sim_operator_t *self)
{
    for (size_t i = 0; i < self->tasks_count; i++)
        if (!self->tasks [i].ended)
            return false;
    return true;
}
