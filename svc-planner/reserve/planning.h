/*  planning - what follows from the result of a search; called by the algorithms. */
#ifndef MUSUBI_PLANNING_H
#define MUSUBI_PLANNING_H

#include "candidates.h"
#include "pending.h"

/*  There is a plan: a dry run tells it, any other request puts it to the vote. What the choice
 *  points to stays the algorithm's. */
void planning_found (pending_t *self, const moment_t *now, choice_t choice);

/*  No plan was found. proven: there is none on what is known. Another query may still help. */
void planning_none (pending_t *self, const moment_t *now, bool proven);

/*  Does the plan of plan.search stand on answers? If it needs somebody who was put off, or a place
 *  outside the snapshot may allow an earlier start, it asks them and plans again: true. */
bool planning_confirm (pending_t *self, const moment_t *now);

/*  The search ran out of steps before it found a plan. */
void planning_unknown (pending_t *self, const moment_t *now);

/*  No plan was found: ask about the next places that have not been asked about yet, and plan again.
 *  False: there are none left, or as many as may be were asked. */
bool planning_ask_on (pending_t *self, const moment_t *now);

/*  What is to be asked of whom. */
candidates_order_t planning_candidates (const pending_t *self, const moment_t *now);

/*  What there is to explain. */
explanation_t planning_explanation (pending_t *self, const moment_t *now);

/*  Counts what this planner's other requests have put to the vote meanwhile, so as not to run for it. */
void planning_count (pending_t *self);

#endif
