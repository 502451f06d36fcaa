/*  participant_model - what a participant has promised, the plain way: one number per resource and
 *  minute for every command and every reservation, and which commands are open.
 *
 *  It is told what was asked, looks at the states of all commands after every step, and knows from
 *  that alone what must be free in the calendars. A plain value: what was known when the store was
 *  last flushed is a copy of it.
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

/*  Names that the model knows them by. */
txid_t model_txid (size_t counter);
const char *model_reservation_name (size_t reservation);

/*  Compares all that the participant says with what follows from what it said before; aborts where
 *  it does not. */
void model_look (model_t *self, const rig_t *rig);

/*  Will it never book anything again? */
bool model_over (const model_command_t *command);

/*  Is there, at some minute, less free than the part needs beyond what its reservation has? */
bool model_short (const model_t *self, const rig_t *rig, size_t reservation, const plain_t *part);

#endif
