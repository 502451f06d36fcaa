/*  outgoing_feeds - the chain keeps the loans; here is noted which site has which, for the limits.
 */
#include "outgoing_feeds.h"

#include "must.h"
#include "ordered.h"
#include "replica_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    chain_id_t id;
    char site [NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    char name [FILE_NAME_BYTES_MAX + 1];
} outgoing_feed_t;

struct outgoing_feeds {
    service_t *service;
    catalogue_t *catalogue;
    chain_t *chain;
    outgoing_feeds_limits_t limits;
    ordered_t *outgoing_feeds; /* of this start, by id */
};

/*  The site that asks; NULL when the caller is not a svc-replica. */
static const char *outgoing_feeds_site_of (const request_t *request)
{
    return strncmp (request->actor, "replica/", 8) == 0 ? request->actor + 8 : NULL;
}

/*  How many loans there are, and (pair) how many of them belong to this site. */
static uint32_t count_outgoing_feeds (const outgoing_feeds_t *self, const char *site,
                                      uint32_t *pair)
{
    uint32_t count = 0;
    *pair = 0;
    for (const chain_transfer_t *transfer = chain_next (self->chain, NULL); transfer;
         transfer = chain_next (self->chain, transfer)) {
        if (!transfer->loan || transfer->over)
            continue;
        const outgoing_feed_t *loan = ordered_find (self->outgoing_feeds, transfer->id.bytes);
        count++;
        *pair += loan && strcmp (loan->site, site) == 0;
    }
    return count;
}

/*  Drops loans that have ended by themselves. */
static void outgoing_feeds_prune (outgoing_feeds_t *self)
{
    for (outgoing_feed_t *loan = ordered_after (self->outgoing_feeds, NULL), *next; loan;
         loan = next) {
        next = ordered_after (self->outgoing_feeds, loan->id.bytes);
        const chain_transfer_t *transfer = chain_transfer (self->chain, &loan->id);
        if (!transfer || transfer->over)
            free (ordered_remove (self->outgoing_feeds, loan->id.bytes));
    }
}

/*  Of the nodes that are up with a sound copy and were not tried yet, the one that feeds the fewest
 *  transfers. False when there is none. */
static bool node_for (const outgoing_feeds_t *self, const file_t *file, const bool *tried,
                      size_t *copy)
{
    bool found = false;
    uint32_t least = 0;
    for (size_t i = 0; i < file->copies_count; i++) {
        const chain_node_t *node = chain_node (self->chain, file->copies [i].node);
        if (tried [i] || file->copies [i].state != COPY_SOUND || !node ||
            node->agent.state != AGENT_UP || !*node->data)
            continue;
        uint32_t feeds = chain_feeds (self->chain, node);
        if (found && feeds >= least)
            continue;
        found = true;
        least = feeds;
        *copy = i;
    }
    return found;
}

/*  The lower of both sites' limits. */
static uint32_t mbps_of (const outgoing_feeds_t *self, const offer_question_t *question)
{
    uint32_t own = self->limits.mbps;
    return own == 0 || (question->mbps > 0 && question->mbps < own) ? question->mbps : own;
}

static bool lend_node (outgoing_feeds_t *self, const moment_t *now,
                       const offer_question_t *question, const char *node, offer_answer_t *answer,
                       char why [CHAIN_WHY_BYTES_MAX + 1])
{
    chain_loan_t loan = {.id = question->transfer,
                         .node = node,
                         .file = question->name,
                         .mbps = mbps_of (self, question),
                         .until_ms = now->wall_ms + LOAN_MS};
    memcpy (loan.token, question->token, CHAIN_TOKEN_BYTES);
    snprintf (answer->node, sizeof answer->node, "%s", node);
    return chain_lend (self->chain, now, &loan, answer->endpoint, why);
}

/*  Lends the best node. False with why when there is none. */
static bool lend (outgoing_feeds_t *self, const moment_t *now, const offer_question_t *question,
                  const file_t *file, offer_answer_t *answer, char why [CHAIN_WHY_BYTES_MAX + 1])
{
    bool tried [COPIES_MAX] = {false};
    size_t copy;
    snprintf (why, CHAIN_WHY_BYTES_MAX + 1, "none of its storage nodes that have the file is up");
    while (node_for (self, file, tried, &copy)) {
        if (lend_node (self, now, question, file->copies [copy].node, answer, why))
            return true;
        tried [copy] = true;
    }
    return false;
}

static void loan_put (outgoing_feeds_t *self, const char *site, const offer_question_t *question,
                      const char *node)
{
    outgoing_feed_t *loan = ordered_find (self->outgoing_feeds, question->transfer.bytes);
    if (!loan) {
        loan = must (calloc (1, sizeof *loan));
        loan->id = question->transfer;
        ordered_add (self->outgoing_feeds, loan->id.bytes, loan);
    }
    snprintf (loan->site, sizeof loan->site, "%s", site);
    snprintf (loan->node, sizeof loan->node, "%s", node);
    memcpy (loan->name, question->name, sizeof loan->name);
}

/*  Renews the loan that this transfer has already, at the same node. */
static bool renew (outgoing_feeds_t *self, const moment_t *now, const char *site,
                   const offer_question_t *question, offer_answer_t *answer)
{
    char why [CHAIN_WHY_BYTES_MAX + 1];
    const outgoing_feed_t *loan = ordered_find (self->outgoing_feeds, question->transfer.bytes);
    return loan && strcmp (loan->site, site) == 0 && strcmp (loan->name, question->name) == 0 &&
           chain_transfer (self->chain, &question->transfer) &&
           lend_node (self, now, question, loan->node, answer, why);
}

static void outgoing_feeds_offer (outgoing_feeds_t *self, const moment_t *now,
                                  const request_t *request, const char *site,
                                  const offer_question_t *question)
{
    const file_t *file = catalogue_find (self->catalogue, question->name);
    offer_answer_t answer = {.sending = 0};
    char why [CHAIN_WHY_BYTES_MAX + 1];
    uint32_t pair;
    if (!file || file_copies (file, COPY_SOUND) == 0) {
        service_refuse (self->service, request, CALL_NOT_FOUND, "%s has no sound copy of %s",
                        self->service->name, question->name);
        return;
    }
    if (!file->content.digest_known ||
        memcmp (file->content.digest, question->digest, FILE_DIGEST_BYTES) != 0) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "%s has another file called %s: its digest is not the one asked for",
                        self->service->name, question->name);
        return;
    }
    if (renew (self, now, site, question, &answer)) {
        answer.sending = count_outgoing_feeds (self, site, &pair);
        service_reply (self->service, request, codec_encode (&offer_answer_codec, &answer));
        return;
    }
    outgoing_feeds_prune (self);
    uint32_t count = count_outgoing_feeds (self, site, &pair);
    if (count >= self->limits.source_max || pair >= self->limits.pair_max) {
        service_count (self->service, "offers_refused", 1);
        service_refuse (
          self->service, request, CALL_OVERLOADED,
          "%s feeds %u transfers already, %u of them to %s, and may not feed more; ask again later",
          self->service->name, count, pair, site);
        return;
    }
    if (!lend (self, now, question, file, &answer, why)) {
        service_refuse (self->service, request, CALL_OVERLOADED, "%s: %s", self->service->name,
                        why);
        return;
    }
    loan_put (self, site, question, answer.node);
    catalogue_use (self->catalogue, question->name, now->wall_ms);
    service_count (self->service, "offers", 1);
    answer.sending = count + 1;
    service_reply (self->service, request, codec_encode (&offer_answer_codec, &answer));
}

static void on_offer (void *owner, const moment_t *now, const request_t *request, void *body)
{
    outgoing_feeds_t *self = owner;
    const offer_question_t *question = body;
    const char *site = outgoing_feeds_site_of (request);
    if (!site)
        service_refuse (self->service, request, CALL_DENIED,
                        "only a site's svc-replica may ask for an offer");
    else
        outgoing_feeds_offer (self, now, request, site, question);
}

static void on_offer_end (void *owner, const moment_t *now, const request_t *request, void *body)
{
    outgoing_feeds_t *self = owner;
    const offer_end_t *end = body;
    const char *site = outgoing_feeds_site_of (request);
    outgoing_feed_t *loan = ordered_find (self->outgoing_feeds, end->transfer.bytes);
    if (!site || (loan && strcmp (loan->site, site) != 0)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "this transfer belongs to another site, which alone may end it");
        return;
    }
    const chain_transfer_t *transfer = chain_transfer (self->chain, &end->transfer);
    if (transfer && transfer->loan)
        chain_forget (self->chain, now, &end->transfer);
    if (loan && end->wrong && chain_prove (self->chain, now, loan->node, end->name))
        outbox_log (self->service->outbox, LEVEL_WARNING, "copy doubted name=%s node=%s by=%s",
                    end->name, loan->node, site);
    free (ordered_remove (self->outgoing_feeds, end->transfer.bytes));
    service_reply (self->service, request, (packed_t){0});
}

outgoing_feeds_t *outgoing_feeds_new (service_t *service, catalogue_t *catalogue, chain_t *chain,
                                      const outgoing_feeds_limits_t *limits)
{
    outgoing_feeds_t *self = must (calloc (1, sizeof *self));
    *self = (outgoing_feeds_t){.service = service,
                               .catalogue = catalogue,
                               .chain = chain,
                               .limits = *limits,
                               .outgoing_feeds =
                                 ordered_by_bytes (offsetof (outgoing_feed_t, id), CHAIN_ID_BYTES)};
    service_serve (service, "Replica", "Offer", &offer_question_codec, on_offer, self);
    service_serve (service, "Replica", "OfferEnd", &offer_end_codec, on_offer_end, self);
    service_limit (service, "transfers_per_source_max", limits->source_max);
    service_limit (service, "transfers_per_pair_max", limits->pair_max);
    return self;
}

void outgoing_feeds_destroy (outgoing_feeds_t **self_p)
{
    outgoing_feeds_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->outgoing_feeds, free);
    free (self);
    *self_p = NULL;
}
