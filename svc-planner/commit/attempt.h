/*  attempt - one plan put to the vote: HOLD with PREPARE to every participant at once, or to
 *  network domains only when all others have agreed (proto/transaction.md).
 *
 *  It ends when all have answered; or shortly after the first no, so that other refusals are
 *  learned in the same round (T3); or when the time to decide is over. What was held stays held
 *  until the next plan replaces it or it is aborted. The trail remembers where.
 */
#ifndef MUSUBI_ATTEMPT_H
#define MUSUBI_ATTEMPT_H

#include "coordinator.h"

/*  What one participant is asked for. */
typedef struct {
    part_kind_t kind;
    packed_t part; /* freed by the attempt */
} attempt_part_t;

typedef enum {
    VOTE_WAITING, /* no answer yet: it may hold its part or not */
    VOTE_YES,
    VOTE_REFUSED, /* the refusal says why */
    VOTE_SILENT,  /* all tries timed out: it may hold its part or not */
    VOTE_LOST,    /* another store answers there */
    VOTE_WRONG,   /* the message or the answer was not understood */
} vote_kind_t;

typedef struct {
    vote_kind_t kind;
    refusal_t refusal;
    char why [WHY_BYTES]; /* SILENT, LOST, WRONG */
} vote_t;

/*  --- trail: holds that earlier attempts of a request may have left --- */

typedef struct {
    participant_ref_t party;
    txid_t txid;
} trace_t;

typedef struct {
    trace_t *traces;
    size_t count;
    size_t room;
} trail_t;

void trail_add (trail_t *self, const participant_ref_t *party, const txid_t *txid);
void trail_clear (trail_t *self);

/*  If an earlier start of this planner left a claim undecided, it counts as aborted: take the holds
 *  of its holder. False: the claim is another's. holder may be NULL. */
bool trail_takes_remains (trail_t *self, const coordinator_t *coordinator, const plan_t *holder);

/*  Abort and forget the holds left, but not at the participants of keep, whose next hold replaces
 *  them, nor at the one named except. */
void trail_abort (trail_t *self, coordinator_t *coordinator, const moment_t *now,
                  const plan_t *keep, const char *except);

/*  --- attempt --- */

/*  prepared: every vote is yes. Called once, never from within attempt_new; destroy it there or
 *  later. */
typedef void attempt_ended_fn (void *owner, const moment_t *now, bool prepared);

typedef struct {
    participant_ref_t party; /* a copy: a decision takes the plan away */
    uint64_t call;
    vote_t vote;
    txid_t replaced [REPLACES_MAX];
    size_t replaced_count;
    packed_t kept; /* a hold that is sent when all others have agreed */
} voter_t;

/*  Its owner reads plan, voters and mono_by_ms. */
typedef struct {
    service_t *service;
    coordinator_t *coordinator;
    const planner_settings_t *settings;
    plan_t plan; /* coordinator_decide takes it */
    txid_t txid;
    voter_t *voters;
    size_t count; /* of voters */
    size_t waiting;
    size_t kept; /* of those waited for, how many have not been asked yet */
    bool refused;
    uint64_t timer;
    int64_t mono_by_ms;
    trail_t *trail;
    attempt_ended_fn *on_end;
    void *owner;
} attempt_t;

/*  Sends the holds. plan: complete, with a txid of coordinator_begin; taken over. parts: one a
 *  participant, in their order; the list is the caller's, what it points to is taken over. trail is
 *  borrowed for life; what a yes has replaced leaves it. domains_last: ask network domains only
 *  when all others have agreed. Every plan needs them, so this spares them plans that a site
 *  refuses. */
attempt_t *attempt_new (service_t *service, coordinator_t *coordinator,
                        const planner_settings_t *settings, const moment_t *now, plan_t *plan,
                        const attempt_part_t *parts, trail_t *trail, bool domains_last,
                        attempt_ended_fn *ended, void *owner);

/*  Leaves what may be held in the trail, unless a decision has taken the plan. */
void attempt_destroy (attempt_t **self_p);

#endif
