/*  fetcher - requests for files at one site, and the transfers that serve them (S2: 34, N9).
 *
 *      put     a client's file comes to a storage node
 *      fetch   another site's file comes to a storage node, once, for however many ask for it
 *      serve   a file that is here goes to clients
 *
 *  All that is wanted of one file joins one transfer as long as that goes on: who asks later is put
 *  at the tail of its chain and is fed inside the site from what has come. So one copy crosses
 *  between sites, whoever asks and when. A fetch has its room before its first byte, looks for the
 *  best source, goes on at another when one fails, and gives up only when its patience is over or
 *  nobody has the file. What comes stays as a copy of this site.
 *
 *  A transfer outlives this process in the chain, and is taken up again at the next start. How it
 *  stands is told until TRANSIT_KEEP_MS after it is over. Pure.
 */
#ifndef MUSUBI_FETCHER_H
#define MUSUBI_FETCHER_H

#include "cache.h"
#include "locating.h"
#include "publisher.h"
#include "replica_wire.h"
#include "selector.h"

#define TRANSIT_KEEP_MS     60000
#define TRANSIT_KEPT_MAX    1024 /* that are over */
#define TRANSIT_REST_MS     500  /* between two looks for a source; doubles */
#define TRANSIT_REST_MS_MAX 15000

typedef struct {
    uint32_t transfers_max; /* under way at once; 1024 */
    int64_t patience_ms;    /* for a source, or for room; 60 000 */
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

/*  At start: transfers of before are taken up. */
void fetcher_start (fetcher_t *self, const moment_t *now);

/*  Begin, or join what goes on. *transfer = its number, 0 = nothing is to be done. CALL_DENIED, or
 *  CALL_OVERLOADED, with why: nothing has changed. */
call_status_t fetcher_put (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           const char *owner, uint64_t *transfer,
                           char why [CHAIN_WHY_BYTES_MAX + 1]);
call_status_t fetcher_get (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           uint64_t *transfer, char why [CHAIN_WHY_BYTES_MAX + 1]);

/*  How a transfer stands for a guest ("" = for the site), as the body of the answer. False when it
 *  is not known. */
bool fetcher_told (const fetcher_t *self, uint64_t transfer, const char *guest, packed_t *answer);

#endif
