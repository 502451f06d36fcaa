/*  fetcher_state - what the fetcher*.c files share. Nobody else includes it.
 *
 *      LOOKING  -> ROOM | SOURCING | FAILED       looks for sites that have the file, or its name
 *      ROOM     -> SOURCING | RUNNING | FAILED    waits until a node has room
 *      SOURCING -> RUNNING | RESTING | FAILED     asks a site to feed it
 *      RESTING  -> LOOKING | SOURCING | FAILED    no site could be asked: tries again later
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
    bool out; /* it does not have the file, or other bytes */
} fetch_source_t;

typedef struct transit {
    struct fetcher *fetcher;
    uint64_t number;
    transit_kind_t kind;
    transit_state_t state;
    file_t file;                         /* without its copies */
    char node [NAME_BYTES_MAX + 1];      /* destination; "" = none yet, or a serve */
    char guest [NAME_BYTES_MAX + 1];     /* the source of a put */
    char (*guests) [NAME_BYTES_MAX + 1]; /* receivers that wait until it begins */
    size_t guests_count;
    bool begun; /* id is set */
    chain_id_t id;
    bool settled;               /* the site has its copy, or wants none */
    fetch_source_t *candidates; /* sites that have the file */
    size_t candidates_count;
    char source [NAME_BYTES_MAX + 1];     /* site that feeds it or fed it last; "" = none yet */
    char source_name [SOURCE_NAME_BYTES]; /* its name in the chain */
    bool asking;                          /* source is being asked by call */
    bool feeding;                         /* source feeds it now */
    bool queued;                          /* it rests until its turn comes */
    int64_t source_ms;                    /* when source began, monotonic */
    uint64_t question;
    uint64_t call;
    int64_t call_ms;
    uint64_t timer;       /* ends a rest, looks for room, or forgets it at last */
    uint64_t renew_timer; /* looks whether bytes come, and renews the loan */
    char wrong [WRONG_MAX][NAME_BYTES_MAX + 1]; /* sites that sent other bytes */
    size_t wrong_count;
    uint64_t stalled_at; /* bytes of all receivers at the last look */
    int64_t offered_ms;  /* when the loan was last asked for, monotonic */
    uint32_t rests;      /* in a row */
    uint32_t nodes_failed;
    uint32_t chains;  /* chains begun so far */
    int64_t until_ms; /* end of its patience, monotonic */
    char why [CHAIN_WHY_BYTES_MAX + 1];
} transit_t;

struct fetcher {
    fetcher_parts_t parts;
    fetcher_limits_t limits;
    ordered_t *transits; /* by number */
    ordered_t *by_id;    /* those that have begun, by id */
    uint32_t numbers;    /* numbers given in this start */
    size_t live;
    size_t over;
};

static inline bool transit_live (const transit_t *transit)
{
    return transit->state < TRANSIT_DONE;
}

/*  What the fetcher does as the observer of the chain. */
void fetcher_receiver (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                       const chain_receiver_t *receiver);
void fetcher_source_failed (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                            const char *source, bool wrong, const char *why);
void fetcher_over (void *owner, const moment_t *now, const chain_transfer_t *transfer);
void fetcher_file (void *owner, const moment_t *now, const chain_node_t *node,
                   const stored_file_t *have);
void fetcher_node (void *owner, const moment_t *now, const chain_node_t *node);

/*  There may be room now: a file is gone, or a node is up. */
void fetcher_room (fetcher_t *self, const moment_t *now);

/*  A node has lost this copy. If it was the site's last one, of a file that is pinned or has a
 *  rule, the file is fetched again from another site. */
void fetcher_lost (fetcher_t *self, const moment_t *now, const char *name, const char *node);

/*  fetcher.c */
transit_t *transit_new (fetcher_t *self, const moment_t *now, transit_kind_t kind,
                        const char *name);
transit_t *transit_of (const fetcher_t *self, const chain_id_t *id);
void transit_move (transit_t *transit, transit_state_t to);
void transit_fail (transit_t *transit, const moment_t *now, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
void transit_done (transit_t *transit, const moment_t *now);

/*  Nodes of this site that have the file and are up, or have not come yet since the start. */
size_t sources_here (const fetcher_t *self, const char *name,
                     chain_source_t sources [CHAIN_SOURCES_MAX]);

/*  fetcher_destinations.c: finds room, then begins the chain. */
void transit_room (transit_t *transit, const moment_t *now);

/*  The chain is over and has not served all: begins another one for the rest, or fails after
 *  CHAINS_MAX or when the patience is over. */
void transit_again (transit_t *transit, const moment_t *now, const char *why);

/*  fetcher_sources.c */
void transit_look (transit_t *transit, const moment_t *now);
void transit_source (transit_t *transit, const moment_t *now);
/*  Does not wait for the answer to its call any more. */
void transit_call_end (transit_t *transit, const moment_t *now);
/*  While it runs: looks from time to time whether bytes come. */
void transit_watch (transit_t *transit, const moment_t *now);
/*  The site that feeds it sent wrong bytes, and is not asked any more. */
void transit_source_out (transit_t *transit);
/*  The site that fed it has stopped, after so many bytes; wrong: they did not match the digest. */
void transit_source_ended (transit_t *transit, const moment_t *now, uint64_t bytes, bool wrong);

#endif
