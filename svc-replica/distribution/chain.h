/*  chain - the conductor: a site's storage nodes, and the chains of them that files travel along
 *  (proto/chain.proto).
 *
 *  A transfer brings one file from a source to receivers. They form a chain: each is fed by the
 *  one before it, from that one's own file, while it arrives there. Who feeds whom is decided here
 *  and numbered by an epoch; a receiver whose feeder dies goes on at the next one before it by
 *  itself and tells. Whoever is skipped or slow is put to the tail, where nobody depends on it;
 *  nobody is given up before it was silent for lost_ms.
 *
 *  Transfers are stored and go on after a restart. One that is over stays, with the states of its
 *  receivers, until its owner forgets it: so its owner learns of each end at least once.
 *
 *  Registers the service Chain, TABLE_STORAGE_NODES and TABLE_TRANSFERS. What it tells its observer
 *  is stored in the same write as what that puts in answer. Pure.
 */
#ifndef MUSUBI_CHAIN_H
#define MUSUBI_CHAIN_H

#include "access.h"
#include "agent_session.h"
#include "ordered.h"
#include "service.h"

#define CHAIN_FILE_BYTES_MAX     500 /* a logical name; it is a key in stores */
#define CHAIN_WHY_BYTES_MAX      255
#define CHAIN_DIGEST_BYTES       FLOW_DIGEST_BYTES /* SHA-256 */
#define CHAIN_TOKEN_BYTES        FLOW_TOKEN_BYTES
#define CHAIN_ID_BYTES           FLOW_ID_BYTES
#define CHAIN_ENDPOINT_BYTES_MAX 255
#define FEEDER_NAME_BYTES_MAX    127
#define CHAIN_SOURCES_MAX        8    /* of one transfer */
#define CHAIN_RECEIVERS_MAX      256  /* of one transfer */
#define CHAIN_TRANSFERS_MAX      4096 /* that are not over */
#define CHAIN_NODES_MAX          4096

typedef struct {
    uint32_t attend_ms; /* an idle agent asks so often; 10 000 */
    uint32_t report_ms; /* an agent through which bytes move tells so often; 250 */
    uint32_t silent_ms; /* 25 000: nothing new is put there */
    uint32_t lost_ms;   /* 120 000: what it was to receive has failed */
    uint32_t slow_ms;   /* 2 000: a receiver that falls behind for so long goes to the tail */
} chain_limits_t;

extern const chain_limits_t chain_limits_default;

typedef struct {
    uint8_t bytes [CHAIN_ID_BYTES];
} chain_id_t;

/*  The beginning of an id, by which logs name a transfer: chain_id_text (&id).text. */
typedef struct {
    char text [9];
} chain_id_text_t;
chain_id_text_t chain_id_text (const chain_id_t *id);

/*  What a file is, whatever it is called. */
typedef struct {
    uint64_t size;
    bool digest_known;
    uint8_t digest [CHAIN_DIGEST_BYTES];
} content_t;

/*  equal: size and digest are the same. same: the sizes are, and the digests where both are known. */
bool content_equal (const content_t *a, const content_t *b);
bool content_same (const content_t *a, const content_t *b);

/*  A file as its node tells it. */
typedef struct {
    uint64_t number;
    char file [CHAIN_FILE_BYTES_MAX + 1];
    content_t content;
    int64_t proved_ms; /* wall; 0 = never */
    int64_t used_ms;
    bool gone;
    bool has_part; /* never told: that part is about to become it */
    chain_id_t part;
} stored_file_t;

/*  Nodes and their files, as the conductor has them: private but for reading. */
typedef struct {
    stored_file_t stored;
    bool unsure; /* known from before the node's last start, and not told since */
    bool drop;
    bool prove;
} chain_file_t;

typedef struct {
    agent_session_t agent; /* the first member */
    char name [NAME_BYTES_MAX + 1];
    bool guest;                               /* else it is configured */
    char data [CHAIN_ENDPOINT_BYTES_MAX + 1]; /* "" = it only dials out */
    uint64_t bytes_max;
    ordered_t *files;
    uint64_t files_seen;
    bool files_told; /* all that it has, since its start and ours; node_moved tells when it is so */
    bool dirty;
} chain_node_t;

/*  Where the bytes come from: a node of this site (which must have the file when it feeds), or what
 *  another site has lent (chain_lend there; its name is for people). */
typedef struct {
    const char *node;     /* NULL = elsewhere */
    const char *name;     /* elsewhere: "replica/ams/disk-1" */
    const char *endpoint; /* elsewhere: tcp://HOST:PORT */
} chain_source_t;

typedef struct {
    const char *file;
    bool size_known;   /* else a source says it, once it feeds */
    content_t content; /* a digest that is not known the source takes while it feeds */
    const chain_source_t *sources;
    size_t sources_count;         /* none = they follow (chain_source) */
    const char *const *receivers; /* nodes, guests too, in the order of the chain; a guest may not
                                     have come yet */
    size_t receivers_count;
    uint32_t mbps;  /* 0 = no limit */
    uint32_t feeds; /* chains beside each other; 0 = 1 */
    uint64_t owner; /* the owner's number, told back */
} chain_order_t;

/*  Same numbers as in KeptReceiver. */
typedef enum {
    RECEIVER_WAITING, /* for its node, or for somebody to feed it */
    RECEIVER_RECEIVING,
    RECEIVER_CHECKING,
    RECEIVER_VERIFIED,
    RECEIVER_FAILED,
} receiver_state_t;

/*  Of a transfer, as the conductor has it: private but for reading. What is told is of this start. */
typedef struct {
    char node [NAME_BYTES_MAX + 1];
    receiver_state_t state;
    uint32_t attempt;
    uint32_t looks;
    char why [CHAIN_WHY_BYTES_MAX + 1]; /* failed */
    uint64_t has;                       /* bytes, as last told */
    uint64_t received;                  /* bytes that came in at that node, in its start */
    uint64_t epoch;                     /* of the plan that it carries out */
    char feeder [FEEDER_NAME_BYTES_MAX + 1];
    bool suspect; /* was skipped: at the tail until it carries out a plan that says so */
    uint64_t suspect_epoch;
    bool slow;         /* was put to the tail for that, once */
    int64_t behind_ms; /* mono: it falls behind since then; 0 = it does not */
    uint64_t behind_has;
    uint64_t behind_feeder_has;
    uint32_t wrongs; /* times that all its bytes came and were wrong */
} chain_receiver_t;

typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* "" = elsewhere */
    char name [FEEDER_NAME_BYTES_MAX + 1];
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
    bool failed; /* does not answer: asked last */
    bool wrong;  /* has other bytes, or none: not asked any more */
    char why [CHAIN_WHY_BYTES_MAX + 1];
    uint64_t fed;
    uint32_t wrongs;    /* of its chunks that were found */
    int64_t doubted_ms; /* its last proof then: a later one is awaited */
} chain_origin_t;

typedef struct {
    chain_id_t id;
    uint8_t token [CHAIN_TOKEN_BYTES];
    char file [CHAIN_FILE_BYTES_MAX + 1];
    bool size_known;
    content_t content;
    chain_origin_t sources [CHAIN_SOURCES_MAX];
    size_t sources_count;
    chain_receiver_t *receivers; /* in the order of the chain */
    size_t receivers_count;
    uint32_t mbps;
    uint32_t feeds;
    uint64_t epoch;
    uint64_t owner;
    bool loan;
    bool over; /* every receiver is verified or failed */
    char
      why [CHAIN_WHY_BYTES_MAX + 1]; /* over: why as a whole, "" when nothing failed as a whole */
    int64_t until_ms;                /* of a loan */
} chain_transfer_t;

/*  Bytes that this site's nodes have fed as its sources, in their starts. */
uint64_t chain_fed (const chain_transfer_t *transfer);

/*  All may be NULL. Called while an event is stepped; may call anything of this header. */
typedef struct {
    void *owner;

    /*  A receiver has moved on: begun, has all bytes, verified, failed. Verified and failed are
     *  told once in each start, and are in the transfer until it is forgotten. */
    void (*receiver_moved) (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                            const chain_receiver_t *receiver);

    /*  A source does not answer, has no such file, or has it with other bytes (wrong). The others
     *  are used; when none is left, the receivers wait for chain_source or chain_cancel. */
    void (*source_failed) (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                           const char *source, bool wrong, const char *why);

    void (*transfer_over) (void *owner, const moment_t *now, const chain_transfer_t *transfer);

    /*  A node tells of a file: new, proved again, used, gone. After a restart of either side each
     *  is told again. */
    void (*file_moved) (void *owner, const moment_t *now, const chain_node_t *node,
                        const stored_file_t *file);

    void (*node_moved) (void *owner, const moment_t *now, const chain_node_t *node);
} chain_observer_t;

typedef struct chain chain_t;

/*  nodes: names of those that are configured. The service is borrowed for life, the rest copied. */
chain_t *chain_new (service_t *service, const char *const *nodes, size_t nodes_count,
                    const chain_limits_t *limits);
void chain_destroy (chain_t **self_p);
void chain_observe (chain_t *self, const chain_observer_t *observer);

/*  Begin a transfer; its space is held at each receiver from now on, so far as its size is known.
 *  False with why, and nothing has changed: an unknown node, one without room, a limit. */
bool chain_begin (chain_t *self, const moment_t *now, const chain_order_t *order, chain_id_t *id,
                  char why [CHAIN_WHY_BYTES_MAX + 1]);

/*  One more receiver, at the tail. Not when the transfer is over. */
bool chain_join (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                 char why [CHAIN_WHY_BYTES_MAX + 1]);

/*  One more source, after those it has; one that it has already is asked again as if it had never
 *  failed, unless its bytes were wrong. */
bool chain_source (chain_t *self, const moment_t *now, const chain_id_t *id,
                   const chain_source_t *source, char why [CHAIN_WHY_BYTES_MAX + 1]);

/*  Receivers that are not verified have failed, with this why; node NULL = all. */
void chain_cancel (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                   const char *why);

/*  It is over, and its owner has taken note. Nothing when it is not known. */
void chain_forget (chain_t *self, const moment_t *now, const chain_id_t *id);

/*  Let a node of this site feed a transfer of another site: with that one's id and token, until
 *  chain_forget or until_ms (wall). Again is harmless. On success endpoint is where it feeds. */
typedef struct {
    chain_id_t id;
    uint8_t token [CHAIN_TOKEN_BYTES];
    const char *node;
    const char *file;
    uint32_t mbps;
    int64_t until_ms;
} chain_loan_t;
bool chain_lend (chain_t *self, const moment_t *now, const chain_loan_t *loan,
                 char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1], char why [CHAIN_WHY_BYTES_MAX + 1]);

/*  NULL when it is not known. */
chain_transfer_t *chain_transfer (const chain_t *self, const chain_id_t *id);

/*  The first whose id is greater; the very first for NULL. Loans are among them. */
chain_transfer_t *chain_next (const chain_t *self, const chain_transfer_t *after);

/*  Nodes that are configured, then guests that have come. */
size_t chain_nodes (const chain_t *self);
chain_node_t *chain_node_at (const chain_t *self, size_t node);

/*  NULL when there is none. */
chain_node_t *chain_node (const chain_t *self, const char *name);

/*  Of its files; held for transfers that are not over; and what may still be put there. */
uint64_t chain_bytes_files (const chain_node_t *node);
uint64_t chain_bytes_held (const chain_t *self, const chain_node_t *node);
uint64_t chain_room (const chain_t *self, const chain_node_t *node);

/*  Transfers in which it is a source just now. */
uint32_t chain_feeds (const chain_t *self, const chain_node_t *node);

/*  NULL when the node is none, or has it not. */
chain_file_t *chain_file (const chain_node_t *node, const char *name);

/*  Ascending by name: the first whose name is greater; NULL = the very first. */
chain_file_t *chain_file_after (const chain_node_t *node, const char *after);

/*  Remove a file from a node; file_moved tells when it is gone. To be said again after a restart.
 *  False when the node is not known to have it, or it is a source just now. */
bool chain_drop (chain_t *self, const moment_t *now, const char *node, const char *file);

/*  Have a node read a file again: file_moved tells, with a new proved_ms, or gone when its bytes
 *  are not those of its digest (it is removed then). */
bool chain_prove (chain_t *self, const moment_t *now, const char *node, const char *file);

#endif
