/*  outgoing_feeds - lets other sites fetch files from here: a storage node with a sound copy, or
 *  one that is receiving the file from a third site, is lent to a transfer of another site for a
 *  while. There are limits for the site and for each pair of sites. Serves Replica.Offer and
 *  Replica.OfferEnd. Pure.
 */
#ifndef MUSUBI_OUTGOING_FEEDS_H
#define MUSUBI_OUTGOING_FEEDS_H

#include "catalogue.h"
#include "chain.h"

#define LOAN_MS (10 * 60000) /* a loan ends after this, unless it is renewed */

typedef struct outgoing_feeds outgoing_feeds_t;

/*  source_max: most transfers that the site feeds at once; pair_max: most of them to one site;
 *  mbps: rate of each, 0 = no limit. All are borrowed for life. */
typedef struct {
    uint32_t source_max;
    uint32_t pair_max;
    uint32_t mbps;
} outgoing_feeds_limits_t;
outgoing_feeds_t *outgoing_feeds_new (service_t *service, catalogue_t *catalogue, chain_t *chain,
                                      const outgoing_feeds_limits_t *limits);
void outgoing_feeds_destroy (outgoing_feeds_t **self_p);

/*  To be given before the first request: the site that feeds this file to this one now, "" =
 *  none. */
typedef const char *outgoing_feeds_from_fn (void *owner, const char *name);
void outgoing_feeds_from (outgoing_feeds_t *self, outgoing_feeds_from_fn *from, void *owner);

/*  Adds to what is told of a file who feeds it to this site, and what this site feeds. What is lent
 *  to the site that asks is not counted as feeds: it may not know, if the answer to its offer was
 *  lost. */
void outgoing_feeds_tell (const outgoing_feeds_t *self, const request_t *request, const char *name,
                          file_place_t *place);

#endif
