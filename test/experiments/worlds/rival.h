/*  rival - small cores of the commit protocols that Musubi does not use, to be compared with its
 *  own in the simulated host (E3.7): plain two-phase commit, three-phase commit, Paxos commit.
 *
 *  A federation has a coordinator, participants and, for Paxos commit, 2F + 1 acceptors, all nodes
 *  of one kind of core. A participant owns one resource that at most one transaction can have at a
 *  time. Whatever a message promises is stored before it leaves: that is the host's law.
 *
 *  Plain (S3 §2.2): a participant that voted asks the coordinator until the window's end, when it
 *  gives the capacity back: nothing else (S3 §5.3).
 *  Three-phase (S3 §5.1, Skeen 1981): one more round before the commit; who hears nothing
 *  for `patience` asks the other participants and decides with those that answer. It takes silence
 *  for death: right when messages are never late or lost.
 *  Paxos (S3 §5.2, Gray and Lamport 2004): participants vote to the acceptors, one instance of
 *  Paxos each; any acceptor can become leader and end the transaction with F + 1 of them.
 */
#ifndef MUSUBI_RIVAL_H
#define MUSUBI_RIVAL_H

#include "sim.h"

#define RIVAL_TXNS_MAX         4
#define RIVAL_PARTICIPANTS_MAX 5
#define RIVAL_NODES_MAX        12
#define RIVAL_ASK_MS           15000 /* plain: interval at which a participant in doubt asks */

typedef enum { RIVAL_PLAIN, RIVAL_THREE, RIVAL_PAXOS } rival_protocol_t;

typedef enum {
    RIVAL_INITIAL,
    RIVAL_PREPARED,
    RIVAL_PRECOMMITTED, /* three-phase */
    RIVAL_COMMITTED,
    RIVAL_ABORTED,
    RIVAL_EDGE, /* plain: given back at the window's end */
} rival_state_t;

typedef enum {
    RIVAL_PREPARE, /* coordinator to participants */
    RIVAL_VOTE,
    RIVAL_PRECOMMIT,
    RIVAL_PRECOMMIT_ACK,
    RIVAL_OUTCOME, /* state says which */
    RIVAL_OUTCOME_ACK,
    RIVAL_ASK,       /* plain: participant to coordinator; Paxos: participant to acceptors */
    RIVAL_STATE_ASK, /* three-phase: participant to participants */
    RIVAL_STATE,
    RIVAL_1A, /* Paxos */
    RIVAL_1B,
    RIVAL_2A,
    RIVAL_2B,
    RIVAL_KINDS
} rival_kind_t;

/*  What an acceptor has accepted in one participant's instance. */
typedef struct {
    uint32_t ballot;
    uint8_t state; /* RIVAL_INITIAL: nothing */
} rival_vote_t;

typedef struct {
    uint8_t kind;
    uint8_t from; /* node */
    uint8_t txn;
    uint8_t state;
    uint8_t recovered; /* three-phase: the speaker has died and restarted meanwhile */
    uint32_t ballot;
    int64_t from_ms; /* the window, wall */
    int64_t until_ms;
    rival_vote_t votes [RIVAL_PARTICIPANTS_MAX];
} rival_message_t;

/*  A transaction that the coordinator shall begin. */
typedef struct {
    int64_t begin_ms; /* how long after its first start */
    int64_t from_ms;  /* the window, wall */
    int64_t until_ms;
} rival_plan_t;

/*  Nodes: 0 is the coordinator, then come the participants, then the acceptors. They must be the
 *  first processes of their run, in this order. */
typedef struct {
    sim_t *sim;
    rival_protocol_t protocol;
    size_t participants;
    size_t acceptors;
    int64_t patience_ms; /* longer than any exchange takes */
    rival_plan_t plans [RIVAL_TXNS_MAX];
    size_t plans_count;
    struct rival *nodes [RIVAL_NODES_MAX];
} rival_federation_t;

/*  One transaction as a node knows it; each role uses its own of these. */
typedef struct {
    rival_state_t state;
    int64_t from_ms;
    int64_t until_ms;
    int64_t due_ms; /* monotonic: when something must be done about it; INT64_MAX = never */
    bool recovered;
    bool begun;     /* coordinator */
    bool asking;    /* three-phase: the others' states */
    bool finishing; /* three-phase: it brings all others to precommitted */
    uint32_t heard; /* nodes that have answered in this round, as bits */
    rival_state_t states [RIVAL_NODES_MAX];
    bool recovereds [RIVAL_NODES_MAX];
    uint32_t promised;
    uint32_t leading; /* acceptor: the ballot it leads; 0 = none */
    bool proposed;    /* it has sent message 2a of Paxos */
    rival_vote_t votes [RIVAL_PARTICIPANTS_MAX];
    rival_vote_t best [RIVAL_PARTICIPANTS_MAX];
} rival_txn_t;

/*  A node. Outlives its core's lives; what is not stored is forgotten at each start. */
typedef struct rival {
    rival_federation_t *federation;
    size_t number;
    char name [NAME_BYTES_MAX + 1];
    rival_txn_t txns [RIVAL_TXNS_MAX];
    uint64_t calls;
    int64_t started_ms;
    const moment_t *now;
    struct outbox *outbox;
} rival_t;

const char *rival_kind_word (rival_kind_t kind);

/*  Adds all nodes to the run. They are ended by rival_clear, after the run. */
void rival_build (rival_federation_t *self);
void rival_clear (rival_federation_t *self);

bool rival_read (const sim_message_t *message, rival_message_t *to);

/*  --- for the roles --- */

bool rival_is_participant (const rival_t *self, size_t node);
void rival_send (rival_t *self, size_t to, const rival_message_t *message);
void rival_send_participants (rival_t *self, const rival_message_t *message);
void rival_send_acceptors (rival_t *self, const rival_message_t *message);
void rival_store (rival_t *self, size_t txn);

/*  Changes the state and logs it: "hold T1 prepared->committed". */
void rival_move (rival_t *self, size_t txn, rival_state_t to);

void rival_coordinator_start (rival_t *self, bool again);
void rival_coordinator_hear (rival_t *self, const rival_message_t *message);
void rival_coordinator_due (rival_t *self, size_t txn);

void rival_participant_hear (rival_t *self, const rival_message_t *message);
void rival_participant_due (rival_t *self, size_t txn);

void rival_acceptor_hear (rival_t *self, const rival_message_t *message);
void rival_acceptor_due (rival_t *self, size_t txn);

#endif
