/*  flow_loop - the thread of the flows: its files and connections. For the flow_*.c files only.
 *
 *      flows.c        the two queues and the thread's life
 *      flow_loop.c    what is ready, what has come, what is due
 *      flow_file.c    the own file of a flow: look, write, digest
 *      flow_link.c    the receiver's end of a connection
 *      flow_donor.c   an older file, from which the own one takes what is right
 *      flow_feed.c    the feeder's end
 */
#ifndef MUSUBI_FLOW_LOOP_H
#define MUSUBI_FLOW_LOOP_H

#include "flow.h"
#include "flow_marks.h"
#include "flow_wire.h"

#include <openssl/evp.h>
#include <stddef.h>
#include <xxhash.h>

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
    uint64_t until;  /* CONN_FEEDS, CONN_RECEIVES: the end of the range, or of the file */
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
    flow_t *follows; /* whose file it feeds; NULL = its own */
    bool salvages;   /* gives zeros for what is bad (flow_marks.h) */
    bool whole;      /* feeds only */
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
    XXH3_state_t *check; /* of what has come of the present chunk */
    int marks;           /* the file of marks (flow_marks.h); -1 = none */
    EVP_MD_CTX *sure;    /* digest of the first sure_bytes, */
    uint64_t sure_bytes; /* confirmed by a right mark, our own or the feeder's */
    flow_mark_t mark;    /* of the first has bytes, */
    bool mark_due;       /* not noted yet: the feeder may send another one */
    uint8_t expected [FLOW_DIGEST_BYTES]; /* of the whole file, */
    bool expects;                         /* when that is known */
    bool doubted;                         /* its bytes were dropped for a feeder's once */
    unsigned ends_wrong;                  /* how often its last bytes were dropped */
    bool grown;                           /* in this turn */
    bool opened;                          /* this was told */
    int donor, donor_marks;               /* -1 = none */
    bool takes;                           /* from its donor, until a chunk is bad there: */
    uint64_t needs;                       /* then up to here from a feeder */
    uint64_t link;                        /* the one that is to feed it; 0 = none yet */
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
    int64_t linger_ms;
    uint8_t *buffer; /* FLOW_BUFFER_BYTES */
    void (*tell) (void *owner, const flow_event_t *event);
    void *owner;
} flow_loop_t;

/*  The flow whose file this one feeds. */
static inline flow_t *flow_own (flow_t *flow)
{
    return flow->follows ? flow->follows : flow;
}

/*  --- flow_loop.c --- */

/*  Takes over the listener; false with errno. orders is a descriptor that can be read when there
 *  are orders. */
bool flow_loop_init (flow_loop_t *self, int listener, int orders);
void flow_loop_end (flow_loop_t *self);
void flow_loop_order (flow_loop_t *self, const flow_order_t *order);

/*  Waits for something and does it. True when there are orders. */
bool flow_loop_turn (flow_loop_t *self);

/*  Feeds those to their end, for linger_ms at most, who are fed from a file that has come
 *  whole: else all that stand behind each other would ask the source for their last bytes. */
void flow_loop_linger (flow_loop_t *self);

/*  Starts or stops accepting connections. */
void flow_loop_listen (flow_loop_t *self, bool listens);

/*  "tcp://10.0.0.7:4711", "tcp://[::1]:4711" to its host and port, "*" being port 0; false when it
 *  is none. */
bool flow_endpoint_split (const char *endpoint, char host [FLOW_HOST_BYTES],
                          char port [FLOW_PORT_BYTES]);

conn_t *conn_new (flow_loop_t *self, int file, conn_state_t state, flow_t *flow);
void conn_watch (flow_loop_t *self, conn_t *conn, bool outbound);
void conn_end (flow_loop_t *self, conn_t *conn);

/*  What a send or a receive has come to: everything has moved, the rest moves later, or the
 *  connection has ended. */
typedef enum { MOVED_ALL, MOVES_LATER, HUNG_UP } moved_t;

/*  Sends what is in out. */
moved_t conn_flush (conn_t *conn, bool more);

/*  Reads into in until it has size bytes. */
moved_t conn_fill (conn_t *conn, size_t size);

/*  The flow's connections end that are in this state or in one behind it. */
void conns_end (flow_loop_t *self, const flow_t *flow, conn_state_t from);

/*  Reports an event, with the progress of the flow added. */
void flow_tell (const flow_loop_t *self, flow_t *flow, flow_event_t event);

/*  --- flow_file.c --- */

bool flow_file_open (flow_t *flow, const flow_order_t *order, char why [WHY_BYTES]);
void flow_file_close (flow_t *flow);

/*  The flow that this one follows is closed. It keeps that one's file if all of it was proved;
 *  false with why: it has none any more. */
bool flow_file_inherit (flow_t *flow, char why [WHY_BYTES]);

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

/*  The own file is unusable: this is reported, and its receivers are disconnected; so are those of
 *  flows that follow it. */
void flow_break (flow_loop_t *self, flow_t *flow, const char *why);

/*  --- flow_donor.c --- */

void flow_donor_open (flow_t *flow, const flow_order_t *order);
void flow_donor_end (flow_t *flow);

/*  The own file is the donor from now on: what is right in it stays where it is. */
bool flow_donor_own (flow_t *flow);

/*  Takes a further piece; finished when it does not take any more. */
bool flow_donor_take (flow_t *flow, char why [WHY_BYTES]);

/*  The due mark is the one that the donor had. */
bool flow_donor_agrees (const flow_t *flow);

/*  --- flow_link.c --- */

void link_dial (flow_loop_t *self, flow_t *flow, uint64_t link, const char *endpoint);
void link_go (flow_loop_t *self, flow_t *flow, conn_t *conn);

/*  The flow takes nothing more from its donor: the link that is to feed it is asked. */
void link_ask (flow_loop_t *self, flow_t *flow);
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
