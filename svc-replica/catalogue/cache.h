/*  cache - makes room at the site's storage nodes, by evicting copies.
 *
 *  A copy leaves only when its room is needed, the one used least recently first. Copies that are
 *  pinned, were put here (kept), or are being read by a transfer stay. The free room of a node is
 *  what it may use, less its files and what is held for transfers under way; so no transfer begins
 *  without room, and no node is ever overfull.
 *
 *  Also drops files whose lifetime is over. Pure.
 */
#ifndef MUSUBI_CACHE_H
#define MUSUBI_CACHE_H

#include "catalogue.h"
#include "chain.h"

#define CACHE_SWEEP_MS 5000 /* between two looks at lifetimes */

typedef struct cache cache_t;

/*  All borrowed for life. */
cache_t *cache_new (service_t *service, catalogue_t *catalogue, chain_t *chain);
void cache_destroy (cache_t **self_p);
void cache_start (cache_t *self, const moment_t *now);

typedef enum {
    CACHE_READY, /* *node has room */
    CACHE_WAIT,  /* *node makes room, or is not up yet: ask again later */
    CACHE_FULL,  /* no node can make so much room: why */
} cache_answer_t;

/*  Finds a node with room for so many bytes and no copy of this name, and evicts what is in the
 *  way. */
cache_answer_t cache_room (cache_t *self, const moment_t *now, const char *name, uint64_t size,
                           char node [NAME_BYTES_MAX + 1], char why [WHY_BYTES]);

/*  Begins to drop a copy; it is gone when its node says so. False while a transfer reads it. */
bool cache_drop (cache_t *self, const moment_t *now, const char *name, const char *node);

/*  Drops all copies of a file: how many go, and how many stay for now, because a transfer reads or
 *  brings them, or their node has not reported its files yet. */
typedef struct {
    uint32_t copies;
    uint32_t left;
} cache_evicted_t;
cache_evicted_t cache_evict (cache_t *self, const moment_t *now, const char *name);

#endif
