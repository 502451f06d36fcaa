/*  fetcher_sources - picks the site that feeds a file, and goes on at another one when that fails.
 */
#include "fetcher_state.h"

#include "outgoing_feeds.h"

#include <stdio.h>
#include <string.h>

#define OFFER_TRY_MS    3000
#define OFFER_END_TRIES 3
#define RENEW_MS        (LOAN_MS / 3)
#define STALL_MS        5000 /* without a byte: asks whether the source still feeds it */
#define TURN_MS         100  /* between two looks for a site that is about to be fed */
#define TURNS_MAX       32   /* of such looks; after that, who else is fed does not count */

/*  Has no byte come since the last look? With each that has, its patience begins anew. */
static bool stalls (transit_t *transit, const moment_t *now)
{
    const fetcher_t *self = transit->fetcher;
    const chain_transfer_t *transfer = transit_transfer (transit);
    uint64_t bytes = 0;
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++)
        bytes += transfer->receivers [i].has;
    if (bytes == transit->stalled_at)
        return true;
    transit->stalled_at = bytes;
    transit->until_ms = now->mono_ms + self->limits.patience_ms;
    return false;
}

/*  Bytes come again, or nodes of this site that have the file answer again. */
static void go_on (transit_t *transit, const moment_t *now, const chain_source_t *sources,
                   size_t count)
{
    char why [WHY_BYTES];
    if (!transit->begun && transit->guests_count == 0 && transit->nodes <= 1 &&
        transit->wanted_count == 0) {
        transit_done (transit, now);
        return;
    }
    if (!transit->begun) {
        transit->kind = TRANSIT_SERVE;
        transit->settled = true;
        transit_room (transit, now);
        return;
    }
    for (size_t i = 0; i < count; i++)
        (void) chain_source (transit->fetcher->parts.chain, now, &transit->id, &sources [i], why);
    transit->why [0] = '\0';
    transit_move (transit, TRANSIT_RUNNING);
    transit_watch (transit, now);
}

static void on_rest (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    chain_source_t sources [CHAIN_SOURCES_MAX];
    size_t here = sources_here (transit->fetcher, now, transit->file.name, sources);
    transit->queued = false;
    if (here > 0 || !stalls (transit, now))
        go_on (transit, now, sources, here);
    else
        transit_look (transit, now);
}

static void rest_until (transit_t *transit, int64_t due_ms)
{
    transit_move (transit, TRANSIT_RESTING);
    timers_move (transit->fetcher->parts.service->timers, &transit->timer, due_ms, on_rest, transit,
                 0);
}

void transit_rest (transit_t *transit, const moment_t *now, int64_t again_ms, const char *why)
{
    int64_t ms = pause_doubled (TRANSIT_REST_MS, TRANSIT_REST_MS_MAX, transit->rests);
    ms -= (int64_t) prng_below (&transit->fetcher->parts.service->prng, (uint64_t) ms / 4 + 1);
    int64_t due_ms = now->mono_ms + ms;
    if (again_ms > due_ms && again_ms < now->mono_ms + TRANSIT_REST_MS_MAX)
        due_ms = again_ms;
    if (due_ms > transit->until_ms)
        due_ms = transit->until_ms;
    if (now->mono_ms >= transit->until_ms) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    if (why != transit->why)
        snprintf (transit->why, sizeof transit->why, "%.*s", WHY_BYTES - 1, why);
    transit->rests++;
    rest_until (transit, due_ms);
}

/*  --- turns --- */

static file_place_t *fetcher_sources_candidate_of (const transit_t *transit, const char *site)
{
    return list_find (transit->candidates, transit->candidates_count, sizeof *transit->candidates,
                      site);
}

static bool any_full (const transit_t *transit)
{
    for (size_t i = 0; i < transit->candidates_count; i++)
        if (selector_full (transit->fetcher->parts.selector, transit->candidates [i].site))
            return true;
    return false;
}

/*  Waits for its turn, because as many transfers as allowed come from the sites that have the file.
 *  This time does not count against its patience. */
static void queue (transit_t *transit, const moment_t *now)
{
    snprintf (
      transit->why, sizeof transit->why,
      "waits for its turn: as many transfers as allowed come from the sites that have the file");
    transit->queued = true;
    transit->until_ms = now->mono_ms + transit->fetcher->limits.patience_ms;
    rest_until (transit, now->mono_ms + TRANSIT_REST_MS_MAX);
}

/*  One more transfer may come from that site: the one that has waited longest is next. */
static void next_turn (fetcher_t *self, const moment_t *now, const char *site)
{
    for (transit_t *transit = ordered_after (self->transits, NULL);
         transit && !selector_full (self->parts.selector, site);
         transit = ordered_after (self->transits, &transit->number)) {
        if (transit->state != TRANSIT_RESTING || !transit->queued ||
            !fetcher_sources_candidate_of (transit, site))
            continue;
        timers_cancel (self->parts.service->timers, transit->timer);
        transit_source (transit, now);
    }
}

/*  --- a source --- */

static void candidate_out (transit_t *transit)
{
    file_place_t *candidate = fetcher_sources_candidate_of (transit, transit->source);
    if (candidate)
        *candidate = transit->candidates [--transit->candidates_count];
}

void transit_source_out (transit_t *transit)
{
    candidate_out (transit);
    if (transit->wrong_count < WRONG_MAX && !transit_sent_wrong (transit, transit->source))
        memcpy (transit->wrong [transit->wrong_count++], transit->source, sizeof transit->source);
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

/*  The site may stop feeding it, also when it has only been asked to: its loan holds a turn there.
 *  Nobody waits for the answer: a loan ends by itself, too. */
static void loan_end (transit_t *transit, const moment_t *now, bool wrong, uint32_t tries)
{
    offer_end_t end = {.transfer = transit->id, .wrong = wrong};
    memcpy (end.name, transit->file.name, sizeof end.name);
    ask_source (transit, now, "OfferEnd", codec_encode (&offer_end_codec, &end), tries, NULL);
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
    if (asking) {
        loan_end (transit, now, false, OFFER_END_TRIES);
        next_turn (self, now, transit->source);
    }
}

/*  May it still look who else is fed? Half of its patience is for being fed itself. */
static bool turns_left (const transit_t *transit, const moment_t *now)
{
    return transit->turns < TURNS_MAX &&
           now->mono_ms < transit->until_ms - transit->fetcher->limits.patience_ms / 2;
}

static call_done_fn on_offered, fetcher_sources_on_renewed;

/*  Asks the chosen site to feed it, or renews the loan. */
static void ask_offer (transit_t *transit, const moment_t *now, call_done_fn *done)
{
    const chain_transfer_t *transfer = transit_transfer (transit);
    offer_question_t question = {.transfer = transit->id, .mbps = transit_mbps (transit)};
    if (!transfer)
        return;
    memcpy (question.name, transit->file.name, sizeof question.name);
    memcpy (question.digest, transit->file.content.digest, FILE_DIGEST_BYTES);
    memcpy (question.token, transfer->token, CHAIN_TOKEN_BYTES);
    const file_place_t *source = fetcher_sources_candidate_of (transit, transit->source);
    if (done == on_offered && source && turns_left (transit, now))
        question.feeds = 1 + source->feeds;
    transit->call_ms = now->mono_ms;
    transit->call =
      ask_source (transit, now, "Offer", codec_encode (&offer_question_codec, &question), 1, done);
}

/*  Does a receiver wait for bytes? Who checks what it has does not, nor who is silent itself. */
static bool bytes_awaited (const transit_t *transit, const moment_t *now)
{
    const chain_t *chain = transit->fetcher->parts.chain;
    const chain_transfer_t *transfer = transit_transfer (transit);
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        const chain_node_t *node = chain_node (chain, receiver->node);
        if (receiver->state < RECEIVER_CHECKING && !receiver->opening && node &&
            agent_session_quiet_ms (&node->agent, now) == 0)
            return true;
    }
    return false;
}

/*  No byte comes. Other sites are asked if no node of this site can feed it; also after a restart,
 *  when it is not known which site does. */
static void look_after (transit_t *transit, const moment_t *now)
{
    chain_source_t sources [CHAIN_SOURCES_MAX];
    bool here = (transit->kind == TRANSIT_SERVE || transit->settled) &&
                sources_here (transit->fetcher, now, transit->file.name, sources) > 0;
    if (!here && transit->kind != TRANSIT_PUT) {
        transit->kind = TRANSIT_FETCH;
        transit_look (transit, now);
    } else if (now->mono_ms >= transit->until_ms && bytes_awaited (transit, now)) {
        transit_fail (transit, now, "%s",
                      *transit->why ? transit->why : "no byte has come within limits/patience");
    } else {
        transit_watch (transit, now);
    }
}

/*  The site that feeds it has failed. The other sources are known; but who relays the file now is
 *  to be looked up. */
static void go_elsewhere (transit_t *transit, const moment_t *now)
{
    bool relays = transit->relayed;
    selector_failed (transit->fetcher->parts.selector, now->mono_ms, transit->source);
    for (size_t i = 0; i < transit->candidates_count; i++)
        relays = relays || transit->candidates [i].sound == 0;
    transit_source_ended (transit, now, 0, false);
    if (transit->candidates_count > 0 && !relays)
        transit_source (transit, now);
    else
        transit_look (transit, now);
}

static void fetcher_sources_on_renew (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    if (transit->state != TRANSIT_RUNNING)
        return;
    bool due = now->mono_ms - transit->offered_ms >= RENEW_MS, stalled = stalls (transit, now);
    if (!stalled || !transit_silent (transit, now, transit->why))
        transit->why [0] = '\0';
    if (stalled && !transit->feeding) {
        look_after (transit, now);
        return;
    }
    if (stalled && transit->relayed) {
        snprintf (transit->why, sizeof transit->why, "%s has fed nothing for %d seconds",
                  transit->source, STALL_MS / 1000);
        go_elsewhere (transit, now);
        return;
    }
    if (transit->feeding && (stalled || due) && transit->call == 0) {
        transit->offered_ms = now->mono_ms;
        ask_offer (transit, now, fetcher_sources_on_renewed);
    }
    transit_watch (transit, now);
}

void transit_watch (transit_t *transit, const moment_t *now)
{
    timers_t *timers = transit->fetcher->parts.service->timers;
    timers_move (timers, &transit->renew_timer, now->mono_ms + STALL_MS, fetcher_sources_on_renew,
                 transit, 0);
}

/*  The site was said to have the file, and does not have it. */
static void not_there (transit_t *transit, const moment_t *now)
{
    const fetcher_parts_t *parts = &transit->fetcher->parts;
    service_count (parts->service, "stale_found", 1);
    publisher_stale (parts->publisher, now, transit->file.name, transit->source);
    candidate_out (transit);
}

/*  A source that lost the file, or does not answer, is replaced by another one. */
static void fetcher_sources_on_renewed (void *owner, const moment_t *now, uint64_t token,
                                        const call_result_t *result)
{
    (void) token;
    transit_t *transit = owner;
    transit->call = 0;
    if (result->status == CALL_OK || result->status == CALL_OVERLOADED || !transit->feeding ||
        transit->state != TRANSIT_RUNNING)
        return;
    snprintf (transit->why, sizeof transit->why, "%s: %.170s", transit->source, result->reason);
    if (result->status == CALL_NOT_FOUND)
        not_there (transit, now);
    go_elsewhere (transit, now);
}

static bool feed (transit_t *transit, const moment_t *now, const offer_answer_t *offer,
                  char why [WHY_BYTES])
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
    transit->turns = 0;
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
    offer_answer_t offer = {.node = "-"};
    char why [WHY_BYTES];
    transit->call = 0;
    fetcher_sources_asked (transit);
    if (call_take (result, &offer_answer_codec, &offer, NULL) && *offer.endpoint) {
        selector_heard (self->parts.selector, transit->source,
                        (now->mono_ms - transit->call_ms) * 1000);
        /* This transfer itself is counted when it begins. */
        selector_load (self->parts.selector, transit->source,
                       offer.sending > 0 ? offer.sending - 1 : 0);
        if (!feed (transit, now, &offer, why)) { /* another chain will bring the rest */
            loan_end (transit, now, false, OFFER_END_TRIES);
            chain_cancel (self->parts.chain, now, &transit->id, NULL, why);
        }
        return;
    }
    if (result->status == CALL_OK && !*offer.node) {
        next_turn (self, now, transit->source);
        transit->turns++;
        transit_look (transit, now);
        return;
    }
    snprintf (transit->why, sizeof transit->why, "%s: %.170s", transit->source,
              result->status == CALL_OK ? "its storage node is not ready yet" : result->reason);
    if (result->status == CALL_TIMED_OUT || result->status == CALL_OK)
        loan_end (transit, now, false, 1); /* once: it may be asked again under the same id */
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

/*  The place of the preferred site among these; count when it can't be asked now. */
static size_t preferred (const transit_t *transit, const moment_t *now, const char *const *sites,
                         size_t count)
{
    int64_t again_ms;
    for (size_t i = 0; i < count; i++)
        if (strcmp (sites [i], transit->prefer) == 0 &&
            selector_choose (transit->fetcher->parts.selector, now->mono_ms, &sites [i], 1,
                             transit->file.content.size, &again_ms) == 0)
            return i;
    return count;
}

void transit_source (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    const char *sites [PLACES_MAX];
    size_t count = transit->candidates_count;
    int64_t again_ms;
    for (size_t i = 0; i < count; i++)
        sites [i] = transit->candidates [i].site;
    transit_move (transit, TRANSIT_SOURCING);
    size_t best = preferred (transit, now, sites, count);
    if (best == count)
        best = selector_choose (self->parts.selector, now->mono_ms, sites, count,
                                transit->file.content.size, &again_ms);
    transit->queued = false;
    if (best == count && any_full (transit)) {
        queue (transit, now);
        return;
    }
    if (best == count && strncmp (transit->why, "no source ", 10) == 0) {
        transit_rest (transit, now, again_ms, transit->why); /* it already says why */
        return;
    }
    if (best == count) {
        char why [WHY_BYTES];
        snprintf (why, sizeof why, "%s%s%.150s",
                  count > 0 ? "no source can be asked just now" : "no source is left",
                  *transit->why ? "; " : "", transit->why);
        transit_rest (transit, now, again_ms, why);
        return;
    }
    if (transit->unseen && turns_left (transit, now)) {
        /* Another site is about to be fed, and may feed this one. */
        transit->turns++;
        rest_until (transit, now->mono_ms + TURN_MS);
        return;
    }
    snprintf (transit->source, sizeof transit->source, "%s", sites [best]);
    transit->relayed = fetcher_sources_candidate_of (transit, sites [best])->sound == 0;
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
    if (transit->relayed && bytes > 0)
        bytes = 1; /* how fast they came says more of those before it */
    timers_cancel (self->parts.service->timers, transit->renew_timer);
    selector_ended (self->parts.selector, transit->source, bytes,
                    now->mono_ms - transit->source_ms);
    loan_end (transit, now, wrong, OFFER_END_TRIES);
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
        file_t doubted = {.content = file->content};
        memcpy (doubted.name, file->name, sizeof doubted.name);
        catalogue_quarantine (self->parts.catalogue, &doubted, node->name,
                              &(damage_t){.bad_count = 0}); /* until its node has read it */
        chain_prove (self->parts.chain, now, node->name, name, 0);
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
    if (transit->kind == TRANSIT_SERVE && sources_here (self, now, transfer->file, sources) == 0) {
        transit->kind = TRANSIT_FETCH; /* not to a node, but to the guests that wait */
        transit_look (transit, now);
        return;
    }
    if (transit->kind == TRANSIT_FETCH && transit->state == TRANSIT_RUNNING) {
        snprintf (transit->why, sizeof transit->why, "%.60s: %.160s", source, why);
        go_elsewhere (transit, now);
    }
}
