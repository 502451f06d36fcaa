/*  participant_states - the states of a participant's command, and what moves it. */
#ifndef MUSUBI_PARTICIPANT_STATES_H
#define MUSUBI_PARTICIPANT_STATES_H

#include "states.h"

typedef enum {
    EVENT_HOLD,     /* HOLD is granted */
    EVENT_PREPARE,  /* PREPARE, alone or carried by HOLD */
    EVENT_COMMIT,   /* the coordinator sends its decision */
    EVENT_ABORT,    /* ABORT, of a command that is known or not */
    EVENT_REPLACED, /* a HOLD of the same coordinator takes its place (T1) */
    EVENT_TTL,      /* its life is over (R1) */
    EVENT_EDGE,     /* prepared, and its edge has come (T9) */
    EVENT_OUTCOME,  /* in doubt: the coordinator has told (T7) */
    EVENT_RESOLVE,  /* another one in doubt asks us */
    EVENT_RESOLVED, /* in doubt: another participant has told */
    EVENT_FENCE,    /* somebody settles it in its coordinator's place (T8) */
    COMMAND_EVENTS
} command_event_t;

/*  States are those of command_state_t; "initial" is COMMAND_UNKNOWN. */
extern const state_table_t command_states;

#endif
