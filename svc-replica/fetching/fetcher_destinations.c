/*  fetcher_destinations - finds a destination with room, begins the chain to it, and follows what
 *  the chain tells.
 */
#include "fetcher_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_TRIED_MAX 3 /* that one transfer tries as its destination, one after the other */

#define ROOM_LOOK_MS 500

/*  Is there room now? */
static void on_room (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    char why [CHAIN_WHY_BYTES_MAX + 1];
    snprintf (why, sizeof why, "%s", transit->why);
    if (now->mono_ms >= transit->until_ms)
        transit_fail (transit, now, "disk full: there was no room within limits/patience: %.180s",
                      why);
    else
        transit_room (transit, now);
}

/*  The receivers: the destination first, then the guests that wait. The caller frees the list. */
static const char **receivers_of (const transit_t *transit, size_t *count)
{
    const char **list = must (calloc (transit->guests_count + 1, sizeof *list));
    *count = 0;
    if (*transit->node)
        list [(*count)++] = transit->node;
    for (size_t i = 0; i < transit->guests_count; i++)
        list [(*count)++] = transit->guests [i];
    return list;
}

static bool fetcher_destinations_begin (transit_t *transit, const moment_t *now,
                                        char why [CHAIN_WHY_BYTES_MAX + 1])
{
    fetcher_t *self = transit->fetcher;
    chain_source_t source = {.node = transit->guest};
    size_t count;
    const char **receivers = receivers_of (transit, &count);
    chain_order_t order = {.file = transit->file.name,
                           .size_known = true,
                           .content = transit->file.content,
                           .sources = &source,
                           .sources_count = transit->kind == TRANSIT_PUT,
                           .receivers = receivers,
                           .receivers_count = count,
                           .mbps = self->limits.mbps,
                           .owner = (uint64_t) transit->kind + 1};
    bool begun = chain_begin (self->parts.chain, now, &order, &transit->id, why);
    free (receivers);
    if (!begun)
        return false;
    transit->begun = true;
    transit->chains++;
    ordered_add (self->by_id, transit->id.bytes, transit);
    free (transit->guests);
    transit->guests = NULL;
    transit->guests_count = 0;
    return true;
}

static bool stage (const transit_t *transit, char why [CHAIN_WHY_BYTES_MAX + 1])
{
    switch (catalogue_stage (transit->fetcher->parts.catalogue, &transit->file, transit->node)) {
    case CATALOGUE_OK:
        return true;
    case CATALOGUE_FULL:
        snprintf (why, CHAIN_WHY_BYTES_MAX + 1, "the site's catalogue is full (limits/files_max)");
        return false;
    case CATALOGUE_OTHER:
        break;
    }
    snprintf (why, CHAIN_WHY_BYTES_MAX + 1, "this site has another file of that name");
    return false;
}

void transit_room (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    timers_t *timers = self->parts.service->timers;
    char why [CHAIN_WHY_BYTES_MAX + 1] = "";
    char node [NAME_BYTES_MAX + 1] = "";
    cache_answer_t answer = cache_room (self->parts.cache, now, transit->file.name,
                                        transit->file.content.size, node, why);
    if (answer == CACHE_FULL) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    transit_move (transit, TRANSIT_ROOM);
    timers_cancel (timers, transit->timer);
    if (answer == CACHE_WAIT) {
        snprintf (transit->why, sizeof transit->why, "waits until there is room at %s", node);
        transit->timer = timers_set (timers, now->mono_ms + ROOM_LOOK_MS, on_room, transit, 0);
        return;
    }
    transit->why [0] = '\0';
    memcpy (transit->node, node, sizeof node);
    if (!stage (transit, why)) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    if (!fetcher_destinations_begin (transit, now, why)) {
        catalogue_gone (self->parts.catalogue, transit->file.name, transit->node);
        transit_fail (transit, now, "%s", why);
        return;
    }
    if (transit->kind == TRANSIT_PUT)
        transit_move (transit, TRANSIT_RUNNING);
    else
        transit_source (transit, now);
}

void fetcher_room (fetcher_t *self, const moment_t *now)
{
    for (transit_t *transit = ordered_after (self->transits, NULL); transit;) {
        uint64_t number = transit->number;
        if (transit->state == TRANSIT_ROOM && !transit->begun)
            transit_room (transit, now);
        transit = ordered_after (self->transits, &number);
    }
}

/*  --- what the chain tells --- */

/*  The destination has failed: tries another one, up to NODES_TRIED_MAX. */
static void elsewhere (transit_t *transit, const moment_t *now, const char *failed)
{
    fetcher_t *self = transit->fetcher;
    char node [NAME_BYTES_MAX + 1];
    char why [CHAIN_WHY_BYTES_MAX + 1] = "";
    bool found = ++transit->nodes_failed < NODES_TRIED_MAX &&
                 cache_room (self->parts.cache, now, transit->file.name, transit->file.content.size,
                             node, why) == CACHE_READY &&
                 strcmp (node, transit->node) != 0;
    if (found) {
        memcpy (transit->node, node, sizeof node);
        found = stage (transit, why);
    }
    if (found && chain_join (self->parts.chain, now, &transit->id, node, why))
        return;
    if (found)
        catalogue_gone (self->parts.catalogue, transit->file.name, node);
    transit_fail (transit, now, "%s", failed);
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
    const chain_node_t *node = chain_node (self->parts.chain, receiver->node);
    if (transfer->loan || !node || node->guest)
        return; /* a guest's copy is not one of the site */
    bool own = transit && strcmp (transit->node, receiver->node) == 0;
    if (receiver->state == RECEIVER_VERIFIED && transfer->content.digest_known) {
        fetcher_destinations_proved (self, now, transfer, receiver);
        if (own && !transit->settled) {
            transit->settled = true;
            service_count (self->parts.service, "files_brought", 1);
            service_count (self->parts.service, "bytes_brought", (int64_t) receiver->received);
            transit_source_ended (transit, now, transfer->content.size, false);
        }
    }
    if (receiver->state != RECEIVER_FAILED)
        return;
    const file_t *file = catalogue_find (self->parts.catalogue, transfer->file);
    const copy_t *copy = file_copy (file, receiver->node);
    if (copy && copy->state == COPY_STAGED)
        catalogue_gone (self->parts.catalogue, transfer->file, receiver->node);
    if (!own || !transit_live (transit) || transit->settled)
        return;
    char why [CHAIN_WHY_BYTES_MAX + 1];
    snprintf (why, sizeof why, "%s", receiver->why);
    bool all_came = receiver->has >= transfer->content.size; /* but did not match the digest */
    if (all_came && transit->feeding) {
        snprintf (transit->why, sizeof transit->why, "%s: %.170s", transit->source, why);
        transit_source_out (transit);
        transit_source_ended (transit, now, 0, true);
        chain_cancel (self->parts.chain, now, &transfer->id, NULL, why);
    } else if (!transfer->over) {
        elsewhere (transit, now, why);
    }
}

/*  Have all receivers that did not get the file gone away themselves? */
static bool gone_guests (const fetcher_t *self, const chain_transfer_t *transfer,
                         const transit_t *transit)
{
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        const chain_node_t *node = chain_node (self->parts.chain, receiver->node);
        if (receiver->state == RECEIVER_FAILED && strcmp (receiver->node, transit->node) != 0 &&
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
    char why [CHAIN_WHY_BYTES_MAX + 1];
    snprintf (why, sizeof why, "%s",
              *transfer->why  ? transfer->why
              : *transit->why ? transit->why
                              : "no receiver got the file");
    for (size_t i = 0; i < transfer->receivers_count; i++)
        verified += transfer->receivers [i].state == RECEIVER_VERIFIED;
    transit_source_ended (transit, now, verified > 0 ? transfer->content.size : 0, false);
    if (verified == transfer->receivers_count)
        transit_done (transit, now);
    else if (gone_guests (self, transfer, transit) && transit->settled)
        transit_done (transit, now);
    else
        transit_again (transit, now, why);
}
