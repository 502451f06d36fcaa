/*  repair - a decided commit that some participant can't keep is repaired or undone (T10).
 *
 *  look at what is left --> another plan in its place: the same window at the same participants;
 *           ^                   elsewhere, as the request allows; of a change, what was before it
 *           |                      |
 *           +------ not kept ------+-- kept by all --> tell the home --> over
 *           |
 *           +--> none is left to try, or time is up: release what is booked
 *                                --> tell the home --> over
 *
 *  If the decision is a release at which some participants were silent, only the last step is left,
 *  for them; the home has answered it already.
 *
 *  The decision stays "repairing" until then. Plans are limited by repair_tries_max and
 *  repair_limit; the release goes on until nobody books anything, or the window has passed. Each
 *  plan is a change of the reservation under a txid of its own, and names the one it repairs. Since
 *  each step begins with a look, a repair can begin again after a restart or a take-over.
 */
#ifndef MUSUBI_REPAIR_H
#define MUSUBI_REPAIR_H

#include "pendings.h"

/*  The repairs of one planner, by the txid of their decision. */
typedef struct {
    pendings_t *pendings; /* borrowed */
    ordered_t *open;
} repairs_t;

/*  pendings must be filled. Closing ends the repairs in progress, with their pending requests. */
void repairs_open (repairs_t *self);
void repairs_close (repairs_t *self);

/*  The coordinator's repairer; owner: repairs_t. */
coordinator_repair_fn repair_begin;

#endif
