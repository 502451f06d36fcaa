/*  candidates - who could have part in a plan, and from when on. */
#ifndef MUSUBI_CANDIDATES_H
#define MUSUBI_CANDIDATES_H

#include "pending.h"

/*  A snapshot of who could have part in such a request, of which nothing is known to be free yet.
 *  The request must outlive it. */
snapshot_t *candidates_snapshot (pending_t *self, const user_request_t *request);

/*  The next sites, up to places_most places a need. */
void candidates_add_sites (pending_t *self, snapshot_t *snapshot);

/*  Domains that describe one point differently: a word to the operators, once until it changes. */
void candidates_log_conflicts (pending_t *self);

/*  What has been learned of a source holds for every snapshot of this request. why NULL: only the
 *  lead has changed. */
void candidates_learn (pending_t *self, size_t source, int64_t lead_ms, const char *why);

/*  Its clock is so much further ahead than was learned before: what it has part in begins later. */
void candidates_learn_ahead (pending_t *self, size_t source, int64_t ahead_ms);

void candidates_apply_lessons (pending_t *self);

/*  Nothing new can begin before this, even where no notice is wanted. */
int64_t candidates_soonest_ms (const pending_t *self, const moment_t *now);

/*  What a search of the snapshot is told. */
search_order_t candidates_search_order (const pending_t *self, const moment_t *now);

#endif
