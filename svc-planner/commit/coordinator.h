/*  coordinator - the decisions of this store, and their way to every participant (T1, T4 to
 *  T6, T10).
 *
 *      in progress --every vote, in time--> decided --all acknowledge--> settled
 *                                              |\--some part is gone--> repairing --> repaired
 *                                              \--a fence aborted it--> nothing is left of it
 *
 *  Only commits are recorded. A decision is put before the first commit message leaves, is driven
 *  until every participant has answered, also after a restart, and stays on record until the last
 *  window's end + retention. Of everything else this store says "aborted" (T5). Pure.
 */
#ifndef MUSUBI_COORDINATOR_H
#define MUSUBI_COORDINATOR_H

#include "planner_settings.h"
#include "record.h"
#include "service.h"

typedef struct coordinator coordinator_t;

/*  Serves Coordinator.Outcome and owns TABLE_DECISIONS. The settings are borrowed for life. */
coordinator_t *coordinator_new (service_t *service, const planner_settings_t *settings);
void coordinator_destroy (coordinator_t **self_p);

/*  How a decision ended for its owner, once; text says why it failed. */
typedef enum {
    DECISION_END_COMMITTED, /* every participant has acknowledged */
    DECISION_END_REPAIRED, /* a repair has come to its end, and the request's home has the answer */
    DECISION_END_RELEASED, /* failed, and there is no home that could tell: what was had is released
                            */
    DECISION_END_FENCED,   /* failed: another one has settled it, and aborted it (T8) */
} decision_end_t;
typedef void coordinator_told_fn (void *owner, const moment_t *now, decision_end_t end,
                                  const char *text);

/*  A new txid, in progress from now on: "pending" to whoever asks. Drop it when it will not be
 *  decided: "aborted" from then on. Do that before a hold says that another plan replaces it. */
txid_t coordinator_begin (coordinator_t *self);
void coordinator_drop (coordinator_t *self, const txid_t *txid);

/*  Name this coordinator in a plan. */
void coordinator_sign (const coordinator_t *self, plan_t *plan);

/*  Tell one participant that a txid dropped, or left by an earlier start, is aborted. done may be
 *  NULL: nobody waits for it. Returns the call. */
uint64_t coordinator_abort (coordinator_t *self, const moment_t *now,
                            const participant_ref_t *party, const txid_t *txid, call_done_fn *done,
                            void *owner);

/*  Every vote is in: log the commit and drive it. Takes the plan over. mono_by_ms: decide_by as
 *  counted since the first hold was sent (T15). False: it is too late, nothing was logged and the
 *  plan is still the caller's. end_ms: the last window's end, cleaning included. before: of a
 *  modify, what the reservation is until then; taken over; or NULL. told may be NULL. */
bool coordinator_decide (coordinator_t *self, const moment_t *now, plan_t *plan, int64_t mono_by_ms,
                         int64_t end_ms, before_t *before, coordinator_told_fn *told, void *owner);

/*  Another planner's plan, which everyone has been fenced for with this epoch, and which some have
 *  committed: log that, and drive it to its end as if it were ours (T8). Takes the plan over. Not
 *  for one that is known here already: see coordinator_outcome. */
void coordinator_adopt (coordinator_t *self, const moment_t *now, plan_t *plan, uint32_t epoch,
                        coordinator_told_fn *told, void *owner);

/*  What is known here of a txid, of this store or adopted (T5). done may be NULL. */
outcome_t coordinator_outcome (const coordinator_t *self, const txid_t *txid, bool *done);

/*  The owner of a decision has gone: nobody is told. */
void coordinator_disown (coordinator_t *self, const txid_t *txid);

/*  The at-th participant of a decision that has not acknowledged yet; NULL past the last. */
const participant_ref_t *coordinator_awaited (const coordinator_t *self, const txid_t *txid,
                                              size_t at);

/*  Is the txid one of this store that is neither decided nor in progress? Then it is aborted. */
bool coordinator_aborted (const coordinator_t *self, const txid_t *txid);

/*  Who repairs (T10): called for a decision that some participants can't keep, also at start. The
 *  record lives until coordinator_repaired. A plan that comes in such a decision's place
 *  (plan.repairs) and can't be kept either is told its owner as released, and left to the repair
 *  that it is part of. */
typedef void coordinator_repair_fn (void *owner, const moment_t *now,
                                    const decision_record_t *record);
void coordinator_repairer (coordinator_t *self, coordinator_repair_fn *repair, void *owner);

/*  Another plan is looked for: put on record first. */
void coordinator_repair_try (coordinator_t *self, const txid_t *txid);

/*  The repair is over. */
void coordinator_repaired (coordinator_t *self, const moment_t *now, const txid_t *txid,
                           decision_end_t end, const char *text);

/*  Who ends a decision of this store that participants go on refusing because another planner has
 *  fenced them, and does not go on itself (T8): called again and again while that lasts. The plan
 *  is lent. */
typedef void coordinator_barred_fn (void *owner, const moment_t *now, const plan_t *plan);
void coordinator_settler (coordinator_t *self, coordinator_barred_fn *barred, void *owner);

/*  All of its plan are fenced by us with this epoch, and some have been told of the commit: it goes
 *  on with that epoch. Nothing when it is not on its way here. */
void coordinator_raise (coordinator_t *self, const txid_t *txid, uint32_t epoch);

/*  Is all settled, and has nobody asked anything that matters to others (T8) for so long, on the
 *  monotonic clock: questions, decisions on their way? */
bool coordinator_quiet (const coordinator_t *self, const moment_t *now, int64_t linger_ms);

/*  Nothing is left to settle or to answer: say so in the store, for those who look for dead
 *  planners' stores. */
void coordinator_rest (coordinator_t *self);

/*  What a store's records say to them: is there unfinished business? Feed every record. */
bool coordinator_record_unfinished (uint8_t table, bytes_t key, bytes_t value);

#endif
