/*  decision_wire - the coordinator's log, to and from proto/planner.proto.
 */
#include "record.h"

#include "message.h"
#include "must.h"
#include "part_wire.h"
#include "planner.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) DECISION_REPAIRED == MUSUBI__DECISION_PHASE__REPAIRED, "same numbers");

/*  --- what was before a change --- */

static void circuits_copy (circuit_t **to, const circuit_t *from, size_t count)
{
    *to = must_copy (from, count * sizeof *from);
    for (size_t i = 0; i < count; i++)
        (*to) [i].links = must_copy (from [i].links, from [i].links_count * sizeof *from [i].links);
}

void before_copy (before_t *to, const before_t *from)
{
    *to = (before_t){.parts_count = from->parts_count, .request_size = from->request_size};
    to->request = must_copy (from->request, from->request_size);
    to->parts = must_copy (from->parts, from->parts_count * sizeof *from->parts);
    for (size_t i = 0; i < to->parts_count; i++) {
        part_record_t *part = &to->parts [i];
        part->plan = (plan_t){0};
        part->plan_set = false;
        part->opening = (packed_t){0};
        part->bookings = must_copy (part->bookings, part->bookings_count * sizeof *part->bookings);
        circuits_copy (&part->circuits, from->parts [i].circuits, part->circuits_count);
    }
}

void before_clear (before_t *self)
{
    for (size_t i = 0; i < self->parts_count; i++)
        part_record_clear (&self->parts [i]);
    free (self->parts);
    free (self->request);
    *self = (before_t){0};
}

void decision_record_clear (decision_record_t *self)
{
    plan_clear (&self->plan);
    before_clear (&self->before);
}

static void part_put (Musubi__PartRecord *to, const part_record_t *from)
{
    to->participant = (char *) from->participant;
    to->reservation = (char *) from->reservation;
    to->version = from->version;
    to->state = (Musubi__ReservationState) from->state;
    to->n_bookings = from->bookings_count;
    to->bookings = bookings_put (from->bookings, from->bookings_count);
    to->n_circuits = from->circuits_count;
    to->circuits = circuits_put (from->circuits, from->circuits_count);
}

static void before_put (Musubi__Before *to, const before_t *from)
{
    musubi__before__init (to);
    to->n_parts = from->parts_count;
    to->parts = messages_new (&musubi__part_record__descriptor, from->parts_count);
    for (size_t i = 0; i < from->parts_count; i++)
        part_put (to->parts [i], &from->parts [i]);
    to->request = (ProtobufCBinaryData){.len = from->request_size, .data = from->request};
}

static void before_put_end (Musubi__Before *wire)
{
    for (size_t i = 0; i < wire->n_parts; i++) {
        free (wire->parts [i]->bookings);
        circuits_put_end (wire->parts [i]->circuits, wire->parts [i]->n_circuits);
    }
    free (wire->parts);
}

static bool before_take (before_t *to, const Musubi__Before *from, char why [WHY_BYTES])
{
    if (!from)
        return true;
    if (from->n_parts > PARTICIPANTS_MAX || from->request.len > PLAN_REQUEST_BYTES_MAX)
        return wrong (why, "before: too large");
    to->parts = must (calloc (from->n_parts + 1, sizeof *to->parts));
    to->request = must_copy (from->request.data, from->request.len);
    to->request_size = from->request.len;
    for (; to->parts_count < from->n_parts; to->parts_count++)
        if (!part_record_take (&to->parts [to->parts_count], from->parts [to->parts_count], why)) {
            part_record_clear (&to->parts [to->parts_count]);
            return false;
        }
    return true;
}

/*  --- the coordinator's log --- */

packed_t decision_encode (const decision_record_t *self)
{
    Musubi__DecisionRecord record = MUSUBI__DECISION_RECORD__INIT;
    plan_wire_t plan;
    Musubi__Before before;
    uint32_t spoilt [PARTICIPANTS_MAX];
    bool whole = self->phase == DECISION_DECIDED || self->phase == DECISION_REPAIRING;
    if (whole) {
        plan_put (&plan, &self->plan);
        record.plan = &plan.plan;
        before_put (&before, &self->before);
        if (self->before.parts_count > 0)
            record.before = &before;
    }
    record.repair_tries = self->repair_tries;
    record.phase = (Musubi__DecisionPhase) self->phase;
    record.end_ms = self->end_ms;
    record.spoilt = spoilt;
    for (uint32_t i = 0; i < PARTICIPANTS_MAX; i++)
        if (self->spoilt [i])
            spoilt [record.n_spoilt++] = i;
    record.text = (char *) self->text;
    record.epoch = self->epoch;
    packed_t packed = packed_of (&record.base);
    if (whole) {
        plan_put_end (&plan);
        before_put_end (&before);
    }
    return packed;
}

static bool decision_take (decision_record_t *to, const Musubi__DecisionRecord *from,
                           char why [WHY_BYTES])
{
    *to = (decision_record_t){
      .end_ms = from->end_ms, .epoch = from->epoch, .repair_tries = from->repair_tries};
    if (!enum_valid ((int) from->phase, DECISION_REPAIRED))
        return wrong (why, "phase: %d is none", (int) from->phase);
    to->phase = (decision_phase_t) from->phase;
    for (size_t i = 0; i < from->n_spoilt; i++) {
        if (from->spoilt [i] >= PARTICIPANTS_MAX)
            return wrong (why, "spoilt: %u is none", from->spoilt [i]);
        to->spoilt [from->spoilt [i]] = true;
    }
    if (*from->text &&
        !text_take (to->text, sizeof to->text - 1, from->text, TEXT_ANY, "text", why))
        return false;
    if (to->phase != DECISION_DECIDED && to->phase != DECISION_REPAIRING)
        return true;
    return plan_take (&to->plan, from->plan, why) && before_take (&to->before, from->before, why);
}

bool decision_decode (decision_record_t *self, bytes_t value, char why [WHY_BYTES])
{
    *self = (decision_record_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__decision_record__descriptor, value);
    if (!message)
        return wrong (why, "not a DecisionRecord");
    bool good = decision_take (self, (Musubi__DecisionRecord *) message, why);
    if (!good)
        decision_record_clear (self);
    message_free (message);
    return good;
}
