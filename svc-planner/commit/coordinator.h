/*  coordinator - the decisions of this store and their way to every participant (T1, T4 to T6,
 *  T10).
 *
 *      in progress --every vote, in time--> decided --all acknowledge--> settled
 *                                              |\--some part is lost--> repairing --> repaired
 *                                              \--a fence aborted it--> nothing is left of it
 *
 *  Only commits are recorded. A decision is stored before the first commit message leaves, driven
 *  until every participant has answered, also after a restart, and kept until the end of its last
 *  window plus the retention. About any other txid of its own this store says "aborted" (T5). Pure.
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

/*  How a decision ended. Its owner is told once; text says why it failed. */
typedef enum {
    DECISION_END_COMMITTED, /* every participant has acknowledged */
    DECISION_END_REPAIRED,  /* a repair has ended, and the request's home has the answer */
    DECISION_END_RELEASED,  /* failed: all is released, and there is no home to keep an answer */
    DECISION_END_FENCED,    /* failed: another planner has fenced and aborted it (T8) */
} decision_end_t;
typedef void coordinator_told_fn (void *owner, const moment_t *now, decision_end_t end,
                                  const char *text);

/*  A new txid, in progress from now on: Outcome says "pending". Drop it when it will not be
 *  decided; from then on Outcome says "aborted". Drop it before a hold says that another plan
 *  replaces it. */
txid_t coordinator_begin (coordinator_t *self);
void coordinator_drop (coordinator_t *self, const txid_t *txid);

/*  Name this coordinator in a plan. */
void coordinator_sign (const coordinator_t *self, plan_t *plan);

/*  Tell one participant that a txid is aborted: one dropped, or left by an earlier start. done may
 *  be NULL. Returns the call. */
uint64_t coordinator_abort (coordinator_t *self, const moment_t *now,
                            const participant_ref_t *party, const txid_t *txid, call_done_fn *done,
                            void *owner);

/*  Every vote is in: log the commit and drive it. Takes the plan over. mono_by_ms: decide_by on the
 *  monotonic clock, counted since the first hold was sent (T15). False: it is too late, nothing was
 *  logged and the plan is still the caller's. end_ms: end of the last window, cleaning included.
 *  before: what the reservation was before a modify; taken over; else NULL. told may be NULL. */
bool coordinator_decide (coordinator_t *self, const moment_t *now, plan_t *plan, int64_t mono_by_ms,
                         int64_t end_ms, before_t *before, coordinator_told_fn *told, void *owner);

/*  Another planner's plan, for which all participants are fenced with this epoch and which some
 *  have committed: log the commit and drive it as if it were ours (T8). Takes the plan over. The
 *  plan must not be known here already (coordinator_outcome). */
void coordinator_adopt (coordinator_t *self, const moment_t *now, plan_t *plan, uint32_t epoch,
                        coordinator_told_fn *told, void *owner);

/*  What this store knows of a txid, its own or adopted (T5). done may be NULL. */
outcome_t coordinator_outcome (const coordinator_t *self, const txid_t *txid, bool *done);

/*  The decision's owner is gone: nobody is to be told any more. */
void coordinator_disown (coordinator_t *self, const txid_t *txid);

/*  The at-th of the participants that have not acknowledged yet; NULL past the last. */
const participant_ref_t *coordinator_awaited (const coordinator_t *self, const txid_t *txid,
                                              size_t at);

/*  Is it a txid of this store, neither decided nor in progress, and so aborted? */
bool coordinator_aborted (const coordinator_t *self, const txid_t *txid);

/*  The repairer (T10) is called for a decision that some participants can't keep, also at start.
 *  The record lives until coordinator_repaired. If a plan made in place of such a decision
 *  (plan.repairs) can't be kept either, its owner is told "released", and the same repair goes on.
 */
typedef void coordinator_repair_fn (void *owner, const moment_t *now,
                                    const decision_record_t *record);
void coordinator_repairer (coordinator_t *self, coordinator_repair_fn *repair, void *owner);

/*  Another plan will be looked for: count it, on record. */
void coordinator_repair_try (coordinator_t *self, const txid_t *txid);

/*  The plan, lent, has been put in its place, here or by another planner: who takes part is kept,
 *  on record. Nothing happens when that is so, or when it is no repair of a reserve or change. */
void coordinator_made (coordinator_t *self, const txid_t *txid, const plan_t *made);

/*  The repair is over. */
void coordinator_repaired (coordinator_t *self, const moment_t *now, const txid_t *txid,
                           decision_end_t end, const char *text);

/*  The settler is called for a decision of this store that participants keep refusing, because
 *  another planner has fenced them and does not finish (T8); again and again while that lasts. The
 *  plan is lent. */
typedef void coordinator_barred_fn (void *owner, const moment_t *now, const plan_t *plan);
void coordinator_settler (coordinator_t *self, coordinator_barred_fn *barred, void *owner);

/*  We have fenced all its participants with this epoch, and some know of the commit: drive the
 *  decision on with that epoch. Nothing happens when it is not being driven here. */
void coordinator_raise (coordinator_t *self, const txid_t *txid, uint32_t epoch);

/*  Is everything settled and stored, and has there been no decision and no question about one for
 *  that long, on the monotonic clock (T8)? */
bool coordinator_quiet (const coordinator_t *self, const moment_t *now, int64_t linger_ms);

/*  Nothing is left to settle or to answer: mark the store as at rest, so that no finisher is
 *  started for it. */
void coordinator_rest (coordinator_t *self);

/*  Does this record of a store say that there is unfinished business? Feed every record. */
bool coordinator_record_unfinished (uint8_t table, bytes_t key, bytes_t value);

#endif
