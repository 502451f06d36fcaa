/*  rival_participant - votes, and then ends its doubt in the way of its protocol. */
#include "rival.h"

#include <string.h>

static bool decided (rival_state_t state)
{
    return state == RIVAL_COMMITTED || state == RIVAL_ABORTED;
}

static bool in_doubt (const rival_txn_t *txn)
{
    return txn->state == RIVAL_PREPARED || txn->state == RIVAL_PRECOMMITTED;
}

/*  True when another transaction has the resource at any time of the window. */
static bool taken (const rival_t *self, size_t txn)
{
    const rival_txn_t *wanted = &self->txns [txn];
    for (size_t i = 0; i < RIVAL_TXNS_MAX; i++) {
        const rival_txn_t *other = &self->txns [i];
        if (i != txn && (in_doubt (other) || other->state == RIVAL_COMMITTED) &&
            other->from_ms < wanted->until_ms && wanted->from_ms < other->until_ms)
            return true;
    }
    return false;
}

/*  Where a vote goes: to the coordinator, or to the acceptors. */
static void vote (rival_t *self, size_t txn)
{
    const rival_txn_t *known = &self->txns [txn];
    rival_message_t message = {.kind = RIVAL_VOTE,
                               .txn = (uint8_t) txn,
                               .state = (uint8_t) known->state,
                               .from_ms = known->from_ms,
                               .until_ms = known->until_ms};
    if (self->federation->protocol != RIVAL_PAXOS) {
        rival_send (self, 0, &message);
        return;
    }
    message.kind = RIVAL_2A;
    message.votes [self->number - 1].state = (uint8_t) known->state;
    rival_send_acceptors (self, &message);
}

static void on_prepare (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->state == RIVAL_INITIAL) {
        known->from_ms = message->from_ms;
        known->until_ms = message->until_ms;
        rival_move (self, txn, taken (self, txn) ? RIVAL_ABORTED : RIVAL_PREPARED);
    }
    if (known->state != RIVAL_PREPARED && known->state != RIVAL_ABORTED)
        return;
    vote (self, txn);
    int64_t wait_ms = self->federation->patience_ms;
    if (self->federation->protocol == RIVAL_THREE) /* they try in turn to end it */
        wait_ms *= 4 * (int64_t) self->number;
    if (in_doubt (known))
        known->due_ms = self->now->mono_ms + wait_ms;
}

static void learn (rival_t *self, size_t txn, rival_state_t outcome)
{
    rival_txn_t *known = &self->txns [txn];
    if (in_doubt (known) || (known->state == RIVAL_INITIAL && outcome == RIVAL_ABORTED)) {
        known->due_ms = INT64_MAX;
        rival_move (self, txn, outcome);
    }
}

static void tell_outcome (rival_t *self, size_t txn)
{
    rival_send_participants (self, &(rival_message_t){.kind = RIVAL_OUTCOME,
                                                      .txn = (uint8_t) txn,
                                                      .state = (uint8_t) self->txns [txn].state});
}

/*  --- three-phase: the others are asked --- */

static void ask_states (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    known->asking = true;
    known->heard = 0;
    known->due_ms = self->now->mono_ms + self->federation->patience_ms;
    rival_send_participants (self,
                             &(rival_message_t){.kind = RIVAL_STATE_ASK, .txn = (uint8_t) txn});
}

static void on_state_ask (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->state == RIVAL_INITIAL)
        rival_move (self, txn, RIVAL_ABORTED); /* it will never vote yes now */
    if (in_doubt (known) && !known->asking)    /* leaves it to the other one to end it */
        known->due_ms =
          self->now->mono_ms + 4 * (int64_t) self->number * self->federation->patience_ms;
    rival_send (self, message->from,
                &(rival_message_t){.kind = RIVAL_STATE,
                                   .txn = (uint8_t) txn,
                                   .state = (uint8_t) known->state,
                                   .recovered = known->recovered});
}

static void on_state (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (!known->asking || !in_doubt (known))
        return;
    known->heard |= UINT32_C (1) << message->from;
    known->states [message->from] = (rival_state_t) message->state;
    known->recovereds [message->from] = message->recovered;
    if (decided ((rival_state_t) message->state))
        learn (self, txn, (rival_state_t) message->state);
}

/*  No node in reach knows the outcome: those that never died decide, or all nodes together. */
static void terminate (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    size_t answers = (size_t) __builtin_popcount (known->heard);
    bool all = answers + 1 == self->federation->participants;
    bool precommitted = known->state == RIVAL_PRECOMMITTED;
    for (size_t i = 1; i <= self->federation->participants; i++)
        if ((known->heard & (UINT32_C (1) << i)) && (all || !known->recovereds [i]) &&
            known->states [i] == RIVAL_PRECOMMITTED)
            precommitted = true;
    known->asking = false;
    if (known->recovered && !all) { /* it does not know what the others decided while it was dead */
        known->due_ms =
          self->now->mono_ms + 4 * (int64_t) self->number * self->federation->patience_ms;
        return;
    }
    if (!precommitted) {
        learn (self, txn, RIVAL_ABORTED);
        tell_outcome (self, txn);
        return;
    }
    if (known->state == RIVAL_PREPARED)
        rival_move (self, txn, RIVAL_PRECOMMITTED);
    rival_send_participants (self,
                             &(rival_message_t){.kind = RIVAL_PRECOMMIT, .txn = (uint8_t) txn});
    known->finishing = true;
    known->due_ms = self->now->mono_ms + self->federation->patience_ms;
}

static void on_precommit (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->state == RIVAL_PREPARED)
        rival_move (self, txn, RIVAL_PRECOMMITTED);
    if (known->state != RIVAL_PRECOMMITTED)
        return;
    known->due_ms = self->now->mono_ms + 4 * (int64_t) self->number * self->federation->patience_ms;
    rival_send (self, message->from,
                &(rival_message_t){.kind = RIVAL_PRECOMMIT_ACK, .txn = (uint8_t) txn});
}

/*  --- all --- */

void rival_participant_hear (rival_t *self, const rival_message_t *message)
{
    size_t txn = message->txn;
    switch ((rival_kind_t) message->kind) {
    case RIVAL_PREPARE:
        on_prepare (self, txn, message);
        break;
    case RIVAL_PRECOMMIT:
        on_precommit (self, txn, message);
        break;
    case RIVAL_OUTCOME:
        learn (self, txn, (rival_state_t) message->state);
        if (message->from == 0)
            rival_send (self, 0,
                        &(rival_message_t){.kind = RIVAL_OUTCOME_ACK, .txn = (uint8_t) txn});
        break;
    case RIVAL_STATE_ASK:
        on_state_ask (self, txn, message);
        break;
    case RIVAL_STATE:
        on_state (self, txn, message);
        break;
    default:
        break;
    }
}

/*  Plain: only the coordinator is asked; when the window is over, so is the doubt. */
static void wait_plainly (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    int64_t left_ms = known->until_ms - self->now->wall_ms;
    if (left_ms <= 0) {
        rival_move (self, txn, RIVAL_EDGE);
        return;
    }
    rival_send (self, 0, &(rival_message_t){.kind = RIVAL_ASK, .txn = (uint8_t) txn});
    known->due_ms = self->now->mono_ms + (left_ms < RIVAL_ASK_MS ? left_ms : RIVAL_ASK_MS);
}

void rival_participant_due (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    if (!in_doubt (known))
        return;
    if (self->federation->protocol == RIVAL_PLAIN) {
        wait_plainly (self, txn);
    } else if (self->federation->protocol == RIVAL_PAXOS) {
        if (known->state == RIVAL_PREPARED)
            vote (self, txn);
        rival_send_acceptors (self, &(rival_message_t){.kind = RIVAL_ASK, .txn = (uint8_t) txn});
        known->due_ms = self->now->mono_ms + self->federation->patience_ms;
    } else if (known->finishing) {
        learn (self, txn, RIVAL_COMMITTED);
        tell_outcome (self, txn);
    } else if (known->asking) {
        terminate (self, txn);
    } else {
        ask_states (self, txn);
    }
}
