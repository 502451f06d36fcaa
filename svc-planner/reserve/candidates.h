/*  candidates - the sites and domains that could take part in a plan, and how soon. */
#ifndef MUSUBI_CANDIDATES_H
#define MUSUBI_CANDIDATES_H

#include "pending.h"
#include "shares.h"

/*  A snapshot of the candidates for such a request, before anything is known to be free; with now
 *  the algorithm may suppose what is free. The request must outlive it. */
snapshot_t *candidates_snapshot (pending_t *self, const moment_t *now,
                                 const user_request_t *request);

/*  Add the next sites, up to places_most places a need. */
void candidates_add_sites (pending_t *self, snapshot_t *snapshot);

/*  Say how long files are on their way. A change that keeps its start keeps them where they come or
 *  have come to, and since when; what has begun otherwise changes when the change takes effect. */
void candidates_stage (pending_t *self, const moment_t *now);

/*  Log where domains describe a point differently, once until that changes. */
void candidates_log_conflicts (pending_t *self);

/*  The earliest time at which anything new can begin, even at a site that needs no notice. */
int64_t candidates_soonest_ms (const pending_t *self, const moment_t *now);

/*  Note what a plan takes, for the planner's other requests. */
void recents_note (recents_t *self, const txid_t *txid, const shares_t *shares);

/*  Count in the snapshot what others have noted since those who were asked told what is free, so as
 *  not to run for it. */
void candidates_count (pending_t *self);

search_order_t candidates_search_order (const pending_t *self, const moment_t *now);

#endif
