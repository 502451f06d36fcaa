/*  proposal - a plan as it is put to the vote. */
#ifndef MUSUBI_PROPOSAL_H
#define MUSUBI_PROPOSAL_H

#include "pending.h"

/*  Make a plan: of what was found, of the reservation's release, or of what the reservation was
 *  before a change that could not be kept. False: it is too late for it, or its home is not known;
 *  a reason is given. */
bool propose (pending_t *self, const moment_t *now);

/*  Fill in the plan that was found: placements, connections, cost, start and end. */
void answer_of_choice (const pending_t *self, answer_t *answer);

#endif
