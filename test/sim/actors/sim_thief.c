/*  sim_thief - holds, over and over. */
#include "sim_thief.h"

#include "outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 50
#define EVERY_MS   1

static void ask (sim_thief_t *self, const moment_t *now, const sim_prey_t *prey)
{
    sim_hold_t *hold = &self->hold;
    *hold = (sim_hold_t){.txid = {.start = self->store.start, .counter = ++self->attempts},
                         .parties_count = 1,
                         .from_ms = prey->from_ms,
                         .until_ms = prey->until_ms,
                         .decide_by_ms = now->wall_ms + 4 * (int64_t) self->ttl_ms,
                         .ttl_ms = self->ttl_ms};
    memcpy (hold->txid.store, self->store.id, STORE_ID_BYTES);
    sim_text (hold->coordinator, sizeof hold->coordinator, self->name);
    sim_text (hold->coordinator_address, sizeof hold->coordinator_address, self->address);
    sim_text (hold->actor, sizeof hold->actor, "thief");
    sim_party_t *party = &hold->parties [0];
    *party = prey->party;
    sim_text (party->name, sizeof party->name, sim_name (self->sim, prey->process));
    sim_text (party->address, sizeof party->address, sim_address (self->sim, prey->process));
    memcpy (party->store, sim_identity (self->sim, prey->process)->id, STORE_ID_BYTES);
    packed_t body = sim_wire_hold (hold, 0);
    effect_t call = {.kind = EFFECT_CALL,
                     .call = {.call = ++self->calls,
                              .endpoint = party->address,
                              .service = "Participant",
                              .method = "Hold",
                              .actor = self->name,
                              .request_id = "",
                              .body = {.data = body.data, .size = body.size},
                              .timeout_ms = TIMEOUT_MS}};
    memcpy (call.call.to_store, party->store, STORE_ID_BYTES);
    outbox_push (self->outbox, &call);
    free (body.data);
    self->waits = true;
}

static void on_answer (sim_thief_t *self, const moment_t *now, const event_t *event)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    if (event->answer.call != self->calls)
        return;
    self->waits = false;
    self->due_ms = now->mono_ms + EVERY_MS;
    if (event->answer.status != CALL_OK ||
        !sim_wire_command_answer (event->answer.body, &txid, &state, &ttl_ms, &refused) ||
        refused != REFUSAL_NONE || state != COMMAND_HELD)
        return;
    self->grants++;
    self->due_ms = now->mono_ms + ttl_ms; /* it was granted: rests until that hold has ended */
    if (self->got)
        self->got (self->owner, &self->hold);
}

static void on_start (sim_thief_t *self, const moment_t *now, const event_t *event)
{
    self->store = event->start.store;
    self->due_ms = now->mono_ms;
    self->waits = false;
    sim_text (self->address, sizeof self->address, event->start.endpoint);
    size_t at = (size_t) snprintf (self->name, sizeof self->name, "planner/");
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        at +=
          (size_t) snprintf (self->name + at, sizeof self->name - at, "%02x", self->store.id [i]);
}

static void thief_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_thief_t *self = owner;
    sim_prey_t prey;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        on_start (self, now, event);
    if (event->kind == EVENT_REQUEST) /* it never prepares, so no participant has a reason to ask */
        outbox_refuse (self->outbox, event->request.reply_to, CALL_UNKNOWN_METHOD, "a thief");
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now, event);
    if (self->waits)
        return;
    if (self->due_ms <= now->mono_ms) {
        self->due_ms = now->mono_ms + EVERY_MS;
        if (self->prey (self->owner, &prey))
            ask (self, now, &prey);
    }
    outbox_timer (self->outbox, self->due_ms);
}

static bool thief_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_thief_t *) owner)->outbox, effect);
}

static void thief_destroy (void *owner)
{
    outbox_destroy (&((sim_thief_t *) owner)->outbox);
}

void sim_thief_make (void *owner, core_t *core)
{
    sim_thief_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = thief_step, .next = thief_next, .destroy = thief_destroy};
}
