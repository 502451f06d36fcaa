/*  routes - paths for the network needs of a request at one start, each beside the others.
 *
 *  The packing places compute needs. As soon as both ends of a network need are placed it opens the
 *  need here and asks for one path after the other, lightest first, until the rest of the request
 *  can be had with it. Needs are opened and closed like a stack. What an earlier path takes of a
 *  link is not there for a later path that carries at the same time.
 *
 *  A path is changed only where that can help. A need that lacks links because of earlier paths
 *  notes this at those paths. A need at whose path nothing was noted gives up at once: the rest
 *  failed for other reasons, and its further paths are no lighter (conflict-directed backjumping).
 *  So the alternatives of independent needs are not multiplied with each other.
 */
#ifndef MUSUBI_ROUTES_H
#define MUSUBI_ROUTES_H

#include "search_order.h"

typedef struct routes routes_t;

/*  Borrows the snapshot for life; copies what it needs of the order. */
routes_t *routes_new (const snapshot_t *snapshot, const search_order_t *order);
void routes_destroy (routes_t **self_p);

/*  Begins anew at this start, with no need open. */
void routes_start (routes_t *self, int64_t start_ms);

/*  The next start after this one at which some link has more room for some need or begins to be
 *  usable; INT64_MAX when there is none. Ask with ascending times. */
int64_t routes_next_start (routes_t *self, int64_t after_ms, uint64_t *steps);

/*  A quick test of whether this compute need could be at this option: has the site links enough for
 *  all of its connections, and can each of them reach some place of its other end? */
bool routes_serves (routes_t *self, size_t compute_need, size_t option, uint64_t *steps);

/*  A lower bound of what the need's path weighs, wherever its ends are. */
int64_t routes_least (const routes_t *self, size_t need);

/*  Opens a need whose ends are placed, at these options of its two compute needs. */
void routes_open (routes_t *self, size_t need, const size_t options [2]);

/*  Gives it its first path, or another one, that weighs less than bound. False when there is none
 *  or none that could help: close it then. */
bool routes_next (routes_t *self, size_t need, int64_t bound, uint64_t *steps);
int64_t routes_weight (const routes_t *self, size_t need);
void routes_close (routes_t *self, size_t need);

/*  Did a search for a path run out of steps at this start? Then "no plan" is not proven. */
bool routes_unproven (const routes_t *self);

/*  Keeps the paths of all needs as they are now; the paths kept last, by network need. */
void routes_keep (routes_t *self);
const path_t *routes_kept (const routes_t *self);

/*  --- the shape of the request --- */

/*  The compute needs that network needs join to this one, as bits. */
uint64_t routes_joined (const routes_t *self, size_t compute_need);

/*  Would the network needs stay the same if these two compute needs changed places? */
bool routes_alike (const routes_t *self, size_t a, size_t b);

#endif
