/*  negotiator_start - what nobody asks for: transfers that the start before has left are taken up,
 *  and what was lost is brought again.
 */
#include "negotiator_state.h"

#include <stdio.h>
#include <string.h>

/*  One of before: what it is, is in its order; where its bytes come from is looked for again when
 *  the chain has no source left. */
static void take_up (negotiator_t *self, const moment_t *now, const chain_transfer_t *from)
{
    if (from->owner < 1 || from->owner > TRANSIT_SERVE + 1)
        return;
    transit_t *transit = transit_new (self, now, (transit_kind_t) (from->owner - 1), from->file);
    transit->file.size = from->size;
    transit->file.digest_known = from->digest != NULL;
    if (from->digest)
        memcpy (transit->file.digest, from->digest, FILE_DIGEST_BYTES);
    transit->begun = true;
    transit->id = from->id;
    transit->state = TRANSIT_RUNNING;
    ordered_add (self->by_id, transit->id.bytes, transit);
    const file_t *file = catalogue_find (self->parts.catalogue, from->file);
    chain_receiver_t receiver;
    for (size_t i = 0; chain_receiver (self->parts.chain, &from->id, i, &receiver); i++) {
        const copy_t *copy = file ? file_copy (file, receiver.node) : NULL;
        if (!copy)
            continue;
        snprintf (transit->node, sizeof transit->node, "%s", receiver.node);
        transit->settled = receiver.state == RECEIVER_VERIFIED;
    }
    transit->settled = transit->settled || !*transit->node;
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

/*  Copies of a file that nothing brings any more. */
static void staged_end (const negotiator_t *self, const file_t *file, const char *name)
{
    char nodes [COPIES_MAX][NAME_BYTES_MAX + 1];
    size_t count = 0;
    for (size_t i = 0; i < file->copies_count; i++)
        if (file->copies [i].state == COPY_STAGED &&
            !negotiator_brings (self, name, file->copies [i].node))
            memcpy (nodes [count++], file->copies [i].node, sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        catalogue_gone (self->parts.catalogue, name, nodes [i]);
}

void negotiator_start (negotiator_t *self, const moment_t *now)
{
    chain_transfer_t transfer;
    bool more = chain_transfer_after (self->parts.chain, NULL, &transfer);
    while (more) {
        chain_id_t id = transfer.id;
        if (!transfer.loan && transfer.over)
            chain_forget (self->parts.chain, now, &id);
        else if (!transfer.loan)
            take_up (self, now, &transfer);
        more = chain_transfer_after (self->parts.chain, &id, &transfer);
    }
    char name [FILE_NAME_BYTES_MAX + 1];
    for (const file_t *file = catalogue_after (self->parts.catalogue, NULL); file;
         file = catalogue_after (self->parts.catalogue, name)) {
        memcpy (name, file->name, sizeof name);
        staged_end (self, file, name);
    }
}

/*  With all that its owner has said of it. */
static void bring_again (negotiator_t *self, const moment_t *now, const file_t *file)
{
    transit_t *transit = transit_new (self, now, TRANSIT_FETCH, file->name);
    transit->file = *file;
    transit->file.copies = NULL;
    transit->file.copies_count = 0;
    service_count (self->parts.service, "files_lost", 1);
    outbox_log (self->parts.service->outbox, LEVEL_WARNING, "file lost name=%s rule=%u pinned=%d",
                file->name, (unsigned) file->rule.copies, file->pinned);
    transit_look (transit, now);
}

void negotiator_lost (negotiator_t *self, const moment_t *now, const char *name, const char *node)
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    const copy_t *copy = file ? file_copy (file, node) : NULL;
    if (copy && copy->state != COPY_EVICTING && copy->state != COPY_STAGED &&
        file->copies_count == 1 && file->digest_known && (file->rule.copies > 0 || file->pinned))
        bring_again (self, now, file);
    catalogue_gone (self->parts.catalogue, name, node);
}
