/*  fetcher_state - what the negotiator files share. Included by them only.
 *
 *      LOOKING  -> ROOM | SOURCING | FAILED       where is it, and is the name free?
 *      ROOM     -> SOURCING | RUNNING | FAILED     files leave to make room
 *      SOURCING -> RUNNING | RESTING | FAILED      a site is asked to be the source
 *      RESTING  -> LOOKING | SOURCING | FAILED      nobody could be asked: a while later again
 *      RUNNING  -> SOURCING | LOOKING | ROOM | DONE | FAILED
 */
#ifndef MUSUBI_FETCHER_STATE_H
#define MUSUBI_FETCHER_STATE_H

#include "fetcher.h"
#include "ordered.h"

typedef enum { TRANSIT_PUT, TRANSIT_FETCH, TRANSIT_SERVE } transit_kind_t;

typedef enum {
    TRANSIT_LOOKING,
    TRANSIT_ROOM,
    TRANSIT_SOURCING,
    TRANSIT_RESTING,
    TRANSIT_RUNNING,
    TRANSIT_DONE,
    TRANSIT_FAILED,
} transit_state_t;

#define SOURCE_NAME_BYTES (2 * NAME_BYTES_MAX + 16) /* "replica/ams/n1" */

#define WRONG_MAX 8

typedef struct {
    file_place_t place;
    bool out; /* it has not the file, or not these bytes */
} fetch_source_t;

typedef struct transit {
    struct fetcher *fetcher;
    uint64_t number;
    transit_kind_t kind;
    transit_state_t state;
    file_t file;                         /* what it is; without copies */
    char node [NAME_BYTES_MAX + 1];      /* destination; "" = none yet, or of a serve */
    char guest [NAME_BYTES_MAX + 1];     /* of a put: its source */
    char (*guests) [NAME_BYTES_MAX + 1]; /* receivers that wait for it to begin */
    size_t guests_count;
    bool begun; /* id counts */
    chain_id_t id;
    bool settled;               /* the site's own copy is there, or none is wanted */
    fetch_source_t *candidates; /* of a fetch */
    size_t candidates_count;
    char source [NAME_BYTES_MAX + 1];     /* site that feeds it, or did last; "" = none yet */
    char source_name [SOURCE_NAME_BYTES]; /* as the chain knows it */
    bool asking;                          /* whether it will: call */
    bool feeding;                         /* it does so now: the loan is ours */
    bool queued;       /* resting: until one that comes from one of its sites has ended */
    int64_t source_ms; /* since then, monotonic */
    uint64_t question;
    uint64_t call;
    int64_t call_ms;
    uint64_t timer;       /* of a rest, of patience for room, of keeping when it is over */
    uint64_t renew_timer; /* of looking whether bytes come, and of renewing the loan */
    char wrong [WRONG_MAX][NAME_BYTES_MAX + 1]; /* sites that sent other bytes */
    size_t wrong_count;
    uint64_t stalled_at; /* bytes of all receivers at the last look at its progress */
    int64_t offered_ms;  /* the loan was asked for, monotonic */
    uint32_t rests;      /* in a row */
    uint32_t nodes_failed;
    uint32_t chains;  /* begun so far, one after the other */
    int64_t until_ms; /* patience, monotonic */
    char why [CHAIN_WHY_BYTES_MAX + 1];
} transit_t;

struct fetcher {
    fetcher_parts_t parts;
    fetcher_limits_t limits;
    ordered_t *transits; /* by number */
    ordered_t *by_id;    /* those begun */
    uint32_t numbers;    /* of this start */
    size_t live;
    size_t over;
};

static inline bool transit_live (const transit_t *transit)
{
    return transit->state < TRANSIT_DONE;
}

/*  What the chain tells its observer. */
void fetcher_receiver (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                       const chain_receiver_t *receiver);
void fetcher_source_failed (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                            const char *source, bool wrong, const char *why);
void fetcher_over (void *owner, const moment_t *now, const chain_transfer_t *transfer);
void fetcher_file (void *owner, const moment_t *now, const chain_node_t *node,
                   const stored_file_t *have);
void fetcher_node (void *owner, const moment_t *now, const chain_node_t *node);

/*  Room may have come: a file is gone, a node is up. */
void fetcher_room (fetcher_t *self, const moment_t *now);

/*  A node has not got this copy any more. When it was the last one here, of a file that is pinned
 *  or has a rule, the file is brought again if another site has it. */
void fetcher_lost (fetcher_t *self, const moment_t *now, const char *name, const char *node);

/*  fetcher.c */
transit_t *transit_new (fetcher_t *self, const moment_t *now, transit_kind_t kind,
                        const char *name);
transit_t *transit_of (const fetcher_t *self, const chain_id_t *id);
void transit_move (transit_t *transit, transit_state_t to);
void transit_fail (transit_t *transit, const moment_t *now, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
void transit_done (transit_t *transit, const moment_t *now);

/*  Nodes of this site that have it and are up, or have not come since the start. */
size_t sources_here (const fetcher_t *self, const char *name,
                     chain_source_t sources [CHAIN_SOURCES_MAX]);

/*  fetcher_destinations.c: it has what it needs to know: room, then its chain. */
void transit_room (transit_t *transit, const moment_t *now);

/*  Its chain is over and has not brought it to everybody: another one for the rest, if there is
 *  hope. Else it has failed. */
void transit_again (transit_t *transit, const moment_t *now, const char *why);

/*  fetcher_sources.c */
void transit_look (transit_t *transit, const moment_t *now);
void transit_source (transit_t *transit, const moment_t *now);
/*  The answer to its call is not waited for any more. */
void transit_call_end (transit_t *transit, const moment_t *now);
/*  It runs: every while, do bytes come? */
void transit_watch (transit_t *transit, const moment_t *now);
/*  The site that feeds it sent other bytes, and is not asked any more. */
void transit_source_out (transit_t *transit);
/*  The site that feeds it no longer does: how many bytes came from there, and were they wrong? */
void transit_source_ended (transit_t *transit, const moment_t *now, uint64_t bytes, bool wrong);

#endif
