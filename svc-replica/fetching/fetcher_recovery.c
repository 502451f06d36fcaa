/*  fetcher_recovery - what happens without a request: takes up transfers of the start before,
 *  fetches files again that were lost, and compares what nodes report with the catalogue.
 */
#include "fetcher_state.h"

#include <stdio.h>
#include <string.h>

/*  Takes up a transfer of the start before. A fetch that has no source left in its chain looks for
 *  one. */
static void take_up (fetcher_t *self, const moment_t *now, const chain_transfer_t *from)
{
    if (from->owner < 1 || from->owner > TRANSIT_SERVE + 1)
        return;
    transit_t *transit = transit_new (self, now, (transit_kind_t) (from->owner - 1), from->file);
    transit->file.content = from->content;
    transit_begun (transit, &from->id);
    STATE_MOVE (&transit_states, transit->state, TRANSIT_RUNNING);
    const file_t *file = catalogue_find (self->parts.catalogue, from->file);
    for (size_t i = 0; file && i < from->receivers_count; i++) {
        const chain_receiver_t *receiver = &from->receivers [i];
        if (!file_copy (file, receiver->node))
            continue;
        transit->nodes++;
        transit->settled = transit->settled || receiver->state == RECEIVER_VERIFIED;
    }
    transit->settled = transit->settled || transit->nodes == 0 || transit->kind == TRANSIT_SERVE;
    for (size_t i = 0; i < from->sources_count; i++)
        if (!from->sources [i].failed && !from->sources [i].wrong)
            sscanf (from->sources [i].name, "replica/%63[^/]", transit->source);
    if (from->sources_count == 0 && transit->kind == TRANSIT_FETCH)
        transit_look (transit, now);
    else
        transit_watch (transit, now);
    if (file) {
        transit->file.created_ms = file->created_ms;
        transit->file.kept = file->kept;
        snprintf (transit->file.owner, sizeof transit->file.owner, "%s", file->owner);
    }
}

/*  Drops staged copies that no transfer brings any more. */
static void staged_end (const fetcher_t *self, const file_t *file, const char *name)
{
    for (size_t i = file->copies_count; i-- > 0;) /* the last takes the place of one that goes */
        if (file->copies [i].state == COPY_STAGED &&
            !transit_under_way (self, TRANSITS_ALL, name, file->copies [i].node))
            catalogue_gone (self->parts.catalogue, name, file->copies [i].node);
}

void fetcher_start (fetcher_t *self, const moment_t *now)
{
    for (const chain_transfer_t *transfer = chain_next (self->parts.chain, NULL), *next; transfer;
         transfer = next) {
        next = chain_next (self->parts.chain, transfer);
        if (!transfer->loan && transfer->over)
            chain_forget (self->parts.chain, now, &transfer->id);
        else if (!transfer->loan)
            take_up (self, now, transfer);
    }
    char name [FILE_NAME_BYTES_MAX + 1];
    for (const file_t *file = catalogue_after (self->parts.catalogue, NULL); file;
         file = catalogue_after (self->parts.catalogue, name)) {
        memcpy (name, file->name, sizeof name);
        staged_end (self, file, name);
    }
}

transit_t *transit_for (fetcher_t *self, const moment_t *now, transit_kind_t kind,
                        const file_t *file)
{
    transit_t *transit = transit_new (self, now, kind, file->name);
    transit->file = *file;
    transit->file.copies = NULL;
    transit->file.copies_count = 0;
    transit->settled = kind == TRANSIT_SERVE;
    return transit;
}

/*  Fetches a lost file again, and keeps what its owner wants of it. */
static void bring_again (fetcher_t *self, const moment_t *now, const file_t *file)
{
    transit_t *transit = transit_for (self, now, TRANSIT_FETCH, file);
    service_count (self->parts.service, "files_lost", 1);
    outbox_log (self->parts.service->outbox, LEVEL_WARNING, "file lost name=%s rule=%u pinned=%d",
                file->name, (unsigned) file->rule.copies, file->pinned);
    transit_look (transit, now);
}

void fetcher_lost (fetcher_t *self, const moment_t *now, const char *name, const char *node)
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    const copy_t *copy = file_copy (file, node);
    if (copy && copy->state != COPY_EVICTING && copy->state != COPY_STAGED &&
        file->copies_count == 1 && file->content.digest_known &&
        (file->rule.copies > 0 || file->rule.nodes > 0 || file->pinned))
        bring_again (self, now, file);
    catalogue_gone (self->parts.catalogue, name, node);
}

/*  --- what nodes have --- */

void fetcher_file (void *owner, const moment_t *now, const chain_node_t *node,
                   const stored_file_t *have)
{
    fetcher_t *self = owner;
    if (node->guest)
        return;
    const file_t *file = catalogue_find (self->parts.catalogue, have->file);
    const copy_t *copy = file_copy (file, node->name);
    if (have->gone) {
        fetcher_lost (self, now, have->file, node->name);
        fetcher_room (self, now);
        return;
    }
    if (copy && copy->state == COPY_EVICTING) {
        chain_drop (self->parts.chain, now, node->name, have->file);
        return;
    }
    char why [WHY_BYTES];
    if (!have->content.digest_known || !file_name_check (have->file, why))
        return;
    /* A file that the catalogue does not know is kept: this may be its only copy. */
    file_t proved = {.content = have->content,
                     .kept = !file,
                     .created_ms = have->proved_ms,
                     .used_ms = have->used_ms};
    memcpy (proved.name, have->file, strlen (have->file) + 1); /* it was checked to be a name */
    catalogue_answer_t answer =
      have->quarantined
        ? catalogue_quarantine (self->parts.catalogue, &proved, node->name, &have->damage)
        : catalogue_prove (self->parts.catalogue, &proved, node->name, have->proved_ms);
    if (file_copies (catalogue_find (self->parts.catalogue, have->file), COPY_QUARANTINED) > 0)
        mend_hurry (self, now);
    if (answer == CATALOGUE_OTHER)
        cache_drop (self->parts.cache, now, have->file, node->name);
}

/*  The node has reported all its files. A copy that the catalogue has there and the node has not is
 *  gone. */
static void copies_compare (fetcher_t *self, const moment_t *now, const chain_node_t *node)
{
    char name [FILE_NAME_BYTES_MAX + 1];
    for (const file_t *file = catalogue_after (self->parts.catalogue, NULL); file;
         file = catalogue_after (self->parts.catalogue, name)) {
        memcpy (name, file->name, sizeof name);
        const copy_t *copy = file_copy (file, node->name);
        if (copy && copy->state != COPY_STAGED && !chain_file (node, name))
            fetcher_lost (self, now, name, node->name);
    }
}

void fetcher_node (void *owner, const moment_t *now, const chain_node_t *node)
{
    fetcher_t *self = owner;
    if (node->agent.state != AGENT_UP || node->guest)
        return;
    if (node->files_told)
        copies_compare (self, now, node);
    fetcher_room (self, now);
}
