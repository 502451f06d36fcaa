/*  home - where the requests of users are claimed (T2).
 *
 *  A request is named by (actor, request id). Its home holds one claim on that name, capacity one:
 *
 *      free ──HOLD──> held ──commit──> committed      answered for ever: the plan's own answer
 *       │   <──abort, expiry──┘
 *       └──CLOSE──> closed                            answered for ever: the refusal
 *
 *  Held and committed claims are commands of the participant (it stores them and settles them);
 *  closed ones are records of the home's own. A claim that is taken refuses every other HOLD: with
 *  the attempt that has it (CLAIM_BUSY), with the answer to tell (CLAIM_ANSWERED), or, when the
 *  request's body is another one, as CONFLICT.
 *
 *  CLOSE fails while an attempt has the claim. T2 asks that of one that is prepared or committed;
 *  one that is only held could vote at any moment, and ending others' holds is RESOLVE's (T7),
 *  which does it for good: who wants to close over a hold resolves it first, or waits for its ttl.
 */
#ifndef MUSUBI_HOME_H
#define MUSUBI_HOME_H

#include "participant.h"

#define HOME_KEEP_MS_MAX (INT64_C (400) * 86400000) /* Close keeps at most so far ahead */

typedef struct home home_t;

/*  Serves Home and Participant, loads their tables. All is borrowed for life. closed_max: refusals
 *  kept at once; claims under way are bounded by limits. */
home_t *home_new (service_t *service, const participant_limits_t *limits, const access_t *access,
                  uint32_t closed_max);
void home_destroy (home_t **self_p);

/*  A participant says that this request of ours was committed (T2): from now on it is answered so,
 *  unless it has an answer already, and can't be carried out again. A request that was carried out
 *  twice raises an alarm. False when it was known. */
bool home_recall (home_t *self, const moment_t *now, const plan_t *plan, const char *teller);

#endif
