/*  routes - paths for the network needs of a request at one start, each beside the others.
 *
 *  The packing places compute needs; whenever both ends of a network need are placed it opens the
 *  need here and asks for one path after the other, lightest first, until the rest goes with it.
 *  Needs are opened and closed like a stack. What an earlier path takes of a link for a time is not
 *  there for a later one that overlaps.
 *
 *  A path is changed only where that can help. A need that could have more links but for the paths
 *  of earlier needs says so to these; one that nobody has told gives up at once, since the rest
 *  failed for other reasons and no path of a need weighs less than those before it
 *  (conflict-directed backjumping). So independent needs don't multiply.
 */
#ifndef MUSUBI_ROUTES_H
#define MUSUBI_ROUTES_H

#include "search_order.h"

typedef struct wiring routes_t;

/*  Borrows the snapshot for life; of the order it keeps what it needs. */
routes_t *routes_new (const snapshot_t *snapshot, const search_order_t *order);
void routes_destroy (routes_t **self_p);

/*  Begin anew at this start, with no need open. */
void routes_start (routes_t *self, int64_t start_ms);

/*  The next start after this one at which some link has more room for some need, or may be used at
 *  all; INT64_MAX when there is none. To be asked with ascending times. */
int64_t routes_next_start (routes_t *self, int64_t after_ms, uint64_t *steps);

/*  Could this compute need be at this option, as far as can be seen at a glance: has the site links
 *  enough for all its connections, and does each lead to some place of the other end? */
bool routes_serves (routes_t *self, size_t compute_need, size_t option, uint64_t *steps);

/*  What the need weighs at least, wherever its ends are. */
int64_t routes_least (const routes_t *self, size_t need);

/*  Open a need whose ends are placed, at these options of its two compute needs. */
void routes_open (routes_t *self, size_t need, const size_t options [2]);

/*  Give it its first path, or another one, that weighs less than bound. False when there is none or
 *  none that could help: close it then. */
bool routes_next (routes_t *self, size_t need, int64_t bound, uint64_t *steps);
int64_t routes_weight (const routes_t *self, size_t need);
void routes_close (routes_t *self, size_t need);

/*  Did some question for a path run out of steps at this start? Then "none" is not proven. */
bool routes_unproven (const routes_t *self);

/*  Keep the paths of all needs as they are now; and what was kept last, as choice_t has it. */
void routes_keep (routes_t *self);
const path_t *routes_kept (const routes_t *self);

/*  --- the shape of the request --- */

/*  The compute needs that network needs join to this one, as bits. */
uint64_t routes_joined (const routes_t *self, size_t compute_need);

/*  Would the network needs be the same, were these two compute needs to change places? */
bool routes_alike (const routes_t *self, size_t a, size_t b);

#endif
