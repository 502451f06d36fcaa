/*  sharing_wire - protobuf <-> plain values. */
#include "sharing_wire.h"

#include "balance.pb-c.h"
#include "bus.pb-c.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*  --- membership --- */

static bool terms_take (membership_t *to, const char *balancer, double level_s, bool automatic,
                        char why [WHY_BYTES])
{
    if (!text_take (to->balancer, NAME_BYTES_MAX, balancer, TEXT_WORD, "balancer", why))
        return false;
    if (strncmp (to->balancer, "balancer/", 9) != 0 || to->balancer [9] == '\0')
        return wrong (why, "balancer: \"%s\" should be like balancer/green", to->balancer);
    if (!isfinite (level_s) || level_s < 0 || level_s > LEVEL_S_MOST)
        return wrong (why, "level_s: %g should be 0 to %g seconds", level_s, LEVEL_S_MOST);
    to->level_s = level_s;
    to->automatic = automatic;
    return true;
}

bool join_decode (membership_t *membership, bytes_t body, char why [WHY_BYTES])
{
    Musubi__JoinRequest *from =
      (Musubi__JoinRequest *) message_unpack (&musubi__join_request__descriptor, body);
    if (!from)
        return wrong (why, "not a JoinRequest");
    *membership = (membership_t){.round = 0};
    bool good = terms_take (membership, from->balancer, from->level_s, from->automatic, why);
    message_free (&from->base);
    return good;
}

packed_t join_answer_encode (void)
{
    Musubi__JoinAnswer answer = MUSUBI__JOIN_ANSWER__INIT;
    return packed_of (&answer.base);
}

bool leave_decode (bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *from = message_unpack (&musubi__leave_request__descriptor, body);
    if (!from)
        return wrong (why, "not a LeaveRequest");
    message_free (from);
    return true;
}

packed_t leave_answer_encode (uint32_t given_back)
{
    Musubi__LeaveAnswer answer = MUSUBI__LEAVE_ANSWER__INIT;
    answer.given_back = given_back;
    return packed_of (&answer.base);
}

bool membership_question_decode (bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *from = message_unpack (&musubi__membership_request__descriptor, body);
    if (!from)
        return wrong (why, "not a MembershipRequest");
    message_free (from);
    return true;
}

packed_t membership_answer_encode (const membership_t *membership, uint32_t away, uint32_t guests)
{
    Musubi__MembershipAnswer answer = MUSUBI__MEMBERSHIP_ANSWER__INIT;
    answer.balancer = (char *) membership->balancer;
    answer.level_s = membership->level_s;
    answer.automatic = membership->automatic;
    answer.away = away;
    answer.guests = guests;
    return packed_of (&answer.base);
}

/*  --- state --- */

bool state_question_decode (uint64_t *after, bytes_t body, char why [WHY_BYTES])
{
    Musubi__StateRequest *from =
      (Musubi__StateRequest *) message_unpack (&musubi__state_request__descriptor, body);
    if (!from)
        return wrong (why, "not a StateRequest");
    *after = from->after;
    message_free (&from->base);
    return true;
}

static void queued_put (Musubi__QueuedBag *to, const queued_bag_t *from, const char *site)
{
    const bag_t *bag = from->bag;
    const run_order_t *order = bag->asked.order;
    to->bag = bag->number;
    to->home = (char *) (bag->guest ? bag->guest->home.name : site);
    to->home_bag = bag->guest ? bag->guest->bag : bag->number;
    to->running = bag->running;
    to->waiting = bag->waiting.waiting;
    to->movable = bag->guest || bag->asked.shared ? bag->waiting.waiting : 0;
    to->task_load_s = (double) order->cpus * (double) order->limit_ms / 1000;
    to->running_load_s = from->running_load_s;
    to->submitted_ms = bag->submitted_ms;
    to->away = bag->away;
}

packed_t state_answer_encode (const site_state_t *state, const membership_t *membership,
                              const char *site)
{
    Musubi__StateAnswer answer = MUSUBI__STATE_ANSWER__INIT;
    Musubi__QueuedBag **list = messages_new (&musubi__queued_bag__descriptor, state->bags_count);
    for (size_t i = 0; i < state->bags_count; i++)
        queued_put (list [i], &state->bags [i], site);
    answer.cpus = state->cpus;
    answer.level_s = membership->level_s;
    answer.automatic = membership->automatic;
    answer.done_s = state->done_s;
    answer.start = state->start;
    answer.n_bags = state->bags_count;
    answer.bags = list;
    answer.more = state->more;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}

/*  --- moves --- */

static bool order_take (move_order_t *to, const Musubi__MoveRequest *from, char why [WHY_BYTES])
{
    *to = (move_order_t){
      .round = from->round, .number = from->number, .bag = from->bag, .count = from->count};
    if (from->round < 1)
        return wrong (why, "round: rounds count from 1");
    if (from->count < 1)
        return wrong (why, "count: must be at least 1");
    if (!party_take (&to->to, from->to, "to", why))
        return false;
    return strncmp (to->to.name, "lis/", 4) == 0 ||
           wrong (why, "to: \"%s\" should be a site, like lis/osa", to->to.name);
}

bool move_decode (move_order_t *order, bytes_t body, char why [WHY_BYTES])
{
    Musubi__MoveRequest *from =
      (Musubi__MoveRequest *) message_unpack (&musubi__move_request__descriptor, body);
    if (!from)
        return wrong (why, "not a MoveRequest");
    bool good = order_take (order, from, why);
    message_free (&from->base);
    return good;
}

packed_t move_answer_encode (uint32_t moved)
{
    Musubi__MoveAnswer answer = MUSUBI__MOVE_ANSWER__INIT;
    answer.moved = moved;
    return packed_of (&answer.base);
}

packed_t accept_encode (const offer_message_t *offer)
{
    Musubi__AcceptRequest request = MUSUBI__ACCEPT_REQUEST__INIT;
    Musubi__Txid move;
    Musubi__Party home;
    txid_put (&move, &offer->move);
    party_put (&home, &offer->home);
    request.move = &move;
    request.home = &home;
    request.balancer = (char *) offer->balancer;
    request.owner = (char *) offer->owner;
    request.submitted =
      (ProtobufCBinaryData){.len = offer->submitted.size, .data = offer->submitted.data};
    request.bag = offer->bag;
    request.first = offer->first;
    request.count = offer->count;
    request.offered_ms = offer->offered_ms;
    return packed_of (&request.base);
}

static bool offer_take (offer_message_t *to, const Musubi__AcceptRequest *from,
                        char why [WHY_BYTES])
{
    *to = (offer_message_t){
      .bag = from->bag, .first = from->first, .count = from->count, .offered_ms = from->offered_ms};
    if (!txid_take (&to->move, from->move, "move", why) ||
        !party_take (&to->home, from->home, "home", why) ||
        !text_take (to->balancer, NAME_BYTES_MAX, from->balancer, TEXT_WORD, "balancer", why) ||
        !text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD, "owner", why))
        return false;
    if (memcmp (to->move.store, to->home.store, STORE_ID_BYTES) != 0)
        return wrong (why, "move.store: must be the home's");
    if (from->bag == 0)
        return wrong (why, "bag: bags count from 1");
    if (from->count < 1)
        return wrong (why, "count: must be at least 1");
    if (!time_valid (from->offered_ms))
        return wrong (why, "offered_ms: %lld is no time", (long long) from->offered_ms);
    to->submitted =
      (packed_t){.data = must (malloc (from->submitted.len + 1)), .size = from->submitted.len};
    if (from->submitted.len > 0)
        memcpy (to->submitted.data, from->submitted.data, from->submitted.len);
    return true;
}

bool accept_decode (offer_message_t *offer, bytes_t body, char why [WHY_BYTES])
{
    Musubi__AcceptRequest *from =
      (Musubi__AcceptRequest *) message_unpack (&musubi__accept_request__descriptor, body);
    if (!from)
        return wrong (why, "not an AcceptRequest");
    bool good = offer_take (offer, from, why);
    message_free (&from->base);
    return good;
}

packed_t accept_answer_encode (const offer_answer_t *given)
{
    Musubi__AcceptAnswer answer = MUSUBI__ACCEPT_ANSWER__INIT;
    answer.accepted = given->accepted;
    answer.why = (char *) given->why;
    return packed_of (&answer.base);
}

static bool sentence (char to [WHY_BYTES], const char *from, char why [WHY_BYTES])
{
    *to = '\0';
    return !from || !*from || text_take (to, WHY_BYTES - 1, from, TEXT_ANY, "why", why);
}

bool accept_answer_decode (offer_answer_t *given, bytes_t body, char why [WHY_BYTES])
{
    Musubi__AcceptAnswer *from =
      (Musubi__AcceptAnswer *) message_unpack (&musubi__accept_answer__descriptor, body);
    if (!from)
        return wrong (why, "not an AcceptAnswer");
    given->accepted = from->accepted;
    bool good = sentence (given->why, from->why, why);
    message_free (&from->base);
    return good;
}

/*  --- ends --- */

packed_t guests_ended_encode (const bag_t *guests, const uint32_t *indices, size_t count)
{
    Musubi__GuestsEndedRequest request = MUSUBI__GUESTS_ENDED_REQUEST__INIT;
    Musubi__Txid move;
    Musubi__GuestEnd **list = messages_new (&musubi__guest_end__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        const task_t *task = bag_task (guests, indices [i]);
        list [i]->index = guests->guest->first + indices [i];
        list [i]->state = (Musubi__TaskState) task->state;
        list [i]->tries = task->tries;
        list [i]->node = task->node_name;
        list [i]->started_ms = task->started_ms;
        list [i]->ended_ms = task->ended_ms;
        list [i]->exit_code = task->exit_code;
        list [i]->signal = task->signal;
        list [i]->cpu_ms = task->cpu_ms;
        list [i]->dropped = task->dropped;
        list [i]->why = task->why;
    }
    txid_put (&move, &guests->guest->move);
    request.move = &move;
    request.bag = guests->guest->bag;
    request.n_ends = count;
    request.ends = list;
    packed_t packed = packed_of (&request.base);
    free (list);
    return packed;
}

static bool end_take (guest_end_t *to, const Musubi__GuestEnd *from, char why [WHY_BYTES])
{
    char text [WHY_BYTES];
    if (!enum_valid ((int) from->state, TASK_STATES - 1) || !task_over ((task_state_t) from->state))
        return wrong (why, "ends.state: %d is not how a task ends", (int) from->state);
    if (!text_take (text, NAME_BYTES_MAX, from->node, TEXT_WORD_OR_NONE, "ends.node", why) ||
        !sentence (text, from->why, why))
        return false;
    *to = (guest_end_t){.index = from->index,
                        .state = (task_state_t) from->state,
                        .tries = from->tries,
                        .node = from->node,
                        .started_ms = from->started_ms,
                        .ended_ms = from->ended_ms,
                        .exit_code = from->exit_code,
                        .signal = from->signal,
                        .cpu_ms = from->cpu_ms,
                        .dropped = from->dropped,
                        .why = from->why};
    return true;
}

bool guests_ended_decode (ends_t *ends, bytes_t body, char why [WHY_BYTES])
{
    Musubi__GuestsEndedRequest *from = (Musubi__GuestsEndedRequest *) message_unpack (
      &musubi__guests_ended_request__descriptor, body);
    if (!from)
        return wrong (why, "not a GuestsEndedRequest");
    *ends = (ends_t){.bag = from->bag, .count = from->n_ends, .message = from};
    ends->ends = must (calloc (from->n_ends + 1, sizeof *ends->ends));
    bool good = txid_take (&ends->move, from->move, "move", why);
    for (size_t i = 0; i < from->n_ends && good; i++)
        good = end_take (&ends->ends [i], from->ends [i], why);
    if (!good)
        ends_clear (ends);
    return good;
}

void ends_clear (ends_t *self)
{
    free (self->ends);
    if (self->message)
        message_free (self->message);
    *self = (ends_t){.bag = 0};
}

packed_t guests_ended_answer_encode (void)
{
    Musubi__GuestsEndedAnswer answer = MUSUBI__GUESTS_ENDED_ANSWER__INIT;
    return packed_of (&answer.base);
}

packed_t guest_cancel_encode (const txid_t *move, const uint32_t *indices, size_t count)
{
    Musubi__GuestCancelRequest request = MUSUBI__GUEST_CANCEL_REQUEST__INIT;
    Musubi__Txid id;
    txid_put (&id, move);
    request.move = &id;
    request.n_indices = count;
    request.indices = (uint32_t *) indices;
    return packed_of (&request.base);
}

bool guest_cancel_decode (txid_t *move, uint32_t **indices, size_t *count, bytes_t body,
                          char why [WHY_BYTES])
{
    Musubi__GuestCancelRequest *from = (Musubi__GuestCancelRequest *) message_unpack (
      &musubi__guest_cancel_request__descriptor, body);
    if (!from)
        return wrong (why, "not a GuestCancelRequest");
    bool good = txid_take (move, from->move, "move", why);
    if (good) {
        *count = from->n_indices;
        *indices = must (calloc (from->n_indices + 1, sizeof **indices));
        if (from->n_indices > 0)
            memcpy (*indices, from->indices, from->n_indices * sizeof **indices);
    }
    message_free (&from->base);
    return good;
}

packed_t guest_cancel_answer_encode (void)
{
    Musubi__GuestCancelAnswer answer = MUSUBI__GUEST_CANCEL_ANSWER__INIT;
    return packed_of (&answer.base);
}

packed_t guest_output_encode (const guest_output_t *asked)
{
    Musubi__GuestOutputRequest request = MUSUBI__GUEST_OUTPUT_REQUEST__INIT;
    Musubi__Txid move;
    txid_put (&move, &asked->move);
    request.move = &move;
    request.index = asked->index;
    request.errors = asked->question.errors;
    request.offset = asked->question.offset;
    request.most = asked->question.most;
    return packed_of (&request.base);
}

bool guest_output_decode (guest_output_t *asked, bytes_t body, char why [WHY_BYTES])
{
    Musubi__GuestOutputRequest *from = (Musubi__GuestOutputRequest *) message_unpack (
      &musubi__guest_output_request__descriptor, body);
    if (!from)
        return wrong (why, "not a GuestOutputRequest");
    *asked = (guest_output_t){
      .index = from->index,
      .question = {.errors = from->errors, .offset = from->offset, .most = from->most}};
    bool good = txid_take (&asked->move, from->move, "move", why);
    message_free (&from->base);
    return good;
}

/*  --- who serves there --- */

packed_t host_status_encode (void)
{
    Musubi__StatusRequest request = MUSUBI__STATUS_REQUEST__INIT;
    return packed_of (&request.base);
}

bool host_status_decode (char name [NAME_BYTES_MAX + 1], bytes_t body, char why [WHY_BYTES])
{
    Musubi__StatusAnswer *from =
      (Musubi__StatusAnswer *) message_unpack (&musubi__status_answer__descriptor, body);
    if (!from)
        return wrong (why, "not a StatusAnswer");
    bool good = text_take (name, NAME_BYTES_MAX, from->name, TEXT_WORD, "name", why);
    message_free (&from->base);
    return good;
}

/*  --- on disk --- */

packed_t stored_move_encode (const stored_move_t *move)
{
    Musubi__StoredMove stored = MUSUBI__STORED_MOVE__INIT;
    Musubi__Party to;
    party_put (&to, &move->to);
    stored.to = &to;
    stored.balancer = (char *) move->balancer;
    stored.bag = move->bag;
    stored.first = move->first;
    stored.count = move->count;
    stored.offered_ms = move->offered_ms;
    stored.accepted = move->accepted;
    return packed_of (&stored.base);
}

bool stored_move_decode (stored_move_t *move, bytes_t key, bytes_t record, char why [WHY_BYTES])
{
    txid_t id;
    if (!txid_unpack (&id, key))
        return wrong (why, "its key is none");
    Musubi__StoredMove *stored =
      (Musubi__StoredMove *) message_unpack (&musubi__stored_move__descriptor, record);
    if (!stored)
        return wrong (why, "not a StoredMove");
    *move = (stored_move_t){.id = id,
                            .bag = stored->bag,
                            .first = stored->first,
                            .count = stored->count,
                            .offered_ms = stored->offered_ms,
                            .accepted = stored->accepted};
    bool good =
      party_take (&move->to, stored->to, "to", why) &&
      text_take (move->balancer, NAME_BYTES_MAX, stored->balancer, TEXT_WORD, "balancer", why);
    message_free (&stored->base);
    return good;
}

packed_t stored_offer_encode (const stored_offer_t *offer)
{
    Musubi__StoredOffer stored = MUSUBI__STORED_OFFER__INIT;
    stored.accepted = offer->given.accepted;
    stored.why = (char *) offer->given.why;
    stored.bag = offer->bag;
    stored.offered_ms = offer->offered_ms;
    return packed_of (&stored.base);
}

bool stored_offer_decode (stored_offer_t *offer, bytes_t key, bytes_t record, char why [WHY_BYTES])
{
    txid_t move;
    if (!txid_unpack (&move, key))
        return wrong (why, "its key is none");
    Musubi__StoredOffer *stored =
      (Musubi__StoredOffer *) message_unpack (&musubi__stored_offer__descriptor, record);
    if (!stored)
        return wrong (why, "not a StoredOffer");
    *offer = (stored_offer_t){.move = move,
                              .given = {.accepted = stored->accepted},
                              .bag = stored->bag,
                              .offered_ms = stored->offered_ms};
    bool good = sentence (offer->given.why, stored->why, why);
    message_free (&stored->base);
    return good;
}

packed_t stored_membership_encode (const membership_t *membership)
{
    Musubi__StoredMembership stored = MUSUBI__STORED_MEMBERSHIP__INIT;
    stored.balancer = (char *) membership->balancer;
    stored.level_s = membership->level_s;
    stored.automatic = membership->automatic;
    stored.round = membership->round;
    stored.number = membership->number;
    stored.moved = membership->moved;
    return packed_of (&stored.base);
}

bool stored_membership_decode (membership_t *membership, bytes_t record, char why [WHY_BYTES])
{
    Musubi__StoredMembership *stored =
      (Musubi__StoredMembership *) message_unpack (&musubi__stored_membership__descriptor, record);
    if (!stored)
        return wrong (why, "not a StoredMembership");
    *membership =
      (membership_t){.round = stored->round, .number = stored->number, .moved = stored->moved};
    bool good = terms_take (membership, stored->balancer, stored->level_s, stored->automatic, why);
    message_free (&stored->base);
    return good;
}
