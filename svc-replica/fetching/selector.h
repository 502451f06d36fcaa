/*  selector - picks the site from which a file is fetched: the cheapest of those that may be asked
 *  now.
 *
 *      rtt          the round trip time, as in the paper
 *      throughput   how long the file would take: by the throughput measured from that site,
 *                   divided by the transfers that it feeds now, and the round trip
 *
 *  A site that was not measured yet counts as SELECTOR_ASSUMED_BYTES a second, so that it is tried.
 *  A site that failed is left out for a while, which doubles with each failure in a row. Of two
 *  that cost the same the first by name is taken. Pure.
 */
#ifndef MUSUBI_SELECTOR_H
#define MUSUBI_SELECTOR_H

#include "core.h"

#define SELECTOR_ASSUMED_BYTES  12500000 /* a second: 100 Mbit/s */
#define SELECTOR_BACKOFF_MS     500      /* after the first failure */
#define SELECTOR_BACKOFF_MS_MAX 60000
#define SELECTOR_BUSY_MS        500
#define SELECTOR_LEARN_BYTES    65536 /* fewer bytes say nothing about throughput */

typedef enum { SELECT_RTT, SELECT_THROUGHPUT } selector_cost_t;

typedef struct selector selector_t;

/*  pair_max: most transfers from one site to here at once. */
selector_t *selector_new (selector_cost_t cost, uint32_t pair_max);
void selector_destroy (selector_t **self_p);

/*  That site has answered a question after so long. */
void selector_heard (selector_t *self, const char *site, int64_t rtt_us);

/*  It says how many transfers it feeds now, those to here among them. */
void selector_load (selector_t *self, const char *site, uint32_t sending);

/*  It is asked to feed a transfer (asks); it has answered, or nobody waits for that any more
 *  (asked). Between the two the transfer counts as one from there. */
void selector_asks (selector_t *self, const char *site);
void selector_asked (selector_t *self, const char *site);

/*  A transfer from there has begun, or has ended after so long with so many bytes. */
void selector_begun (selector_t *self, const char *site);
void selector_ended (selector_t *self, const char *site, uint64_t bytes, int64_t ms);

/*  It is busy. It is asked again soon, and this is not counted as a failure. */
void selector_busy (selector_t *self, int64_t mono_ms, const char *site);

/*  Do as many transfers come from there as pair_max allows? */
bool selector_full (const selector_t *self, const char *site);

/*  It refused, did not answer, or sent wrong bytes. The next success ends its failures in a row. */
void selector_failed (selector_t *self, int64_t mono_ms, const char *site);

/*  Bytes a second that one more transfer from there would get; 0 = not measured yet. */
uint64_t selector_rate (const selector_t *self, const char *site);

/*  The index of the best of these sites; count when none may be asked now. Then *again_ms says when
 *  one may be, INT64_MAX = when a transfer from one of them ends. */
size_t selector_choose (const selector_t *self, int64_t mono_ms, const char *const *sites,
                        size_t count, uint64_t size, int64_t *again_ms);

#endif
