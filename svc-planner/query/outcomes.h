/*  outcomes - is a commit complete? One question to every participant of its plan, and to its
 *  coordinator (T6: without DONE, ask the whole list).
 */
#ifndef MUSUBI_OUTCOMES_H
#define MUSUBI_OUTCOMES_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

typedef enum {
    OUTCOMES_COMPLETE, /* every participant has committed, or somebody knows that all have: told at
                          once, without waiting for others */
    OUTCOMES_GONE,     /* some participant can't confirm its part, and never will */
    OUTCOMES_OPEN,     /* anything else: ask again */
} outcomes_verdict_t;

typedef struct outcomes outcomes_t;

typedef void outcomes_done_fn (void *owner, const moment_t *now, outcomes_verdict_t verdict);

/*  done is called once, never from within. The plan is copied. */
outcomes_t *outcomes_new (service_t *service, const planner_settings_t *settings,
                          const moment_t *now, const plan_t *plan, outcomes_done_fn *done,
                          void *owner);
void outcomes_destroy (outcomes_t **self_p);

/*  After done: ask everybody again, except a coordinator that was silent. */
void outcomes_again (outcomes_t *self, const moment_t *now);

/*  Once done: the at-th participant that did not say "committed"; NULL past the last. */
const participant_ref_t *outcomes_awaited (const outcomes_t *self, size_t at);

#endif
