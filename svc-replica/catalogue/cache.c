/*  cache - looks up each file of a node in the catalogue, which knows whether it may leave. */
#include "cache.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cache {
    service_t *service;
    catalogue_t *catalogue;
    chain_t *chain;
    uint64_t timer;
    stays_fn *stays; /* NULL = nobody does */
    void *stays_owner;
    cache_bookings_t bookings; /* functions NULL = nobody books anything */
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
    uint64_t left;     /* that reservations leave to the file */
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

static bool stayed_with (const cache_t *self, const moment_t *now, const char *name,
                         const char *node)
{
    const cache_bookings_t *bookings = &self->bookings;
    return (self->stays && self->stays (self->stays_owner, now, name, node)) ||
           (bookings->wants && bookings->wants (bookings->owner, now, name, node));
}

static uint64_t less (uint64_t bytes, uint64_t taken)
{
    return bytes > taken ? bytes - taken : 0;
}

/*  What reservations leave to this file, or, for NULL, to what fills their room. */
static eviction_t eviction_begin (const cache_t *self, const moment_t *now,
                                  const chain_node_t *node, const file_t *wanted)
{
    const cache_bookings_t *bookings = &self->bookings;
    bool booked = bookings->left && wanted;
    const file_t *known = wanted ? catalogue_find (self->catalogue, wanted->name) : NULL;
    bool kept = (wanted && wanted->kept) || (known && (known->kept || known->pinned));
    uint64_t unfilled =
      booked ? bookings->unfilled (bookings->owner, now, wanted->name, node->name) : 0;
    return (eviction_t){
      .room = less (chain_room (self->chain, node), unfilled),
      .most = less (node->bytes_max, unfilled),
      .left = booked ? bookings->left (bookings->owner, now, wanted->name, kept, node->name)
                     : UINT64_MAX};
}

/*  What a node has, and which of it may leave. The caller frees the victims. */
static eviction_t eviction_of (const cache_t *self, const moment_t *now, const chain_node_t *node,
                               const file_t *wanted)
{
    eviction_t eviction = eviction_begin (self, now, node, wanted);
    for (const chain_file_t *have = chain_file_after (node, NULL); have;
         have = chain_file_after (node, have->stored.file)) {
        const file_t *file = catalogue_find (self->catalogue, have->stored.file);
        uint64_t size = have->stored.content.size;
        const copy_t *copy = file_copy (file, node->name);
        bool stays = copy && stayed_with (self, now, have->stored.file, node->name);
        if (have->drop) {
            eviction.dropping += size;
        } else if (copy && may_go (file, copy) && !stays) {
            eviction.victims =
              must (reallocarray (eviction.victims, eviction.count + 1, sizeof (cache_victim_t)));
            eviction.victims [eviction.count++] =
              (cache_victim_t){.file = file, .size = size, .stale = copy->state == COPY_STALE};
            eviction.may_go += size;
        } else if (!copy || file->kept || file->pinned || stays ||
                   copy->state == COPY_QUARANTINED) {
            eviction.most = less (eviction.most, size);
        }
    }
    eviction.most = eviction.most < eviction.left ? eviction.most : eviction.left;
    return eviction;
}

static bool to_be_mended (const cache_t *self, const chain_node_t *node, const char *name)
{
    const copy_t *copy = file_copy (catalogue_find (self->catalogue, name), node->name);
    return copy && copy->state == COPY_QUARANTINED;
}

static bool usable (const cache_t *self, const chain_node_t *node, const char *name,
                    const chain_transfer_t *transfer)
{
    const file_t *file = catalogue_find (self->catalogue, name);
    return !chain_receiver_find (transfer, node->name) && !node->guest &&
           node->agent.state == AGENT_UP && *node->data &&
           (!file_copy (file, node->name) || to_be_mended (self, node, name));
}

/*  A node that has not come yet, or is silent, or, when none is up, lost: it may have room when it
 *  is back. NULL = none. */
static const chain_node_t *cache_awaited (const cache_t *self, bool any_up)
{
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *at = chain_node_at (self->chain, i);
        if (!at->guest && at->agent.state != AGENT_UP && (at->agent.state != AGENT_LOST || !any_up))
            return at;
    }
    return NULL;
}

/*  The node with the most free room, if that is enough; one with a quarantined copy goes before
 *  others, since most of the bytes are there. */
static bool roomy_node (const cache_t *self, const moment_t *now, const file_t *wanted,
                        const chain_transfer_t *transfer, char node [NAME_BYTES_MAX + 1])
{
    uint64_t size = wanted->content.size;
    uint64_t most = 0;
    bool found = false;
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *at = chain_node_at (self->chain, i);
        if (!usable (self, at, wanted->name, transfer))
            continue;
        eviction_t there = eviction_begin (self, now, at, wanted);
        uint64_t room = to_be_mended (self, at, wanted->name) ? UINT64_MAX : there.room;
        if (there.room < size || there.left < size)
            continue;
        if (found && room <= most)
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
        if (!cache_drop (self, now, eviction->victims [i].file->name, node))
            continue; /* a transfer reads it */
        coming += eviction->victims [i].size;
        service_count (self->service, "evictions", 1);
        service_count (self->service, "evicted_bytes", (int64_t) eviction->victims [i].size);
    }
    return coming >= size;
}

static uint64_t could_have (const eviction_t *eviction)
{
    uint64_t bytes = eviction->room + eviction->dropping + eviction->may_go;
    return bytes < eviction->left ? bytes : eviction->left;
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
                  "%" PRIu64 " beside what is kept and booked",
                  size, most);
    return CACHE_FULL;
}

cache_answer_t cache_room (cache_t *self, const moment_t *now, const file_t *wanted,
                           const chain_transfer_t *transfer, char node [NAME_BYTES_MAX + 1],
                           char why [WHY_BYTES])
{
    uint64_t size = wanted->content.size;
    if (roomy_node (self, now, wanted, transfer, node))
        return CACHE_READY;
    eviction_t best = {0};
    uint64_t most = 0;
    bool found = false;
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *at = chain_node_at (self->chain, i);
        if (!usable (self, at, wanted->name, transfer))
            continue;
        eviction_t eviction = eviction_of (self, now, at, wanted);
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
    const chain_node_t *away = cache_awaited (self, found);
    if (away) {
        snprintf (node, NAME_BYTES_MAX + 1, "%s", away->name);
        return CACHE_WAIT;
    }
    return cache_refuse (found, size, most, why);
}

cache_answer_t cache_room_at (cache_t *self, const moment_t *now, const file_t *wanted,
                              const char *node, char why [WHY_BYTES])
{
    const char *name = wanted->name;
    uint64_t size = wanted->content.size;
    const chain_node_t *at = chain_node (self->chain, node);
    const copy_t *copy = file_copy (catalogue_find (self->catalogue, name), node);
    if (!at || at->guest) {
        snprintf (why, WHY_BYTES, "the site has no storage node %s", node);
        return CACHE_FULL;
    }
    if (copy && copy->state == COPY_STALE)
        cache_drop (self, now, name, node);
    if (!usable (self, at, name, NULL)) {
        snprintf (why, WHY_BYTES,
                  copy ? "storage node %s is still dropping an older copy"
                       : "storage node %s is not up",
                  node);
        return CACHE_WAIT;
    }
    eviction_t eviction = eviction_of (self, now, at, wanted);
    if (eviction.room >= size && eviction.left >= size) {
        free (eviction.victims);
        return CACHE_READY;
    }
    bool coming =
      could_have (&eviction) >= size && cache_make_room (self, now, node, &eviction, size);
    free (eviction.victims);
    if (coming || eviction.most >= size) {
        snprintf (why, WHY_BYTES, "disk full: room is awaited at %s", node);
        return CACHE_WAIT;
    }
    snprintf (why, WHY_BYTES,
              "disk full: the file has %" PRIu64 " bytes, and storage node %s can't make room for "
              "more than %" PRIu64,
              size, node, eviction.most);
    return CACHE_FULL;
}

bool cache_clear (cache_t *self, const moment_t *now, const char *name, uint64_t bytes)
{
    const chain_node_t *node = chain_node (self->chain, name);
    uint64_t room = node && node->agent.state == AGENT_UP ? chain_room (self->chain, node) : 0;
    if (room >= bytes || !node || node->agent.state != AGENT_UP)
        return room >= bytes;
    eviction_t eviction = eviction_of (self, now, node, NULL);
    cache_make_room (self, now, name, &eviction, bytes);
    free (eviction.victims);
    return false;
}

cache_evicted_t cache_evict (cache_t *self, const moment_t *now, const char *name)
{
    const file_t *file = catalogue_find (self->catalogue, name);
    cache_evicted_t evicted = {0};
    for (size_t i = 0; file && i < file->copies_count; i++) {
        const copy_t *copy = &file->copies [i];
        if (copy->state == COPY_EVICTING)
            continue;
        bool goes = copy->state != COPY_STAGED && !stayed_with (self, now, name, copy->node) &&
                    cache_drop (self, now, name, copy->node);
        evicted.copies += goes;
        evicted.left += !goes;
    }
    return evicted;
}

static void on_sweep (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    cache_t *self = owner;
    for (const file_t *file = catalogue_after (self->catalogue, NULL); file;
         file = catalogue_after (self->catalogue, file->name))
        if (file->expires_ms > 0 && !file->pinned &&
            timekeeper_least (&self->service->timekeeper, now) >= file->expires_ms &&
            cache_evict (self, now, file->name).copies > 0)
            outbox_log (self->service->outbox, LEVEL_INFO, "lifetime over name=%s", file->name);
    self->timer =
      timers_set (self->service->timers, now->mono_ms + CACHE_SWEEP_MS, on_sweep, self, 0);
}

void cache_start (cache_t *self, const moment_t *now)
{
    on_sweep (self, now, 0);
}

void cache_on_stays (cache_t *self, stays_fn *stays, void *owner)
{
    self->stays = stays;
    self->stays_owner = owner;
}

void cache_on_bookings (cache_t *self, const cache_bookings_t *bookings)
{
    self->bookings = *bookings;
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
