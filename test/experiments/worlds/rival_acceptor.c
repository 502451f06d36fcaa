/*  rival_acceptor - Paxos commit: one instance for each participant's vote, all of a transaction's
 *  instances under one ballot.
 *
 *  Ballot 0 is each participant's own. A higher ballot b is led by acceptor (b - 1) mod (2F + 1).
 *  What no acceptor of a majority has accepted is proposed as aborted.
 */
#include "rival.h"

static size_t index_of (const rival_t *self)
{
    return self->number - 1 - self->federation->participants;
}

static size_t majority (const rival_t *self)
{
    return self->federation->acceptors / 2 + 1;
}

static void send_votes (rival_t *self, size_t to, size_t txn, rival_kind_t kind, uint32_t ballot,
                        const rival_vote_t *votes)
{
    rival_message_t message = {.kind = (uint8_t) kind, .txn = (uint8_t) txn, .ballot = ballot};
    for (size_t i = 0; i < self->federation->participants; i++)
        message.votes [i] = votes [i];
    if (to == SIZE_MAX)
        rival_send_acceptors (self, &message);
    else
        rival_send (self, to, &message);
}

/*  Something is under way: sets a timer to end it if no other node does; acceptors wait one after
 *  another. */
static void watch (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->due_ms == INT64_MAX && known->state == RIVAL_INITIAL)
        known->due_ms =
          self->now->mono_ms + self->federation->patience_ms * (2 + 2 * (int64_t) index_of (self));
}

/*  A participant's own vote. */
static void on_vote (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    size_t instance = (size_t) message->from - 1;
    bool whole = true;
    if (known->promised > 0)
        return;
    if (known->votes [instance].state == RIVAL_INITIAL)
        known->votes [instance] = (rival_vote_t){.state = message->votes [instance].state};
    for (size_t i = 0; i < self->federation->participants; i++)
        whole = whole && known->votes [i].state != RIVAL_INITIAL;
    if (!whole)
        return; /* votes are missing: one write and one message serve all of them */
    rival_store (self, txn);
    send_votes (self, 0, txn, RIVAL_2B, 0, known->votes);
}

/*  A leader's proposal for all instances. */
static void on_proposal (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (message->ballot < known->promised)
        return;
    known->promised = message->ballot;
    for (size_t i = 0; i < self->federation->participants; i++)
        known->votes [i] =
          (rival_vote_t){.ballot = message->ballot, .state = message->votes [i].state};
    rival_store (self, txn);
    send_votes (self, message->from, txn, RIVAL_2B, message->ballot, known->votes);
}

static void on_1a (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (message->ballot < known->promised)
        return;
    known->promised = message->ballot;
    rival_store (self, txn);
    send_votes (self, message->from, txn, RIVAL_1B, message->ballot, known->votes);
}

/*  --- as a leader --- */

static void end_it (rival_t *self, size_t txn, rival_state_t outcome)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->state != RIVAL_INITIAL)
        return;
    known->state = outcome;
    known->due_ms = INT64_MAX;
    rival_store (self, txn);
    if (known->leading == 0)
        return; /* it was told; the leader tells the others */
    rival_message_t message = {
      .kind = RIVAL_OUTCOME, .txn = (uint8_t) txn, .state = (uint8_t) outcome};
    rival_send (self, 0, &message);
    rival_send_participants (self, &message);
    rival_send_acceptors (self, &message);
}

static void on_1b (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->leading == 0 || message->ballot != known->leading || known->proposed)
        return;
    known->heard |= UINT32_C (1) << message->from;
    for (size_t i = 0; i < self->federation->participants; i++) {
        const rival_vote_t *vote = &message->votes [i];
        if (vote->state != RIVAL_INITIAL &&
            (known->best [i].state == RIVAL_INITIAL || vote->ballot > known->best [i].ballot))
            known->best [i] = *vote;
    }
    if ((size_t) __builtin_popcount (known->heard) < majority (self))
        return;
    for (size_t i = 0; i < self->federation->participants; i++)
        if (known->best [i].state == RIVAL_INITIAL)
            known->best [i].state = RIVAL_ABORTED;
    known->proposed = true;
    known->heard = 0;
    send_votes (self, SIZE_MAX, txn, RIVAL_2A, known->leading, known->best);
}

static void on_2b (rival_t *self, size_t txn, const rival_message_t *message)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->leading == 0 || message->ballot != known->leading || !known->proposed)
        return;
    known->heard |= UINT32_C (1) << message->from;
    if ((size_t) __builtin_popcount (known->heard) < majority (self))
        return;
    bool yes = true;
    for (size_t i = 0; i < self->federation->participants; i++)
        yes = yes && known->best [i].state == RIVAL_PREPARED;
    end_it (self, txn, yes ? RIVAL_COMMITTED : RIVAL_ABORTED);
}

void rival_acceptor_hear (rival_t *self, const rival_message_t *message)
{
    size_t txn = message->txn;
    rival_txn_t *known = &self->txns [txn];
    bool from_participant = rival_is_participant (self, message->from);
    if (known->state != RIVAL_INITIAL && from_participant) {
        rival_send (self, message->from,
                    &(rival_message_t){.kind = RIVAL_OUTCOME,
                                       .txn = (uint8_t) txn,
                                       .state = (uint8_t) known->state});
        return;
    }
    watch (self, txn);
    switch ((rival_kind_t) message->kind) {
    case RIVAL_2A:
        if (from_participant)
            on_vote (self, txn, message);
        else
            on_proposal (self, txn, message);
        break;
    case RIVAL_1A:
        on_1a (self, txn, message);
        break;
    case RIVAL_1B:
        on_1b (self, txn, message);
        break;
    case RIVAL_2B:
        on_2b (self, txn, message);
        break;
    case RIVAL_OUTCOME:
        known->leading = 0;
        end_it (self, txn, (rival_state_t) message->state);
        break;
    default:
        break;
    }
}

/*  No node has ended it: leads a ballot above all that were seen. */
void rival_acceptor_due (rival_t *self, size_t txn)
{
    rival_txn_t *known = &self->txns [txn];
    if (known->state != RIVAL_INITIAL)
        return;
    uint32_t count = (uint32_t) self->federation->acceptors;
    uint32_t ballot = (uint32_t) index_of (self) + 1;
    while (ballot <= known->promised)
        ballot += count;
    known->promised = ballot; /* stored before it is used: no ballot is led twice */
    rival_store (self, txn);
    known->leading = ballot;
    known->proposed = false;
    known->heard = 0;
    for (size_t i = 0; i < self->federation->participants; i++)
        known->best [i] = (rival_vote_t){0};
    known->due_ms =
      self->now->mono_ms + self->federation->patience_ms * (2 + 2 * (int64_t) index_of (self));
    rival_send_acceptors (
      self, &(rival_message_t){.kind = RIVAL_1A, .txn = (uint8_t) txn, .ballot = ballot});
}
