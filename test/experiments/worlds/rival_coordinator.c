/*  rival_coordinator - begins transactions, counts votes, decides. */
#include "rival.h"

#include "outbox.h"

/*  In the coordinator txn.state is INITIAL (voting, or nothing yet), PRECOMMITTED, COMMITTED or
 *  ABORTED. `heard` holds the nodes that have answered in this round. */

static uint32_t bit (size_t node)
{
    return UINT32_C (1) << node;
}

static uint32_t all_participants (const rival_t *self)
{
    return (bit (self->federation->participants + 1) - 1) & ~bit (0);
}

static void tell (rival_t *self, size_t txn, rival_kind_t kind)
{
    const rival_txn_t *known = &self->txns [txn];
    rival_message_t message = {.kind = (uint8_t) kind,
                               .txn = (uint8_t) txn,
                               .state = (uint8_t) known->state,
                               .from_ms = known->from_ms,
                               .until_ms = known->until_ms};
    for (size_t i = 1; i <= self->federation->participants; i++)
        if (!(known->heard & bit (i)))
            rival_send (self, i, &message);
}

/*  A round begins: asks all nodes, and again after a while. */
static void round_begin (rival_t *self, size_t txn, rival_kind_t kind)
{
    self->txns [txn].heard = 0;
    self->txns [txn].due_ms = self->now->mono_ms + self->federation->patience_ms;
    tell (self, txn, kind);
}

static void decide (rival_t *self, size_t txn, rival_state_t outcome)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->state == RIVAL_COMMITTED || known->state == RIVAL_ABORTED)
        return;
    known->state = outcome;
    if (outcome == RIVAL_COMMITTED && self->federation->protocol == RIVAL_PLAIN)
        rival_store (self, txn); /* plain presumes aborts; in the others, peers know */
    outbox_log (self->outbox, LEVEL_INFO, "txn T%zu decided %s", txn,
                outcome == RIVAL_COMMITTED ? "committed" : "aborted");
    round_begin (self, txn, RIVAL_OUTCOME);
}

/*  All votes are yes. */
static void agreed (rival_t *self, size_t txn)
{
    if (self->federation->protocol != RIVAL_THREE) {
        decide (self, txn, RIVAL_COMMITTED);
        return;
    }
    self->txns [txn].state = RIVAL_PRECOMMITTED;
    round_begin (self, txn, RIVAL_PRECOMMIT);
}

void rival_coordinator_start (rival_t *self, bool again)
{
    for (size_t i = 0; i < self->federation->plans_count; i++) {
        const rival_plan_t *plan = &self->federation->plans [i];
        rival_txn_t *known = &self->txns [i];
        known->from_ms = plan->from_ms;
        known->until_ms = plan->until_ms;
        known->begun = again;
        known->recovered = again; /* a transaction that began before the restart is not continued */
        if (!again)
            known->due_ms = self->now->mono_ms + plan->begin_ms;
        else if (known->state == RIVAL_COMMITTED)
            known->due_ms = self->now->mono_ms; /* tells the decision again */
    }
}

static void on_vote (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (!known->begun || known->state != RIVAL_INITIAL || known->recovered)
        return;
    if (message->state != RIVAL_PREPARED) {
        decide (self, txn, RIVAL_ABORTED);
        return;
    }
    known->heard |= bit (message->from);
    if (known->heard == all_participants (self))
        agreed (self, txn);
}

/*  An acceptor has accepted every participant's vote of ballot 0. */
static void on_accepted (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (!known->begun || known->state != RIVAL_INITIAL || known->recovered || message->ballot != 0)
        return;
    bool yes = true;
    for (size_t i = 0; i < self->federation->participants; i++)
        yes = yes && message->votes [i].state == RIVAL_PREPARED;
    known->heard |= bit (message->from);
    if ((size_t) __builtin_popcount (known->heard) > self->federation->acceptors / 2)
        decide (self, txn, yes ? RIVAL_COMMITTED : RIVAL_ABORTED);
}

static void on_ack (rival_t *self, size_t txn, const rival_message_t *message, bool precommit)
{
    rival_txn_t *known = &self->txns [txn];
    if (precommit != (known->state == RIVAL_PRECOMMITTED))
        return;
    known->heard |= bit (message->from);
    if (known->heard != all_participants (self))
        return;
    known->due_ms = INT64_MAX;
    if (precommit) {
        decide (self, txn, RIVAL_COMMITTED);
        return;
    }
    outbox_log (self->outbox, LEVEL_INFO, "txn T%zu told %s", txn,
                known->state == RIVAL_COMMITTED ? "committed" : "aborted");
    rival_send_acceptors (self, &(rival_message_t){.kind = RIVAL_OUTCOME,
                                                   .txn = (uint8_t) txn,
                                                   .state = (uint8_t) known->state});
}

/*  Plain: a participant in doubt asks. While the transaction is in progress it gets no answer. */
static void on_ask (rival_t *self, size_t txn, const rival_message_t *message)
{
    const rival_txn_t *known = &self->txns [txn];
    bool lost = known->state == RIVAL_INITIAL && self->txns [txn].due_ms == INT64_MAX;
    if (known->state != RIVAL_COMMITTED && known->state != RIVAL_ABORTED && !lost)
        return;
    rival_send (
      self, message->from,
      &(rival_message_t){
        .kind = RIVAL_OUTCOME,
        .txn = (uint8_t) txn,
        .state = (uint8_t) (known->state == RIVAL_COMMITTED ? RIVAL_COMMITTED : RIVAL_ABORTED)});
}

void rival_coordinator_hear (rival_t *self, const rival_message_t *message)
{
    size_t txn = message->txn;
    switch ((rival_kind_t) message->kind) {
    case RIVAL_VOTE:
        on_vote (self, txn, message);
        break;
    case RIVAL_2B:
        on_accepted (self, txn, message);
        break;
    case RIVAL_PRECOMMIT_ACK:
        on_ack (self, txn, message, true);
        break;
    case RIVAL_OUTCOME_ACK:
        on_ack (self, txn, message, false);
        break;
    case RIVAL_ASK:
        on_ask (self, txn, message);
        break;
    case RIVAL_OUTCOME: /* another node has ended it */
        decide (self, txn, (rival_state_t) message->state);
        break;
    default:
        break;
    }
}

void rival_coordinator_due (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    if (!known->begun) {
        known->begun = true;
        round_begin (self, txn, RIVAL_PREPARE);
    } else if (known->state == RIVAL_INITIAL && self->federation->protocol == RIVAL_PAXOS) {
        known->due_ms = INT64_MAX; /* the acceptors will end it */
    } else if (known->state == RIVAL_INITIAL) {
        decide (self, txn, RIVAL_ABORTED);
    } else if (known->state == RIVAL_PRECOMMITTED) {
        decide (self, txn, RIVAL_COMMITTED); /* a node that is silent is dead, and will ask */
    } else {
        known->due_ms = self->now->mono_ms + self->federation->patience_ms;
        tell (self, txn, RIVAL_OUTCOME);
    }
}
