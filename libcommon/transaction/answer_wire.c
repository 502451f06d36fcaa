/*  answer_wire - answers to command verbs with their refusals, and the small messages around a
 *  txid, to and from proto/transaction.proto.
 */
#include "transaction_wire.h"

#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *room_for (size_t count, size_t size)
{
    return count ? must (calloc (count, size)) : NULL;
}

/*  --- refusal --- */

typedef struct {
    Musubi__Refusal refusal;
    Musubi__Txid blocker;
    plan_wire_t holder;
} refusal_wire_t;

Musubi__Profile **profiles_put (const profile_t *from, size_t count)
{
    Musubi__Profile **list = messages_new (&musubi__profile__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        Musubi__Profile *to = list [i];
        to->resource = (char *) from [i].resource;
        to->until_ms = from [i].until_ms;
        to->n_steps = from [i].steps_count;
        to->steps = messages_new (&musubi__profile__step__descriptor, to->n_steps);
        for (size_t s = 0; s < to->n_steps; s++) {
            to->steps [s]->from_ms = from [i].steps [s].from_ms;
            to->steps [s]->free = from [i].steps [s].free;
        }
    }
    return list;
}

void profiles_put_end (Musubi__Profile **wire, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free (wire [i]->steps);
    free (wire);
}

static void refusal_put (refusal_wire_t *to, const refusal_t *from)
{
    *to = (refusal_wire_t){.refusal = MUSUBI__REFUSAL__INIT};
    Musubi__Refusal *refusal = &to->refusal;
    refusal->reason = (Musubi__RefusalReason) from->reason;
    refusal->resource = (char *) from->resource;
    refusal->need = (char *) from->need;
    refusal->from_ms = from->from_ms;
    refusal->until_ms = from->until_ms;
    refusal->wanted = from->wanted;
    refusal->free = from->free;
    refusal->frees_ms = from->frees_ms;
    refusal->n_fresh = from->fresh_count;
    refusal->fresh = profiles_put (from->fresh, from->fresh_count);
    if (from->blocker_set) {
        txid_put (&to->blocker, &from->blocker);
        refusal->blocker = &to->blocker;
    }
    if (from->holder) {
        plan_put (&to->holder, from->holder);
        refusal->holder = &to->holder.plan;
    }
    refusal->answer = (ProtobufCBinaryData){.len = from->answer_size, .data = from->answer};
    refusal->done = from->done;
    refusal->text = (char *) from->text;
}

static void refusal_put_end (refusal_wire_t *wire)
{
    profiles_put_end (wire->refusal.fresh, wire->refusal.n_fresh);
    plan_put_end (&wire->holder);
}

static bool profile_take (profile_t *to, const Musubi__Profile *from, char why [WHY_BYTES])
{
    if (!text_take (to->resource, NAME_BYTES_MAX, from->resource, TEXT_WORD,
                    "refusal.fresh.resource", why))
        return false;
    if (from->n_steps == 0 || from->n_steps > PROFILE_STEPS_MAX)
        return wrong (why, "refusal.fresh.steps: must be 1 to %d", PROFILE_STEPS_MAX);
    to->steps = room_for (from->n_steps, sizeof *to->steps);
    to->steps_count = from->n_steps;
    to->until_ms = from->until_ms;
    for (size_t s = 0; s < from->n_steps; s++) {
        to->steps [s].from_ms = from->steps [s]->from_ms;
        to->steps [s].free = from->steps [s]->free;
        if (s > 0 && to->steps [s].from_ms <= to->steps [s - 1].from_ms)
            return wrong (why, "refusal.fresh.steps: must ascend");
    }
    if (to->until_ms <= to->steps [to->steps_count - 1].from_ms)
        return wrong (why, "refusal.fresh.until_ms: before its last step");
    return true;
}

static bool profiles_take (refusal_t *to, const Musubi__Refusal *from, char why [WHY_BYTES])
{
    if (from->n_fresh > PROFILES_MAX)
        return wrong (why, "refusal.fresh: more than %d", PROFILES_MAX);
    to->fresh = room_for (from->n_fresh, sizeof *to->fresh);
    to->fresh_count = from->n_fresh;
    for (size_t i = 0; i < from->n_fresh; i++)
        if (!profile_take (&to->fresh [i], from->fresh [i], why))
            return false;
    return true;
}

static bool refusal_take_all (refusal_t *to, const Musubi__Refusal *from, char why [WHY_BYTES])
{
    if ((int) from->reason == REFUSAL_NONE || !enum_valid ((int) from->reason, REFUSAL_REASONS - 1))
        return wrong (why, "refusal.reason: %d is none", (int) from->reason);
    to->reason = (refusal_reason_t) from->reason;
    if (!text_take (to->resource, sizeof to->resource - 1, from->resource, TEXT_WORD_OR_NONE,
                    "refusal.resource", why))
        return false;
    if (*from->need &&
        !text_take (to->need, NAME_BYTES_MAX, from->need, TEXT_ANY, "refusal.need", why))
        return false;
    if (*from->text &&
        !text_take (to->text, sizeof to->text - 1, from->text, TEXT_ANY, "refusal.text", why))
        return false;
    to->from_ms = from->from_ms;
    to->until_ms = from->until_ms;
    to->wanted = from->wanted;
    to->free = from->free;
    to->frees_ms = from->frees_ms;
    to->done = from->done;
    if (from->blocker) {
        if (!txid_take (&to->blocker, from->blocker, "refusal.blocker", why))
            return false;
        to->blocker_set = true;
    }
    if (from->answer.len > CLAIM_ANSWER_BYTES_MAX)
        return wrong (why, "refusal.answer: larger than %d bytes", CLAIM_ANSWER_BYTES_MAX);
    to->answer = must_copy (from->answer.data, from->answer.len);
    to->answer_size = from->answer.len;
    if (from->holder) {
        to->holder = must (calloc (1, sizeof *to->holder));
        if (!plan_take (to->holder, from->holder, why))
            return false;
    }
    return profiles_take (to, from, why);
}

/*  --- command answer --- */

packed_t command_answer_encode (const command_answer_t *self)
{
    Musubi__CommandAnswer answer = MUSUBI__COMMAND_ANSWER__INIT;
    Musubi__Txid txid;
    txid_put (&txid, &self->txid);
    answer.txid = &txid;
    answer.state = (Musubi__CommandState) self->state;
    answer.ttl_ms = self->ttl_ms;
    answer.late = self->late;
    answer.epoch = self->epoch;
    if (self->refusal.reason == REFUSAL_NONE)
        return packed_of (&answer.base);

    refusal_wire_t refusal;
    refusal_put (&refusal, &self->refusal);
    answer.refusal = &refusal.refusal;
    packed_t packed = packed_of (&answer.base);
    refusal_put_end (&refusal);
    return packed;
}

static bool command_answer_take (command_answer_t *to, const Musubi__CommandAnswer *from,
                                 char why [WHY_BYTES])
{
    if (!txid_take (&to->txid, from->txid, "txid", why))
        return false;
    if (!enum_valid ((int) from->state, COMMAND_STATES - 1))
        return wrong (why, "state: %d is none", (int) from->state);
    to->state = (command_state_t) from->state;
    to->ttl_ms = from->ttl_ms;
    to->late = from->late;
    to->epoch = from->epoch;
    return !from->refusal || refusal_take_all (&to->refusal, from->refusal, why);
}

bool command_answer_decode (command_answer_t *self, bytes_t body, char why [WHY_BYTES])
{
    *self = (command_answer_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__command_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a CommandAnswer");
    bool good = command_answer_take (self, (Musubi__CommandAnswer *) message, why);
    message_free (message);
    if (!good)
        command_answer_clear (self);
    return good;
}

/*  --- small messages --- */

packed_t decision_message_encode (const txid_t *txid, uint32_t epoch)
{
    /* CommitRequest and AbortRequest have the same layout, and so has OutcomeRequest without epoch.
     */
    Musubi__CommitRequest request = MUSUBI__COMMIT_REQUEST__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    request.txid = &wire;
    request.epoch = epoch;
    return packed_of (&request.base);
}

bool decision_message_decode (bytes_t body, txid_t *txid, uint32_t *epoch, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__commit_request__descriptor, body);
    if (!message)
        return wrong (why, "not a message with a txid");
    const Musubi__CommitRequest *request = (Musubi__CommitRequest *) message;
    bool good = txid_take (txid, request->txid, "txid", why);
    *epoch = request->epoch;
    message_free (message);
    return good;
}

packed_t txid_message_encode (const txid_t *txid)
{
    return decision_message_encode (txid, 0);
}

bool txid_message_decode (txid_t *txid, bytes_t body, char why [WHY_BYTES])
{
    uint32_t epoch;
    return decision_message_decode (body, txid, &epoch, why);
}

packed_t renew_encode (const txid_t *txid, uint32_t ttl_ms)
{
    Musubi__RenewRequest request = MUSUBI__RENEW_REQUEST__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    request.txid = &wire;
    request.ttl_ms = ttl_ms;
    return packed_of (&request.base);
}

bool renew_decode (bytes_t body, txid_t *txid, uint32_t *ttl_ms, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__renew_request__descriptor, body);
    if (!message)
        return wrong (why, "not a RenewRequest");
    const Musubi__RenewRequest *request = (Musubi__RenewRequest *) message;
    bool good = txid_take (txid, request->txid, "txid", why);
    *ttl_ms = request->ttl_ms;
    message_free (message);
    return good;
}

packed_t prepare_encode (const txid_t *txid, const bytes_t *claim_part)
{
    Musubi__PrepareRequest request = MUSUBI__PREPARE_REQUEST__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    request.txid = &wire;
    ProtobufCMessage *claim = NULL;
    if (claim_part) {
        claim = message_unpack (&musubi__claim_part__descriptor, *claim_part);
        assert (claim);
        request.claim = (Musubi__ClaimPart *) claim;
    }
    packed_t packed = packed_of (&request.base);
    message_free (claim);
    return packed;
}

bool prepare_decode (bytes_t body, txid_t *txid, bool *claim_set, packed_t *claim_part,
                     char why [WHY_BYTES])
{
    *claim_set = false;
    *claim_part = (packed_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__prepare_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PrepareRequest");
    const Musubi__PrepareRequest *request = (Musubi__PrepareRequest *) message;
    bool good = txid_take (txid, request->txid, "txid", why) &&
                (!request->claim || claim_check (request->claim, why));
    if (good && request->claim) {
        *claim_part = packed_of (&request->claim->base);
        *claim_set = true;
    }
    message_free (message);
    return good;
}

packed_t resolve_encode (const txid_t *txid, int64_t decide_by_ms)
{
    Musubi__ResolveRequest request = MUSUBI__RESOLVE_REQUEST__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    request.txid = &wire;
    request.decide_by_ms = decide_by_ms;
    return packed_of (&request.base);
}

bool resolve_decode (bytes_t body, txid_t *txid, int64_t *decide_by_ms, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__resolve_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ResolveRequest");
    const Musubi__ResolveRequest *request = (Musubi__ResolveRequest *) message;
    bool good = txid_take (txid, request->txid, "txid", why);
    *decide_by_ms = request->decide_by_ms;
    if (good && !time_valid (*decide_by_ms))
        good = wrong (why, "decide_by_ms: must be a time before the year 10000");
    message_free (message);
    return good;
}

packed_t fence_encode (const txid_t *txid, uint32_t epoch, int64_t decide_by_ms)
{
    Musubi__FenceRequest request = MUSUBI__FENCE_REQUEST__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    request.txid = &wire;
    request.epoch = epoch;
    request.decide_by_ms = decide_by_ms;
    return packed_of (&request.base);
}

static bool fence_take (const Musubi__FenceRequest *from, txid_t *txid, uint32_t *epoch,
                        int64_t *decide_by_ms, char why [WHY_BYTES])
{
    *epoch = from->epoch;
    *decide_by_ms = from->decide_by_ms;
    if (!txid_take (txid, from->txid, "txid", why))
        return false;
    if (*epoch == 0)
        return wrong (why, "epoch: counts from 1; 0 is the coordinator's own");
    return time_valid (*decide_by_ms) ||
           wrong (why, "decide_by_ms: must be a time before the year 10000");
}

bool fence_decode (bytes_t body, txid_t *txid, uint32_t *epoch, int64_t *decide_by_ms,
                   char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__fence_request__descriptor, body);
    if (!message)
        return wrong (why, "not a FenceRequest");
    bool good = fence_take ((Musubi__FenceRequest *) message, txid, epoch, decide_by_ms, why);
    message_free (message);
    return good;
}

packed_t done_encode (const txid_t *txids, size_t count)
{
    Musubi__DoneRequest request = MUSUBI__DONE_REQUEST__INIT;
    request.n_txids = count;
    request.txids = messages_new (&musubi__txid__descriptor, count);
    for (size_t i = 0; i < count; i++)
        txid_put (request.txids [i], &txids [i]);
    packed_t packed = packed_of (&request.base);
    free (request.txids);
    return packed;
}

bool done_decode (bytes_t body, txid_t **txids, size_t *count, char why [WHY_BYTES])
{
    *txids = NULL;
    *count = 0;
    ProtobufCMessage *message = message_unpack (&musubi__done_request__descriptor, body);
    if (!message)
        return wrong (why, "not a DoneRequest");
    const Musubi__DoneRequest *request = (Musubi__DoneRequest *) message;
    bool good =
      request->n_txids <= DONE_TXIDS_MAX || wrong (why, "txids: more than %d", DONE_TXIDS_MAX);
    if (good)
        *txids = room_for (request->n_txids, sizeof (txid_t));
    for (size_t i = 0; good && i < request->n_txids; i++)
        good = txid_take (&(*txids) [i], request->txids [i], "txids", why);
    if (good) {
        *count = request->n_txids;
    } else {
        free (*txids);
        *txids = NULL;
    }
    message_free (message);
    return good;
}

packed_t amend_encode (const txid_t *txid, uint32_t epoch, bytes_t answer)
{
    Musubi__AmendRequest request = MUSUBI__AMEND_REQUEST__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    request.txid = &wire;
    request.epoch = epoch;
    request.answer = (ProtobufCBinaryData){.len = answer.size, .data = (uint8_t *) answer.data};
    return packed_of (&request.base);
}

bool amend_decode (bytes_t body, txid_t *txid, uint32_t *epoch, packed_t *answer,
                   char why [WHY_BYTES])
{
    *answer = (packed_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__amend_request__descriptor, body);
    if (!message)
        return wrong (why, "not an AmendRequest");
    const Musubi__AmendRequest *request = (Musubi__AmendRequest *) message;
    bool good = txid_take (txid, request->txid, "txid", why);
    if (good && (request->answer.len == 0 || request->answer.len > CLAIM_ANSWER_BYTES_MAX))
        good = wrong (why, "answer: must be 1 to %d bytes", CLAIM_ANSWER_BYTES_MAX);
    *epoch = request->epoch;
    if (good)
        *answer = unpacked_copy (request->answer);
    message_free (message);
    return good;
}

packed_t outcome_encode (const txid_t *txid, outcome_t outcome, bool done)
{
    Musubi__OutcomeAnswer answer = MUSUBI__OUTCOME_ANSWER__INIT;
    Musubi__Txid wire;
    txid_put (&wire, txid);
    answer.txid = &wire;
    answer.outcome = (Musubi__Outcome) outcome;
    answer.done = done;
    return packed_of (&answer.base);
}

bool outcome_decode (bytes_t body, txid_t *txid, outcome_t *outcome, bool *done,
                     char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__outcome_answer__descriptor, body);
    if (!message)
        return wrong (why, "not an OutcomeAnswer");
    const Musubi__OutcomeAnswer *answer = (Musubi__OutcomeAnswer *) message;
    bool good = txid_take (txid, answer->txid, "txid", why);
    if (good && !enum_valid ((int) answer->outcome, OUTCOME_ABORTED))
        good = wrong (why, "outcome: %d is none", (int) answer->outcome);
    *outcome = good ? (outcome_t) answer->outcome : OUTCOME_LOST;
    *done = good && answer->done;
    message_free (message);
    return good;
}
