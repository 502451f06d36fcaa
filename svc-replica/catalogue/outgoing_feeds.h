/*  outgoing_feeds - this site as a source of others' transfers: a storage node with a sound copy is lent to
 *  one, with its token, for a while. Bounded for the site as a whole and for each pair of sites.
 *  Serves Replica.Offer and Replica.OfferEnd. Pure.
 */
#ifndef MUSUBI_OUTGOING_FEEDS_H
#define MUSUBI_OUTGOING_FEEDS_H

#include "catalogue.h"
#include "chain.h"

#define LOAN_MS (10 * 60000) /* it ends by itself, unless it is asked for again */

typedef struct outgoing_feeds outgoing_feeds_t;

/*  source_max: transfers that the site feeds to others at once; pair_max: of those, to one site;
 *  mbps: to each, 0 = no limit. All borrowed for life. */
typedef struct {
    uint32_t source_max;
    uint32_t pair_max;
    uint32_t mbps;
} outgoing_feeds_limits_t;
outgoing_feeds_t *outgoing_feeds_new (service_t *service, catalogue_t *catalogue, chain_t *chain,
                                      const outgoing_feeds_limits_t *limits);
void outgoing_feeds_destroy (outgoing_feeds_t **self_p);

#endif
