/*  sharing_wire - a site's side of proto/balance.proto as plain values, except answers that are
 *  filled as they are computed.
 */
#ifndef MUSUBI_SHARING_WIRE_H
#define MUSUBI_SHARING_WIRE_H

#include "queue_wire.h"

#define ENDS_MAX     256 /* told at once */
#define LEVEL_S_MOST 1000000000

/*  The coalition that the site has joined. */
typedef struct {
    char balancer [NAME_BYTES_MAX + 1]; /* "" = none */
    double level_s;
    bool automatic;
    uint64_t round; /* of the last order */
    uint32_t number;
    uint32_t moved;
} membership_t;
extern const codec_t join_codec;              /* of the terms in a membership_t */
extern const codec_t stored_membership_codec; /* of a whole membership_t */
extern const codec_t move_told_codec;         /* of the member moved */

extern const codec_t leave_codec; /* an empty message, as the next one */
extern const codec_t membership_question_codec;

typedef struct {
    uint64_t after;
} state_asked_t;
extern const codec_t state_asked_codec;

typedef struct {
    uint64_t round;
    uint32_t number;
    participant_ref_t to;
    uint64_t bag;
    uint32_t count;
} move_order_t;
extern const codec_t move_order_codec;

/*  An offer of tasks first to first + count - 1 of a bag of the home. */
typedef struct {
    txid_t move;
    participant_ref_t home;
    char balancer [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX + 1];
    packed_t submitted;
    uint64_t bag;
    uint32_t first;
    uint32_t count;
    int64_t offered_ms;
} offer_message_t;
extern const codec_t offer_message_codec;

/*  The answer to an offer, as it is sent and stored. */
typedef struct {
    bool accepted;
    char why [WHY_BYTES];
} accept_answer_t;
extern const codec_t accept_answer_codec;

/*  How a guest has ended. index is its index at home. */
typedef struct {
    uint32_t index;
    task_state_t state;
    uint32_t tries;
    char node [NAME_BYTES_MAX + 1];
    int64_t started_ms;
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;
    char why [TASK_WHY_BYTES_MAX + 1];
    uint64_t dropped;
} guest_end_t;

typedef struct {
    txid_t move;
    uint64_t bag; /* at home */
    guest_end_t *ends;
    size_t count;
} ends_t;
extern const codec_t ends_codec;

typedef struct {
    txid_t move;
    uint32_t *indices; /* at home */
    size_t count;
} guest_cancel_t;
extern const codec_t guest_cancel_codec;

typedef struct {
    txid_t move;
    uint32_t index;
    output_question_t question; /* the caller fills its task */
} guest_output_t;
extern const codec_t guest_output_codec;

/*  --- on disk; the key is the move's txid --- */

typedef struct {
    txid_t id;
    participant_ref_t to;
    char balancer [NAME_BYTES_MAX + 1];
    uint64_t bag;
    uint32_t first;
    uint32_t count;
    int64_t offered_ms;
    bool accepted; /* false = the host has not answered yet */
} stored_move_t;
extern const codec_t stored_move_codec;

typedef struct {
    txid_t move;
    accept_answer_t given;
    uint64_t bag;
    int64_t offered_ms;
} stored_offer_t;
extern const codec_t stored_offer_codec;

#endif
