/*  sim_holder - holds without a plan. */
#include "sim_holder.h"

#include "outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 400
#define LATE_MS    800
#define AHEAD_MS   30000

static int64_t below (sim_holder_t *self, int64_t bound)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) bound);
}

static void send (sim_holder_t *self, sim_try_t *try, const char *method, packed_t body)
{
    try->call = ++self->calls;
    effect_t call = {.kind = EFFECT_CALL,
                     .call = {.call = try->call,
                              .endpoint = sim_address (self->sim, try->processes [try->at]),
                              .service = "Participant",
                              .method = method,
                              .actor = self->name,
                              .request_id = "",
                              .body = {.data = body.data, .size = body.size},
                              .timeout_ms = TIMEOUT_MS}};
    memcpy (call.call.to_store, try->hold.parties [try->at].store, STORE_ID_BYTES);
    outbox_push (self->outbox, &call);
    free (body.data);
}

static void begin (sim_holder_t *self, const moment_t *now)
{
    sim_try_t *try = &self->tries [self->tries_count++];
    size_t first = prng_below (&self->prng, self->parties_count);
    size_t second = (first + 1) % self->parties_count;
    *try = (sim_try_t){.fate = (sim_fate_t) below (self, FATES),
                       .processes = {self->processes [first], self->processes [second]},
                       .due_ms = now->mono_ms + 1 + below (self, 6000)};
    sim_hold_t *hold = &try->hold;
    memcpy (hold->txid.store, self->store.id, STORE_ID_BYTES);
    hold->txid.start = self->store.start;
    hold->txid.counter = self->tries_count;
    sim_text (hold->coordinator, sizeof hold->coordinator, self->name);
    sim_text (hold->coordinator_address, sizeof hold->coordinator_address, self->address);
    hold->parties [0] = self->parties [first];
    hold->parties [1] = self->parties [second];
    if (self->parties_count < 2 && try->fate == FATE_HALF)
        try->fate = FATE_ABORT; /* the plan has one part only */
    hold->parties_count = try->fate == FATE_HALF ? 2 : 1;
    for (size_t i = 0; i < hold->parties_count; i++) {
        sim_party_t *party = &hold->parties [i];
        sim_text (party->name, sizeof party->name, sim_name (self->sim, try->processes [i]));
        sim_text (party->address, sizeof party->address,
                  sim_address (self->sim, try->processes [i]));
        memcpy (party->store, sim_identity (self->sim, try->processes [i])->id, STORE_ID_BYTES);
    }
    sim_text (hold->actor, sizeof hold->actor, "alice");
    hold->ttl_ms = self->ttl_ms;
}

static void hold (sim_holder_t *self, const moment_t *now, sim_try_t *try)
{
    if (try->hold.from_ms == 0) {
        /* a half-prepared hold is in doubt while the other part is held */
        int64_t decide_ms = try->fate == FATE_HALF ? self->ttl_ms / 3 : 4 * (int64_t) self->ttl_ms;
        try->hold.from_ms = now->wall_ms + AHEAD_MS + 1000 * below (self, 60);
        try->hold.until_ms = try->hold.from_ms + 10000;
        try->hold.decide_by_ms = now->wall_ms + decide_ms;
    }
    send (self, try, "Hold", sim_wire_hold (&try->hold, try->at));
}

/*  The hold was granted just now: draws what will be done with it, and when. */
static void held (sim_holder_t *self, const moment_t *now, sim_try_t *try, uint32_t ttl_ms)
{
    if (try->at + 1 < try->hold.parties_count) {
        try->at++;
        try->due_ms = now->mono_ms + 1;
        return;
    }
    try->at = 0;
    if (try->fate == FATE_HALF)
        try->state = TRY_RENEWED;
    else if (try->state == TRY_WAITS && below (self, 2) == 0)
        try->state = TRY_HELD; /* will be renewed at half its life */
    else
        try->state = TRY_RENEWED;
    int64_t half_ms = ttl_ms / 2;
    try->due_ms = now->mono_ms + (try->fate == FATE_HALF ? 1 : half_ms);
    if (try->state == TRY_RENEWED && try->fate == FATE_PREPARE_LATE)
        try->due_ms = now->mono_ms + ttl_ms + LATE_MS;
    if (try->state == TRY_RENEWED && try->fate == FATE_FORGET)
        try->state = TRY_OVER;
}

static void go_on (sim_holder_t *self, const moment_t *now, sim_try_t *try)
{
    switch (try->state) {
    case TRY_WAITS:
        hold (self, now, try);
        break;
    case TRY_HELD:
        send (self, try, "Renew", sim_wire_renew (&try->hold.txid, self->ttl_ms));
        break;
    case TRY_RENEWED:
        if (try->fate == FATE_ABORT)
            send (self, try, "Abort", sim_wire_txid (&try->hold.txid));
        else
            send (self, try, "Prepare", sim_wire_txid (&try->hold.txid));
        break;
    case TRY_PREPARED:
        send (self, try, "Abort", sim_wire_txid (&try->hold.txid));
        break;
    case TRY_OVER:
        break;
    }
}

static void on_answer (sim_holder_t *self, const moment_t *now, const event_t *event)
{
    sim_try_t *try = NULL;
    for (size_t i = 0; i < self->tries_count && !try; i++)
        if (self->tries [i].call == event->answer.call)
            try = &self->tries [i];
    if (!try)
        return;
    try->call = 0;
    try->due_ms = now->mono_ms + 200;
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    if (event->answer.status != CALL_OK ||
        !sim_wire_command_answer (event->answer.body, &txid, &state, &ttl_ms, &refused))
        return; /* again */
    if (state == COMMAND_HELD && try->state != TRY_PREPARED)
        held (self, now, try, ttl_ms);
    else if (state == COMMAND_PREPARED && try->state != TRY_PREPARED)
        try->state = try->fate == FATE_HALF ? TRY_OVER : TRY_PREPARED;
    else
        try->state = TRY_OVER;
}

/*  It never commits, so "aborted" is true of every txid that it ever used. It says nothing, as long
 *  as it lives, of the txids that it left half prepared. */
static outcome_t outcome_of (const sim_holder_t *self, const txid_t *txid)
{
    if (memcmp (txid->store, self->store.id, STORE_ID_BYTES) != 0)
        return OUTCOME_LOST;
    for (size_t i = 0; i < self->tries_count; i++)
        if (self->tries [i].fate == FATE_HALF &&
            txid_compare (&self->tries [i].hold.txid, txid) == 0)
            return OUTCOME_PENDING;
    return OUTCOME_ABORTED;
}

static void on_request (sim_holder_t *self, const request_t *request)
{
    txid_t txid = {0};
    sim_message_t *message = sim_message_new (MESSAGE_REQUEST, request->body);
    bool named =
      strcmp (request->service, "Coordinator") == 0 && sim_wire_names_txid (message, &txid);
    free (message);
    if (!named) {
        outbox_refuse (self->outbox, request->reply_to, CALL_UNKNOWN_METHOD, "a holder");
        return;
    }
    packed_t answer = sim_wire_outcome (&txid, outcome_of (self, &txid));
    outbox_reply (self->outbox, request->reply_to,
                  (bytes_t){.data = answer.data, .size = answer.size});
    free (answer.data);
}

static void on_start (sim_holder_t *self, const moment_t *now, const event_t *event)
{
    self->store = event->start.store;
    sim_text (self->address, sizeof self->address, event->start.endpoint);
    size_t at = (size_t) snprintf (self->name, sizeof self->name, "planner/");
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        at +=
          (size_t) snprintf (self->name + at, sizeof self->name - at, "%02x", self->store.id [i]);
    for (size_t i = 0; i < self->tries_count; i++) {
        self->tries [i].call = 0;
        self->tries [i].state = TRY_OVER; /* it died and forgot it: the hold must end by itself */
    }
    while (self->tries_count < SIM_TRIES_MAX && self->wanted > 0) {
        self->wanted--;
        begin (self, now);
    }
}

static void holder_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_holder_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        on_start (self, now, event);
    if (event->kind == EVENT_REQUEST)
        on_request (self, &event->request);
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now, event);
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < self->tries_count; i++) {
        sim_try_t *try = &self->tries [i];
        if (try->state == TRY_OVER || try->call)
            continue;
        if (try->due_ms <= now->mono_ms)
            go_on (self, now, try);
        else if (try->due_ms < due_ms)
            due_ms = try->due_ms;
    }
    outbox_timer (self->outbox, due_ms);
}

static bool holder_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_holder_t *) owner)->outbox, effect);
}

static void holder_destroy (void *owner)
{
    outbox_destroy (&((sim_holder_t *) owner)->outbox);
}

void sim_holder_make (void *owner, core_t *core)
{
    sim_holder_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = holder_step, .next = holder_next, .destroy = holder_destroy};
}
