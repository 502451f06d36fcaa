/*  sim_settler - looks at a participant, then perhaps orders a planner to settle a transaction;
 *  again and again. */
#include "sim_settler.h"

#include "outbox.h"

#include <stdlib.h>
#include <string.h>

#define ADMINISTRATOR "auditor"
#define LOOK_MS       500  /* how long it waits for a participant, */
#define SETTLE_MS     4000 /* and for a planner */

static void ask (sim_settler_t *self, int process, const char *service, const char *method,
                 packed_t body, int64_t timeout_ms)
{
    outbox_push (self->outbox, &(effect_t){.kind = EFFECT_CALL,
                                           .call = {.call = ++self->call,
                                                    .endpoint = sim_address (self->sim, process),
                                                    .service = service,
                                                    .method = method,
                                                    .actor = ADMINISTRATOR,
                                                    .request_id = "",
                                                    .body = {.data = body.data, .size = body.size},
                                                    .timeout_ms = timeout_ms}});
    free (body.data);
}

static void look (sim_settler_t *self)
{
    self->settling = false;
    self->at = (self->at + 1) % self->check->participants_count;
    ask (self, self->check->participants [self->at].process, "Participant", "Commands",
         sim_wire_commands (NULL), LOOK_MS);
}

static bool his (const sim_settler_t *self, const sim_command_t *command)
{
    bool pending = command->state == COMMAND_HELD || command->state == COMMAND_PREPARED ||
                   command->state == COMMAND_EDGE;
    bool dead = self->lost && memcmp (command->txid.store, self->store, STORE_ID_BYTES) == 0;
    return pending && (dead || command->epoch > 0 || (self->anybodys && !self->calm));
}

/*  One of the transactions that it may settle, each as likely. False when there is none. */
static bool pick (sim_settler_t *self, bytes_t body, txid_t *txid)
{
    sim_command_t *commands = NULL;
    size_t count = 0, seen = 0;
    txid_t next;
    bool more;
    if (!sim_wire_commands_read (body, &commands, &count, &next, &more))
        sim_fail (self->sim, "the settler can't read commands");
    for (size_t i = 0; i < count; i++)
        if (his (self, &commands [i]) && prng_below (&self->prng, ++seen) == 0)
            *txid = commands [i].txid;
    free (commands);
    return seen > 0;
}

static void settle (sim_settler_t *self, const txid_t *txid)
{
    const sim_participant_t *participant = &self->check->participants [self->at];
    int planner = self->planners [prng_below (&self->prng, self->planners_count)];
    self->settling = true;
    ask (self, planner, "Planner", "Settle",
         sim_wire_settle (txid, sim_check_name (self->check, participant)), SETTLE_MS);
}

static void on_answer (sim_settler_t *self, int64_t mono_ms, const event_t *event)
{
    if (event->answer.call != self->call)
        return;
    bool told = event->answer.status == CALL_OK;
    txid_t txid;
    outcome_t outcome;
    self->due_ms = mono_ms + 1 + (int64_t) prng_below (&self->prng, (uint64_t) self->pause_ms);
    if (!self->settling && told && pick (self, event->answer.body, &txid)) {
        self->due_ms = INT64_MAX;
        settle (self, &txid);
    } else if (self->settling && told) {
        if (!sim_wire_settled_read (event->answer.body, &outcome))
            sim_fail (self->sim, "the settler can't read what was settled");
        self->tally->counts [COUNT_SETTLED_COMMITTED] += outcome == OUTCOME_COMMITTED;
        self->tally->counts [COUNT_SETTLED_ABORTED] += outcome == OUTCOME_ABORTED;
    } else if (self->settling && event->answer.status == CALL_DENIED) {
        sim_fail (self->sim, "an administrator may not settle: %s", event->answer.reason);
    }
}

static void settler_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_settler_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        self->due_ms = now->mono_ms + 1;
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now->mono_ms, event);
    if (now->mono_ms >= self->due_ms) {
        self->due_ms = INT64_MAX;
        look (self);
    }
    outbox_timer (self->outbox, self->due_ms);
}

static bool settler_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_settler_t *) owner)->outbox, effect);
}

static void settler_destroy (void *owner)
{
    outbox_destroy (&((sim_settler_t *) owner)->outbox);
}

void sim_settler_make (void *owner, core_t *core)
{
    sim_settler_t *self = owner;
    self->outbox = outbox_new ();
    *core = (core_t){
      .self = self, .step = settler_step, .next = settler_next, .destroy = settler_destroy};
}
