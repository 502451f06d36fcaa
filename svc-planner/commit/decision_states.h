/*  decision_states - the states of a decision, and what moves it. */
#ifndef MUSUBI_DECISION_STATES_H
#define MUSUBI_DECISION_STATES_H

#include "states.h"

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

#endif
