/*  transaction_wire - plans, parts and holds, to and from proto/transaction.proto. */
#include "transaction_wire.h"

#include "message.h"

#include <assert.h>
#include <string.h>

static_assert ((int) COMMAND_EDGE_REFUSED == MUSUBI__COMMAND_STATE__EDGE_REFUSED, "same numbers");
static_assert ((int) REFUSAL_FENCED == MUSUBI__REFUSAL_REASON__FENCED, "same numbers");
static_assert ((int) OUTCOME_ABORTED == MUSUBI__OUTCOME__OUTCOME_ABORTED, "same numbers");
static_assert ((int) OPERATION_RELEASE == MUSUBI__OPERATION__RELEASE, "same numbers");
static_assert ((int) PART_COMPUTE == MUSUBI__HOLD_REQUEST__PART_COMPUTE, "proto field numbers");
static_assert ((int) PART_NETWORK == MUSUBI__HOLD_REQUEST__PART_NETWORK, "proto field numbers");
static_assert ((int) PART_SPACE == MUSUBI__HOLD_REQUEST__PART_SPACE, "proto field numbers");
static_assert ((int) PART_CLAIM == MUSUBI__HOLD_REQUEST__PART_CLAIM, "proto field numbers");

/*  --- txid --- */

static const codec_row_t txid_rows [] = {
  ROW_FIXED ("store", txid_t, store),
  ROW_NUMBER ("start", txid_t, start, LEAST (1)),
  ROW_NUMBER ("counter", txid_t, counter, LEAST (1)),
};
const codec_t txid_codec = CODEC (txid_t, txid, txid_rows);

/*  --- plan --- */

static const codec_row_t party_rows [] = {
  ROW_WORD ("name", participant_ref_t, name),
  ROW_UNUSED ("key"),
  ROW_FIXED ("store", participant_ref_t, store),
  ROW_WORD ("endpoint", participant_ref_t, endpoint, OR_NONE),
};
const codec_t participant_ref_codec = CODEC (participant_ref_t, party, party_rows);

static const codec_row_t plan_rows [] = {
  ROW_ONE ("txid", plan_t, txid, txid),
  ROW_ENUM ("operation", plan_t, operation, OPERATION_RELEASE),
  ROW_WORD ("reservation", plan_t, reservation),
  ROW_NUMBER ("base_version", plan_t, base_version, MOST (UINT32_MAX - 1)),
  ROW_LIST ("participants", plan_t, participants, participants_count, participant_ref, 1,
            PARTICIPANTS_MAX),
  ROW_ONE ("coordinator", plan_t, coordinator, participant_ref),
  ROW_TIME ("decide_by_ms", plan_t, decide_by_ms),
  ROW_TIME ("edge_ms", plan_t, edge_ms),
  ROW_WORD ("actor", plan_t, actor),
  ROW_WORD ("request_id", plan_t, request_id, OR_NONE),
  ROW_WORD ("home", plan_t, home, OR_NONE),
  ROW_BYTES ("request", plan_t, request, request_size, PLAN_REQUEST_BYTES_MAX),
  ROW_TIME ("end_ms", plan_t, end_ms),
  ROW_WORD ("owner", plan_t, owner, OR_NONE),
  ROW_ONE ("repairs", plan_t, repairs, txid, SET_BY (plan_t, repairs.start)),
  ROW_LIST ("awaited", plan_t, awaited, awaited_count, participant_ref, 0, PARTICIPANTS_MAX),
};

/*  Every participant is named once, because an answer counts for one store (T7). */
static bool participants_right (const plan_t *plan, char why [WHY_BYTES])
{
    for (const participant_ref_t *one = plan->participants;
         one < plan->participants + plan->participants_count; one++)
        for (const participant_ref_t *other = plan->participants; other < one; other++)
            if (strcmp (other->name, one->name) == 0 ||
                memcmp (other->store, one->store, STORE_ID_BYTES) == 0)
                return wrong (why, "participants: %s is named twice", one->name);
    return plan->awaited_count == 0 || plan->operation == OPERATION_RELEASE ||
           wrong (why, "awaited: only a release has it");
}

static bool home_right (const plan_t *plan, char why [WHY_BYTES])
{
    if (!*plan->home)
        return true;
    if (!*plan->request_id)
        return wrong (why, "request_id: missing, though home is given");
    return parties_find (plan->participants, plan->participants_count, plan->home) ||
           wrong (why, "home: %s is not among the participants", plan->home);
}

/*  A plan without an owner is its actor's own. */
static bool plan_rule (void *self, char why [WHY_BYTES])
{
    plan_t *plan = self;
    if (!*plan->owner)
        memcpy (plan->owner, plan->actor, sizeof plan->owner);
    if ((plan->operation == OPERATION_RESERVE) != (plan->base_version == 0))
        return wrong (why, "base_version: must be 0 in a reserve, and above 0 otherwise");
    if (memcmp (plan->coordinator.store, plan->txid.store, STORE_ID_BYTES) != 0)
        return wrong (why, "coordinator.store: must be the store of the txid (T1)");
    if (plan->operation == OPERATION_RESERVE && strcmp (plan->owner, plan->actor) != 0)
        return wrong (why, "owner: must be the actor of a reserve");
    return participants_right (plan, why) && home_right (plan, why);
}

const codec_t plan_codec = CODEC_RULED (plan_t, plan, plan_rows, plan_rule);

/*  --- parts --- */

static const codec_row_t booking_rows [] = {
  ROW_TEXT ("need", compute_booking_t, need),
  ROW_WORD ("class_name", compute_booking_t, class_name),
  ROW_NUMBER ("cpus", compute_booking_t, cpus, LEAST (1)),
  ROW_NUMBER ("nodes", compute_booking_t, nodes, LEAST (1)),
  ROW_TIME ("from_ms", compute_booking_t, from_ms),
  ROW_TIME ("until_ms", compute_booking_t, until_ms),
};

static bool booking_rule (void *self, char why [WHY_BYTES])
{
    const compute_booking_t *booking = self;
    return interval_right (booking->from_ms, booking->until_ms, why);
}

const codec_t compute_booking_codec =
  CODEC_RULED (compute_booking_t, compute_booking, booking_rows, booking_rule);

static const codec_row_t compute_rows [] = {
  ROW_LIST ("bookings", compute_part_t, bookings, bookings_count, compute_booking, 0, BOOKINGS_MAX),
};
const codec_t compute_part_codec = CODEC (compute_part_t, compute_part, compute_rows);

packed_t compute_part_encode (const compute_booking_t *bookings, size_t count)
{
    assert (count <= BOOKINGS_MAX);
    return codec_encode (&compute_part_codec,
                         &(compute_part_t){(compute_booking_t *) bookings, count});
}

bool compute_part_decode (bytes_t bytes, compute_booking_t **bookings, size_t *count,
                          char why [WHY_BYTES])
{
    compute_part_t part;
    bool good = codec_decode (&compute_part_codec, &part, bytes, why);
    *bookings = part.bookings;
    *count = part.bookings_count;
    return good;
}

static const codec_row_t circuit_rows [] = {
  ROW_TEXT ("need", circuit_t, need),
  ROW_WORD_LIST ("links", circuit_t, links, links_count, 1, CIRCUIT_LINKS_MAX),
  ROW_NUMBER ("mbps", circuit_t, mbps, LEAST (1)),
  ROW_TIME ("from_ms", circuit_t, from_ms),
  ROW_TIME ("until_ms", circuit_t, until_ms),
  ROW_NUMBER ("hop", circuit_t, hop),
};

static bool circuit_rule (void *self, char why [WHY_BYTES])
{
    const circuit_t *circuit = self;
    for (size_t i = 0; i < circuit->links_count; i++)
        for (size_t before = 0; before < i; before++)
            if (strcmp (circuit->links [before], circuit->links [i]) == 0)
                return wrong (why, "links[%zu]: %s is given twice", i, circuit->links [i]);
    return interval_right (circuit->from_ms, circuit->until_ms, why);
}

const codec_t circuit_codec = CODEC_RULED (circuit_t, circuit, circuit_rows, circuit_rule);

static const codec_row_t network_rows [] = {
  ROW_LIST ("circuits", network_part_t, circuits, circuits_count, circuit, 0, CIRCUITS_MAX),
};

static bool network_rule (void *self, char why [WHY_BYTES])
{
    const network_part_t *part = self;
    size_t links = 0;
    for (size_t i = 0; i < part->circuits_count; i++)
        links += part->circuits [i].links_count;
    return links <= PART_LINKS_MAX ||
           wrong (why, "circuits: %zu links in all, at most %d links are allowed", links,
                  PART_LINKS_MAX);
}

const codec_t network_part_codec =
  CODEC_RULED (network_part_t, network_part, network_rows, network_rule);

void circuits_free (circuit_t *circuits, size_t count)
{
    codec_clear (&network_part_codec, &(network_part_t){circuits, count});
}

packed_t network_part_encode (const circuit_t *circuits, size_t count)
{
    assert (count <= CIRCUITS_MAX);
    return codec_encode (&network_part_codec, &(network_part_t){(circuit_t *) circuits, count});
}

bool network_part_decode (bytes_t bytes, circuit_t **circuits, size_t *count, char why [WHY_BYTES])
{
    network_part_t part;
    bool good = codec_decode (&network_part_codec, &part, bytes, why);
    *circuits = part.circuits;
    *count = part.circuits_count;
    return good;
}

static const codec_row_t space_booking_rows [] = {
  ROW_TEXT ("need", space_booking_t, need),
  ROW_WORD ("node", space_booking_t, node),
  ROW_NUMBER ("bytes", space_booking_t, bytes, MOST (SPACE_BYTES_MAX)),
  ROW_TIME ("from_ms", space_booking_t, from_ms),
  ROW_TIME ("until_ms", space_booking_t, until_ms),
  ROW_TEXT ("file", space_booking_t, file, OR_NONE),
  ROW_FIXED ("digest", space_booking_t, digest, SET_BY (space_booking_t, due_ms)),
  ROW_TIME ("due_ms", space_booking_t, due_ms),
  ROW_NUMBER ("mbps", space_booking_t, mbps),
  ROW_WORD ("source", space_booking_t, source, OR_NONE),
};

static bool space_booking_rule (void *self, const void *message, char why [WHY_BYTES])
{
    const space_booking_t *booking = self;
    bool digest = ((const Musubi__SpaceBooking *) message)->digest.len > 0;
    if (!interval_right (booking->from_ms, booking->until_ms, why))
        return false;
    if (!*booking->file && booking->bytes == 0)
        return wrong (why, "bytes: missing, and no file is named that is there already");
    if (!*booking->file)
        return !(digest || booking->due_ms || booking->mbps || *booking->source) ||
               wrong (why, "file: missing, though it is said how it comes");
    char reason [WHY_BYTES];
    if (!file_name_check (booking->file, reason))
        return wrong (why, "file: %.150s", reason);
    if (!digest)
        return wrong (why, "digest: missing, though file is given");
    return (booking->due_ms >= booking->from_ms && booking->due_ms <= booking->until_ms &&
            booking->due_ms > 0) ||
           wrong (why, "due_ms: must lie in the booking's window");
}

const codec_t space_booking_codec =
  CODEC_JUDGED (space_booking_t, space_booking, space_booking_rows, space_booking_rule);

static const codec_row_t space_rows [] = {
  ROW_LIST ("bookings", space_part_t, bookings, bookings_count, space_booking, 0, BOOKINGS_MAX),
};
const codec_t space_part_codec = CODEC (space_part_t, space_part, space_rows);

static const codec_row_t claim_rows [] = {
  ROW_FIXED ("digest", claim_part_t, digest),
  ROW_BYTES ("answer", claim_part_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
};
const codec_t claim_part_codec = CODEC (claim_part_t, claim_part, claim_rows);

packed_t claim_part_encode (const uint8_t digest [DIGEST_BYTES], bytes_t answer)
{
    claim_part_t part = {.answer = {(uint8_t *) answer.data, answer.size}};
    memcpy (part.digest, digest, DIGEST_BYTES);
    return codec_encode (&claim_part_codec, &part);
}

const codec_t *part_codec (part_kind_t kind)
{
    switch (kind) {
    case PART_COMPUTE:
        return &compute_part_codec;
    case PART_CLAIM:
        return &claim_part_codec;
    case PART_NETWORK:
        return &network_part_codec;
    case PART_SPACE:
        return &space_part_codec;
    case PART_NONE:
        break;
    }
    return NULL;
}

bool part_decode (part_body_t *self, part_kind_t kind, bytes_t part, char why [WHY_BYTES])
{
    *self = (part_body_t){.kind = kind};
    return codec_decode (part_codec (kind), &self->compute, part, why);
}

void part_clear (part_body_t *self)
{
    if (self->kind != PART_NONE)
        codec_clear (part_codec (self->kind), &self->compute);
}

/*  --- hold --- */

static const codec_row_t hold_rows [] = {
  ROW_ONE ("plan", hold_t, plan, plan),
  ROW_PACKED ("compute", hold_t, part, part_size, &compute_part_codec,
              CASE_OF (hold_t, part_kind, PART_COMPUTE)),
  ROW_PACKED ("claim", hold_t, part, part_size, &claim_part_codec,
              CASE_OF (hold_t, part_kind, PART_CLAIM)),
  ROW_ARRAY ("replaces", hold_t, replaces, replaces_count, txid),
  ROW_NUMBER ("ttl_ms", hold_t, ttl_ms),
  ROW_FLAG ("prepare", hold_t, prepare),
  ROW_PACKED ("network", hold_t, part, part_size, &network_part_codec,
              CASE_OF (hold_t, part_kind, PART_NETWORK)),
  ROW_PACKED ("space", hold_t, part, part_size, &space_part_codec,
              CASE_OF (hold_t, part_kind, PART_SPACE)),
};

static bool hold_rule (void *self, char why [WHY_BYTES])
{
    const hold_t *hold = self;
    for (const txid_t *old = hold->replaces; old < hold->replaces + hold->replaces_count; old++)
        if (memcmp (old->store, hold->plan.txid.store, STORE_ID_BYTES) != 0 ||
            txid_compare (old, &hold->plan.txid) >= 0)
            return wrong (why, "replaces: may name only earlier plans of the same coordinator");
    return true;
}

const codec_t hold_codec = CODEC_RULED (hold_t, hold_request, hold_rows, hold_rule);

/*  The plan is the same in the holds of all participants. */
packed_t hold_with_plan (const hold_t *hold, const packed_t *plan)
{
    codec_row_t rows [sizeof hold_rows / sizeof *hold_rows];
    const codec_t rest = CODEC (hold_t, hold_request, rows);
    memcpy (rows, hold_rows, sizeof rows);
    rows [0] = (codec_row_t) ROW_UNUSED ("plan");
    packed_t packed = codec_encode (&rest, hold);
    message_splice (&packed, 1, plan, 1);
    return packed;
}
