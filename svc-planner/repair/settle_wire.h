/*  settle_wire - the messages with which a transaction is settled in its coordinator's place. */
#ifndef MUSUBI_SETTLE_WIRE_H
#define MUSUBI_SETTLE_WIRE_H

#include "answer.h"

/*  Planner.Settle. */
typedef struct {
    txid_t txid;
    char participant [NAME_BYTES_MAX + 1]; /* one that has the plan */
    bool fence;
} settle_order_t;
extern const codec_t settle_order_codec;

/*  A participant's last answer. */
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

/*  Take the plan from an answer of Participant.Commands about one txid; the caller owns it. It is
 *  empty when the command is not there or, as a tombstone, has no plan. */
bool command_told_decode (bytes_t body, plan_t *plan, char why [WHY_BYTES]);

#endif
