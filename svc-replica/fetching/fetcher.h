/*  fetcher - the requests for files at one site, and the transfers that serve them (S2: 34, N9).
 *
 *      put     a client's file comes to a storage node
 *      fetch   a file of another site comes to a storage node, once for all who ask for it
 *      serve   a file that is here goes to clients
 *
 *  All requests for one file join one transfer while that goes on: a late one is put at the tail of
 *  its chain and is fed inside the site from what has arrived. So one copy crosses between two
 *  sites, whoever asks and when. A fetch has room for the file before its first byte, looks for the
 *  best source, goes on at another one when a source fails, and gives up only when its patience is
 *  over or no site has the file. What arrives stays at this site as a copy.
 *
 *  A transfer is stored in the chain, outlives this process, and is taken up again at the next
 *  start. Its state can be asked for until TRANSIT_KEEP_MS after its end. Pure.
 */
#ifndef MUSUBI_FETCHER_H
#define MUSUBI_FETCHER_H

#include "cache.h"
#include "file_questions.h"
#include "locating.h"
#include "publisher.h"
#include "replica_wire.h"
#include "selector.h"

#define TRANSIT_KEEP_MS     60000
#define TRANSIT_KEPT_MAX    1024 /* transfers that are over */
#define TRANSIT_REST_MS     500  /* first pause between two looks for a source; it doubles */
#define TRANSIT_REST_MS_MAX 15000

typedef struct {
    uint32_t transfers_max; /* most that are under way at once */
    int64_t patience_ms;    /* longest wait for a source, or for room */
    uint32_t mbps;          /* of each transfer; 0 = no limit */
} fetcher_limits_t;

extern const state_table_t transit_states;
typedef struct fetcher fetcher_t;

typedef struct {
    service_t *service;
    catalogue_t *catalogue;
    chain_t *chain;
    cache_t *cache;
    selector_t *selector;
    locating_t *locating;
    publisher_t *publisher;
    const char *site; /* "ams" */
} fetcher_parts_t;

/*  The parts are borrowed for life. */
fetcher_t *fetcher_new (const fetcher_parts_t *parts, const fetcher_limits_t *limits);
void fetcher_destroy (fetcher_t **self_p);

/*  To be called at start: takes up the transfers of the start before. */
void fetcher_start (fetcher_t *self, const moment_t *now);

/*  Begins a transfer, or joins the one under way; *transfer is its number, 0 = nothing needs to be
 *  done. On CALL_DENIED and CALL_OVERLOADED, with why, nothing has changed. */
call_status_t fetcher_put (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           const char *owner, uint64_t *transfer, char why [WHY_BYTES]);
call_status_t fetcher_get (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           uint64_t *transfer, char why [WHY_BYTES]);

/*  Brings a file that is here to more nodes of the site, if fewer than so many have it. False when
 *  no node has room for it now, or FETCHER_SPREADS_MAX transfers are under way. */
#define FETCHER_SPREADS_MAX 64
bool fetcher_spread (fetcher_t *self, const moment_t *now, const char *name, uint32_t nodes);

/*  Gives a guest what is right of a quarantined copy of this site, and zeros for the rest; what
 *  that is is told in damage. CALL_NOT_FOUND, with why, when there is no such copy at a node that
 *  is up. */
call_status_t fetcher_salvage (fetcher_t *self, const moment_t *now,
                               const begin_question_t *question, uint64_t *transfer,
                               damage_t *damage, char why [WHY_BYTES]);

/*  A file that is to come to a node of this site. */
typedef struct {
    const char *name;
    const char *node;
    uint32_t mbps;         /* of the circuit booked for it; 0 = none */
    const char *source;    /* site that it is to come from as long as that can; "" = any */
    const uint8_t *digest; /* that it is to have; NULL = whatever it has */
} bring_t;

/*  Brings a file to a node, from this site or another one: joins the transfer under way, or begins
 *  one. All nodes that are to have it are in one chain. A copy that the catalogue has there is
 *  lost. *transfer is its number, of which fetcher_bringing tells more; 0, with why: it can't begin
 *  now. */
void fetcher_bring (fetcher_t *self, const moment_t *now, const bring_t *bring, uint64_t *transfer,
                    char why [WHY_BYTES]);

/*  How the node stands in that transfer: true while it goes on. Sets has, source and why, of size
 *  and state nothing. */
bool fetcher_bringing (const fetcher_t *self, const moment_t *now, uint64_t transfer,
                       staged_file_t *told);

/*  The node is to have it no more: what has not come is given up, unless others wait for it. */
void fetcher_bring_end (fetcher_t *self, const moment_t *now, uint64_t transfer, const char *node);

/*  How a transfer stands for a guest ("" = for the site), as the body of an answer. False when
 *  there is no such transfer. */
bool fetcher_told (const fetcher_t *self, const moment_t *now, uint64_t transfer, const char *guest,
                   packed_t *answer);

/*  Tells which site feeds this site with the file now; "" = none does. */
const char *fetcher_from (void *fetcher, const char *name);

#endif
