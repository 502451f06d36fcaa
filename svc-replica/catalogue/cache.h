/*  cache - makes room at the site's storage nodes, by evicting copies.
 *
 *  A copy leaves only when its room is needed, the one used least recently first. Copies that are
 *  pinned, were put here (kept), are being read by a transfer, or are stayed with, stay. The free
 *  room of a node is what it may use, less its files and what is held for transfers under way; so
 *  no transfer begins without room, and no node is ever overfull.
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

/*  Finds a node with room for the file, which has its size and, if it is to stay for good, kept;
 *  that has no copy of it, or a quarantined one, and does not receive this transfer (NULL = none).
 *  Evicts what is in the way. */
cache_answer_t cache_room (cache_t *self, const moment_t *now, const file_t *wanted,
                           const chain_transfer_t *transfer, char node [NAME_BYTES_MAX + 1],
                           char why [WHY_BYTES]);

/*  The same for this node alone, which is to have the file; why also says what is awaited. */
cache_answer_t cache_room_at (cache_t *self, const moment_t *now, const file_t *wanted,
                              const char *node, char why [WHY_BYTES]);

/*  Is this copy wanted where it is, by somebody who stays with it? Then it is not evicted. */
typedef bool stays_fn (void *owner, const moment_t *now, const char *name, const char *node);
void cache_on_stays (cache_t *self, stays_fn *stays, void *owner);

/*  What reservations have booked of the disks. */
typedef struct {
    void *owner;
    stays_fn *wants; /* a booking uses the copy, or will */

    /*  Most bytes that a file may take at a node, for good or until it is evicted. */
    uint64_t (*left) (void *owner, const moment_t *now, const char *name, bool kept,
                      const char *node);

    /*  Bytes of the node's free room that bookings under way for other files have not used yet. */
    uint64_t (*unfilled) (void *owner, const moment_t *now, const char *name, const char *node);
} cache_bookings_t;
void cache_on_bookings (cache_t *self, const cache_bookings_t *bookings);

/*  Are so many bytes free at a node? If not, copies are evicted for it: ask again later. */
bool cache_clear (cache_t *self, const moment_t *now, const char *node, uint64_t bytes);

/*  Begins to drop a copy; it is gone when its node says so. False while a transfer reads it. */
bool cache_drop (cache_t *self, const moment_t *now, const char *name, const char *node);

/*  Drops all copies of a file: how many go, and how many stay for now, because a transfer reads or
 *  brings them, somebody stays with them, or their node has not reported its files yet. */
typedef struct {
    uint32_t copies;
    uint32_t left;
} cache_evicted_t;
cache_evicted_t cache_evict (cache_t *self, const moment_t *now, const char *name);

#endif
