/*  decision - one decision: its commits, their answers, and how it ends. For the coordinator's own
 *  files only.
 */
#ifndef MUSUBI_DECISION_H
#define MUSUBI_DECISION_H

#include "completed.h"
#include "coordinator.h"
#include "ordered.h"
#include "planner_settings.h"
#include "service.h"
#include "states.h"
#include "transaction.h"

/*  What moves a decision. */
typedef enum {
    DECISION_EVENT_BEGIN,        /* a txid is given out */
    DECISION_EVENT_DROP,         /* a vote was no, or came too late (T1, T5) */
    DECISION_EVENT_DECIDE,       /* every vote is in, in time (T4) */
    DECISION_EVENT_ACKNOWLEDGED, /* by every participant (T6) */
    DECISION_EVENT_LOST,     /* a participant came too late at its edge, or lost its part (T10) */
    DECISION_EVENT_AWAITED,  /* of a release: some participants were silent (R11) */
    DECISION_EVENT_RELEASED, /* its repair has ended */
    DECISION_EVENT_FENCED,   /* another planner has aborted it (T8) */
    DECISION_EVENT_ADOPT,    /* another planner's, fenced, which some have committed (T8) */
    DECISION_EVENTS
} decision_event_t;

/*  States are those of decision_phase_t. */
extern const state_table_t decision_states;

/*  Tells participants which transactions everyone has acknowledged (T6). Txids are gathered for a
 *  while and go out as one message a participant. A message may get lost: a participant that missed
 *  it asks before it forgets anything. */
typedef struct done_notices done_notices_t;

done_notices_t *done_notices_new (service_t *service, const planner_settings_t *settings);
void done_notices_destroy (done_notices_t **self_p);

/*  One participant of a decision. */
typedef struct {
    uint64_t call;
    uint64_t timer;
    bool answered;
} ballot_t;

typedef struct {
    coordinator_t *coordinator;
    decision_record_t record;
    txid_t txid;
    ballot_t *ballots;       /* one a participant */
    size_t open;             /* not answered yet */
    bool barred;             /* a fence makes participants refuse the commit */
    int64_t barred_until_ms; /* monotonic: after this we fence them ourselves */
    coordinator_told_fn *told;
    void *owner;
} decision_t;

struct coordinator {
    service_t *service;
    const planner_settings_t *settings;
    uint64_t counter;
    ordered_t *progress;  /* of this start, by counter */
    ordered_t *decisions; /* by txid */
    completed_t *settled;
    done_notices_t *done;
    bool busy; /* the store is marked as busy */
    int64_t active_ms;
    bool stirred; /* an attempt has begun or was dropped since the last on_prune */
    coordinator_repair_fn *repair;
    void *repairer;
    coordinator_barred_fn *on_barred;
    void *settler;
};

/*  Asserts that the table has this step. */
void decision_step (decision_phase_t *phase, decision_event_t event, decision_phase_t to);

/*  A record, with its row of the ledger (T14), is written and deleted. */
void decision_log_put (service_t *service, const txid_t *txid, const decision_record_t *record);

/*  fenced: another planner has aborted it (T8); else its retention is over. */
void decision_log_delete (service_t *service, const txid_t *txid, bool fenced);

/*  Added to the coordinator's decisions; takes the record over. decision_free does not remove it.
 */
decision_t *decision_new (coordinator_t *self, decision_record_t *record);
void decision_free (void *decision);

/*  A line in the log; and a step with its line. */
void decision_say (const decision_t *decision, log_level_t level, const char *move,
                   const char *why);
void decision_move (decision_t *decision, log_level_t level, decision_event_t event,
                    decision_phase_t to, const char *why);

/*  Send the commits. When all have answered, it is settled or repaired, and its owner told. */
void decision_drive (decision_t *decision, const moment_t *now);

/*  The repair has ended: end the decision. */
void decision_end_repair (decision_t *decision, const moment_t *now, decision_end_t end,
                          const char *text);

#endif
