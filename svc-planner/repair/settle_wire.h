/*  settle_wire - what is asked and told when a transaction is settled in its coordinator's place,
 * to and from proto.
 */
#ifndef MUSUBI_SETTLE_WIRE_H
#define MUSUBI_SETTLE_WIRE_H

#include "transaction.h"

/*  Planner.Settle. */
typedef struct {
    txid_t txid;
    char participant [NAME_BYTES_MAX + 1]; /* that knows the plan */
    bool fence;
} settle_order_t;
bool settle_decode (bytes_t body, settle_order_t *order, char why [WHY_BYTES]);

/*  How one participant answered last. */
typedef struct {
    const char *participant;
    bool answered;
    command_state_t state;
} settle_voice_t;
packed_t settle_answer_encode (const txid_t *txid, outcome_t outcome, bool done,
                               const settle_voice_t *voices, size_t voices_count, const char *text);

/*  Participant.Commands about one txid: *known is false when it is not there, or without a plan, as
 *  a tombstone is. Else *plan is the caller's. */
packed_t command_question_encode (const txid_t *txid);
bool command_told_decode (bytes_t body, plan_t *plan, bool *known, char why [WHY_BYTES]);

#endif
