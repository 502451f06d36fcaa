/*  fetcher_sources - finds out where a file is, picks the site that feeds it, and goes on at
 *  another one when that fails.
 */
#include "fetcher_state.h"

#include "must.h"
#include "outgoing_feeds.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFER_TRY_MS 3000
#define RENEW_MS     (LOAN_MS / 3)
#define STALL_MS     5000 /* without a byte: asks whether the source still feeds it */

static void on_rest (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    transit->queued = false;
    transit_look (transit, now);
}

/*  Tries again later, or fails if the patience is over. */
static void fetcher_sources_rest (transit_t *transit, const moment_t *now, int64_t again_ms,
                                  const char *why)
{
    timers_t *timers = transit->fetcher->parts.service->timers;
    int64_t ms = TRANSIT_REST_MS;
    for (uint32_t i = 0; i < transit->rests && ms < TRANSIT_REST_MS_MAX; i++)
        ms *= 2;
    ms = ms < TRANSIT_REST_MS_MAX ? ms : TRANSIT_REST_MS_MAX;
    ms -= (int64_t) prng_below (&transit->fetcher->parts.service->prng, (uint64_t) ms / 4 + 1);
    int64_t due_ms = now->mono_ms + ms;
    if (again_ms > due_ms && again_ms < now->mono_ms + TRANSIT_REST_MS_MAX)
        due_ms = again_ms;
    if (now->mono_ms >= transit->until_ms) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    if (why != transit->why)
        snprintf (transit->why, sizeof transit->why, "%.*s", CHAIN_WHY_BYTES_MAX, why);
    transit->rests++;
    transit_move (transit, TRANSIT_RESTING);
    timers_cancel (timers, transit->timer);
    transit->timer = timers_set (timers, due_ms, on_rest, transit, 0);
}

/*  --- looking --- */

/*  The content that counts among those that sites have under this name; false when none has it. */
static bool content_of (const transit_t *transit, const file_copies_t *located,
                        file_place_t *content)
{
    bool found = false;
    if (transit->file.content.digest_known) {
        content->content = transit->file.content;
        content->created_ms = transit->file.created_ms;
        memcpy (content->owner, transit->file.owner, sizeof content->owner);
        return true;
    }
    for (size_t i = 0; i < located->count; i++) {
        if (found && file_place_order (&located->places [i], content) >= 0)
            continue;
        *content = located->places [i];
        found = true;
    }
    return found;
}

static bool sent_wrong (const transit_t *transit, const char *site)
{
    for (size_t i = 0; i < transit->wrong_count; i++)
        if (strcmp (transit->wrong [i], site) == 0)
            return true;
    return false;
}

static void candidates_set (transit_t *transit, const file_copies_t *located,
                            const file_place_t *content)
{
    free (transit->candidates);
    transit->candidates = must (calloc (located->count + 1, sizeof *transit->candidates));
    transit->candidates_count = 0;
    for (size_t i = 0; i < located->count; i++)
        if (content_equal (&located->places [i].content, &content->content) &&
            !sent_wrong (transit, located->places [i].site))
            transit->candidates [transit->candidates_count++].place = located->places [i];
}

static void found_for_fetch (transit_t *transit, const moment_t *now, const file_copies_t *located)
{
    file_place_t content = {.site = ""};
    bool any = content_of (transit, located, &content);
    if (any)
        candidates_set (transit, located, &content);
    if (!any || transit->candidates_count == 0) {
        bool doubted = transit->wrong_count > 0;
        char why [2 * CHAIN_WHY_BYTES_MAX];
        snprintf (why, sizeof why, "no %ssite has %.100s%s%.60s%s%.80s", doubted ? "other " : "",
                  transit->file.name, located->silent ? "; these did not answer: " : "",
                  located->silent_names, doubted ? "; " : "", doubted ? transit->why : "");
        bool all_asked = transit->rests > 0 || !transit->begun; /* and not only the indexes */
        if (located->silent > 0 || !all_asked)
            fetcher_sources_rest (transit, now, 0, why);
        else
            transit_fail (transit, now, "%s", why);
        return;
    }
    transit->file.content = content.content;
    transit->file.content.digest_known = true;
    transit->file.created_ms = content.created_ms;
    if (!*transit->file.owner)
        memcpy (transit->file.owner, content.owner, sizeof content.owner);
    transit->file.used_ms = now->wall_ms;
    if (transit->begun)
        transit_source (transit, now);
    else
        transit_room (transit, now);
}

/*  A name must mean the same file everywhere, as far as sites answer. */
static void found_for_put (transit_t *transit, const moment_t *now, const file_copies_t *located)
{
    for (size_t i = 0; i < located->count; i++) {
        if (content_equal (&located->places [i].content, &transit->file.content))
            continue;
        transit_fail (transit, now, "%s has another file called %.150s; choose another name",
                      located->places [i].site, transit->file.name);
        return;
    }
    transit_room (transit, now);
}

static void fetcher_sources_on_located (void *owner, const moment_t *now,
                                        const file_copies_t *located)
{
    transit_t *transit = owner;
    transit->question = 0;
    if (transit->kind == TRANSIT_PUT)
        found_for_put (transit, now, located);
    else
        found_for_fetch (transit, now, located);
}

void transit_look (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    transit_move (transit, TRANSIT_LOOKING);
    bool everybody = transit->rests > 0; /* what the indexes said was of no use */
    transit->question = locating_ask (self->parts.locating, now, transit->file.name, everybody,
                                      fetcher_sources_on_located, transit);
}

/*  --- turns --- */

static fetch_source_t *fetcher_sources_candidate_of (const transit_t *transit, const char *site)
{
    for (size_t i = 0; i < transit->candidates_count; i++)
        if (strcmp (transit->candidates [i].place.site, site) == 0)
            return &transit->candidates [i];
    return NULL;
}

static bool any_full (const transit_t *transit)
{
    for (size_t i = 0; i < transit->candidates_count; i++)
        if (!transit->candidates [i].out &&
            selector_full (transit->fetcher->parts.selector, transit->candidates [i].place.site))
            return true;
    return false;
}

/*  Waits for its turn, because as many transfers as allowed come from the sites that have the file.
 *  This time does not count against its patience. */
static void queue (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    timers_t *timers = self->parts.service->timers;
    snprintf (
      transit->why, sizeof transit->why,
      "waits for its turn: as many transfers as allowed come from the sites that have the file");
    transit->queued = true;
    transit->until_ms = now->mono_ms + self->limits.patience_ms;
    transit_move (transit, TRANSIT_RESTING);
    timers_cancel (timers, transit->timer);
    transit->timer = timers_set (timers, now->mono_ms + TRANSIT_REST_MS_MAX, on_rest, transit, 0);
}

/*  One more transfer may come from that site: the one that has waited longest is next. */
static void next_turn (fetcher_t *self, const moment_t *now, const char *site)
{
    for (transit_t *transit = ordered_after (self->transits, NULL);
         transit && !selector_full (self->parts.selector, site);
         transit = ordered_after (self->transits, &transit->number)) {
        const fetch_source_t *candidate = transit->state == TRANSIT_RESTING && transit->queued
                                            ? fetcher_sources_candidate_of (transit, site)
                                            : NULL;
        if (!candidate || candidate->out)
            continue;
        timers_cancel (self->parts.service->timers, transit->timer);
        transit_source (transit, now);
    }
}

/*  --- a source --- */

static void candidate_out (const transit_t *transit)
{
    fetch_source_t *candidate = fetcher_sources_candidate_of (transit, transit->source);
    if (candidate)
        candidate->out = true;
}

void transit_source_out (transit_t *transit)
{
    candidate_out (transit);
    if (transit->wrong_count < WRONG_MAX && !sent_wrong (transit, transit->source))
        memcpy (transit->wrong [transit->wrong_count++], transit->source, sizeof transit->source);
}

static void fetcher_sources_asked (transit_t *transit)
{
    if (transit->asking)
        selector_asked (transit->fetcher->parts.selector, transit->source);
    transit->asking = false;
}

void transit_call_end (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    bool asking = transit->asking;
    calls_cancel (self->parts.service->calls, transit->call);
    transit->call = 0;
    fetcher_sources_asked (transit);
    if (asking)
        next_turn (self, now, transit->source);
}

/*  Calls the site that feeds it, or that is asked to. */
static uint64_t ask_source (transit_t *transit, const moment_t *now, const char *method,
                            packed_t body, uint32_t tries, call_done_fn *done)
{
    char peer [NAME_BYTES_MAX + 16];
    snprintf (peer, sizeof peer, "replica/%s", transit->source);
    call_order_t order = {.peer = peer,
                          .service = "Replica",
                          .method = method,
                          .timeout_ms = OFFER_TRY_MS,
                          .tries_max = tries};
    return service_ask (transit->fetcher->parts.service, now, &order, body, done, transit, 0);
}

static call_done_fn on_offered, fetcher_sources_on_renewed;

/*  Asks the chosen site to feed it, or renews the loan. */
static void ask_offer (transit_t *transit, const moment_t *now, call_done_fn *done)
{
    const chain_transfer_t *transfer = chain_transfer (transit->fetcher->parts.chain, &transit->id);
    offer_question_t question = {.transfer = transit->id, .mbps = transit->fetcher->limits.mbps};
    if (!transfer)
        return;
    memcpy (question.name, transit->file.name, sizeof question.name);
    memcpy (question.digest, transit->file.content.digest, FILE_DIGEST_BYTES);
    memcpy (question.token, transfer->token, CHAIN_TOKEN_BYTES);
    transit->call_ms = now->mono_ms;
    transit->call =
      ask_source (transit, now, "Offer", codec_encode (&offer_question_codec, &question), 1, done);
}

/*  Has no byte come since the last look? */
static bool stalls (transit_t *transit)
{
    const chain_transfer_t *transfer = chain_transfer (transit->fetcher->parts.chain, &transit->id);
    uint64_t bytes = 0;
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++)
        bytes += transfer->receivers [i].has;
    bool stalled = bytes == transit->stalled_at;
    transit->stalled_at = bytes;
    return stalled;
}

/*  After a restart it is not known which site feeds a transfer, and that site may not have heard
 *  that it is to stop. As long as bytes come, nothing is asked. */
static void look_after (transit_t *transit, const moment_t *now)
{
    chain_source_t sources [CHAIN_SOURCES_MAX];
    bool here = transit->kind == TRANSIT_SERVE
                  ? sources_here (transit->fetcher, transit->file.name, sources) > 0
                  : transit->settled;
    if (transit->state != TRANSIT_RUNNING || transit->kind == TRANSIT_PUT)
        return;
    if (here || !stalls (transit)) {
        transit_watch (transit, now);
        return;
    }
    transit->kind = TRANSIT_FETCH;
    transit_look (transit, now);
}

static void fetcher_sources_on_renew (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    if (!transit->feeding) {
        look_after (transit, now);
        return;
    }
    bool due = now->mono_ms - transit->offered_ms >= RENEW_MS;
    if ((stalls (transit) || due) && transit->call == 0) {
        transit->offered_ms = now->mono_ms;
        ask_offer (transit, now, fetcher_sources_on_renewed);
    }
    transit_watch (transit, now);
}

void transit_watch (transit_t *transit, const moment_t *now)
{
    timers_t *timers = transit->fetcher->parts.service->timers;
    timers_cancel (timers, transit->renew_timer);
    transit->renew_timer =
      timers_set (timers, now->mono_ms + STALL_MS, fetcher_sources_on_renew, transit, 0);
}

/*  The site was said to have the file, and does not have it. */
static void not_there (const transit_t *transit, const moment_t *now)
{
    const fetcher_parts_t *parts = &transit->fetcher->parts;
    service_count (parts->service, "stale_found", 1);
    publisher_stale (parts->publisher, now, transit->file.name, transit->source);
    candidate_out (transit);
}

static void go_elsewhere (transit_t *transit, const moment_t *now)
{
    transit_source_ended (transit, now, 0, false);
    if (transit->candidates_count > 0)
        transit_source (transit, now);
    else
        transit_look (transit, now);
}

/*  A source that lost the file, or does not answer, is replaced by another one. */
static void fetcher_sources_on_renewed (void *owner, const moment_t *now, uint64_t token,
                                        const call_result_t *result)
{
    (void) token;
    transit_t *transit = owner;
    fetcher_t *self = transit->fetcher;
    transit->call = 0;
    if (result->status == CALL_OK || result->status == CALL_OVERLOADED || !transit->feeding ||
        transit->state != TRANSIT_RUNNING)
        return;
    snprintf (transit->why, sizeof transit->why, "%s: %.170s", transit->source, result->reason);
    selector_failed (self->parts.selector, now->mono_ms, transit->source);
    if (result->status == CALL_NOT_FOUND) {
        not_there (transit, now);
    }
    go_elsewhere (transit, now);
}

static bool feed (transit_t *transit, const moment_t *now, const offer_answer_t *offer,
                  char why [CHAIN_WHY_BYTES_MAX + 1])
{
    fetcher_t *self = transit->fetcher;
    snprintf (transit->source_name, sizeof transit->source_name, "replica/%s/%s", transit->source,
              offer->node);
    chain_source_t source = {.name = transit->source_name, .endpoint = offer->endpoint};
    if (!chain_source (self->parts.chain, now, &transit->id, &source, why))
        return false;
    selector_begun (self->parts.selector, transit->source);
    service_count (self->parts.service, "crossings", 1);
    transit->feeding = true;
    transit->source_ms = now->mono_ms;
    transit->offered_ms = now->mono_ms;
    transit->why [0] = '\0';
    transit->rests = 0;
    transit_move (transit, TRANSIT_RUNNING);
    transit_watch (transit, now);
    return true;
}

static void on_offered (void *owner, const moment_t *now, uint64_t token,
                        const call_result_t *result)
{
    (void) token;
    transit_t *transit = owner;
    fetcher_t *self = transit->fetcher;
    offer_answer_t offer;
    char why [CHAIN_WHY_BYTES_MAX + 1];
    transit->call = 0;
    fetcher_sources_asked (transit);
    if (result->status == CALL_OK &&
        codec_decode (&offer_answer_codec, &offer, result->body, why) && *offer.endpoint) {
        selector_heard (self->parts.selector, transit->source,
                        (now->mono_ms - transit->call_ms) * 1000);
        /* This transfer itself is counted when it begins. */
        selector_load (self->parts.selector, transit->source,
                       offer.sending > 0 ? offer.sending - 1 : 0);
        if (!feed (transit, now, &offer, why)) /* another chain will bring the rest */
            chain_cancel (self->parts.chain, now, &transit->id, NULL, why);
        return;
    }
    snprintf (transit->why, sizeof transit->why, "%s: %.170s", transit->source,
              result->status == CALL_OK ? "its storage node is not ready yet" : result->reason);
    if (result->status == CALL_NOT_FOUND) {
        not_there (transit, now);
    } else if (result->status == CALL_OVERLOADED) {
        selector_busy (self->parts.selector, now->mono_ms, transit->source);
    } else {
        selector_failed (self->parts.selector, now->mono_ms, transit->source);
    }
    char site [NAME_BYTES_MAX + 1];
    memcpy (site, transit->source, sizeof site);
    transit_source (transit, now);
    next_turn (self, now, site); /* that site may serve another transfer */
}

void transit_source (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    const char *sites [PLACES_MAX];
    size_t count = 0;
    int64_t again_ms;
    for (size_t i = 0; i < transit->candidates_count; i++)
        if (!transit->candidates [i].out)
            sites [count++] = transit->candidates [i].place.site;
    transit_move (transit, TRANSIT_SOURCING);
    size_t best = selector_choose (self->parts.selector, now->mono_ms, sites, count,
                                   transit->file.content.size, &again_ms);
    transit->queued = false;
    if (best == count && any_full (transit)) {
        queue (transit, now);
        return;
    }
    if (best == count && strncmp (transit->why, "no source ", 10) == 0) {
        fetcher_sources_rest (transit, now, again_ms, transit->why); /* it already says why */
        return;
    }
    if (best == count) {
        char why [CHAIN_WHY_BYTES_MAX + 1];
        snprintf (why, sizeof why, "%s%s%.150s",
                  count > 0 ? "no source can be asked just now" : "no source is left",
                  *transit->why ? "; " : "", transit->why);
        fetcher_sources_rest (transit, now, again_ms, why);
        return;
    }
    snprintf (transit->source, sizeof transit->source, "%s", sites [best]);
    selector_asks (self->parts.selector, transit->source);
    transit->asking = true;
    ask_offer (transit, now, on_offered);
}

void transit_source_ended (transit_t *transit, const moment_t *now, uint64_t bytes, bool wrong)
{
    fetcher_t *self = transit->fetcher;
    if (!transit->feeding)
        return;
    transit->feeding = false;
    timers_cancel (self->parts.service->timers, transit->renew_timer);
    selector_ended (self->parts.selector, transit->source, bytes,
                    now->mono_ms - transit->source_ms);
    offer_end_t end = {.transfer = transit->id, .wrong = wrong};
    memcpy (end.name, transit->file.name, sizeof end.name);
    /* Nobody waits for the answer: a loan ends by itself, too. */
    ask_source (transit, now, "OfferEnd", codec_encode (&offer_end_codec, &end), 3, NULL);
    next_turn (self, now, transit->source);
}

/*  --- a source that failed --- */

/*  A node of this site failed as a source, although the catalogue has the file there. */
static void own_failed (fetcher_t *self, const moment_t *now, const char *name,
                        const chain_node_t *node, bool wrong)
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    const copy_t *copy = file_copy (file, node->name);
    if (!copy || copy->state != COPY_SOUND)
        return;
    service_count (self->parts.service, "stale_found", 1);
    const chain_file_t *have = chain_file (node, name);
    if (have && wrong) {
        catalogue_move (self->parts.catalogue, name, node->name, COPY_STALE);
        chain_prove (self->parts.chain, now, node->name, name);
    } else if (node->agent.state == AGENT_UP && !have) {
        fetcher_lost (self, now, name, node->name);
    }
}

void fetcher_source_failed (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                            const char *source, bool wrong, const char *why)
{
    fetcher_t *self = owner;
    transit_t *transit = transit_of (self, &transfer->id);
    chain_source_t sources [CHAIN_SOURCES_MAX];
    const chain_node_t *node = chain_node (self->parts.chain, source);
    if (node && !node->guest)
        own_failed (self, now, transfer->file, node, wrong);
    if (!transit || !transit_live (transit))
        return;
    if (wrong && transit->kind == TRANSIT_FETCH && transit->feeding) {
        transit_source_out (transit);
        transit_source_ended (transit, now, 0, true); /* that site will check its copy */
    }
    if (transfer->over && transit->kind != TRANSIT_PUT)
        return; /* fetcher_over will go on */
    if (transit->kind == TRANSIT_PUT) {
        transit_fail (transit, now, "%s: %s", wrong ? "the file changed while it was sent" : "put",
                      why);
        return;
    }
    if (transit->kind == TRANSIT_SERVE && sources_here (self, transfer->file, sources) == 0) {
        transit->kind = TRANSIT_FETCH; /* not to a node, but to the guests that wait */
        transit_look (transit, now);
        return;
    }
    if (transit->kind == TRANSIT_FETCH && transit->state == TRANSIT_RUNNING) {
        snprintf (transit->why, sizeof transit->why, "%.60s: %.160s", source, why);
        selector_failed (self->parts.selector, now->mono_ms, transit->source);
        go_elsewhere (transit, now);
    }
}
