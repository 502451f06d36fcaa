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
#include "locating.h"
#include "publisher.h"
#include "replica_wire.h"
#include "selector.h"

#define TRANSIT_KEEP_MS     60000
#define TRANSIT_KEPT_MAX    1024 /* transfers that are over */
#define TRANSIT_REST_MS     500  /* first pause between two looks for a source; it doubles */
#define TRANSIT_REST_MS_MAX 15000

typedef struct {
    uint32_t transfers_max; /* most that are under way at once; 1024 */
    int64_t patience_ms;    /* longest wait for a source, or for room; 60 000 */
    uint32_t mbps;          /* of each transfer; 0 = no limit */
} fetcher_limits_t;

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
                           const char *owner, uint64_t *transfer,
                           char why [CHAIN_WHY_BYTES_MAX + 1]);
call_status_t fetcher_get (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           uint64_t *transfer, char why [CHAIN_WHY_BYTES_MAX + 1]);

/*  How a transfer stands for a guest ("" = for the site), as the body of an answer. False when
 *  there is no such transfer. */
bool fetcher_told (const fetcher_t *self, uint64_t transfer, const char *guest, packed_t *answer);

#endif
