/*  outgoing_feeds - the chain keeps the loans, and to which sites they are. */
#include "outgoing_feeds.h"

#include "must.h"
#include "replica_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outgoing_feeds {
    service_t *service;
    catalogue_t *catalogue;
    chain_t *chain;
    outgoing_feeds_limits_t limits;
    outgoing_feeds_from_fn *from;
    void *owner;
};

typedef struct {
    uint32_t all;
    uint32_t pair; /* to the site that is asked about */
    uint32_t file; /* of the file, to other sites than that */
} feeds_count_t;

static feeds_count_t count_outgoing_feeds (const outgoing_feeds_t *self, const char *site,
                                           const char *name)
{
    feeds_count_t count = {0};
    for (const chain_transfer_t *transfer = NULL;
         (transfer = chain_next (self->chain, transfer));) {
        if (!transfer->loan || transfer->over)
            continue;
        bool pair = *site && strcmp (transfer->lent_to, site) == 0;
        count.all++;
        count.pair += pair;
        count.file += !pair && strcmp (transfer->file, name) == 0;
    }
    return count;
}

/*  Of the nodes that are up with a copy in this state and were not tried yet, the one that feeds
 *  the fewest transfers. False when there is none. */
static bool node_for (const outgoing_feeds_t *self, const file_t *file, copy_state_t state,
                      const bool *tried, size_t *copy)
{
    bool found = false;
    uint32_t least = 0;
    for (size_t i = 0; i < file->copies_count; i++) {
        const chain_node_t *node = chain_node (self->chain, file->copies [i].node);
        if (tried [i] || file->copies [i].state != state || !node ||
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

static bool lend_node (outgoing_feeds_t *self, const moment_t *now, const char *site,
                       const offer_question_t *question, const char *node, offer_answer_t *answer,
                       char why [WHY_BYTES])
{
    chain_loan_t loan = {.id = question->transfer,
                         .site = site,
                         .node = answer->node,
                         .file = question->name,
                         .mbps = mbps_of (self, question),
                         .until_ms = now->wall_ms + LOAN_MS};
    memcpy (loan.token, question->token, CHAIN_TOKEN_BYTES);
    snprintf (answer->node, sizeof answer->node, "%s", node);
    return chain_lend (self->chain, now, &loan, answer->endpoint, why);
}

/*  Lends the best node with a copy in this state. False with why when there is none. */
static bool lend (outgoing_feeds_t *self, const moment_t *now, const char *site,
                  const offer_question_t *question, const file_t *file, copy_state_t state,
                  offer_answer_t *answer, char why [WHY_BYTES])
{
    bool tried [COPIES_MAX] = {false};
    size_t copy;
    snprintf (why, WHY_BYTES, "none of its storage nodes that have the file is up");
    while (node_for (self, file, state, tried, &copy)) {
        if (lend_node (self, now, site, question, file->copies [copy].node, answer, why))
            return true;
        tried [copy] = true;
    }
    return false;
}

/*  Renews the loan that this transfer has already, at the same node. */
static bool renew (outgoing_feeds_t *self, const moment_t *now, const char *site,
                   const offer_question_t *question, offer_answer_t *answer)
{
    char why [WHY_BYTES];
    const chain_transfer_t *loan = chain_transfer (self->chain, &question->transfer);
    return loan && strcmp (loan->lent_to, site) == 0 && strcmp (loan->file, question->name) == 0 &&
           lend_node (self, now, site, question, loan->sources [0].node, answer, why);
}

/*  Has this site the file, or will it have it? Refuses if not. */
static bool has_file (const outgoing_feeds_t *self, const request_t *request,
                      const offer_question_t *question, const file_t *file)
{
    if (!file || file_copies (file, COPY_SOUND) + file_copies (file, COPY_STAGED) == 0)
        return service_refuse (self->service, request, CALL_NOT_FOUND, "%s has no sound copy of %s",
                               self->service->name, question->name);
    return (file->content.digest_known &&
            memcmp (file->content.digest, question->digest, FILE_DIGEST_BYTES) == 0) ||
           service_refuse (self->service, request, CALL_NOT_FOUND,
                           "%s has another file called %s: its digest is not the one asked for",
                           self->service->name, question->name);
}

/*  Lends a node with a sound copy. One that is still receiving the file may be lent, too, but not
 *  to the site that it is fed from: nothing would ever come. */
static bool lend_any (outgoing_feeds_t *self, const moment_t *now, const char *site,
                      const offer_question_t *question, const file_t *file, offer_answer_t *answer,
                      char why [WHY_BYTES])
{
    if (lend (self, now, site, question, file, COPY_SOUND, answer, why))
        return true;
    const char *from = self->from (self->owner, question->name);
    if (*from && strcmp (from, site) != 0)
        return lend (self, now, site, question, file, COPY_STAGED, answer, why);
    if (file_copies (file, COPY_SOUND) == 0)
        snprintf (why, WHY_BYTES, "it waits for that file itself%s%s", *from ? ", from " : "",
                  from);
    return false;
}

static void outgoing_feeds_offer (outgoing_feeds_t *self, const moment_t *now,
                                  const request_t *request, const char *site,
                                  const offer_question_t *question)
{
    const file_t *file = catalogue_find (self->catalogue, question->name);
    offer_answer_t answer = {.sending = 0};
    char why [WHY_BYTES];
    if (!has_file (self, request, question, file))
        return;
    bool renewed = renew (self, now, site, question, &answer);
    feeds_count_t count = count_outgoing_feeds (self, site, question->name);
    bool unknown = question->feeds > 0 && count.file >= question->feeds;
    if (renewed || unknown) {
        if (!renewed)
            answer = (offer_answer_t){.node = ""};
        answer.sending = count.all;
        service_reply (self->service, request, codec_encode (&offer_answer_codec, &answer));
        return;
    }
    if (count.all >= self->limits.source_max || count.pair >= self->limits.pair_max) {
        service_count (self->service, "offers_refused", 1);
        service_refuse (
          self->service, request, CALL_OVERLOADED,
          "%s feeds %u transfers already, %u of them to %s, and may not feed more; ask again later",
          self->service->name, count.all, count.pair, site);
        return;
    }
    if (!lend_any (self, now, site, question, file, &answer, why)) {
        service_refuse (self->service, request, CALL_OVERLOADED, "%s: %s", self->service->name,
                        why);
        return;
    }
    catalogue_use (self->catalogue, question->name, now->wall_ms);
    service_count (self->service, "offers", 1);
    answer.sending = count.all + 1;
    service_reply (self->service, request, codec_encode (&offer_answer_codec, &answer));
}

static void on_offer (void *owner, const moment_t *now, const request_t *request, void *body)
{
    outgoing_feeds_t *self = owner;
    const offer_question_t *question = body;
    const char *site = site_of (request->actor);
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
    const char *site = site_of (request->actor);
    const chain_transfer_t *loan = chain_transfer (self->chain, &end->transfer);
    if (!site || (loan && *loan->lent_to && strcmp (loan->lent_to, site) != 0)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "this transfer belongs to another site, which alone may end it");
        return;
    }
    const char *node = loan && *loan->lent_to ? loan->sources [0].node : "";
    if (end->wrong && chain_prove (self->chain, now, node, end->name, 0))
        outbox_log (self->service->outbox, LEVEL_WARNING, "copy doubted name=%s node=%s by=%s",
                    end->name, node, site);
    if (loan && loan->loan)
        chain_forget (self->chain, now, &end->transfer);
    service_reply (self->service, request, (packed_t){0});
}

void outgoing_feeds_from (outgoing_feeds_t *self, outgoing_feeds_from_fn *from, void *owner)
{
    self->from = from;
    self->owner = owner;
}

void outgoing_feeds_tell (const outgoing_feeds_t *self, const request_t *request, const char *name,
                          file_place_t *place)
{
    const char *site = site_of (request->actor);
    feeds_count_t count = count_outgoing_feeds (self, site ? site : "", name);
    place->sending = count.all;
    place->feeds = count.file;
    snprintf (place->from, sizeof place->from, "%s", self->from (self->owner, name));
}

outgoing_feeds_t *outgoing_feeds_new (service_t *service, catalogue_t *catalogue, chain_t *chain,
                                      const outgoing_feeds_limits_t *limits)
{
    outgoing_feeds_t *self = must (calloc (1, sizeof *self));
    *self = (outgoing_feeds_t){
      .service = service, .catalogue = catalogue, .chain = chain, .limits = *limits};
    service_serve (service, "Replica", "Offer", &offer_question_codec, ALWAYS, on_offer, self);
    service_serve (service, "Replica", "OfferEnd", &offer_end_codec, ALWAYS, on_offer_end, self);
    service_limit (service, "transfers_per_source_max", limits->source_max);
    service_limit (service, "transfers_per_pair_max", limits->pair_max);
    return self;
}

void outgoing_feeds_destroy (outgoing_feeds_t **self_p)
{
    free (*self_p);
    *self_p = NULL;
}
