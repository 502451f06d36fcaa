/*  fetcher_destinations - finds a destination with room, begins the chain to it, and follows what
 *  the chain tells.
 */
#include "fetcher_state.h"

#include <stdio.h>
#include <stdlib.h>

#define NODES_TRIED_MAX 3 /* that one transfer tries as its destination, one after the other */

#define ROOM_LOOK_MS 500

/*  Is there room now? */
static void on_room (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    if (now->mono_ms >= transit->until_ms)
        transit_fail (transit, now, "%.200s; limits/patience is over", transit->why);
    else
        transit_room (transit, now);
}

static bool stage (const transit_t *transit, const char *node, char why [WHY_BYTES])
{
    catalogue_answer_t answer =
      catalogue_stage (transit->fetcher->parts.catalogue, &transit->file, node);
    if (answer != CATALOGUE_OK)
        snprintf (why, WHY_BYTES, "%s",
                  answer == CATALOGUE_FULL ? "the site's catalogue is full (limits/files_max)"
                                           : "this site has another file of that name");
    return answer == CATALOGUE_OK;
}

/*  Another node with room receives it, too. False when there is none now, with why. */
static bool another_node (const transit_t *transit, const moment_t *now, char why [WHY_BYTES])
{
    const fetcher_parts_t *parts = &transit->fetcher->parts;
    char node [NAME_BYTES_MAX + 1];
    return cache_room (parts->cache, now, &transit->file,
                       chain_transfer (parts->chain, &transit->id), node, why) == CACHE_READY &&
           transit_joined (transit, now, node, why);
}

bool transit_joined (const transit_t *transit, const moment_t *now, const char *node,
                     char why [WHY_BYTES])
{
    const fetcher_parts_t *parts = &transit->fetcher->parts;
    if (!stage (transit, node, why))
        return false;
    if (chain_join (parts->chain, now, &transit->id, node, why))
        return true;
    catalogue_unstage (parts->catalogue, transit->file.name, node);
    return false;
}

void transit_spread (transit_t *transit, const moment_t *now)
{
    const fetcher_t *self = transit->fetcher;
    char why [WHY_BYTES];
    while (transit->nodes > 1 && nodes_lacking (self, transit->file.name, transit->nodes) > 0 &&
           another_node (transit, now, why))
        continue;
    for (size_t i = 0; i < transit->wanted_count; i++) {
        const char *node = transit->wanted [i];
        const copy_t *copy =
          file_copy (catalogue_find (self->parts.catalogue, transit->file.name), node);
        if ((!copy || copy->state != COPY_SOUND) && !transit_receives (transit, node) &&
            cache_room_at (self->parts.cache, now, &transit->file, node, why) == CACHE_READY)
            (void) transit_joined (transit, now, node, why);
    }
}

/*  The nodes come first, so that no guest is between them. node "" = only the guests receive it. */
static bool fetcher_destinations_begin (transit_t *transit, const moment_t *now, const char *node,
                                        char why [WHY_BYTES])
{
    fetcher_t *self = transit->fetcher;
    chain_source_t sources [CHAIN_SOURCES_MAX] = {{.node = transit->guest}};
    const char *first = *node ? node : transit->guests [0];
    chain_order_t order = {.file = transit->file.name,
                           .size_known = true,
                           .content = transit->file.content,
                           .sources = sources,
                           .sources_count = transit->kind == TRANSIT_PUT,
                           .receivers = &first,
                           .receivers_count = 1,
                           .mbps = transit_mbps (transit),
                           .owner = (uint64_t) transit->kind + 1};
    if (transit->kind == TRANSIT_SERVE)
        order.sources_count = sources_here (self, now, transit->file.name, sources);
    chain_id_t id;
    if (!chain_begin (self->parts.chain, now, &order, &id, why))
        return false;
    transit_begun (transit, &id);
    transit->chains++;
    transit_spread (transit, now);
    for (size_t i = !*node; i < transit->guests_count; i++)
        chain_join (self->parts.chain, now, &transit->id, transit->guests [i], why);
    free (transit->guests);
    transit->guests = NULL;
    transit->guests_count = 0;
    return true;
}

void transit_room (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    timers_t *timers = self->parts.service->timers;
    char why [WHY_BYTES] = "";
    char node [NAME_BYTES_MAX + 1] = "";
    bool serves = transit->kind == TRANSIT_SERVE && transit->guests_count > 0;
    cache_answer_t answer = serves ? CACHE_READY : transit_place (transit, now, node, why);
    if (answer == CACHE_FULL) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    transit_move (transit, TRANSIT_ROOM);
    timers_cancel (timers, transit->timer);
    if (answer == CACHE_WAIT) {
        if (!node_silent (self, now, node, transit->why))
            snprintf (transit->why, sizeof transit->why,
                      chain_node (self->parts.chain, node)->agent.state == AGENT_UP
                        ? "disk full: room is awaited at %s"
                        : "storage node %s is not up yet",
                      node);
        transit->timer = timers_set (timers, now->mono_ms + ROOM_LOOK_MS, on_room, transit, 0);
        return;
    }
    transit->why [0] = '\0';
    if (*node && !stage (transit, node, why)) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    if (!fetcher_destinations_begin (transit, now, node, why)) {
        catalogue_unstage (self->parts.catalogue, transit->file.name, node);
        transit_fail (transit, now, "%s", why);
        return;
    }
    if (transit->kind == TRANSIT_FETCH) {
        transit_source (transit, now);
        return;
    }
    transit_move (transit, TRANSIT_RUNNING);
    transit_watch (transit, now);
}

void fetcher_room (fetcher_t *self, const moment_t *now)
{
    for (transit_t *transit = ordered_after (self->transits, NULL); transit;) {
        uint64_t number = transit->number;
        if (transit->state == TRANSIT_ROOM && !transit->begun)
            transit_room (transit, now);
        else if (transit_live (transit) && transit->begun)
            transit_spread (transit, now);
        transit = ordered_after (self->transits, &number);
    }
}

/*  --- what the chain tells --- */

/*  Is the file at another node, or on its way there? */
static bool other_left (const fetcher_t *self, const chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (transfer->receivers [i].state != RECEIVER_FAILED &&
            receiver_own (self, &transfer->receivers [i]))
            return true;
    return false;
}

static void fetcher_destinations_proved (const fetcher_t *self, const moment_t *now,
                                         const chain_transfer_t *transfer,
                                         const chain_receiver_t *receiver)
{
    file_t file = {.kept = true};
    const transit_t *transit = transit_of (self, &transfer->id);
    if (transit)
        file = transit->file;
    file.content = transfer->content;
    snprintf (file.name, sizeof file.name, "%.255s", transfer->file);
    catalogue_prove (self->parts.catalogue, &file, receiver->node, now->wall_ms);
}

void fetcher_receiver (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                       const chain_receiver_t *receiver)
{
    fetcher_t *self = owner;
    transit_t *transit = transit_of (self, &transfer->id);
    char why [WHY_BYTES];
    if (transfer->loan || !receiver_own (self, receiver))
        return; /* a guest's copy is not one of the site */
    if (receiver->state == RECEIVER_VERIFIED && transfer->content.digest_known) {
        fetcher_destinations_proved (self, now, transfer, receiver);
        if (transit && !transit->settled) {
            transit->settled = true;
            service_count (self->parts.service, "files_brought", 1);
            service_count (self->parts.service, "bytes_brought", (int64_t) receiver->received);
            transit_source_ended (transit, now, transfer->content.size, false);
            transit_watch (transit, now); /* this copy may go before the others have it */
        }
    }
    if (receiver->state != RECEIVER_FAILED)
        return;
    catalogue_unstage (self->parts.catalogue, transfer->file, receiver->node);
    if (!transit || !transit_live (transit) || transit->settled || other_left (self, transfer))
        return;
    snprintf (why, sizeof why, "%s", receiver->why);
    bool all_came = receiver->has >= transfer->content.size; /* but did not match the digest */
    if (all_came && transit->feeding) {
        snprintf (transit->why, sizeof transit->why, "%s: %.170s", transit->source, why);
        transit_source_out (transit);
        transit_source_ended (transit, now, 0, true);
        chain_cancel (self->parts.chain, now, &transfer->id, NULL, why);
    } else if (!transfer->over &&
               (transit->only_wanted || ++transit->nodes_failed == NODES_TRIED_MAX ||
                !another_node (transit, now, why))) {
        transit_fail (transit, now, "%s", receiver->why);
    }
}

/*  Have all guests that did not get the file gone away themselves? A node that did not get it fails
 *  by itself. */
static bool gone_guests (const fetcher_t *self, const chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        const chain_node_t *node = chain_node (self->parts.chain, receiver->node);
        if (receiver->state == RECEIVER_FAILED &&
            (!node || (node->guest && node->agent.state <= AGENT_UP)))
            return false;
    }
    return true;
}

void fetcher_over (void *owner, const moment_t *now, const chain_transfer_t *transfer)
{
    fetcher_t *self = owner;
    transit_t *transit = transit_of (self, &transfer->id);
    if (!transit || !transit_live (transit))
        return;
    size_t verified = 0;
    char why [WHY_BYTES];
    snprintf (why, sizeof why, "%s",
              *transfer->why  ? transfer->why
              : *transit->why ? transit->why
                              : "no receiver got the file");
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        verified += receiver->state == RECEIVER_VERIFIED;
        if (receiver->state == RECEIVER_FAILED && *receiver->why && !*transfer->why &&
            !*transit->why)
            snprintf (why, sizeof why, "%s", receiver->why);
    }
    transit_source_ended (transit, now, verified > 0 ? transfer->content.size : 0, false);
    if (verified == transfer->receivers_count || (transit->settled && gone_guests (self, transfer)))
        transit_done (transit, now);
    else
        transit_again (transit, now, why);
}
