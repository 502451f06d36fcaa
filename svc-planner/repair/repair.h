/*  repair - a decided commit that some participant can't keep (T10): put right, or undone.
 *
 *      look at what is left --> another plan in its place: the same window at those who were in it;
 *           ^                   elsewhere, as the request allows; of a change, what was before it
 *           |                      |
 *           +------ not kept ------+-- kept by all --> tell the home --> over
 *           |
 *           +--> none is left to try, or time is up: release what is booked
 *                                --> tell the home --> over
 *
 *  Of a release that some were silent at, only the last step is left, at them; the home has told
 *  it.
 *
 *  The decision stays "repairing" until then. Bounded by repair_tries_max and repair_limit; only
 *  the release goes on until nobody books anything, or the window has passed. Each plan is a change
 *  of the reservation under a txid of its own that names the one it repairs. Looking makes it
 *  repeatable: after a restart, or in the hands of one that has taken over, it begins again from
 *  what is there.
 */
#ifndef MUSUBI_REPAIR_H
#define MUSUBI_REPAIR_H

#include "pendings.h"

/*  The repairs of one planner, by the txid of their decision. */
typedef struct {
    pendings_t *pendings; /* borrowed */
    ordered_t *open;
} repairs_t;

/*  pendings is filled. Closing ends those under way, with their pendings. */
void repairs_open (repairs_t *self);
void repairs_close (repairs_t *self);

/*  The coordinator's repairer; owner: repairs_t. */
coordinator_repair_fn repair_begin;

#endif
