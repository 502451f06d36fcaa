/*  cache - looks up each file of a node in the catalogue, which knows whether it may leave. */
#include "cache.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cache {
    service_t *service;
    catalogue_t *catalogue;
    chain_t *chain;
    uint64_t timer;
};

typedef struct {
    const file_t *file;
    uint64_t size;
    bool stale;
} cache_victim_t;

typedef struct {
    uint64_t room;     /* now */
    uint64_t dropping; /* being dropped already */
    uint64_t may_go;   /* of all victims together */
    uint64_t most;     /* that could ever be free: all but what must stay */
    cache_victim_t *victims;
    size_t count;
} eviction_t;

/*  Stale ones first, then by last use, then by name. */
static int victim_compare (const void *left, const void *right)
{
    const cache_victim_t *a = left;
    const cache_victim_t *b = right;
    if (a->stale != b->stale)
        return a->stale ? -1 : 1;
    if (a->file->used_ms != b->file->used_ms)
        return a->file->used_ms < b->file->used_ms ? -1 : 1;
    return strcmp (a->file->name, b->file->name);
}

static bool may_go (const file_t *file, const copy_t *copy)
{
    if (copy->state == COPY_STALE)
        return true;
    return copy->state == COPY_SOUND && !file->kept && !file->pinned;
}

/*  What a node has, and which of it may leave. The caller frees the victims. */
static eviction_t eviction_of (const cache_t *self, const chain_node_t *node)
{
    eviction_t eviction = {.room = chain_room (self->chain, node), .most = node->bytes_max};
    for (const chain_file_t *have = chain_file_after (node, NULL); have;
         have = chain_file_after (node, have->stored.file)) {
        const file_t *file = catalogue_find (self->catalogue, have->stored.file);
        uint64_t size = have->stored.content.size;
        const copy_t *copy = file_copy (file, node->name);
        if (have->drop) {
            eviction.dropping += size;
        } else if (copy && may_go (file, copy)) {
            eviction.victims =
              must (reallocarray (eviction.victims, eviction.count + 1, sizeof (cache_victim_t)));
            eviction.victims [eviction.count++] =
              (cache_victim_t){.file = file, .size = size, .stale = copy->state == COPY_STALE};
            eviction.may_go += size;
        } else if (!copy || file->kept || file->pinned) {
            eviction.most -= size < eviction.most ? size : eviction.most;
        }
    }
    return eviction;
}

static bool usable (const cache_t *self, const chain_node_t *node, const char *name)
{
    const file_t *file = catalogue_find (self->catalogue, name);
    return !node->guest && node->agent.state == AGENT_UP && *node->data &&
           !(file && file_copy (file, node->name));
}

/*  Has a node not come yet, or is it silent? It may have room when it is back. */
static bool cache_awaited (const cache_t *self)
{
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *at = chain_node_at (self->chain, i);
        if (!at->guest && (at->agent.state == AGENT_AWAITED || at->agent.state == AGENT_SILENT))
            return true;
    }
    return false;
}

/*  The node with the most free room, if that is enough. */
static bool roomy_node (const cache_t *self, const char *name, uint64_t size,
                        char node [NAME_BYTES_MAX + 1])
{
    uint64_t most = 0;
    bool found = false;
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *at = chain_node_at (self->chain, i);
        uint64_t room = chain_room (self->chain, at);
        if (!usable (self, at, name) || room < size || (found && room <= most))
            continue;
        found = true;
        most = room;
        snprintf (node, NAME_BYTES_MAX + 1, "%s", at->name);
    }
    return found;
}

bool cache_drop (cache_t *self, const moment_t *now, const char *name, const char *node)
{
    if (!chain_drop (self->chain, now, node, name))
        return false;
    catalogue_move (self->catalogue, name, node, COPY_EVICTING);
    return true;
}

/*  Drops the copies used least recently until there will be room. */
static bool cache_make_room (cache_t *self, const moment_t *now, const char *node,
                             eviction_t *eviction, uint64_t size)
{
    if (eviction->count > 0)
        qsort (eviction->victims, eviction->count, sizeof *eviction->victims, victim_compare);
    uint64_t coming = eviction->room + eviction->dropping;
    for (size_t i = 0; i < eviction->count && coming < size; i++) {
        char name [FILE_NAME_BYTES_MAX + 1];
        memcpy (name, eviction->victims [i].file->name, sizeof name);
        if (!cache_drop (self, now, name, node))
            continue; /* a transfer reads it */
        coming += eviction->victims [i].size;
        service_count (self->service, "evictions", 1);
        service_count (self->service, "evicted_bytes", (int64_t) eviction->victims [i].size);
    }
    return coming >= size;
}

static uint64_t could_have (const eviction_t *eviction)
{
    return eviction->room + eviction->dropping + eviction->may_go;
}

static cache_answer_t cache_refuse (bool up, uint64_t size, uint64_t most, char why [WHY_BYTES])
{
    if (!up)
        snprintf (why, WHY_BYTES,
                  "none of the site's storage nodes that are up is without a copy of the file");
    else
        snprintf (why, WHY_BYTES,
                  "disk full: the file has %" PRIu64
                  " bytes, and no storage node can make room for more than "
                  "%" PRIu64,
                  size, most);
    return CACHE_FULL;
}

cache_answer_t cache_room (cache_t *self, const moment_t *now, const char *name, uint64_t size,
                           char node [NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    if (roomy_node (self, name, size, node))
        return CACHE_READY;
    eviction_t best = {0};
    uint64_t most = 0;
    bool found = false;
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *at = chain_node_at (self->chain, i);
        if (!usable (self, at, name))
            continue;
        eviction_t eviction = eviction_of (self, at);
        most = eviction.most > most ? eviction.most : most;
        if (found && could_have (&eviction) <= could_have (&best)) {
            free (eviction.victims);
            continue;
        }
        free (best.victims);
        best = eviction;
        found = true;
        snprintf (node, NAME_BYTES_MAX + 1, "%s", at->name);
    }
    bool coming =
      found && could_have (&best) >= size && cache_make_room (self, now, node, &best, size);
    free (best.victims);
    if (coming || (found && most >= size))
        return CACHE_WAIT; /* files of transfers under way may leave when these are done */
    if (cache_awaited (self)) {
        snprintf (node, NAME_BYTES_MAX + 1, "storage nodes that are not up yet");
        return CACHE_WAIT;
    }
    return cache_refuse (found, size, most, why);
}

cache_evicted_t cache_evict (cache_t *self, const moment_t *now, const char *name)
{
    const file_t *file = catalogue_find (self->catalogue, name);
    char nodes [COPIES_MAX][NAME_BYTES_MAX + 1];
    size_t count = 0;
    cache_evicted_t evicted = {0};
    for (size_t i = 0; file && i < file->copies_count; i++) {
        const copy_t *copy = &file->copies [i];
        evicted.left += copy->state != COPY_EVICTING;
        if (copy->state == COPY_SOUND || copy->state == COPY_STALE)
            memcpy (nodes [count++], copy->node, sizeof *nodes);
    }
    for (size_t i = 0; i < count; i++)
        evicted.copies += cache_drop (self, now, name, nodes [i]);
    evicted.left -= evicted.copies;
    return evicted;
}

static void on_sweep (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    cache_t *self = owner;
    char name [FILE_NAME_BYTES_MAX + 1];
    for (const file_t *file = catalogue_after (self->catalogue, NULL); file;
         file = catalogue_after (self->catalogue, name)) {
        memcpy (name, file->name, sizeof name);
        if (file->expires_ms == 0 || file->pinned ||
            timekeeper_least (&self->service->timekeeper, now) < file->expires_ms)
            continue;
        if (cache_evict (self, now, name).copies > 0)
            outbox_log (self->service->outbox, LEVEL_INFO, "lifetime over name=%s", name);
    }
    self->timer =
      timers_set (self->service->timers, now->mono_ms + CACHE_SWEEP_MS, on_sweep, self, 0);
}

void cache_start (cache_t *self, const moment_t *now)
{
    on_sweep (self, now, 0);
}

cache_t *cache_new (service_t *service, catalogue_t *catalogue, chain_t *chain)
{
    cache_t *self = must (calloc (1, sizeof *self));
    *self = (cache_t){.service = service, .catalogue = catalogue, .chain = chain};
    return self;
}

void cache_destroy (cache_t **self_p)
{
    cache_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->service->timers, self->timer);
    free (self);
    *self_p = NULL;
}
