/*  selector - from which site a file is fetched: the one whose cost is least, among those that may
 *  be asked now.
 *
 *      rtt          the paper's: round trip time
 *      throughput   how long it will take: what was measured of that site towards here, shared with
 *                   the transfers that it feeds at present, and the round trip
 *
 *  A site not measured yet counts as SELECTOR_ASSUMED_BYTES a second, so that it is tried. One that
 *  failed is left out for a while, which doubles with each failure in a row. Two that cost the
 *  same: by name. Pure.
 */
#ifndef MUSUBI_SELECTOR_H
#define MUSUBI_SELECTOR_H

#include "core.h"

#define SELECTOR_ASSUMED_BYTES  12500000 /* a second: 100 Mbit/s */
#define SELECTOR_BACKOFF_MS     500      /* after the first failure */
#define SELECTOR_BACKOFF_MS_MAX 60000
#define SELECTOR_BUSY_MS        500
#define SELECTOR_LEARN_BYTES    65536 /* less says nothing of throughput */

typedef enum { SELECT_RTT, SELECT_THROUGHPUT } selector_cost_t;

typedef struct selector selector_t;

/*  pair_max: transfers from one site to here at once. */
selector_t *selector_new (selector_cost_t cost, uint32_t pair_max);
void selector_destroy (selector_t **self_p);

/*  A question to that site was answered after so long. */
void selector_heard (selector_t *self, const char *site, int64_t rtt_us);

/*  So many transfers it feeds now, ours too, as it says. */
void selector_load (selector_t *self, const char *site, uint32_t sending);

/*  It is asked to feed a transfer; it has answered, or nobody waits for that any more. Meanwhile it
 *  counts as one. */
void selector_asks (selector_t *self, const char *site);
void selector_asked (selector_t *self, const char *site);

/*  A transfer from there has begun; it has ended after so long with so many bytes. */
void selector_begun (selector_t *self, const char *site);
void selector_ended (selector_t *self, const char *site, uint64_t bytes, int64_t ms);

/*  It has as much to do as it may have. Asked again soon, and not blamed. */
void selector_busy (selector_t *self, int64_t mono_ms, const char *site);

/*  As many transfers come from there as may? */
bool selector_full (const selector_t *self, const char *site);

/*  It refused, fell silent, or sent what it should not have. The next success forgives it. */
void selector_failed (selector_t *self, int64_t mono_ms, const char *site);

/*  The index of the best of these sites; count when none may be asked now: then *again_ms says when
 *  one may be, INT64_MAX = when a transfer from one of them ends. */
size_t selector_choose (const selector_t *self, int64_t mono_ms, const char *const *sites,
                        size_t count, uint64_t size, int64_t *again_ms);

#endif
