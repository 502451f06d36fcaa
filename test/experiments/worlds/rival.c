/*  rival - what all nodes have in common. */
#include "rival.h"

#include "must.h"
#include "outbox.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEND_TIMEOUT_MS 1000

static const char *const kind_words [RIVAL_KINDS] = {
  "Prepare",  "Vote",  "Precommit", "PrecommitAck", "Outcome", "OutcomeAck", "Ask",
  "StateAsk", "State", "1a",        "1b",           "2a",      "2b"};

static const char *const state_words [] = {"initial",   "prepared", "precommitted",
                                           "committed", "aborted",  "edge"};

const char *rival_kind_word (rival_kind_t kind)
{
    return kind_words [kind];
}

bool rival_read (const sim_message_t *message, rival_message_t *to)
{
    if (message->kind != MESSAGE_REQUEST || strcmp (message->service, "Rival") != 0 ||
        message->size != sizeof *to)
        return false;
    memcpy (to, message->body, sizeof *to);
    return true;
}

bool rival_is_participant (const rival_t *self, size_t node)
{
    return node >= 1 && node <= self->federation->participants;
}

void rival_send (rival_t *self, size_t to, const rival_message_t *message)
{
    rival_message_t bytes;
    memset (&bytes, 0, sizeof bytes); /* padding too: same run, same bytes */
    bytes.kind = message->kind;
    bytes.from = (uint8_t) self->number;
    bytes.txn = message->txn;
    bytes.state = message->state;
    bytes.recovered = message->recovered;
    bytes.ballot = message->ballot;
    bytes.from_ms = message->from_ms;
    bytes.until_ms = message->until_ms;
    for (size_t i = 0; i < RIVAL_PARTICIPANTS_MAX; i++) {
        bytes.votes [i].ballot = message->votes [i].ballot;
        bytes.votes [i].state = message->votes [i].state;
    }
    outbox_push (
      self->outbox,
      &(effect_t){.kind = EFFECT_CALL,
                  .call = {.call = ++self->calls,
                           .endpoint = sim_address (self->federation->sim, (int) to),
                           .service = "Rival",
                           .method = kind_words [message->kind],
                           .actor = self->name,
                           .request_id = "",
                           .body = {.data = (const uint8_t *) &bytes, .size = sizeof bytes},
                           .timeout_ms = SEND_TIMEOUT_MS}});
}

void rival_send_participants (rival_t *self, const rival_message_t *message)
{
    for (size_t i = 1; i <= self->federation->participants; i++)
        if (i != self->number)
            rival_send (self, i, message);
}

void rival_send_acceptors (rival_t *self, const rival_message_t *message)
{
    for (size_t i = 0; i < self->federation->acceptors; i++)
        rival_send (self, 1 + self->federation->participants + i, message);
}

/*  The part of a transaction that must outlive its node's process. */
typedef struct {
    rival_state_t state;
    uint32_t promised;
    int64_t from_ms;
    int64_t until_ms;
    rival_vote_t votes [RIVAL_PARTICIPANTS_MAX];
} stored_t;

void rival_store (rival_t *self, size_t txn)
{
    const rival_txn_t *from = &self->txns [txn];
    uint8_t key = (uint8_t) txn;
    stored_t stored;
    memset (&stored, 0, sizeof stored);
    stored.state = from->state;
    stored.promised = from->promised;
    stored.from_ms = from->from_ms;
    stored.until_ms = from->until_ms;
    for (size_t i = 0; i < RIVAL_PARTICIPANTS_MAX; i++) {
        stored.votes [i].ballot = from->votes [i].ballot;
        stored.votes [i].state = from->votes [i].state;
    }
    outbox_put (self->outbox, TABLE_COMMANDS, (bytes_t){.data = &key, .size = 1},
                (bytes_t){.data = (const uint8_t *) &stored, .size = sizeof stored});
}

static void load (rival_t *self, bytes_t key, bytes_t value)
{
    stored_t stored;
    assert (key.size == 1 && key.data [0] < RIVAL_TXNS_MAX && value.size == sizeof stored);
    memcpy (&stored, value.data, sizeof stored);
    rival_txn_t *to = &self->txns [key.data [0]];
    to->state = stored.state;
    to->promised = stored.promised;
    to->from_ms = stored.from_ms;
    to->until_ms = stored.until_ms;
    to->recovered = true;
    memcpy (to->votes, stored.votes, sizeof to->votes);
}

void rival_move (rival_t *self, size_t txn, rival_state_t to)
{
    rival_txn_t *moved = &self->txns [txn];
    outbox_log (self->outbox, LEVEL_INFO, "hold T%zu %s->%s", txn, state_words [moved->state],
                state_words [to]);
    moved->state = to;
    rival_store (self, txn);
}

static void forget (rival_t *self)
{
    memset (self->txns, 0, sizeof self->txns);
    for (size_t i = 0; i < RIVAL_TXNS_MAX; i++)
        self->txns [i].due_ms = INT64_MAX;
}

static void on_start (rival_t *self)
{
    bool again = self->started_ms != 0;
    self->started_ms = self->now->mono_ms > 0 ? self->now->mono_ms : 1;
    if (self->number == 0)
        rival_coordinator_start (self, again);
    else
        for (size_t i = 0; i < RIVAL_TXNS_MAX; i++)
            if (self->txns [i].recovered) /* transactions that are open are looked at again */
                self->txns [i].due_ms = self->now->mono_ms + self->federation->patience_ms;
}

static void hear (rival_t *self, const request_t *request)
{
    rival_message_t message;
    assert (request->body.size == sizeof message);
    memcpy (&message, request->body.data, sizeof message);
    outbox_reply (self->outbox, request->reply_to,
                  (bytes_t){0}); /* an empty answer, for the transport */
    if (self->number == 0)
        rival_coordinator_hear (self, &message);
    else if (rival_is_participant (self, self->number))
        rival_participant_hear (self, &message);
    else
        rival_acceptor_hear (self, &message);
}

static void look (rival_t *self)
{
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < RIVAL_TXNS_MAX; i++) {
        if (self->txns [i].due_ms <= self->now->mono_ms) {
            self->txns [i].due_ms = INT64_MAX;
            if (self->number == 0)
                rival_coordinator_due (self, i);
            else if (rival_is_participant (self, self->number))
                rival_participant_due (self, i);
            else
                rival_acceptor_due (self, i);
        }
        if (self->txns [i].due_ms < due_ms)
            due_ms = self->txns [i].due_ms;
    }
    outbox_timer (self->outbox, due_ms);
}

static void rival_step (void *owner, const moment_t *now, const event_t *event)
{
    rival_t *self = owner;
    self->now = now;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_RECORD)
        load (self, event->record.key, event->record.value);
    if (event->kind == EVENT_START)
        on_start (self);
    if (event->kind == EVENT_REQUEST)
        hear (self, &event->request);
    if (event->kind != EVENT_RECORD)
        look (self);
    self->now = NULL;
}

static bool rival_next (void *owner, effect_t *effect)
{
    return outbox_next (((rival_t *) owner)->outbox, effect);
}

static void rival_destroy (void *owner)
{
    outbox_destroy (&((rival_t *) owner)->outbox);
}

static void rival_make (void *owner, core_t *core)
{
    rival_t *self = owner;
    self->outbox = outbox_new ();
    forget (self);
    *core =
      (core_t){.self = self, .step = rival_step, .next = rival_next, .destroy = rival_destroy};
}

void rival_build (rival_federation_t *self)
{
    size_t count = 1 + self->participants + self->acceptors;
    assert (count <= RIVAL_NODES_MAX && self->participants <= RIVAL_PARTICIPANTS_MAX);
    for (size_t i = 0; i < count; i++) {
        rival_t *node = must (calloc (1, sizeof *node));
        node->federation = self;
        node->number = i;
        snprintf (node->name, sizeof node->name, "%s/%zu",
                  i == 0                    ? "coordinator"
                  : i <= self->participants ? "participant"
                                            : "acceptor",
                  i);
        self->nodes [i] = node;
        int process = sim_add (
          self->sim,
          &(sim_program_t){.name = node->name, .make = rival_make, .owner = node, .stays = true},
          &(sim_clock_t){0}, SIM_NOBODY, 0);
        assert ((size_t) process == i);
    }
}

void rival_clear (rival_federation_t *self)
{
    for (size_t i = 0; i < RIVAL_NODES_MAX; i++) {
        free (self->nodes [i]);
        self->nodes [i] = NULL;
    }
}
