/*  decision_states - the states of a decision, and what moves it. */
#ifndef MUSUBI_DECISION_STATES_H
#define MUSUBI_DECISION_STATES_H

#include "states.h"

typedef enum {
    DECISION_EVENT_BEGIN,        /* a txid is given out */
    DECISION_EVENT_DROP,         /* a no, or too late: no longer in progress (T1, T5) */
    DECISION_EVENT_DECIDE,       /* every vote is in, in time (T4) */
    DECISION_EVENT_ACKNOWLEDGED, /* by all: now it is told (T6) */
    DECISION_EVENT_SPOILT,
    DECISION_EVENT_AWAITED,  /* somebody was refused at the edge, or is lost (T10) */
    DECISION_EVENT_RELEASED, /* nobody books anything of it any more */
    DECISION_EVENT_FENCED,   /* another one ended it first, by abort (T8) */
    DECISION_EVENT_ADOPT,    /* another planner's, fenced, and some have committed (T8) */
    DECISION_EVENTS
} decision_event_t;

/*  States are those of decision_phase_t. */
extern const state_table_t decision_states;

#endif
