/*  transaction_wire - plans, parts and holds, to and from proto/transaction.proto. */
#include "transaction_wire.h"

#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) COMMAND_EDGE_REFUSED == MUSUBI__COMMAND_STATE__EDGE_REFUSED, "same numbers");
static_assert ((int) REFUSAL_FENCED == MUSUBI__REFUSAL_REASON__FENCED, "same numbers");
static_assert ((int) OUTCOME_ABORTED == MUSUBI__OUTCOME__OUTCOME_ABORTED, "same numbers");
static_assert ((int) OPERATION_RELEASE == MUSUBI__OPERATION__RELEASE, "same numbers");
static_assert ((int) PART_COMPUTE == MUSUBI__HOLD_REQUEST__PART_COMPUTE, "proto field numbers");
static_assert ((int) PART_NETWORK == MUSUBI__HOLD_REQUEST__PART_NETWORK, "proto field numbers");
static_assert ((int) PART_CLAIM == MUSUBI__HOLD_REQUEST__PART_CLAIM, "proto field numbers");

/*  --- txid --- */

static const codec_row_t txid_rows [] = {
  ROW_FIXED ("store", txid_t, store),
  ROW_NUMBER ("start", txid_t, start, LEAST (1)),
  ROW_NUMBER ("counter", txid_t, counter, LEAST (1)),
};
const codec_t txid_codec = CODEC (txid_t, musubi__txid__descriptor, txid_rows);

void txid_put (Musubi__Txid *to, const txid_t *from)
{
    musubi__txid__init (to);
    to->store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) from->store};
    to->start = from->start;
    to->counter = from->counter;
}

bool txid_take (txid_t *to, const Musubi__Txid *from, const char *field, char why [WHY_BYTES])
{
    if (!from)
        return wrong (why, "%s: missing", field);
    if (from->store.len != STORE_ID_BYTES)
        return wrong (why, "%s.store: must be %d bytes", field, STORE_ID_BYTES);
    if (from->start == 0 || from->counter == 0)
        return wrong (why, "%s: start and counter count from 1", field);
    memcpy (to->store, from->store.data, STORE_ID_BYTES);
    to->start = from->start;
    to->counter = from->counter;
    return true;
}

/*  --- plan --- */

static const codec_row_t party_rows [] = {
  ROW_WORD ("name", party_t, name),
  ROW_UNUSED ("key"),
  ROW_FIXED ("store", party_t, store),
  ROW_WORD ("endpoint", party_t, endpoint, OR_NONE),
};
const codec_t party_codec = CODEC (party_t, musubi__party__descriptor, party_rows);

void party_put (Musubi__Party *to, const party_t *from)
{
    musubi__party__init (to);
    to->name = (char *) from->name;
    to->store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) from->store};
    to->endpoint = (char *) from->endpoint;
}

bool party_take (party_t *to, const Musubi__Party *from, const char *field, char why [WHY_BYTES])
{
    *to = (party_t){0};
    if (!from)
        return wrong (why, "%s: missing", field);
    if (!text_take (to->name, NAME_BYTES_MAX, from->name, TEXT_WORD, field, why))
        return false;
    if (from->store.len != STORE_ID_BYTES)
        return wrong (why, "%s.store: must be %d bytes", field, STORE_ID_BYTES);
    memcpy (to->store, from->store.data, STORE_ID_BYTES);
    return text_take (to->endpoint, sizeof to->endpoint - 1, from->endpoint, TEXT_WORD_OR_NONE,
                      field, why);
}

void plan_put (plan_wire_t *to, const plan_t *from)
{
    *to = (plan_wire_t){.plan = MUSUBI__PLAN__INIT};
    to->plan.txid = &to->txid;
    txid_put (&to->txid, &from->txid);
    to->plan.operation = (Musubi__Operation) from->operation;
    to->plan.reservation = (char *) from->reservation;
    to->plan.base_version = from->base_version;
    size_t voting = from->participants_count, all = voting + from->awaited_count;
    to->parties = messages_new (&musubi__party__descriptor, all);
    for (size_t i = 0; i < all; i++)
        party_put (to->parties [i],
                   i < voting ? &from->participants [i] : &from->awaited [i - voting]);
    to->plan.n_participants = voting;
    to->plan.participants = to->parties;
    to->plan.n_awaited = from->awaited_count;
    to->plan.awaited = to->parties + voting;
    party_put (&to->coordinator, &from->coordinator);
    to->plan.coordinator = &to->coordinator;
    to->plan.decide_by_ms = from->decide_by_ms;
    to->plan.edge_ms = from->edge_ms;
    to->plan.end_ms = from->end_ms;
    to->plan.actor = (char *) from->actor;
    to->plan.owner = (char *) from->owner;
    to->plan.request_id = (char *) from->request_id;
    to->plan.home = (char *) from->home;
    to->plan.request = (ProtobufCBinaryData){.len = from->request_size, .data = from->request};
    if (from->repairs.start > 0) {
        txid_put (&to->repairs, &from->repairs);
        to->plan.repairs = &to->repairs;
    }
}

void plan_put_end (plan_wire_t *wire)
{
    free (wire->parties);
    wire->parties = NULL;
}

/*  Everyone who votes, each once: an answer counts for one store (T7). */
static bool participants_take (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES])
{
    if (from->n_participants == 0 || from->n_participants > PARTICIPANTS_MAX)
        return wrong (why, "plan.participants: must be 1 to %d", PARTICIPANTS_MAX);
    to->participants = must (malloc (from->n_participants * sizeof (party_t)));
    to->participants_count = from->n_participants;
    for (size_t i = 0; i < from->n_participants; i++) {
        party_t *party = &to->participants [i];
        if (!party_take (party, from->participants [i], "plan.participants", why))
            return false;
        for (size_t j = 0; j < i; j++)
            if (strcmp (to->participants [j].name, party->name) == 0 ||
                memcmp (to->participants [j].store, party->store, STORE_ID_BYTES) == 0)
                return wrong (why, "plan.participants: %s is named twice", party->name);
    }
    return true;
}

static bool awaited_take (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES])
{
    if (from->n_awaited > 0 && to->operation != OPERATION_RELEASE)
        return wrong (why, "plan.awaited: only of a release");
    if (from->n_awaited > PARTICIPANTS_MAX)
        return wrong (why, "plan.awaited: at most %d", PARTICIPANTS_MAX);
    to->awaited = from->n_awaited > 0 ? must (malloc (from->n_awaited * sizeof (party_t))) : NULL;
    for (; to->awaited_count < from->n_awaited; to->awaited_count++)
        if (!party_take (&to->awaited [to->awaited_count], from->awaited [to->awaited_count],
                         "plan.awaited", why))
            return false;
    return true;
}

static bool home_take (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES])
{
    if (!text_take (to->request_id, REQUEST_ID_BYTES_MAX, from->request_id, TEXT_WORD_OR_NONE,
                    "plan.request_id", why) ||
        !text_take (to->home, NAME_BYTES_MAX, from->home, TEXT_WORD_OR_NONE, "plan.home", why))
        return false;
    if (!*to->home)
        return true;
    if (!*to->request_id)
        return wrong (why, "plan.request_id: missing, though plan.home is given");
    for (size_t i = 0; i < to->participants_count; i++)
        if (strcmp (to->participants [i].name, to->home) == 0)
            return true;
    return wrong (why, "plan.home: %s is not among the participants", to->home);
}

/*  Who asks need not be the owner, but of what he makes anew he is. */
static bool actor_take (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES])
{
    if (!text_take (to->actor, NAME_BYTES_MAX, from->actor, TEXT_WORD, "plan.actor", why) ||
        !text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "plan.owner", why))
        return false;
    if (!*to->owner)
        memcpy (to->owner, to->actor, sizeof to->owner);
    if (to->operation == OPERATION_RESERVE && strcmp (to->owner, to->actor) != 0)
        return wrong (why, "plan.owner: must be the actor of a reserve");
    return true;
}

static bool plan_take_all (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES])
{
    if (!txid_take (&to->txid, from->txid, "plan.txid", why))
        return false;
    if (!enum_valid ((int) from->operation, OPERATION_RELEASE))
        return wrong (why, "plan.operation: %d is none", (int) from->operation);
    to->operation = (operation_t) from->operation;
    if (!text_take (to->reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD,
                    "plan.reservation", why))
        return false;
    to->base_version = from->base_version;
    if ((to->operation == OPERATION_RESERVE) != (to->base_version == 0))
        return wrong (why, "plan.base_version: 0 for a reserve and for nothing else");
    if (to->base_version == UINT32_MAX)
        return wrong (why, "plan.base_version: too large");
    if (!participants_take (to, from, why) || !awaited_take (to, from, why) ||
        !party_take (&to->coordinator, from->coordinator, "plan.coordinator", why))
        return false;
    if (memcmp (to->coordinator.store, to->txid.store, STORE_ID_BYTES) != 0)
        return wrong (why, "plan.coordinator.store: must be the txid's (T1)");
    to->decide_by_ms = from->decide_by_ms;
    to->edge_ms = from->edge_ms;
    to->end_ms = from->end_ms;
    if (!time_valid (to->decide_by_ms) || !time_valid (to->edge_ms) || !time_valid (to->end_ms))
        return wrong (why, "plan: decide_by_ms, edge_ms and end_ms must be times before the year "
                           "10000");
    if (!actor_take (to, from, why) || !home_take (to, from, why))
        return false;
    if (from->request.len > PLAN_REQUEST_BYTES_MAX)
        return wrong (why, "plan.request: larger than %d bytes", PLAN_REQUEST_BYTES_MAX);
    if (from->repairs && !txid_take (&to->repairs, from->repairs, "plan.repairs", why))
        return false;
    if (from->repairs && (to->operation == OPERATION_RESERVE || *to->home))
        return wrong (why, "plan.repairs: only of a change that no request asks for");
    to->request = must_copy (from->request.data, from->request.len);
    to->request_size = from->request.len;
    return true;
}

bool plan_take (plan_t *to, const Musubi__Plan *from, char why [WHY_BYTES])
{
    *to = (plan_t){0};
    if (!from)
        return wrong (why, "plan: missing");
    if (plan_take_all (to, from, why))
        return true;
    plan_clear (to);
    return false;
}

packed_t plan_encode (const plan_t *self)
{
    plan_wire_t wire;
    plan_put (&wire, self);
    packed_t packed = packed_of (&wire.plan.base);
    plan_put_end (&wire);
    return packed;
}

bool plan_decode (plan_t *self, bytes_t body, char why [WHY_BYTES])
{
    *self = (plan_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__plan__descriptor, body);
    if (!message)
        return wrong (why, "not a Plan");
    bool good = plan_take (self, (Musubi__Plan *) message, why);
    message_free (message);
    return good;
}

/*  --- parts --- */

const ProtobufCMessageDescriptor *part_descriptor (part_kind_t kind)
{
    switch (kind) {
    case PART_COMPUTE:
        return &musubi__compute_part__descriptor;
    case PART_CLAIM:
        return &musubi__claim_part__descriptor;
    case PART_NETWORK:
        return &musubi__network_part__descriptor;
    case PART_NONE:
        break;
    }
    return NULL;
}

Musubi__ComputeBooking **bookings_put (const compute_booking_t *from, size_t count)
{
    Musubi__ComputeBooking **list = messages_new (&musubi__compute_booking__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        list [i]->need = (char *) from [i].need;
        list [i]->class_name = (char *) from [i].class_name;
        list [i]->cpus = from [i].cpus;
        list [i]->nodes = from [i].nodes;
        list [i]->from_ms = from [i].from_ms;
        list [i]->until_ms = from [i].until_ms;
    }
    return list;
}

packed_t compute_part_encode (const compute_booking_t *bookings, size_t count)
{
    assert (count <= BOOKINGS_MAX);
    Musubi__ComputePart part = MUSUBI__COMPUTE_PART__INIT;
    part.n_bookings = count;
    part.bookings = bookings_put (bookings, count);
    packed_t packed = packed_of (&part.base);
    free (part.bookings);
    return packed;
}

static bool booking_take (compute_booking_t *to, const Musubi__ComputeBooking *from,
                          char why [WHY_BYTES])
{
    *to = (compute_booking_t){.cpus = from->cpus,
                              .nodes = from->nodes,
                              .from_ms = from->from_ms,
                              .until_ms = from->until_ms};
    if (!text_take (to->need, NAME_BYTES_MAX, from->need, TEXT_ANY, "compute.bookings.need", why) ||
        !text_take (to->class_name, NAME_BYTES_MAX, from->class_name, TEXT_WORD,
                    "compute.bookings.class_name", why))
        return false;
    if (to->cpus == 0 || to->nodes == 0)
        return wrong (why, "compute.bookings: %s asks no CPUs or no nodes", to->need);
    if (!time_valid (to->from_ms) || !time_valid (to->until_ms) || to->from_ms >= to->until_ms)
        return wrong (why, "compute.bookings: %s has no interval [from, until)", to->need);
    return true;
}

static bool compute_take (compute_booking_t **bookings, size_t *count,
                          const Musubi__ComputePart *part, char why [WHY_BYTES])
{
    *bookings = NULL;
    *count = 0;
    if (part->n_bookings > BOOKINGS_MAX)
        return wrong (why, "compute.bookings: more than %d", BOOKINGS_MAX);
    if (part->n_bookings == 0)
        return true;
    *bookings = must (malloc (part->n_bookings * sizeof (compute_booking_t)));
    for (size_t i = 0; i < part->n_bookings; i++) {
        if (!booking_take (&(*bookings) [i], part->bookings [i], why)) {
            free (*bookings);
            *bookings = NULL;
            return false;
        }
    }
    *count = part->n_bookings;
    return true;
}

bool compute_part_decode (bytes_t part, compute_booking_t **bookings, size_t *count,
                          char why [WHY_BYTES])
{
    *bookings = NULL;
    *count = 0;
    ProtobufCMessage *message = message_unpack (&musubi__compute_part__descriptor, part);
    if (!message)
        return wrong (why, "not a ComputePart");
    bool good = compute_take (bookings, count, (Musubi__ComputePart *) message, why);
    message_free (message);
    return good;
}

packed_t claim_part_encode (const uint8_t digest [DIGEST_BYTES], bytes_t answer)
{
    Musubi__ClaimPart part = MUSUBI__CLAIM_PART__INIT;
    part.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) digest};
    part.answer = (ProtobufCBinaryData){.len = answer.size, .data = (uint8_t *) answer.data};
    return packed_of (&part.base);
}

bool claim_check (const Musubi__ClaimPart *claim, char why [WHY_BYTES])
{
    if (claim->digest.len != DIGEST_BYTES)
        return wrong (why, "claim.digest: must be %d bytes", DIGEST_BYTES);
    if (claim->answer.len > CLAIM_ANSWER_BYTES_MAX)
        return wrong (why, "claim.answer: larger than %d bytes", CLAIM_ANSWER_BYTES_MAX);
    return true;
}

bool claim_part_decode (bytes_t part, uint8_t digest [DIGEST_BYTES], packed_t *answer,
                        char why [WHY_BYTES])
{
    *answer = (packed_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__claim_part__descriptor, part);
    if (!message)
        return wrong (why, "not a ClaimPart");
    const Musubi__ClaimPart *claim = (Musubi__ClaimPart *) message;
    bool good = claim_check (claim, why);
    if (good) {
        memcpy (digest, claim->digest.data, DIGEST_BYTES);
        *answer = unpacked_copy (claim->answer);
    }
    message_free (message);
    return good;
}

/*  --- hold --- */

packed_t hold_encode (const hold_t *self)
{
    Musubi__HoldRequest request = MUSUBI__HOLD_REQUEST__INIT;
    plan_wire_t plan;
    plan_put (&plan, &self->plan);
    request.plan = &plan.plan;

    ProtobufCMessage *part = NULL;
    const ProtobufCMessageDescriptor *descriptor = part_descriptor (self->part_kind);
    if (descriptor) {
        part = message_unpack (descriptor, (bytes_t){.data = self->part, .size = self->part_size});
        assert (part);
        request.part_case = (Musubi__HoldRequest__PartCase) self->part_kind;
        if (self->part_kind == PART_COMPUTE)
            request.compute = (Musubi__ComputePart *) part;
        else if (self->part_kind == PART_NETWORK)
            request.network = (Musubi__NetworkPart *) part;
        else
            request.claim = (Musubi__ClaimPart *) part;
    }

    assert (self->replaces_count <= REPLACES_MAX);
    request.n_replaces = self->replaces_count;
    request.replaces = messages_new (&musubi__txid__descriptor, self->replaces_count);
    for (size_t i = 0; i < self->replaces_count; i++)
        txid_put (request.replaces [i], &self->replaces [i]);
    request.ttl_ms = self->ttl_ms;
    request.prepare = self->prepare;

    packed_t packed = packed_of (&request.base);
    free (request.replaces);
    message_free (part);
    plan_put_end (&plan);
    return packed;
}

static bool part_take (hold_t *to, const Musubi__HoldRequest *from, char why [WHY_BYTES])
{
    const ProtobufCMessage *part = NULL;
    if (from->part_case == MUSUBI__HOLD_REQUEST__PART_COMPUTE) {
        compute_booking_t *bookings;
        size_t count;
        if (!compute_take (&bookings, &count, from->compute, why))
            return false;
        free (bookings);
        to->part_kind = PART_COMPUTE;
        part = &from->compute->base;
    } else if (from->part_case == MUSUBI__HOLD_REQUEST__PART_CLAIM) {
        if (!claim_check (from->claim, why))
            return false;
        to->part_kind = PART_CLAIM;
        part = &from->claim->base;
    } else if (from->part_case == MUSUBI__HOLD_REQUEST__PART_NETWORK) {
        circuit_t *circuits;
        size_t count;
        if (!circuits_take (&circuits, &count, from->network->circuits, from->network->n_circuits,
                            why))
            return false;
        circuits_free (circuits, count);
        to->part_kind = PART_NETWORK;
        part = &from->network->base;
    }
    if (part)
        to->part = message_pack (part, &to->part_size);
    return true;
}

static bool hold_take (hold_t *to, const Musubi__HoldRequest *from, char why [WHY_BYTES])
{
    if (!plan_take (&to->plan, from->plan, why) || !part_take (to, from, why))
        return false;
    if (from->n_replaces > REPLACES_MAX)
        return wrong (why, "replaces: more than %d", REPLACES_MAX);
    for (size_t i = 0; i < from->n_replaces; i++) {
        txid_t *old = &to->replaces [i];
        if (!txid_take (old, from->replaces [i], "replaces", why))
            return false;
        if (memcmp (old->store, to->plan.txid.store, STORE_ID_BYTES) != 0 ||
            txid_compare (old, &to->plan.txid) >= 0)
            return wrong (why, "replaces: only earlier plans of the same coordinator");
    }
    to->replaces_count = from->n_replaces;
    to->ttl_ms = from->ttl_ms;
    to->prepare = from->prepare;
    return true;
}

bool hold_decode (hold_t *self, bytes_t body, char why [WHY_BYTES])
{
    *self = (hold_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__hold_request__descriptor, body);
    if (!message)
        return wrong (why, "not a HoldRequest");
    bool good = hold_take (self, (Musubi__HoldRequest *) message, why);
    message_free (message);
    if (!good)
        hold_clear (self);
    return good;
}

static const codec_t *const codecs [] = {&txid_codec, &party_codec};
const codecs_t transaction_codecs = CODECS (codecs);
