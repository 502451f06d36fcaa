/*  chain_files - what a site knows of its nodes' files, and of the room at the nodes.
 *
 *  A node reports each change once, by number. After its restart it reports all its files again;
 *  what it has not reported by then is gone.
 */
#include "chain_state.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

chain_file_t *chain_file (const chain_node_t *node, const char *name)
{
    return node ? ordered_find (node->files, name) : NULL;
}

void chain_files_unsure (chain_node_t *place)
{
    place->files_seen = 0;
    place->files_told = false;
    for (chain_file_t *file = NULL; (file = ordered_next (place->files, file));)
        file->unsure = true;
}

static void file_gone (chain_t *self, const moment_t *now, chain_node_t *place, const char *name)
{
    chain_file_t *file = ordered_remove (place->files, name);
    if (!file)
        return;
    file->stored.gone = true;
    chain_tell_node (self, now, place, &file->stored);
    free (file);
}

static void file_told (chain_t *self, const moment_t *now, chain_node_t *place,
                       const stored_file_t *stored)
{
    if (stored->gone) {
        file_gone (self, now, place, stored->file);
        return;
    }
    chain_file_t *file = ordered_find (place->files, stored->file);
    if (!file) {
        file = must (calloc (1, sizeof *file));
        memcpy (file->stored.file, stored->file, sizeof file->stored.file);
        ordered_add (place->files, file->stored.file, file);
    }
    if (stored->proved_ms > file->stored.proved_ms || stored->looked_ms > file->stored.looked_ms) {
        file->prove = false;
        file->looked_ms = file->stored.number > 0 ? now->wall_ms : 0; /* it may be old news */
    }
    if (stored->quarantined && !file->stored.quarantined)
        file->bad_ms = now->wall_ms;
    file->stored = *stored;
    file->unsure = false;
    chain_tell_node (self, now, place, stored);
}

/*  The node has reported everything it has. */
static void all_told (chain_t *self, const moment_t *now, chain_node_t *place)
{
    for (chain_file_t *file = ordered_after (place->files, NULL), *next; file; file = next) {
        next = ordered_after (place->files, file->stored.file);
        if (file->unsure)
            file_gone (self, now, place, file->stored.file);
    }
    if (place->files_told)
        return;
    place->files_told = true;
    chain_tell_node (self, now, place, NULL);
}

bool chain_files_take (chain_t *self, const moment_t *now, chain_node_t *place,
                       const storage_attend_t *asked)
{
    uint64_t seen = asked->question.seen;
    if (seen != 0 && seen != place->agent.told_number)
        return false; /* they follow what an earlier life has heard of, or are old */
    for (size_t i = 0; i < asked->files_count; i++) {
        const stored_file_t *stored = &asked->files [i];
        if (stored->number <= place->files_seen)
            continue;
        place->files_seen = stored->number;
        file_told (self, now, place, stored);
    }
    if (asked->files_count > 0)
        chain_dirty (self, now, place);
    else if (asked->question.seen > 0 && asked->question.seen == place->agent.told_number)
        all_told (self, now, place);
    return true;
}

/*  --- room --- */

uint64_t chain_bytes_files (const chain_node_t *place)
{
    uint64_t bytes = 0;
    for (const chain_file_t *file = NULL; (file = ordered_next (place->files, file));)
        bytes += file->stored.content.size;
    return bytes;
}

uint64_t chain_bytes_held (const chain_t *self, const chain_node_t *place)
{
    uint64_t bytes = 0;
    for (const chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));) {
        const chain_receiver_t *receiver =
          transfer->over ? NULL : chain_receiver_find (transfer, place->name);
        if (receiver && receiver->state < RECEIVER_VERIFIED && transfer->size_known)
            bytes += transfer->content.size;
    }
    for (size_t i = 0; i < place->arrivals_count; i++)
        bytes += place->arrivals [i].done ? 0 : place->arrivals [i].room;
    return bytes;
}

uint64_t chain_room (const chain_t *self, const chain_node_t *node)
{
    uint64_t used = chain_bytes_files (node) + chain_bytes_held (self, node);
    return used < node->bytes_max ? node->bytes_max - used : 0;
}

/*  Of a node that has not come yet nothing is known; it will say itself when it has no room. */
bool chain_has_room (const chain_t *self, const chain_node_t *place, uint64_t bytes)
{
    return place->agent.state == AGENT_AWAITED || bytes <= chain_room (self, place);
}

uint32_t chain_feeds (const chain_t *self, const chain_node_t *node)
{
    uint32_t feeds = 0;
    for (const chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));)
        for (size_t i = 0; !transfer->over && i < transfer->sources_count; i++)
            feeds += strcmp (transfer->sources [i].node, node->name) == 0;
    return feeds;
}

/*  --- what owners ask --- */

chain_file_t *chain_file_after (const chain_node_t *node, const char *after)
{
    return ordered_after (node->files, after);
}

static bool feeds_it (const chain_t *self, const moment_t *now, const chain_node_t *place,
                      const char *file)
{
    wanted_transfer_t wanted;
    for (const chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));)
        if (strcmp (transfer->file, file) == 0 &&
            chain_plan_for (self, now, transfer, place, &wanted))
            return true;
    return false;
}

bool chain_drop (chain_t *self, const moment_t *now, const char *node, const char *name)
{
    chain_node_t *place = chain_node (self, node);
    chain_file_t *file = chain_file (place, name);
    if (!file || feeds_it (self, now, place, name))
        return false;
    file->drop = true;
    chain_dirty (self, now, place);
    return true;
}

bool chain_prove (chain_t *self, const moment_t *now, const char *node, const char *name,
                  uint32_t mbps)
{
    chain_node_t *place = chain_node (self, node);
    chain_file_t *file = chain_file (place, name);
    if (!file)
        return false;
    file->prove = true;
    file->mbps = mbps;
    chain_dirty (self, now, place);
    return true;
}
