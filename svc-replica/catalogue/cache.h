/*  cache - room at the site's storage nodes, and what has to leave to make it.
 *
 *  What was staged stays, and leaves only for something else: the copy used least recently first,
 *  never one that is pinned, that was put here (kept), or that a transfer reads just now. Room is
 *  what a node may use less its files and what is held for transfers under way, so nothing is ever
 *  begun that has no room: the limit is kept whatever happens at once.
 *
 *  Also drops what its lifetime has ended. Pure.
 */
#ifndef MUSUBI_CACHE_H
#define MUSUBI_CACHE_H

#include "catalogue.h"
#include "chain.h"

#define CACHE_SWEEP_MS 5000 /* lifetimes are looked at so often */

typedef struct cache cache_t;

/*  All borrowed for life. */
cache_t *cache_new (service_t *service, catalogue_t *catalogue, chain_t *chain);
void cache_destroy (cache_t **self_p);
void cache_start (cache_t *self, const moment_t *now);

typedef enum {
    CACHE_READY, /* *node has room */
    CACHE_WAIT, /* room is being made, or a node is not up: ask again when a file is gone, or a node
                   has come; *node says what is waited for */
    CACHE_FULL, /* no node can have so much: why */
} cache_answer_t;

/*  A node with room for so many bytes, which has no copy of this name yet. Evicts what is needed.
 */
cache_answer_t cache_room (cache_t *self, const moment_t *now, const char *name, uint64_t size,
                           char node [NAME_BYTES_MAX + 1], char why [WHY_BYTES]);

/*  Let a copy go; it is gone when its node says so. False while a transfer reads it. */
bool cache_drop (cache_t *self, const moment_t *now, const char *name, const char *node);

/*  How many copies of a file go, and how many stay for now: a transfer reads or brings them, or
 *  their node has not told yet what it has. */
typedef struct {
    uint32_t copies;
    uint32_t left;
} cache_evicted_t;
cache_evicted_t cache_evict (cache_t *self, const moment_t *now, const char *name);

#endif
