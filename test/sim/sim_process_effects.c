/*  sim_process_effects - what a core wants done: in its store at once, else kept until the batch
 *  has been flushed.
 */
#include "sim_process.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void leave_later (sim_process_t *self, leaving_t leaving)
{
    if (self->leaving_count == self->leaving_room) {
        self->leaving_room = self->leaving_room ? 2 * self->leaving_room : 16;
        self->leaving = must (realloc (self->leaving, self->leaving_room * sizeof (leaving_t)));
    }
    self->leaving [self->leaving_count++] = leaving;
    if (leaving.message && sim_message_transacts (leaving.message))
        self->transacts = true;
}

static void on_reply (sim_t *sim, sim_process_t *self, const effect_t *effect)
{
    for (size_t i = 0; i < self->replies_count; i++) {
        if (self->replies_open [i].reply_to != effect->reply.reply_to)
            continue;
        sim_message_t *request = self->replies_open [i].request;
        self->replies_open [i] = self->replies_open [--self->replies_count];
        sim_message_t *answer = sim_message_new (MESSAGE_ANSWER, effect->reply.body);
        answer->from = self->number;
        answer->to = request->from;
        answer->to_life = request->to_life;
        answer->call = request->call;
        answer->status = effect->reply.status;
        answer->store = *sim_store_identity (self->store);
        sim_text (answer->service, sizeof answer->service, request->service);
        sim_text (answer->method, sizeof answer->method, request->method);
        sim_text (answer->actor, sizeof answer->actor, request->actor);
        sim_text (answer->request_id, sizeof answer->request_id, request->request_id);
        sim_text (answer->reason, sizeof answer->reason, effect->reply.reason);
        free (request);
        leave_later (self, (leaving_t){.message = answer});
        return;
    }
    sim_fail (sim, "%s answered a request twice, or one that never came", self->program.name);
}

static void on_call (sim_process_t *self, const effect_t *effect)
{
    sim_message_t *request = sim_message_new (MESSAGE_REQUEST, effect->call.body);
    request->from = self->number;
    request->to_life = self->life; /* the life that asks: only that life gets the answer */
    request->call = effect->call.call;
    memcpy (request->to_store, effect->call.to_store, STORE_ID_BYTES);
    sim_text (request->address, sizeof request->address, effect->call.endpoint);
    sim_text (request->service, sizeof request->service, effect->call.service);
    sim_text (request->method, sizeof request->method, effect->call.method);
    sim_text (request->actor, sizeof request->actor, effect->call.actor);
    sim_text (request->request_id, sizeof request->request_id, effect->call.request_id);
    leave_later (self, (leaving_t){.message = request, .timeout_ms = effect->call.timeout_ms});
}

static void on_publish (sim_process_t *self, const effect_t *effect)
{
    sim_message_t *notice = sim_message_new (MESSAGE_NOTICE, effect->publish.body);
    notice->from = self->number;
    notice->store = *sim_store_identity (self->store);
    notice->number = ++self->notices;
    sim_text (notice->address, sizeof notice->address, self->address);
    sim_text (notice->service, sizeof notice->service, "hint");
    sim_text (notice->method, sizeof notice->method, effect->publish.topic);
    leave_later (self, (leaving_t){.message = notice});
}

static void on_subscribe (sim_t *sim, sim_process_t *self, const char *endpoint, bool wanted)
{
    sim->hears [self->number] = true;
    size_t at = 0;
    while (at < self->subscriptions_count && strcmp (self->subscriptions [at], endpoint) != 0)
        at++;
    bool there = at < self->subscriptions_count;
    if (wanted && !there && at < SIM_SUBSCRIPTIONS_MAX)
        sim_text (self->subscriptions [self->subscriptions_count++], SIM_ADDRESS_BYTES, endpoint);
    if (!wanted && there)
        memmove (self->subscriptions [at], self->subscriptions [--self->subscriptions_count],
                 SIM_ADDRESS_BYTES);
}

static void on_timer (sim_t *sim, sim_process_t *self, int64_t mono_ms)
{
    self->alarm++;
    self->alarm_mono_ms = mono_ms;
    process_alarm_set (sim, self);
}

static void on_read (sim_process_t *self, const read_order_t *order)
{
    reading_t *reading = must (calloc (1, sizeof *reading));
    assert (order->from.size <= sizeof reading->from);
    reading->order = *order;
    if (order->from.size > 0)
        memcpy (reading->from, order->from.data, order->from.size);
    reading->order.from.data = reading->from;
    leave_later (self, (leaving_t){.reading = reading});
}

static void on_flow (sim_process_t *self, const flow_order_t *order)
{
    sim_order_t *kept = must (calloc (1, sizeof *kept));
    const char *text = order->verb == FLOW_OPEN   ? order->path
                       : order->verb == FLOW_DIAL ? order->endpoint
                                                  : "";
    kept->order = *order;
    snprintf (kept->text, sizeof kept->text, "%s", text);
    kept->order.path = kept->order.endpoint = kept->text;
    if (order->verb == FLOW_OPEN) {
        memcpy (kept->id, order->id, FLOW_ID_BYTES);
        memcpy (kept->token, order->token, FLOW_TOKEN_BYTES);
        kept->order.id = kept->id;
        kept->order.token = kept->token;
    }
    leave_later (self, (leaving_t){.order = kept});
}

void process_effect (sim_t *sim, sim_process_t *self, const effect_t *effect)
{
    switch (effect->kind) {
    case EFFECT_REPLY:
        on_reply (sim, self, effect);
        break;
    case EFFECT_CALL:
        on_call (self, effect);
        break;
    case EFFECT_PUBLISH:
        on_publish (self, effect);
        break;
    case EFFECT_SUBSCRIBE:
        on_subscribe (sim, self, effect->subscribe.endpoint, true);
        break;
    case EFFECT_UNSUBSCRIBE:
        on_subscribe (sim, self, effect->subscribe.endpoint, false);
        break;
    case EFFECT_PUT:
        sim_store_put (self->store, effect->record.table, effect->record.key, effect->record.value);
        sim_trace (sim, self->number, "    put table=%u bytes=%zu", effect->record.table,
                   effect->record.value.size);
        break;
    case EFFECT_DELETE:
        sim_store_delete (self->store, effect->record.table, effect->record.key);
        sim_trace (sim, self->number, "    delete table=%u", effect->record.table);
        break;
    case EFFECT_TIMER:
        on_timer (sim, self, effect->timer.mono_ms);
        break;
    case EFFECT_WORK:
        if (sim->worker || process_works_itself (effect->work.kind))
            sim_works_add (&self->works, effect);
        self->transacts =
          self->transacts || sim->worker || process_works_itself (effect->work.kind);
        leave_later (self, (leaving_t){.number = effect->work.work});
        break;
    case EFFECT_READ:
        on_read (self, &effect->read);
        break;
    case EFFECT_FLOW:
        assert (sim->flow);
        self->transacts = true;
        on_flow (self, &effect->flow);
        break;
    case EFFECT_LOG:
        sim_log (sim, self, effect->log.level, effect->log.line);
        break;
    case EFFECT_STOP:
        self->stops = true;
        sim_trace (sim, self->number, "    stop: %s", effect->stop.reason);
        break;
    }
}
