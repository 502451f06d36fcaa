/*  decision - a decision on its way: its commits, their answers, and what becomes of it. Of the
 *  coordinator's own files alone.
 */
#ifndef MUSUBI_DECISION_H
#define MUSUBI_DECISION_H

#include "completed.h"
#include "coordinator.h"
#include "decision_states.h"
#include "done_notices.h"
#include "ordered.h"

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
    bool barred;             /* refused because of a fence, and so it goes on */
    int64_t barred_until_ms; /* monotonic: then we fence ourselves */
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
    bool busy; /* the mark is in the store */
    int64_t active_ms;
    bool stirred; /* an attempt has begun or was dropped since the last look */
    coordinator_repair_fn *repair;
    void *repairer;
    coordinator_barred_fn *on_barred;
    void *settler;
};

/*  Only what the table has. */
void decision_step (decision_phase_t *phase, decision_event_t event, decision_phase_t to);

/*  Kept among the coordinator's from now on; takes the record over. Freeing does not take it out.
 */
decision_t *decision_new (coordinator_t *self, decision_record_t *record);
void decision_free (void *decision);

/*  Its line in the log; and a step with its line. */
void decision_say (const decision_t *decision, log_level_t level, const char *move,
                   const char *why);
void decision_move (decision_t *decision, log_level_t level, decision_event_t event,
                    decision_phase_t to, const char *why);

/*  Commits to everybody. It ends by itself: when all have answered it is settled or repaired, and
 *  its owner told. */
void decision_drive (decision_t *decision, const moment_t *now);

/*  The repair is over, and with it the decision. */
void decision_end_repair (decision_t *decision, const moment_t *now, decision_end_t end,
                          const char *text);

#endif
