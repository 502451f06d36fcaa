/*  settle_wire - what is asked and told when a transaction is settled in its coordinator's place,
 *  to and from proto.
 */
#ifndef MUSUBI_SETTLE_WIRE_H
#define MUSUBI_SETTLE_WIRE_H

#include "answer.h"

/*  Planner.Settle. */
typedef struct {
    txid_t txid;
    char participant [NAME_BYTES_MAX + 1]; /* that knows the plan */
    bool fence;
} settle_order_t;
extern const codec_t settle_order_codec;

/*  How one participant answered last. */
typedef struct {
    const char *participant;
    bool answered;
    command_state_t state;
} settle_voice_t;

typedef struct {
    txid_t txid;
    outcome_t outcome;
    bool done;
    settle_voice_t voices [PARTICIPANTS_MAX];
    size_t voices_count;
    char text [SENTENCE_BYTES];
} settle_answer_t;
extern const codec_t settle_answer_codec;

/*  What Participant.Commands tells of one txid: an empty plan when it is not there, or without one,
 *  as a tombstone is. Else *plan is the caller's. */
bool command_told_decode (bytes_t body, plan_t *plan, char why [WHY_BYTES]);

#endif
