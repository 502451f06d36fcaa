/*  widen - of those that were put off, who is asked next. */
#ifndef MUSUBI_WIDEN_H
#define MUSUBI_WIDEN_H

#include "snapshot.h"

/*  Before the first search: everybody, if they are no more than that. */
void widen_first (snapshot_t *self, size_t most);

/*  All that a plan needs, and once that did not do as many of each need's next candidates as are
 *  asked then. False: nobody it needs was put off. */
bool widen_to_plan (snapshot_t *self, const choice_t *choice);

/*  Everybody. False: nobody was put off. */
bool widen_to_all (snapshot_t *self);

/*  Might a place that is not in the snapshot allow a start before the plan's? Nothing new can begin
 *  before soonest_ms (wall). */
bool widen_misses (const snapshot_t *self, const choice_t *choice, int64_t soonest_ms);

#endif
