/*  sharing_wire - codecs of membership, moves and guests, and of what is stored of them. */
#include "sharing_wire.h"

#include "transaction_wire.h"

#include "balance.pb-c.h"

#include <string.h>

static bool membership_rule (void *self, char why [WHY_BYTES])
{
    const membership_t *terms = self;
    return (strncmp (terms->balancer, "balancer/", 9) == 0 && terms->balancer [9]) ||
           wrong (why, "balancer: \"%s\" should be like balancer/green", terms->balancer);
}

static const codec_row_t join_rows [] = {
  ROW_WORD ("balancer", membership_t, balancer),
  ROW_NUMBER ("level_s", membership_t, level_s, MOST (LEVEL_S_MOST)),
  ROW_FLAG ("automatic", membership_t, automatic),
};
const codec_t join_codec = CODEC_RULED (membership_t, join_request, join_rows, membership_rule);

static const codec_row_t stored_membership_rows [] = {
  ROW_WORD ("balancer", membership_t, balancer),
  ROW_NUMBER ("level_s", membership_t, level_s, MOST (LEVEL_S_MOST)),
  ROW_FLAG ("automatic", membership_t, automatic),
  ROW_NUMBER ("round", membership_t, round),
  ROW_NUMBER ("number", membership_t, number),
  ROW_NUMBER ("moved", membership_t, moved),
};
const codec_t stored_membership_codec =
  CODEC_RULED (membership_t, stored_membership, stored_membership_rows, membership_rule);

const codec_t leave_codec = CODEC_EMPTY (leave_request);
const codec_t membership_question_codec = CODEC_EMPTY (membership_request);

static const codec_row_t state_asked_rows [] = {
  ROW_NUMBER ("after", state_asked_t, after),
};
const codec_t state_asked_codec = CODEC (state_asked_t, state_request, state_asked_rows);

static const codec_row_t move_order_rows [] = {
  ROW_NUMBER ("round", move_order_t, round, LEAST (1)), ROW_NUMBER ("number", move_order_t, number),
  ROW_ONE ("to", move_order_t, to, participant_ref),    ROW_NUMBER ("bag", move_order_t, bag),
  ROW_NUMBER ("count", move_order_t, count, LEAST (1)),
};

static bool move_order_rule (void *self, char why [WHY_BYTES])
{
    const move_order_t *order = self;
    return strncmp (order->to.name, "lis/", 4) == 0 ||
           wrong (why, "to: \"%s\" should be a site, like lis/osa", order->to.name);
}

const codec_t move_order_codec =
  CODEC_RULED (move_order_t, move_request, move_order_rows, move_order_rule);

static const codec_row_t move_told_rows [] = {
  ROW_NUMBER ("moved", membership_t, moved),
};
const codec_t move_told_codec = CODEC (membership_t, move_answer, move_told_rows);

static const codec_row_t offer_message_rows [] = {
  ROW_ONE ("move", offer_message_t, move, txid),
  ROW_ONE ("home", offer_message_t, home, participant_ref),
  ROW_WORD ("balancer", offer_message_t, balancer),
  ROW_WORD ("owner", offer_message_t, owner),
  ROW_BYTES ("submitted", offer_message_t, submitted.data, submitted.size, BODY_BYTES_MAX),
  ROW_NUMBER ("bag", offer_message_t, bag, LEAST (1)),
  ROW_NUMBER ("first", offer_message_t, first),
  ROW_NUMBER ("count", offer_message_t, count, LEAST (1)),
  ROW_TIME ("offered_ms", offer_message_t, offered_ms),
};

static bool offer_message_rule (void *self, char why [WHY_BYTES])
{
    const offer_message_t *offer = self;
    return memcmp (offer->move.store, offer->home.store, STORE_ID_BYTES) == 0 ||
           wrong (why, "move.store: should be the store of home");
}

const codec_t offer_message_codec =
  CODEC_RULED (offer_message_t, accept_request, offer_message_rows, offer_message_rule);

static const codec_row_t accept_answer_rows [] = {
  ROW_FLAG ("accepted", accept_answer_t, accepted),
  ROW_TEXT ("why", accept_answer_t, why, OR_NONE),
};
const codec_t accept_answer_codec = CODEC (accept_answer_t, accept_answer, accept_answer_rows);

static const codec_row_t guest_end_rows [] = {
  ROW_NUMBER ("index", guest_end_t, index),
  ROW_ENUM ("state", guest_end_t, state, TASK_STATES - 1),
  ROW_NUMBER ("tries", guest_end_t, tries),
  ROW_WORD ("node", guest_end_t, node, OR_NONE),
  ROW_NUMBER ("started_ms", guest_end_t, started_ms),
  ROW_NUMBER ("ended_ms", guest_end_t, ended_ms),
  ROW_NUMBER ("exit_code", guest_end_t, exit_code),
  ROW_NUMBER ("signal", guest_end_t, signal),
  ROW_NUMBER ("cpu_ms", guest_end_t, cpu_ms),
  ROW_TEXT ("why", guest_end_t, why, OR_NONE),
  ROW_NUMBER ("dropped", guest_end_t, dropped),
};

static bool guest_end_rule (void *self, char why [WHY_BYTES])
{
    const guest_end_t *end = self;
    return task_over (end->state) ||
           wrong (why, "state: %u should be one of a task that is over", end->state);
}

static const codec_t guest_end_codec =
  CODEC_RULED (guest_end_t, guest_end, guest_end_rows, guest_end_rule);

static const codec_row_t ends_rows [] = {
  ROW_ONE ("move", ends_t, move, txid),
  ROW_NUMBER ("bag", ends_t, bag),
  ROW_LIST ("ends", ends_t, ends, count, guest_end, 0, ANY_COUNT),
};
const codec_t ends_codec = CODEC (ends_t, guests_ended_request, ends_rows);

static const codec_row_t guest_cancel_rows [] = {
  ROW_ONE ("move", guest_cancel_t, move, txid),
  ROW_NUMBER_LIST ("indices", guest_cancel_t, indices, count, 0, ANY_COUNT),
};
const codec_t guest_cancel_codec = CODEC (guest_cancel_t, guest_cancel_request, guest_cancel_rows);

static const codec_row_t guest_output_rows [] = {
  ROW_ONE ("move", guest_output_t, move, txid),
  ROW_NUMBER ("index", guest_output_t, index),
  ROW_FLAG ("errors", guest_output_t, question.errors),
  ROW_NUMBER ("offset", guest_output_t, question.offset),
  ROW_NUMBER ("most", guest_output_t, question.most),
};
const codec_t guest_output_codec = CODEC (guest_output_t, guest_output_request, guest_output_rows);

static const codec_row_t stored_move_rows [] = {
  ROW_ONE ("to", stored_move_t, to, participant_ref),
  ROW_WORD ("balancer", stored_move_t, balancer),
  ROW_NUMBER ("bag", stored_move_t, bag),
  ROW_NUMBER ("first", stored_move_t, first),
  ROW_NUMBER ("count", stored_move_t, count),
  ROW_NUMBER ("offered_ms", stored_move_t, offered_ms),
  ROW_FLAG ("accepted", stored_move_t, accepted),
};
const codec_t stored_move_codec = CODEC (stored_move_t, stored_move, stored_move_rows);

static const codec_row_t stored_offer_rows [] = {
  ROW_FLAG ("accepted", stored_offer_t, given.accepted),
  ROW_TEXT ("why", stored_offer_t, given.why, OR_NONE),
  ROW_NUMBER ("bag", stored_offer_t, bag),
  ROW_NUMBER ("offered_ms", stored_offer_t, offered_ms),
};
const codec_t stored_offer_codec = CODEC (stored_offer_t, stored_offer, stored_offer_rows);
