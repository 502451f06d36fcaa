/*  widen - of those that were put off, who is asked next. */
#ifndef MUSUBI_WIDEN_H
#define MUSUBI_WIDEN_H

#include "pending.h"

/*  Before the first search: so few that they are all asked. */
void widen_first (pending_t *self);

/*  All that the plan of plan.search needs, and once that did not do as many of each need's next
 *  candidates as are asked then. False: nobody it needs was put off. */
bool widen_to_plan (pending_t *self);

/*  Everybody. False: nobody was put off. */
bool widen_to_all (pending_t *self);

/*  Might a place that is not in the snapshot allow a start before the plan's? */
bool widen_misses (const pending_t *self);

#endif
