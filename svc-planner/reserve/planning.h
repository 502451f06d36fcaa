/*  planning - what becomes of a search; called by algorithms. */
#ifndef MUSUBI_PLANNING_H
#define MUSUBI_PLANNING_H

#include "pending.h"

/*  There is a plan: it is told, or put to the vote. */
void planning_found (pending_t *self, const moment_t *now);

/*  There is no plan; or, not proven, none was found, and another question may help. */
void planning_none (pending_t *self, const moment_t *now, bool proven);

/*  The steps ran out before one was found. */
void planning_unknown (pending_t *self, const moment_t *now);

/*  Nothing was found, and there are places that nobody was asked about yet: ask about the next of
 *  them, and look again. False: there are none, or too many were asked. */
bool planning_ask_on (pending_t *self, const moment_t *now);

#endif
