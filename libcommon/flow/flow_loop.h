/*  flow_loop - the thread of the flows: its files and connections. For the flow_*.c files only.
 *
 *      flows.c        the two queues and the thread's life
 *      flow_loop.c    what is ready, what has come, what is due
 *      flow_file.c    the own file of a flow: look, write, digest
 *      flow_link.c    the receiver's end of a connection
 *      flow_feed.c    the feeder's end
 */
#ifndef MUSUBI_FLOW_LOOP_H
#define MUSUBI_FLOW_LOOP_H

#include "flow.h"
#include "flow_wire.h"

#include <openssl/evp.h>
#include <stddef.h>
#include <sys/types.h>

#define FLOW_PATH_BYTES   4096
#define FLOW_HOST_BYTES   128
#define FLOW_PORT_BYTES   16
#define FLOW_BUFFER_BYTES (256 * 1024)
#define FLOW_TURN_BYTES   (2u << 20) /* that one connection moves before others have their turn */

typedef enum {
    CONN_GREETS,  /* accepted, has not said all of its hello */
    CONN_CHOOSES, /* answered: it may say where to begin */
    CONN_FEEDS,
    CONN_DIALS, /* ours, not connected yet */
    CONN_ASKS,  /* has said hello */
    CONN_LINKED,
    CONN_RECEIVES,
} conn_state_t;

typedef struct flow flow_t;

typedef struct conn {
    conn_state_t state;
    int file;
    flow_t *flow; /* NULL while CONN_GREETS */
    struct conn *after;
    bool dead;     /* to be freed at the end of the turn */
    bool outbound; /* waits until it can be written */
    int64_t since_ms;
    int64_t heard_ms; /* or, when it feeds, when it was last written to */
    uint8_t in [FLOW_HELLO_BYTES];
    size_t in_used;
    uint8_t out [FLOW_HELLO_BYTES];
    size_t out_used;
    size_t out_sent;
    uint64_t frame_left;
    uint64_t offset; /* CONN_FEEDS: of the next byte to be sent; CONN_RECEIVES: of the first */
    uint64_t marked; /* CONN_FEEDS: marks up to here have been sent */
    bool begun;      /* CONN_RECEIVES: bytes have come */
    uint64_t link;
    int64_t silent_ms; /* when it was reported as silent; 0 = not */
} conn_t;

struct flow {
    flow_t *after;
    uint64_t number;
    uint8_t id [FLOW_ID_BYTES];
    uint8_t token [FLOW_TOKEN_BYTES];
    char path [FLOW_PATH_BYTES];
    int file;
    bool whole; /* feeds only */
    bool broken;
    uint64_t size;
    uint64_t has;
    uint64_t look_until; /* while it is looked at: bytes that the file had; else 0 */
    uint64_t received;
    uint64_t fed;
    uint64_t told_has;
    uint64_t told_fed;
    uint64_t epoch;
    uint64_t attempt;
    uint32_t mbps;
    uint32_t feeds;
    EVP_MD_CTX *digest;  /* of the first has bytes; NULL when whole, or when it was told */
    int marks;           /* the file of marks (flow_file.c); -1 = none */
    EVP_MD_CTX *sure;    /* digest of the first sure_bytes, */
    uint64_t sure_bytes; /* confirmed by a right mark, our own or the feeder's */
    uint8_t mark [FLOW_DIGEST_BYTES];     /* of the first has bytes, */
    bool mark_due;                        /* not noted yet: the feeder may send another one */
    uint8_t expected [FLOW_DIGEST_BYTES]; /* of the whole file, */
    bool expects;                         /* when that is known */
    bool doubted;                         /* its bytes, or the last of them, were dropped once */
    bool grown;                           /* in this turn */
};

typedef struct flow_loop {
    int poll;
    int listener; /* -1 = none */
    bool deaf;    /* no descriptor is free for callers; it listens again at the next tick */
    flow_t *flows;
    conn_t *conns;
    size_t greeting;   /* connections that have not shown a token */
    size_t looking;    /* flows whose file is being looked at */
    int64_t now_ms;    /* of this turn */
    int64_t ticked_ms; /* when connections were last looked after */
    uint8_t *buffer;   /* FLOW_BUFFER_BYTES */
    void (*tell) (void *owner, const flow_event_t *event);
    void *owner;
} flow_loop_t;

/*  --- flow_loop.c --- */

/*  Takes over the listener; false with errno. orders is a descriptor that can be read when there
 *  are orders. */
bool flow_loop_init (flow_loop_t *self, int listener, int orders);
void flow_loop_end (flow_loop_t *self);
void flow_loop_order (flow_loop_t *self, const flow_order_t *order);

/*  Waits for something and does it. True when there are orders. */
bool flow_loop_turn (flow_loop_t *self);

/*  Starts or stops accepting connections. */
void flow_loop_listen (flow_loop_t *self, bool listens);

/*  "tcp://10.0.0.7:4711", "tcp://[::1]:4711" to its host and port, "*" being port 0; false when it
 *  is none. */
bool flow_endpoint_split (const char *endpoint, char host [FLOW_HOST_BYTES],
                          char port [FLOW_PORT_BYTES]);

conn_t *conn_new (flow_loop_t *self, int file, conn_state_t state, flow_t *flow);
void conn_watch (flow_loop_t *self, conn_t *conn, bool outbound);
void conn_end (flow_loop_t *self, conn_t *conn);

/*  All has moved, the rest does later, or the connection is at its end. */
typedef enum { MOVED_ALL, MOVES_LATER, HUNG_UP } moved_t;

/*  Sends what is in out. */
moved_t conn_flush (conn_t *conn, bool more);

/*  Reads into in until it has size bytes. */
moved_t conn_fill (conn_t *conn, size_t size);

/*  The flow's connections end that are in this state or in one behind it. */
void conns_end (flow_loop_t *self, const flow_t *flow, conn_state_t from);

/*  Reports an event, with the progress of the flow added. */
void flow_tell (const flow_loop_t *self, const flow_t *flow, flow_event_t event);

/*  --- flow_file.c --- */

bool flow_file_open (flow_t *flow, const flow_order_t *order, char why [WHY_BYTES]);
void flow_file_close (flow_t *flow);

/*  Checks a further piece of the bytes it had before; finished when look_until is 0. */
bool flow_file_look (flow_t *flow, uint8_t *buffer, char why [WHY_BYTES]);
bool flow_file_write (flow_t *flow, const uint8_t *data, size_t size, char why [WHY_BYTES]);

/*  The mark of the first at bytes, at most has, as it is noted; false when there is none. */
bool flow_mark_read (const flow_t *flow, uint64_t at, uint8_t mark [FLOW_DIGEST_BYTES]);

/*  The feeder sent no other mark: the due one is noted. */
void flow_mark_note (flow_t *flow);

/*  The feeder sent the same mark: the due one is noted as sure. */
void flow_mark_sure (flow_t *flow);

/*  Drops the bytes that are not sure; all: every byte. */
bool flow_file_back (flow_t *flow, bool all, char why [WHY_BYTES]);

/*  All bytes have come, and their digest is not the expected one. */
bool flow_file_wrong (const flow_t *flow);

/*  The digest of the complete file, once. */
void flow_file_digest (flow_t *flow, uint8_t digest [FLOW_DIGEST_BYTES]);

/*  The own file is unusable: this is reported, and its receivers are disconnected. */
void flow_break (flow_loop_t *self, flow_t *flow, const char *why);

/*  --- flow_link.c --- */

void link_dial (flow_loop_t *self, flow_t *flow, uint64_t link, const char *endpoint);
void link_go (flow_loop_t *self, flow_t *flow, conn_t *conn);
void link_ready (flow_loop_t *self, conn_t *conn);
void link_tick (flow_loop_t *self, conn_t *conn);

/*  Reports the file as complete, if it is. */
void flow_whole (flow_loop_t *self, flow_t *flow);

/*  --- flow_feed.c --- */

void feed_accept (flow_loop_t *self);
void feed_ready (flow_loop_t *self, conn_t *conn);
void feed_tick (flow_loop_t *self, conn_t *conn);

/*  There is more for it. */
void feed_more (flow_loop_t *self, conn_t *conn);

#endif
