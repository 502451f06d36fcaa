/*  openings_wire - protobuf <-> plain values. */
#include "openings_wire.h"

#include "message.h"
#include "must.h"
#include "openings.pb-c.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

/*  --- what is asked of a back end --- */

packed_t back_end_order_encode (back_end_step_t step, const back_end_order_t *orders, size_t count)
{
    Musubi__BackEndReservation **list =
      messages_new (&musubi__back_end_reservation__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        list [i]->reservation = (char *) orders [i].reservation;
        list [i]->owner = (char *) orders [i].owner;
        list [i]->from_ms = orders [i].from_ms;
        list [i]->until_ms = orders [i].until_ms;
        list [i]->nodes = (char **) orders [i].nodes;
        list [i]->n_nodes = orders [i].nodes_count;
    }
    Musubi__BackEndOrder order = MUSUBI__BACK_END_ORDER__INIT;
    order.step = (Musubi__BackEndStep) step;
    order.reservations = list;
    order.n_reservations = count;
    packed_t packed = packed_of (&order.base);
    free (list);
    return packed;
}

/*  --- what people ask --- */

bool spent_question_decode (bytes_t body, char reservation [NAME_BYTES_MAX + 1], uint32_t *most,
                            char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__reservation_use_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ReservationUseRequest");
    const Musubi__ReservationUseRequest *request = (Musubi__ReservationUseRequest *) message;
    *most = request->most;
    bool good =
      text_take (reservation, NAME_BYTES_MAX, request->reservation, TEXT_WORD, "reservation", why);
    message_free (message);
    return good;
}

packed_t spent_answer_encode (const char *reservation, const use_step_t *steps, size_t count)
{
    Musubi__UseStep **list = messages_new (&musubi__use_step__descriptor, count);
    Musubi__ReservationUse answer = MUSUBI__RESERVATION_USE__INIT;
    answer.reservation = (char *) reservation;
    answer.steps = list;
    answer.n_steps = count;
    for (size_t i = 0; i < count; i++) {
        list [i]->from_ms = steps [i].from_ms;
        list [i]->until_ms = steps [i].until_ms;
        list [i]->cpu_ms = steps [i].cpu_ms;
        list [i]->offered_ms = steps [i].offered_ms;
        answer.cpu_ms += steps [i].cpu_ms;
        answer.offered_ms += steps [i].offered_ms;
    }
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}

packed_t opening_told_encode (const opening_told_t *self)
{
    size_t count = self->alternatives_count;
    Musubi__OpeningAlternative **list =
      messages_new (&musubi__opening_alternative__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        list [i]->class_name = (char *) self->alternatives [i].class_name;
        list [i]->nodes = self->alternatives [i].nodes;
        list [i]->from_ms = self->alternatives [i].over.from;
        list [i]->until_ms = self->alternatives [i].over.until;
    }
    Musubi__OpeningRecord record = MUSUBI__OPENING_RECORD__INIT;
    record.phase = (Musubi__OpeningPhase) self->phase;
    record.wanted = self->wanted;
    record.bound = self->bound;
    record.ready = self->ready;
    record.degraded = self->degraded;
    record.lent = self->lent;
    record.given_back = self->given_back;
    record.cpu_ms = self->cpu_ms;
    record.offered_ms = self->offered_ms;
    record.trouble = (char *) self->trouble;
    record.alternatives = list;
    record.n_alternatives = count;
    record.disconnected = self->disconnected;
    packed_t packed = packed_of (&record.base);
    free (list);
    return packed;
}

/*  --- what is kept --- */

packed_t stored_opening_encode (const stored_opening_t *self)
{
    Musubi__StoredBound **list =
      messages_new (&musubi__stored_bound__descriptor, self->nodes_count);
    for (size_t i = 0; i < self->nodes_count; i++) {
        list [i]->node = (char *) self->nodes [i].node;
        list [i]->state = (Musubi__BoundState) self->nodes [i].state;
        list [i]->at_ms = self->nodes [i].at_ms;
    }
    Musubi__StoredOpening record = MUSUBI__STORED_OPENING__INIT;
    record.phase = (Musubi__OpeningPhase) self->phase;
    record.nodes = list;
    record.n_nodes = self->nodes_count;
    record.from_ms = self->from_ms;
    record.until_ms = self->until_ms;
    record.lent = self->lent;
    record.given_back = self->given_back;
    record.owner = (char *) self->owner;
    packed_t packed = packed_of (&record.base);
    free (list);
    return packed;
}

void stored_opening_clear (stored_opening_t *self)
{
    free (self->nodes);
    self->nodes = NULL;
}

static bool bound_take (stored_bound_t *to, const Musubi__StoredBound *from, char why [WHY_BYTES])
{
    if (!enum_valid ((int) from->state, BOUND_STATES - 1) || !time_valid (from->at_ms))
        return wrong (why, "nodes: state or at_ms is none");
    to->state = (bound_state_t) from->state;
    to->at_ms = from->at_ms;
    return text_take (to->node, NAME_BYTES_MAX, from->node, TEXT_WORD, "nodes.node", why);
}

static bool opening_take (stored_opening_t *to, const Musubi__StoredOpening *from,
                          char why [WHY_BYTES])
{
    *to = (stored_opening_t){.from_ms = from->from_ms,
                             .until_ms = from->until_ms,
                             .lent = from->lent,
                             .given_back = from->given_back};
    if (!enum_valid ((int) from->phase, OPENING_PHASES - 1))
        return wrong (why, "phase: %d is none", (int) from->phase);
    to->phase = (opening_phase_t) from->phase;
    if (!time_valid (from->from_ms) || !time_valid (from->until_ms))
        return wrong (why, "from_ms, until_ms: no times");
    if (!text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "owner", why))
        return false;
    if (from->n_nodes > 0 && (to->phase == OPENING_WAITING || to->phase == OPENING_OVER))
        return wrong (why, "nodes: bound while it is %s", opening_phase_word (to->phase));
    to->nodes = must (calloc (from->n_nodes + 1, sizeof *to->nodes));
    to->nodes_count = from->n_nodes;
    for (size_t i = 0; i < from->n_nodes; i++)
        if (!bound_take (&to->nodes [i], from->nodes [i], why))
            return false;
    return true;
}

bool stored_opening_decode (stored_opening_t *self, bytes_t value, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_opening__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredOpening");
    bool good = opening_take (self, (Musubi__StoredOpening *) message, why);
    if (!good)
        stored_opening_clear (self);
    message_free (message);
    return good;
}

packed_t stored_use_encode (const stored_use_t *self)
{
    Musubi__StoredUse record = MUSUBI__STORED_USE__INIT;
    record.from_ms = self->spent.from_ms;
    record.width_ms = self->spent.width_ms;
    record.cpu_ms = (int64_t *) self->spent.cpu_ms;
    record.n_cpu_ms = SPENT_STEPS;
    record.offered_ms = (int64_t *) self->spent.offered_ms;
    record.n_offered_ms = SPENT_STEPS;
    record.over_cpu_ms = self->over_cpu_ms;
    record.until_ms = self->until_ms;
    return packed_of (&record.base);
}

static bool use_take (stored_use_t *to, const Musubi__StoredUse *from, char why [WHY_BYTES])
{
    *to = (stored_use_t){.over_cpu_ms = from->over_cpu_ms, .until_ms = from->until_ms};
    if (from->n_cpu_ms != SPENT_STEPS || from->n_offered_ms != SPENT_STEPS)
        return wrong (why, "cpu_ms, offered_ms: %d parts each", SPENT_STEPS);
    if (!time_valid (from->from_ms) || !time_valid (from->until_ms) || from->width_ms < 1 ||
        from->width_ms > TIME_MS_MAX / SPENT_STEPS || from->over_cpu_ms < 0)
        return wrong (why, "from_ms, until_ms, width_ms: out of range");
    to->spent.from_ms = from->from_ms;
    to->spent.width_ms = from->width_ms;
    for (size_t i = 0; i < SPENT_STEPS; i++) {
        if (from->cpu_ms [i] < 0 || from->offered_ms [i] < 0)
            return wrong (why, "cpu_ms, offered_ms: below zero");
        to->spent.cpu_ms [i] = from->cpu_ms [i];
        to->spent.offered_ms [i] = from->offered_ms [i];
    }
    return true;
}

bool stored_use_decode (stored_use_t *self, bytes_t value, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_use__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredUse");
    bool good = use_take (self, (Musubi__StoredUse *) message, why);
    message_free (message);
    return good;
}
