/*  candidates - the sites and domains that could take part in a plan, and how soon. They are found
 *  by values: no request in progress is known here.
 */
#ifndef MUSUBI_CANDIDATES_H
#define MUSUBI_CANDIDATES_H

#include "file_lookup.h"
#include "locate.h"
#include "pendings.h"
#include "search_order.h"
#include "shares.h"

typedef struct {
    pendings_t *pendings; /* the planner's directory, settings and lists of sites */
    const locate_t *base; /* what the reservation has now; NULL: nothing */
    bool changes;         /* it is to be changed */
    int64_t begun_wall_ms;
    starts_t starts;
    const file_places_t *files; /* one a data need */
    uint32_t places_most;       /* asked for one need so far */
    int64_t soonest_ms;         /* before this nothing new can begin */
    const moment_t
      *supposes; /* now, where what is free may be supposed; NULL: everybody is asked */
} candidates_order_t;

/*  A snapshot of the candidates for such a request, before anything is known to be free. The
 *  request must outlive it. */
snapshot_t *candidates_snapshot (const candidates_order_t *order, const user_request_t *request);

/*  Add the next sites, up to places_most places a need. */
void candidates_add_sites (const candidates_order_t *order, snapshot_t *snapshot);

/*  Where each need of a reservation is now, and each path: one a network need, in place of those
 *  that *paths has, to be freed. What has begun by wall_ms is pinned. */
void candidates_present (const locate_t *base, const snapshot_t *snapshot, int64_t wall_ms,
                         present_t presents [NEEDS_MAX], present_path_t **paths);

/*  Log where domains describe a point differently, once until that changes. graph may be NULL. */
void candidates_log_conflicts (pendings_t *pendings, const graph_t *graph);

/*  Note what a plan takes, for the planner's other requests. */
void recents_note (recents_t *self, const txid_t *txid, const shares_t *shares);

/*  Take from the snapshot what others have noted since there were `from` of them, so as not to run
 *  for it; not what was given up. False: there was none. */
bool recents_take (const recents_t *self, uint64_t from, const coordinator_t *coordinator,
                   snapshot_t *snapshot);

#endif
