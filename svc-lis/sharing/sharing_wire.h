/*  sharing_wire - proto/balance.proto as plain values. sharing_wire.c alone sees the generated
 *  code.
 *
 *  Encoders return malloc'ed bytes that the caller frees. Decoders check; on false why names the
 *  field and nothing is allocated.
 */
#ifndef MUSUBI_SHARING_WIRE_H
#define MUSUBI_SHARING_WIRE_H

#include "bags.h"
#include "queue_wire.h"

#define ENDS_MAX          256 /* told at once */
#define SHARING_WHY_BYTES WHY_BYTES
#define LEVEL_S_MOST      1e9

/*  The coalition that the site has joined. */
typedef struct {
    char balancer [NAME_BYTES_MAX + 1]; /* "" = none */
    double level_s;
    bool automatic;
    uint64_t round; /* of the last order */
    uint32_t number;
    uint32_t moved;
} membership_t;

bool join_decode (membership_t *membership, bytes_t body, char why [WHY_BYTES]);
packed_t join_answer_encode (void);
bool leave_decode (bytes_t body, char why [WHY_BYTES]);
packed_t leave_answer_encode (uint32_t given_back);
bool membership_question_decode (bytes_t body, char why [WHY_BYTES]);
packed_t membership_answer_encode (const membership_t *membership, uint32_t away, uint32_t guests);

bool state_question_decode (uint64_t *after, bytes_t body, char why [WHY_BYTES]);

/*  A bag of the queue, and what is left of those of its tasks that run. */
typedef struct {
    const bag_t *bag;
    double running_load_s;
} queued_bag_t;
typedef struct {
    double cpus;
    double done_s;
    uint32_t start;
    const queued_bag_t *bags;
    size_t bags_count;
    bool more;
} site_state_t;
packed_t state_answer_encode (const site_state_t *state, const membership_t *membership,
                              const char *site);

typedef struct {
    uint64_t round;
    uint32_t number;
    party_t to;
    uint64_t bag;
    uint32_t count;
} move_order_t;
bool move_decode (move_order_t *order, bytes_t body, char why [WHY_BYTES]);
packed_t move_answer_encode (uint32_t moved);

/*  Tasks first to first + count - 1 of a bag of home's. */
typedef struct {
    txid_t move;
    party_t home;
    char balancer [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX + 1];
    packed_t submitted; /* decoded: the caller's to free */
    uint64_t bag;
    uint32_t first;
    uint32_t count;
    int64_t offered_ms;
} offer_message_t;
packed_t accept_encode (const offer_message_t *offer);
bool accept_decode (offer_message_t *offer, bytes_t body, char why [WHY_BYTES]);

/*  An answer, as it is told and kept. */
typedef struct {
    bool accepted;
    char why [SHARING_WHY_BYTES];
} offer_answer_t;
packed_t accept_answer_encode (const offer_answer_t *given);
bool accept_answer_decode (offer_answer_t *given, bytes_t body, char why [WHY_BYTES]);

/*  Of tasks of a guest bag, by index there. */
packed_t guests_ended_encode (const bag_t *guests, const uint32_t *indices, size_t count);

/*  Strings live until ends_clear. */
typedef struct {
    uint32_t index;
    task_state_t state;
    uint32_t tries;
    const char *node;
    int64_t started_ms;
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;
    uint64_t dropped;
    const char *why;
} guest_end_t;
typedef struct {
    txid_t move;
    uint64_t bag;
    guest_end_t *ends;
    size_t count;
    void *message; /* private */
} ends_t;
bool guests_ended_decode (ends_t *ends, bytes_t body, char why [WHY_BYTES]);
void ends_clear (ends_t *self);
packed_t guests_ended_answer_encode (void);

packed_t guest_cancel_encode (const txid_t *move, const uint32_t *indices, size_t count);

/*  The indices are the caller's to free. */
bool guest_cancel_decode (txid_t *move, uint32_t **indices, size_t *count, bytes_t body,
                          char why [WHY_BYTES]);
packed_t guest_cancel_answer_encode (void);

typedef struct {
    txid_t move;
    uint32_t index;
    output_question_t question; /* its task is the caller's to fill */
} guest_output_t;
packed_t guest_output_encode (const guest_output_t *asked);
bool guest_output_decode (guest_output_t *asked, bytes_t body, char why [WHY_BYTES]);

/*  Service.Status of another site: who serves there. */
packed_t host_status_encode (void);
bool host_status_decode (char name [NAME_BYTES_MAX + 1], bytes_t body, char why [WHY_BYTES]);

/*  --- on disk --- */

typedef struct {
    txid_t id;
    party_t to;
    char balancer [NAME_BYTES_MAX + 1];
    uint64_t bag;
    uint32_t first;
    uint32_t count;
    int64_t offered_ms;
    bool accepted; /* else it is not known yet */
} stored_move_t;
packed_t stored_move_encode (const stored_move_t *move);
bool stored_move_decode (stored_move_t *move, bytes_t key, bytes_t record, char why [WHY_BYTES]);

typedef struct {
    txid_t move;
    offer_answer_t given;
    uint64_t bag;
    int64_t offered_ms;
} stored_offer_t;
packed_t stored_offer_encode (const stored_offer_t *offer);
bool stored_offer_decode (stored_offer_t *offer, bytes_t key, bytes_t record, char why [WHY_BYTES]);

packed_t stored_membership_encode (const membership_t *membership);
bool stored_membership_decode (membership_t *membership, bytes_t record, char why [WHY_BYTES]);

#endif
