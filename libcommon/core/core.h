/*  core - the seam between a service's logic and the outside.
 *
 *  Every service is a core carried by a host. A core has no socket, file, thread, clock or random
 *  source: all it sees of the outside is a moment and an event, all it can do to the outside is an
 *  effect. Its state is in memory; its store is what it put, read back record by record at start,
 *  or later when it asks for records.
 *
 *      step (core, moment, event)         something has happened
 *      next (core) -> effect | none       what the outside must do now, in order; ask until none
 *
 *  The real host (host.h) and the simulated one (test/sim) carry the same cores. Both make the
 *  puts and deletes of a batch durable in one write before any reply, call or hint of that batch
 *  leaves: a promise never leaves before it is stored.
 */
#ifndef MUSUBI_CORE_H
#define MUSUBI_CORE_H

#include "bytes.h"
#include "flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENTROPY_BYTES 32

/*  All that a core sees of the outside, besides events. */
typedef struct {
    int64_t wall_ms; /* UTC since the epoch; never earlier than the store's last stamp */
    int64_t mono_ms; /* monotonic, from any origin */
    uint8_t entropy [ENTROPY_BYTES]; /* fresh in each step, but for the records of a start */
    uint64_t store_free_bytes;       /* room left in the store, less what has been put since */
    uint64_t store_bytes;            /* its whole size */
    /*  For measurements, since this start: durable writes; requests, replies and change notices
     *  sent, and the bytes of their headers and bodies; connections closed to make room. Now:
     *  connections from others and to others, memory in use. */
    uint64_t store_flushes;
    uint64_t messages_sent;
    uint64_t bytes_sent;
    uint64_t connections_closed;
    uint64_t connections_in;
    uint64_t connections_out;
    uint64_t memory_bytes;
} moment_t;

/*  Is there room for what a message of that size will store, with kept_free bytes left over? It
 *  stores a record and a ledger row, and its end will store as much again. */
#define STORE_COPIES 4
static inline bool moment_room (const moment_t *now, uint64_t kept_free, size_t size)
{
    uint64_t taken = STORE_COPIES * (uint64_t) size;
    return now->store_free_bytes >= kept_free && now->store_free_bytes - kept_free >= taken;
}

/*  A store's identity (T1): a random id, and how often it was started, flushed before it
 *  serves. The host keeps it. */
typedef struct {
    uint8_t id [STORE_ID_BYTES];
    uint32_t start;
} store_identity_t;

/*  How a call ended. The first nine are the peer's words (Status in proto/bus.proto). */
typedef enum {
    CALL_OK = 0,
    CALL_BAD_REQUEST,
    CALL_UNKNOWN_METHOD,
    CALL_WRONG_STORE,
    CALL_DENIED,
    CALL_NOT_FOUND,
    CALL_OVERLOADED,
    CALL_WRONG_PROTOCOL,
    CALL_NOT_SERVING, /* a restored backup, or not known yet whether it is one (T14) */
    CALL_TIMED_OUT,   /* no answer in time: it may have been received or not */
} call_status_t;

typedef enum {
    EVENT_RECORD,  /* at start, once for each stored record, ascending by table and key; of
                      TABLE_LEDGER the last sound one alone, and what is damaged behind it */
    EVENT_START,   /* after the last record, before anything else */
    EVENT_REQUEST, /* somebody asks; answer it now or later with EFFECT_REPLY */
    EVENT_ANSWER,  /* a call has ended; exactly one for each EFFECT_CALL */
    EVENT_TIMER,   /* the time of the last EFFECT_TIMER has come */
    EVENT_NOTICE,  /* a change notice of a subscribed publisher; may be lost or doubled */
    EVENT_WORK,    /* work has ended; exactly one for each EFFECT_WORK */
    EVENT_ROWS,    /* what EFFECT_READ asked for; exactly one for each */
    EVENT_FLOW,    /* news of bulk bytes (flow.h) */
    EVENT_END,     /* the process is told to end: say EFFECT_STOP once what is under way is over */
} event_kind_t;

/*  A stored record, as EVENT_ROWS shows it. */
typedef struct {
    bytes_t key;
    bytes_t value; /* RECORD_DAMAGED when it is not the one that was put */
} row_t;

/*  Which records are wanted. */
typedef struct {
    uint64_t read; /* unique in this start */
    uint8_t table;
    bytes_t from;     /* the first key wanted, or the next one after it */
    uint32_t most;    /* records, at least one */
    uint32_t bytes;   /* of keys and values together; one record always fits */
    bool store_alone; /* of TABLE_LEDGER: without rows that are in segments (segment.h) */
} read_order_t;

typedef struct {
    const char *service;    /* "Participant" */
    const char *method;     /* "Hold" */
    const char *actor;      /* authenticated, or claimed on a trusted endpoint; never NULL */
    const char *request_id; /* "" when none */
    bytes_t body;
    uint64_t reply_to; /* names this request in EFFECT_REPLY */
} request_t;

/*  The value shown for a record that is not the one that was put; no decoder accepts it. Its key
 *  may be wrong, too. What such a record may have promised is for its owner to judge. */
#define RECORD_DAMAGED ((bytes_t){.data = (const uint8_t *) "\x07", .size = 1})

/*  Everything an event points to is the host's and lives until step returns. */
typedef struct {
    event_kind_t kind;
    union {
        struct {
            uint8_t table;
            bytes_t key;
            bytes_t value;
        } record;
        struct {
            store_identity_t store;
            const char *endpoint;        /* where this process can be reached; "tcp://…" */
            const char *events;          /* its PUB socket */
            const char *data;            /* where its flows are fed from; NULL or "" = nowhere */
            const uint8_t *adopted_from; /* STORE_ID_BYTES: an operator has put this store under a
                                            new id, and it has not been served since; else NULL */
        } start;
        request_t request;
        struct {
            uint64_t call;
            call_status_t status;
            const char *reason;             /* "" when status is CALL_OK */
            bytes_t body;                   /* empty unless CALL_OK */
            uint8_t store [STORE_ID_BYTES]; /* of the peer; zero when CALL_TIMED_OUT */
            uint32_t store_start;
        } answer;
        struct {
            const char *endpoint; /* as given in EFFECT_SUBSCRIBE */
            const char *topic;
            uint64_t number; /* counts the hints of one store and start from 1 without gaps */
            uint8_t store [STORE_ID_BYTES];
            uint32_t store_start;
            bytes_t body;
        } notice;
        struct {
            uint64_t work;
            bool ok; /* false: it failed or was killed; result is a sentence why */
            bytes_t result;
        } work;
        struct {
            uint64_t read;
            const row_t *rows; /* ascending by key */
            size_t count;
            bool more; /* there are further ones */
        } rows;
        flow_event_t flow;
    };
} event_t;

typedef enum {
    EFFECT_REPLY,
    EFFECT_CALL,
    EFFECT_PUBLISH,
    EFFECT_SUBSCRIBE, /* hear the hints of an endpoint; again is harmless */
    EFFECT_UNSUBSCRIBE,
    EFFECT_PUT,
    EFFECT_DELETE,
    EFFECT_READ,  /* records, as they are after this batch's flush */
    EFFECT_TIMER, /* wake me at mono_ms; replaces the one before; INT64_MAX = never */
    EFFECT_WORK,  /* something slow, away from the loop */
    EFFECT_FLOW,  /* bulk bytes, which never pass through a core (flow.h) */
    EFFECT_LOG,
    EFFECT_STOP, /* end this process cleanly, after this batch has left */
} effect_kind_t;

/*  Not LOG_INFO and so on: <syslog.h> has macros of those names with other numbers. */
typedef enum { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARNING, LEVEL_ALARM } log_level_t;

/*  Everything an effect points to is the core's and lives until the next step. */
typedef struct {
    effect_kind_t kind;
    union {
        struct {
            uint64_t reply_to;
            call_status_t status; /* the peer's words only, never CALL_TIMED_OUT */
            const char *reason;
            bytes_t body;
        } reply;
        struct {
            uint64_t call; /* unique in this start */
            const char *endpoint;
            const char *service;
            const char *method;
            const char *actor;                 /* in whose name */
            const char *request_id;            /* "" when none */
            uint8_t to_store [STORE_ID_BYTES]; /* zero = whoever serves there */
            bytes_t body;
            int64_t timeout_ms;
        } call;
        struct {
            const char *topic;
            bytes_t body;
        } publish;
        struct {
            const char *endpoint;
        } subscribe; /* and unsubscribe */
        struct {
            uint8_t table;
            bytes_t key;
            bytes_t value; /* empty for delete */
        } record;          /* put and delete */
        read_order_t read;
        struct {
            int64_t mono_ms;
        } timer;
        struct {
            uint64_t work;
            const char *kind;
            bytes_t arguments;
        } work;
        flow_order_t flow;
        struct {
            log_level_t level;
            const char *line; /* key=value words, no newline */
        } log;
        struct {
            const char *reason;
        } stop;
    };
} effect_t;

/*  A core as its host sees it. */
typedef struct {
    void *self;
    void (*step) (void *self, const moment_t *now, const event_t *event);
    bool (*next) (void *self, effect_t *effect);
    void (*destroy) (void *self);
} core_t;

/*  Tables of the one store of a process. Numbers are on disk: never reuse one. */
enum {
    TABLE_IDENTITY = 0,       /* the host's: store id, start number, last wall stamp */
    TABLE_COMMANDS = 1,       /* participant */
    TABLE_RESERVATIONS = 2,   /* participant */
    TABLE_CLAIMS = 3,         /* home */
    TABLE_DECISIONS = 4,      /* coordinator */
    TABLE_CAPACITIES = 5,     /* questions: of a site, of a domain */
    TABLE_USES = 6,           /* use of circuits, at a domain */
    TABLE_LEDGER = 7,         /* what happened, in order (ledger.h) */
    TABLE_WATERMARKS = 8,     /* directory: how far the ledgers of others have come (T14) */
    TABLE_NODES = 9,          /* site: machines that were seen, and drained ones */
    TABLE_RUNS = 10,          /* site: tries of tasks at nodes */
    TABLE_BAGS = 11,          /* site: bags of tasks */
    TABLE_TASKS = 12,         /* site: tasks that were started once */
    TABLE_OPENINGS = 13,      /* site: reservations on their nodes */
    TABLE_AGENT_RUNS = 14,    /* node agent: runs that it has claimed */
    TABLE_PLUS = 15,          /* site, replica: reservations created and not reserved yet (S3) */
    TABLE_STORAGE_NODES = 16, /* replica: storage nodes that were seen */
    TABLE_TRANSFERS = 17,     /* replica: transfers that were begun and not forgotten */
    TABLE_KEPT_FILES = 18,    /* storage node: its files */
    TABLE_FILES = 20,         /* site: its catalogue of files */
    TABLE_MOVES = 21,         /* site: moves of its tasks to other sites */
    TABLE_OFFERS = 22,        /* site: answers to moves of others' tasks */
    TABLE_MEMBERSHIP = 23,    /* site: the coalition it has joined */
    TABLE_COALITION = 24,     /* balancer: its coalition, and how far its orders count */
    TABLE_MEMBERS = 25,       /* balancer: the coalition's members and their accounts */
    TABLE_JOBS = 26,          /* balancer: jobs, and by when they were promised to be complete */
    TABLE_ORDERS = 27,        /* balancer: orders that have not been answered */
    TABLE_COALITIONS = 28,    /* balancer: coalitions that have ended */
    TABLE_ASIDE = 29,         /* what could not be read, once something else took its place */
    TABLE_STAYS = 30,         /* replica: until when somebody may stay with files */
    TABLE_ABSENCES = 31,      /* directory: services that are listed, or were */
    TABLES_MAX = 32
};

#endif
