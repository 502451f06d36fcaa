/*  participant_model - a plain model of what a participant has promised: one number per resource
 *  and minute for every command and every reservation, and which commands are open.
 *
 *  It is told each request, looks at the states of all commands after every step, and knows from
 *  that alone what must be free in the calendars. It is a plain value: to remember what was known
 *  at the last flush, copy it.
 */
#ifndef MUSUBI_PARTICIPANT_MODEL_H
#define MUSUBI_PARTICIPANT_MODEL_H

#include "participant_rig.h"

enum {
    MODEL_RESOURCES = 5,
    MODEL_MINUTES = 64, /* from RIG_WALL_MS */
    MODEL_COMMANDS = 40,
    MODEL_RESERVATIONS = 5,
};

typedef struct {
    int16_t load [MODEL_RESOURCES][MODEL_MINUTES];
} plain_t;

/*  What the plan of a txid asks for: it is immutable (T1). */
typedef struct {
    operation_t operation;
    size_t reservation;
    uint32_t base_version;
    size_t replaces; /* a counter; 0 = none */
    plain_t part;
} model_asked_t;

typedef struct {
    command_state_t state;
    bool done;
    bool tombstoned;         /* over before it came */
    int64_t expires_mono_ms; /* as last told while held */
} model_command_t;

typedef struct {
    uint32_t version; /* 0 = there is none */
    plain_t part;
} model_reservation_t;

typedef struct {
    model_asked_t asked [MODEL_COMMANDS + 1]; /* by counter, from 1 */
    model_command_t commands [MODEL_COMMANDS + 1];
    model_reservation_t reservations [MODEL_RESERVATIONS];
} model_t;

/*  The names of the resources in the model. */
txid_t model_txid (size_t counter);
const char *model_reservation_name (size_t reservation);

/*  Compares the participant's state with what may follow from its state before; aborts when it
 *  can't. */
void model_look (model_t *self, const rig_t *rig);

/*  True when the command will never book anything again. */
bool model_over (const model_command_t *command);

/*  True when at some minute less is free than the part needs beyond what its reservation has. */
bool model_short (const model_t *self, const rig_t *rig, size_t reservation, const plain_t *part);

#endif
