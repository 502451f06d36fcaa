/*  pool - a folder of stores for processes of which any number may run (T8).
 *
 *  A process takes over the first store that nobody serves, with whatever its dead owner left to
 *  settle, and makes a new one only when all are served. One that somebody has open without
 *  serving it (a finisher, who settles it and ends) is waited for: else the pool would grow.
 */
#ifndef MUSUBI_POOL_H
#define MUSUBI_POOL_H

#include "store.h"

#define POOL_STORES_MAX 4096
#define POOL_WAIT_MS    15000 /* for who settles a store, before a new one is made */

/*  As store_open. Several processes may call it at the same time. A damaged store is passed over
 *  with an alarm in the log, so that it does not keep the whole pool from starting. */
store_answer_t pool_claim (store_t **store_p, const char *pool, uint64_t map_bytes,
                           const uint8_t entropy [STORE_ID_BYTES], int64_t wall_ms,
                           char why [WHY_BYTES]);

#endif
