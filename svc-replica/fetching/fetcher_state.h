/*  fetcher_state - what the fetcher*.c files share. Nobody else includes it.
 *
 *  LOOKING and SOURCING end with an answer or its time-out, ROOM and RESTING by a timer, all of
 *  them at until_ms. While it runs a timer looks whether bytes come: each moves until_ms on;
 *  without any it goes on elsewhere, or fails. Only who waits for his turn has no end of time.
 */
#ifndef MUSUBI_FETCHER_STATE_H
#define MUSUBI_FETCHER_STATE_H

#include "fetcher.h"
#include "ordered.h"

typedef enum { TRANSIT_PUT, TRANSIT_FETCH, TRANSIT_SERVE, TRANSIT_SALVAGE } transit_kind_t;

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

typedef struct transit {
    struct fetcher *fetcher;
    uint64_t number;
    transit_kind_t kind;
    transit_state_t state;
    file_t file;                         /* without its copies */
    uint32_t nodes;                      /* of the site that are to have it; 0 = any one */
    char guest [NAME_BYTES_MAX + 1];     /* the source of a put */
    char (*guests) [NAME_BYTES_MAX + 1]; /* receivers that wait until it begins */
    size_t guests_count;
    char (*wanted) [NAME_BYTES_MAX + 1]; /* nodes that are to have it, each by its name */
    size_t wanted_count;
    bool only_wanted; /* for these alone */
    uint32_t mbps;    /* of the circuit booked for it; 0 = none */
    char
      prefer [NAME_BYTES_MAX + 1]; /* site that it is to come from as long as that can; "" = any */
    bool expected;                 /* it is to have this digest: */
    uint8_t digest [FILE_DIGEST_BYTES];
    bool begun; /* id is set */
    chain_id_t id;
    bool settled;             /* the site has its copy, or wants none */
    file_place_t *candidates; /* sites that have the file, and have not sent other bytes */
    size_t candidates_count;
    bool unseen;                      /* one of them feeds a site that will be another one soon */
    char source [NAME_BYTES_MAX + 1]; /* site that feeds it or fed it last; "" = none yet */
    char source_name [SOURCE_NAME_BYTES]; /* its name in the chain */
    bool asking;                          /* source is being asked by call */
    bool feeding;                         /* source feeds it now */
    bool relayed;                         /* source is still receiving the file itself */
    uint32_t turns;                       /* looks for those that others feed, since it was fed */
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
    char why [WHY_BYTES];
} transit_t;

struct fetcher {
    fetcher_parts_t parts;
    fetcher_limits_t limits;
    ordered_t *transits; /* by number */
    ordered_t *by_id;    /* those that have begun, by id */
    uint32_t numbers;    /* numbers given in this start */
    size_t live;
    size_t over;
    char mend_name [FILE_NAME_BYTES_MAX + 1]; /* file that this round of repairs has come to */
    uint64_t mend_question;                   /* 0 = none */
    uint64_t mend_timer;
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
/*  A transfer of a file of which the site knows what its owner wants. */
transit_t *transit_for (fetcher_t *self, const moment_t *now, transit_kind_t kind,
                        const file_t *file);
transit_t *transit_of (const fetcher_t *self, const chain_id_t *id);

/*  The first transfer under way of one of these kinds, of this name, and to this receiver (NULL =
 *  whichever); NULL = none. */
#define TRANSITS(kind) (1u << (kind))
#define TRANSITS_ALL   UINT32_MAX
transit_t *transit_under_way (const fetcher_t *self, uint32_t kinds, const char *name,
                              const char *receiver);

/*  Its chain; NULL = none has begun. */
const chain_transfer_t *transit_transfer (const transit_t *transit);

/*  At which its bytes are to come, Mbit/s; 0 = no limit. */
uint32_t transit_mbps (const transit_t *transit);

/*  Its chain has begun. */
void transit_begun (transit_t *transit, const chain_id_t *id);
void transit_move (transit_t *transit, transit_state_t to);
void transit_fail (transit_t *transit, const moment_t *now, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
void transit_done (transit_t *transit, const moment_t *now);

/*  Has the site as many transfers under way as it may have? */
bool fetcher_busy (const fetcher_t *self, char why [WHY_BYTES]);

/*  True when this node or guest is in its chain. */
bool transit_receives (const transit_t *transit, const char *node);

/*  Is this receiver a node of the site? */
bool receiver_own (const fetcher_t *self, const chain_receiver_t *receiver);

/*  How many more nodes of the site are to have the file, if so many are. Those to which it is on
 *  its way count as having it. */
uint32_t nodes_lacking (const fetcher_t *self, const char *name, uint32_t nodes);

/*  Nodes of this site that have the file and answer, or have not come yet since the start. */
size_t sources_here (const fetcher_t *self, const moment_t *now, const char *name,
                     chain_source_t sources [CHAIN_SOURCES_MAX]);

/*  False when it answers. */
bool node_silent (const fetcher_t *self, const moment_t *now, const char *name,
                  char why [WHY_BYTES]);

/*  Says who has the file, or is to get it, and does not answer. False when all answer. */
bool transit_silent (const transit_t *transit, const moment_t *now, char why [WHY_BYTES]);

/*  fetcher_destinations.c: finds room, then begins the chain. */
void transit_room (transit_t *transit, const moment_t *now);

/*  This node receives it, too: false with why when the catalogue or the chain does not take it. */
bool transit_joined (const transit_t *transit, const moment_t *now, const char *node,
                     char why [WHY_BYTES]);

/*  Adds nodes to the chain, as long as fewer have the file or receive it than are to have it, and
 *  there is one with room. */
void transit_spread (transit_t *transit, const moment_t *now);

/*  The chain is over and has not served all: begins another one for the rest, or fails after
 *  CHAINS_MAX or when the patience is over. */
void transit_again (transit_t *transit, const moment_t *now, const char *why);

/*  fetcher_wanted.c: a node with room for it, which is one of those wanted, if there are any. */
cache_answer_t transit_place (transit_t *transit, const moment_t *now,
                              char node [NAME_BYTES_MAX + 1], char why [WHY_BYTES]);
bool transit_wants (const transit_t *transit, const char *node);

/*  fetcher_repair.c: looks at once for quarantined copies that can be mended. */
void mend_hurry (fetcher_t *self, const moment_t *now);
void mend_end (fetcher_t *self);

/*  fetcher_looking.c */
void transit_look (transit_t *transit, const moment_t *now);
bool transit_sent_wrong (const transit_t *transit, const char *site);

/*  fetcher_sources.c */
/*  Tries again later, or fails if the patience is over. */
void transit_rest (transit_t *transit, const moment_t *now, int64_t again_ms, const char *why);
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
