/*  chain - the conductor of a site's transfers: it decides which storage node feeds which
 *  (proto/chain.proto).
 *
 *  A transfer brings one file from its sources to its receivers. The receivers form a chain: each
 *  is fed by the one before it, from that node's own file, while the file is still arriving there.
 *  Each plan has a number, its epoch. A receiver whose feeder dies goes on at the one before that
 *  by itself, and reports it. A receiver that was skipped or is slow goes to the tail, where nobody
 *  depends on it; one that is skipped again and again stays there longer each time. Nobody is given
 *  up before it was silent for lost_ms.
 *
 *  Transfers are stored and go on after a restart. A transfer that is over stays, with the states
 *  of its receivers, until its owner forgets it; so the owner learns of each end at least once.
 *
 *  Registers the service Chain, TABLE_STORAGE_NODES and TABLE_TRANSFERS. What the observer does
 *  when it is told something is stored in the same write. Pure.
 */
#ifndef MUSUBI_CHAIN_H
#define MUSUBI_CHAIN_H

#include "agent_session.h"
#include "ordered.h"
#include "service.h"
#include "states.h"
#include "storage_path.h"
#include "transaction.h"

#define CHAIN_FILE_BYTES_MAX     500 /* of a name in the federation; it is a key in stores */
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
    uint32_t attend_ms; /* how often an idle agent asks */
    uint32_t report_ms; /* how often an agent reports while bytes move */
    uint32_t silent_ms; /* after this silence a node gets nothing new */
    uint32_t lost_ms;   /* after this silence a node has failed in its transfers */
    uint32_t slow_ms;   /* a receiver that falls behind for this long goes to the tail */
    uint32_t skip_ms;   /* a receiver that was skipped feeds nobody for this long, and twice as long
                           each time that it is skipped again */
} chain_limits_t;

extern const setting_table_t chain_table;

typedef struct {
    uint8_t bytes [CHAIN_ID_BYTES];
} chain_id_t;

/*  The first eight hex digits of an id, as logs show it: chain_id_text (&id).text. */
typedef struct {
    char text [9];
} chain_id_text_t;
chain_id_text_t chain_id_text (const chain_id_t *id);

/*  content_equal: size and digest agree. content_same: the sizes agree, and so do the digests if
 *  both are known. */
bool content_equal (const content_t *a, const content_t *b);
bool content_same (const content_t *a, const content_t *b);

/*  What a proof found of a file that is not right. */
#define BAD_RANGES_MAX 16
typedef struct {
    uint64_t offset; /* of the first of some bad chunks (FLOW_CHUNK_BYTES) */
    uint64_t bytes;
} bad_range_t;

typedef struct {
    content_t found; /* as it lies there, with zeros for its bad chunks */
    bad_range_t bad [BAD_RANGES_MAX];
    size_t bad_count; /* 0: which bytes are bad is not known */
} damage_t;

/*  Of the whole file. */
uint64_t bad_chunks (const damage_t *damage);

/*  A file as its node reports it. */
typedef struct {
    uint64_t number;
    char file [CHAIN_FILE_BYTES_MAX + 1];
    content_t content;
    int64_t proved_ms; /* wall; 0 = never */
    int64_t used_ms;
    bool gone;
    bool has_part; /* not reported yet: this part, or an arrival (zeros), is about to be the file */
    chain_id_t part;
    int64_t looked_ms; /* wall, of the last proof, right or wrong; 0: see proved_ms */
    bool quarantined;  /* the last proof found it damaged */
    damage_t damage;
} stored_file_t;

/*  What the conductor knows of nodes and their files. To be read by others, changed by chain*.c
 *  only. */
typedef struct {
    stored_file_t stored;
    bool unsure; /* reported before the node's last start, and not since */
    bool drop;
    bool prove;
    uint32_t mbps;  /* at which it is to be read; 0 = at once, and as fast as it goes */
    int64_t bad_ms; /* wall, here: when it was heard that it is bad; 0 = not in this start */
    int64_t
      looked_ms; /* wall, here: when it was heard that it has been read; 0 = not in this start */
} chain_file_t;

/*  A file in a node's folder for arrivals, which is to become one of its files. */
#define ARRIVALS_MAX           64 /* at one node at once */
#define ARRIVAL_PATH_BYTES_MAX 255
typedef struct {
    char path [ARRIVAL_PATH_BYTES_MAX + 1]; /* its name in that folder; must be the first member */
    char file [CHAIN_FILE_BYTES_MAX + 1];
    uint64_t room; /* bytes that it may have */
    bool is_named; /* the name stands for this content: */
    uint8_t named [CHAIN_DIGEST_BYTES];
    bool have;            /* which the site has, so that this one is not wanted */
    content_t content;    /* as the node has found it */
    bool done;            /* it is a file of the node, or was the same as what the site has */
    char why [WHY_BYTES]; /* it can't be taken in as things are */
} chain_arrival_t;

typedef struct {
    agent_session_t agent; /* must be the first member */
    char name [NAME_BYTES_MAX + 1];
    bool guest;                               /* otherwise it is in the configuration */
    char data [CHAIN_ENDPOINT_BYTES_MAX + 1]; /* "" = it can't feed others */
    uint64_t bytes_max;
    char folder [STORAGE_FOLDER_BYTES_MAX + 1]; /* of its files; "" = not known */
    chain_arrival_t *arrivals;
    size_t arrivals_count;
    ordered_t *files;
    uint64_t files_seen;
    bool files_told; /* it has reported all its files since its start and ours */
    bool dirty;
} chain_node_t;

/*  Where the bytes come from: a node of this site, or one that another site lends (chain_lend). */
typedef struct {
    const char *node;     /* of this site; NULL = of another one */
    const char *name;     /* of another site, for people: "replica/ams/disk-1" */
    const char *endpoint; /* of another site: tcp://HOST:PORT */
} chain_source_t;

typedef struct {
    const char *file;
    bool size_known;   /* otherwise a source reports it when it feeds */
    content_t content; /* if the digest is not known, the source computes it */
    const chain_source_t *sources;
    size_t sources_count;         /* 0 = they are added later (chain_source) */
    const char *const *receivers; /* in the order of the chain; guests may not have come yet */
    size_t receivers_count;
    uint32_t mbps;  /* 0 = no limit */
    uint32_t feeds; /* chains that run side by side; 0 = 1 */
    uint64_t owner; /* a number that means something to the owner */
} chain_order_t;

/*  Same numbers as in KeptReceiver. */
typedef enum {
    RECEIVER_WAITING, /* for its node, or for a feeder */
    RECEIVER_RECEIVING,
    RECEIVER_CHECKING,
    RECEIVER_VERIFIED,
    RECEIVER_FAILED,
} receiver_state_t;
extern const state_table_t receiver_states;

/*  A receiver of a transfer. To be read by others, changed by chain*.c only. Byte counts are those
 *  of this start. */
typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* must be the first member */
    receiver_state_t state;
    uint32_t attempt;
    uint32_t looks;
    char data [CHAIN_ENDPOINT_BYTES_MAX + 1]; /* of its node, when last stored */
    char why [WHY_BYTES];                     /* why it failed */
    uint64_t has;                             /* bytes of the file, as last reported */
    uint64_t received;                        /* bytes that came in since the node's start */
    uint64_t epoch;                           /* of the plan that it follows */
    char feeder [FEEDER_NAME_BYTES_MAX + 1];
    bool skipped; /* at the tail, and feeds nobody, until it follows skipped_epoch and the time */
    uint64_t skipped_epoch;
    int64_t skipped_until_ms; /* mono, is over */
    uint32_t skips;           /* how often that was */
    bool slow;                /* it was put to the tail for being slow; that is done once */
    int64_t behind_ms;        /* mono: when it began to fall behind; 0 = it does not */
    uint64_t behind_has;
    uint64_t behind_feeder_has;
    bool opening;    /* it reads what it has from before */
    uint32_t wrongs; /* how often all its bytes came and did not match the digest */
} chain_receiver_t;

typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* must be the first member; "" = of another site */
    char name [FEEDER_NAME_BYTES_MAX + 1];
    char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1];
    bool failed; /* it does not answer, so it is asked last */
    bool wrong;  /* it has other bytes, or none, so it is not asked any more */
    char why [WHY_BYTES];
    uint64_t fed;
    uint32_t wrongs;    /* how many of its chunks were found wrong */
    int64_t doubted_ms; /* when its file was last proved before that; a later proof is awaited */
    bool waits;         /* for that proof: it feeds nobody before */
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
    size_t receivers_room;
    uint32_t mbps;
    uint32_t feeds;
    uint64_t epoch;
    int64_t told_ms; /* mono: when the nodes were last told a plan; 0 = not yet */
    bool untold;     /* a newer one is told soon */
    uint64_t owner;
    bool loan;
    char lent_to [NAME_BYTES_MAX + 1]; /* site, as chain_lend said in this start; "" = not known */
    bool over;                         /* every receiver is verified or has failed */
    char why [WHY_BYTES];              /* of a failure as a whole; "" = none */
    int64_t until_ms;                  /* of a loan */
} chain_transfer_t;

/*  The receiver at this node; NULL when there is none, or no transfer. */
static inline chain_receiver_t *chain_receiver_find (const chain_transfer_t *transfer,
                                                     const char *node)
{
    return transfer ? list_find (transfer->receivers, transfer->receivers_count,
                                 sizeof *transfer->receivers, node)
                    : NULL;
}

/*  Called while an event is stepped; they may call anything in this header. Each may be NULL. */
typedef struct {
    void *owner;

    /*  A receiver has begun, has all bytes, is verified, or has failed. The last two are told once
     *  in each start, and stay in the transfer until it is forgotten. */
    void (*receiver_moved) (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                            const chain_receiver_t *receiver);

    /*  A source does not answer, or it lacks the file or has other bytes (wrong). The other sources
     *  are used. When none is left, the receivers wait for chain_source or chain_cancel. */
    void (*source_failed) (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                           const char *source, bool wrong, const char *why);

    void (*transfer_over) (void *owner, const moment_t *now, const chain_transfer_t *transfer);

    /*  A file of a node is new, was proved again or used, or is gone. After a restart of either
     *  side each file is reported again. */
    void (*file_moved) (void *owner, const moment_t *now, const chain_node_t *node,
                        const stored_file_t *file);

    void (*node_moved) (void *owner, const moment_t *now, const chain_node_t *node);
} chain_observer_t;

typedef struct chain chain_t;

/*  nodes: the names in the configuration. The service is borrowed for life, the rest is copied. */
chain_t *chain_new (service_t *service, const char *const *nodes, size_t nodes_count,
                    const chain_limits_t *limits);
void chain_destroy (chain_t **self_p);
void chain_observe (chain_t *self, const chain_observer_t *observer);

/*  Begins a transfer, and holds its space at each receiver if the size is known. False with why,
 *  and nothing has changed: a node is unknown or has no room, or a limit is reached. */
bool chain_begin (chain_t *self, const moment_t *now, const chain_order_t *order, chain_id_t *id,
                  char why [WHY_BYTES]);

/*  Adds a receiver at the tail. False with why if the transfer is over, or as in chain_begin. */
bool chain_join (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                 char why [WHY_BYTES]);

/*  Adds a source behind the others. A source that the transfer has already is asked again as if it
 *  had never failed, unless its bytes were wrong. */
bool chain_source (chain_t *self, const moment_t *now, const chain_id_t *id,
                   const chain_source_t *source, char why [WHY_BYTES]);

/*  Fails the receiver at a node (NULL = all) that is not verified yet, with this why. */
void chain_cancel (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                   const char *why);

/*  The owner has noted the end of a transfer, which is dropped. Nothing happens if it is unknown or
 *  not over. */
void chain_forget (chain_t *self, const moment_t *now, const chain_id_t *id);

/*  Lets a node of this site feed a transfer of another site, named by that one's id and token,
 *  until chain_forget or until_ms (wall). The node has the file, or is a receiver of it. May be
 *  repeated. On success endpoint is where the node feeds. */
typedef struct {
    chain_id_t id;
    uint8_t token [CHAIN_TOKEN_BYTES];
    const char *site; /* that it is lent to */
    const char *node;
    const char *file;
    uint32_t mbps;
    int64_t until_ms;
} chain_loan_t;
bool chain_lend (chain_t *self, const moment_t *now, const chain_loan_t *loan,
                 char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1], char why [WHY_BYTES]);

chain_transfer_t *chain_transfer (const chain_t *self, const chain_id_t *id);

/*  By id: the one after this one, or the first for NULL. Loans are among them. */
chain_transfer_t *chain_next (const chain_t *self, const chain_transfer_t *after);

/*  The configured nodes first, then the guests. */
size_t chain_nodes (const chain_t *self);
chain_node_t *chain_node_at (const chain_t *self, size_t node);

chain_node_t *chain_node (const chain_t *self, const char *name);

/*  Bytes of its files, bytes held for transfers under way, and bytes that are free. */
uint64_t chain_bytes_files (const chain_node_t *node);
uint64_t chain_bytes_held (const chain_t *self, const chain_node_t *node);
uint64_t chain_room (const chain_t *self, const chain_node_t *node);

/*  Number of transfers under way of which the node is a source. */
uint32_t chain_feeds (const chain_t *self, const chain_node_t *node);

/*  NULL when the node is NULL, or does not have the file. */
chain_file_t *chain_file (const chain_node_t *node, const char *name);

/*  By name: the one after this name, or the first for NULL. */
chain_file_t *chain_file_after (const chain_node_t *node, const char *after);

/*  Removes a file from a node; file_moved tells when it is gone. Must be repeated after a restart.
 *  False when the node does not have the file, or is feeding it. */
bool chain_drop (chain_t *self, const moment_t *now, const char *node, const char *file);

/*  Has a node take in a file that has arrived there, under this path, or changes what is wanted of
 *  it (room, named, have). Returns how it stands, valid until the next call; NULL: ARRIVALS_MAX are
 *  under way there. Not stored: it is said again after a restart. */
const chain_arrival_t *chain_arrival (chain_t *self, const moment_t *now, const char *node,
                                      const chain_arrival_t *wanted);
void chain_arrival_end (chain_t *self, const moment_t *now, const char *node, const char *path);

/*  Makes a node read a file again: at once, or at this rate and after others that are read so (mbps
 *  > 0). file_moved tells the result: a new proved_ms; or it is quarantined, because its bytes do
 *  not match the digest; or gone, because it is not there. */
bool chain_prove (chain_t *self, const moment_t *now, const char *node, const char *file,
                  uint32_t mbps);

#endif
