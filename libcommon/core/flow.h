/*  flow - bulk bytes, as a core sees them: what it orders and what it is told.
 *
 *  A flow is one transfer's own file here: it is received from at most one link, and others are
 *  fed from it meanwhile, if they show the transfer's token. The core decides which feeder to ask
 *  (a link) and which of those asked is to feed; the host dials, moves the bytes, computes their
 *  digest as they are written, and reports. Bytes never pass through a core.
 *
 *      OPEN ──► opened ──► DIAL link ──► linked ──► GO link ──► progress … ──► whole
 *
 *  At most one link feeds a flow. GO starts it where the own file ends, and ends the link that
 *  fed it before; a link that closes is reported as failed, once.
 *
 *  After each FLOW_CHUNK_BYTES a feeder that knows the digest of all bytes so far sends it: its
 *  mark. If that is not the receiver's own digest, the bytes since the last mark are dropped and
 *  the link has failed as wrong: they must be had from another feeder.
 */
#ifndef MUSUBI_FLOW_H
#define MUSUBI_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#define FLOW_ID_BYTES     16
#define FLOW_TOKEN_BYTES  32
#define FLOW_DIGEST_BYTES 32 /* SHA-256 */
#define FLOW_SIZE_UNKNOWN UINT64_MAX
#define FLOW_MARKS        ".marks" /* beside a file that grows: its marks */
#define FLOW_CHUNK_BYTES  (UINT64_C (1) << 20)
#define FLOW_PROVED       UINT64_MAX /* attempt of a feeder whose file has the right digest */

#define FLOW_ALIVE_MS        100   /* how often a feeder without news says that it is alive */
#define FLOW_SILENT_MS       450   /* after so long without a word a feeder is reported as silent */
#define FLOW_LINGER_MS       2000  /* how long a process that ends feeds on, from a whole file */
#define FLOW_LINGER_ALONE_MS 60000 /* the same of a client's, which nobody waits for */

typedef enum {
    FLOW_OPEN,    /* examine the own file, then offer it; again: other limits or epoch */
    FLOW_DIAL,    /* ask a feeder, on a connection of its own */
    FLOW_GO,      /* receive from a link that has answered */
    FLOW_HANG_UP, /* end a link; harmless when it has failed */
    FLOW_CLOSE,   /* leave: all links end, nobody is fed any more; the file stays as it is */
} flow_verb_t;

/*  Which fields count depends on the verb. */
typedef struct {
    flow_verb_t verb;
    uint64_t flow;        /* unique in this start */
    const uint8_t *id;    /* OPEN: FLOW_ID_BYTES of the transfer */
    const uint8_t *token; /* OPEN: FLOW_TOKEN_BYTES */
    const char *path;     /* OPEN: the own file, absolute */
    bool whole;           /* OPEN: the own file is complete: feed only */
    bool salvages;        /* OPEN, whole: without marks, and with zeros where they say it is bad */
    uint64_t follows;     /* OPEN: feed only, from the own file of this flow while that grows;
                             0 = an own file. It outlives that flow if its file was proved, else
                             it breaks */
    uint64_t attempt;     /* OPEN: feeders of the same one, or proved ones, are good */
    bool anew;            /* OPEN: whatever the own file has is to be discarded */
    uint64_t size;        /* OPEN: FLOW_SIZE_UNKNOWN = the feeder knows, or, when whole, the file */
    const char *donor;    /* OPEN, not whole: an older file of this content. What marks confirm is
                          taken from there, and only the rest is received. NULL = none */
    const char *marks; /* OPEN, whole or with a donor: that file's marks; NULL = none are known */
    const uint8_t *digest; /* OPEN: of the whole file; NULL = not known yet */
    uint64_t epoch;        /* OPEN: receivers with an older one are refused */
    uint32_t mbps;         /* OPEN: that each receiver is fed with; 0 = no limit */
    uint32_t feeds;        /* OPEN: receivers at once; two more are fed while links change */
    uint64_t link;         /* DIAL, GO, HANG_UP: unique in this start */
    const char *endpoint;  /* DIAL: tcp://HOST:PORT */
} flow_order_t;

typedef enum {
    FLOW_OPENED,   /* has, size */
    FLOW_LINKED,   /* the feeder has answered: peer_has */
    FLOW_FAILED,   /* the link is over: why; refused: the feeder lives and said no */
    FLOW_SILENT,   /* the link that feeds has said nothing for FLOW_SILENT_MS, though this side
                      was awake; told again when that goes on */
    FLOW_PROGRESS, /* has, size, received, fed; at most one each FLOW_ALIVE_MS */
    FLOW_WHOLE,    /* the own file has all bytes: digest. Nothing is flushed yet */
    FLOW_BROKEN,   /* the own file can't be read or written, or is not what it was: why. The flow is
                      closed */
} flow_news_t;

typedef struct {
    flow_news_t news;
    uint64_t flow;
    uint64_t link;
    uint64_t has;      /* bytes of the own file, from its beginning */
    uint64_t size;     /* FLOW_SIZE_UNKNOWN = not known */
    uint64_t received; /* bytes that came in since it was opened */
    uint64_t fed;      /* bytes that went out */
    uint64_t peer_has;
    bool refused;
    bool wrong; /* FAILED: what it sent since its last right mark does not match its mark */
    const uint8_t *digest; /* FLOW_DIGEST_BYTES */
    const char *why;       /* "" when there is nothing to say */
} flow_event_t;

#endif
