/*  planning - what steps beside it ask of the search for a plan. */
#ifndef MUSUBI_PLANNING_H
#define MUSUBI_PLANNING_H

#include "pending.h"

/*  After a refused vote: may another plan be accepted? If not, a reason may be added. */
bool planning_next (planning_t *self, answer_t *answer);

/*  What there is to explain. */
explanation_t planning_explanation (pending_t *self, const moment_t *now);

/*  Drops what is known and what is looked for. */
void planning_clear (planning_t *self);

#endif
