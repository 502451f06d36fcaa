/*  ledger_replay_wire - proto/ledger.proto and the records that rows carry, read by the judge. */
#include "ledger_replay_wire.h"

#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"
#include "planner.pb-c.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

static_assert ((int) LEDGER_CUT == MUSUBI__LEDGER_KIND__ROW_CUT, "same numbers");

static bytes_t bytes_of (const ProtobufCBinaryData *from)
{
    return (bytes_t){.data = from->data, .size = from->len};
}

static bool take_quantities (ledger_row_t *to, const Musubi__LedgerRow *from, char why [WHY_BYTES])
{
    to->quantities = must (calloc (from->n_quantities + 1, sizeof *to->quantities));
    to->quantities_count = from->n_quantities;
    for (size_t i = 0; i < from->n_quantities; i++) {
        ledger_quantity_t *one = &to->quantities [i];
        one->quantity = from->quantities [i]->quantity;
        one->gap_ms = from->quantities [i]->gap_ms;
        one->missing = from->quantities [i]->missing;
        if (one->quantity < 0 || one->gap_ms < 0 || one->missing < 0 || one->missing > UINT32_MAX ||
            one->gap_ms > TIME_MS_MAX)
            return wrong (why, "quantities: below zero");
        if (!text_take (one->resource, NAME_BYTES_MAX, from->quantities [i]->resource, TEXT_WORD,
                        "quantities.resource", why))
            return false;
    }
    return true;
}

static bool take_row (ledger_row_t *to, const Musubi__LedgerRow *from, char why [WHY_BYTES])
{
    to->txid_set = from->txid != NULL;
    if (from->before.len != LEDGER_DIGEST_BYTES)
        return wrong (why, "before: %zu bytes, not %d", from->before.len, LEDGER_DIGEST_BYTES);
    if (from->kind == MUSUBI__LEDGER_KIND__NO_ROW)
        return wrong (why, "kind: none");
    if (!enum_valid ((int) from->from, COMMAND_STATES - 1) ||
        !enum_valid ((int) from->to, COMMAND_STATES - 1))
        return wrong (why, "from, to: no states");
    if (to->txid_set && !txid_take (&to->txid, from->txid, "txid", why))
        return false;
    if (strlen (from->reservation) > NAME_BYTES_MAX)
        return wrong (why, "reservation: too long");
    if (from->old_store.len != 0 && from->old_store.len != STORE_ID_BYTES)
        return wrong (why, "old_store: %zu bytes", from->old_store.len);
    return take_quantities (to, from, why);
}

bool row_read (ledger_row_t *self, bytes_t bytes, char why [WHY_BYTES])
{
    *self = (ledger_row_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__ledger_row__descriptor, bytes);
    if (!message)
        return wrong (why, "not a row");
    const Musubi__LedgerRow *from = (const Musubi__LedgerRow *) message;
    *self = (ledger_row_t){.number = from->number,
                           .before = from->before.data,
                           .start = from->start,
                           .wall_ms = from->wall_ms,
                           .kind = (ledger_kind_t) from->kind,
                           .from = (command_state_t) from->from,
                           .to = (command_state_t) from->to,
                           .event = from->event,
                           .reservation = from->reservation,
                           .old_version = from->old_version,
                           .new_version = from->new_version,
                           .command = from->command,
                           .actor = from->actor,
                           .request_id = from->request_id,
                           .record = bytes_of (&from->record),
                           .old_store = bytes_of (&from->old_store),
                           .kept_from = from->kept_from,
                           .readmitted = from->readmitted,
                           .message = message};
    if (take_row (self, from, why))
        return true;
    row_end (self);
    return false;
}

void row_end (ledger_row_t *self)
{
    free (self->quantities);
    message_free (self->message);
    *self = (ledger_row_t){0};
}

/*  --- records --- */

packed_t row_command (const ledger_row_t *self, bytes_t before)
{
    Musubi__StoredCommand kept = *(const Musubi__StoredCommand *) self->command;
    ProtobufCMessage *message =
      before.size > 0 ? message_unpack (&musubi__stored_command__descriptor, before) : NULL;
    const Musubi__StoredCommand *old = (const Musubi__StoredCommand *) message;
    if (old && kept.plan.len == 0)
        kept.plan = old->plan;
    if (old && kept.part.len == 0) {
        kept.part = old->part;
        kept.part_kind = old->part_kind;
    }
    packed_t packed = packed_of (&kept.base);
    message_free (message);
    return packed;
}

bool stored_command_read (stored_command_t *self, bytes_t bytes)
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_command__descriptor, bytes);
    const Musubi__StoredCommand *from = (const Musubi__StoredCommand *) message;
    *self = (stored_command_t){.message = message};
    if (!from || !enum_valid ((int) from->state, COMMAND_STATES - 1)) {
        stored_command_end (self);
        return false;
    }
    self->state = (command_state_t) from->state;
    self->plan = bytes_of (&from->plan);
    self->part_kind = (part_kind_t) from->part_kind;
    self->part = bytes_of (&from->part);
    self->held_ms = from->held_ms;
    self->prepared_ms = from->prepared_ms;
    self->until_ms = from->until_ms;
    self->epoch = from->epoch;
    self->done = from->done;
    return true;
}

void stored_command_end (stored_command_t *self)
{
    if (self->message)
        message_free (self->message);
    *self = (stored_command_t){0};
}

static bool take_reservation (stored_reservation_t *self, const Musubi__StoredReservation *from)
{
    char why [WHY_BYTES];
    self->owner = from->owner;
    self->version = from->version;
    self->part_kind = (part_kind_t) from->part_kind;
    self->part = bytes_of (&from->part);
    self->released = from->released;
    self->failed = from->failed;
    self->until_ms = from->until_ms;
    self->plan = bytes_of (&from->plan);
    return strlen (from->owner) <= NAME_BYTES_MAX &&
           txid_take (&self->made_by, from->made_by, "made_by", why);
}

bool stored_reservation_read (stored_reservation_t *self, bytes_t bytes)
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_reservation__descriptor, bytes);
    *self = (stored_reservation_t){.message = message};
    if (message && take_reservation (self, (const Musubi__StoredReservation *) message))
        return true;
    stored_reservation_end (self);
    return false;
}

void stored_reservation_end (stored_reservation_t *self)
{
    if (self->message)
        message_free (self->message);
    *self = (stored_reservation_t){0};
}

packed_t stored_reservation_pack (const stored_reservation_t *self)
{
    Musubi__StoredReservation to = MUSUBI__STORED_RESERVATION__INIT;
    Musubi__Txid txid;
    txid_put (&txid, &self->made_by);
    to.owner = (char *) self->owner;
    to.version = self->version;
    to.made_by = &txid;
    to.part_kind = (uint32_t) self->part_kind;
    to.part = (ProtobufCBinaryData){.len = self->part.size, .data = (uint8_t *) self->part.data};
    to.released = self->released;
    to.failed = self->failed;
    to.until_ms = self->until_ms;
    to.plan = (ProtobufCBinaryData){.len = self->plan.size, .data = (uint8_t *) self->plan.data};
    return packed_of (&to.base);
}

bool row_readmitted (const ledger_row_t *self, stored_reservation_t *reservation)
{
    *reservation = (stored_reservation_t){0};
    return self->readmitted && take_reservation (reservation, self->readmitted);
}

bool decision_read (bytes_t record, bool *acknowledged, bool *undone)
{
    ProtobufCMessage *message = message_unpack (&musubi__decision_record__descriptor, record);
    if (!message)
        return false;
    Musubi__DecisionPhase phase = ((const Musubi__DecisionRecord *) message)->phase;
    *acknowledged = phase == MUSUBI__DECISION_PHASE__SETTLED;
    *undone =
      phase == MUSUBI__DECISION_PHASE__REPAIRED || phase == MUSUBI__DECISION_PHASE__REPAIRING;
    message_free (message);
    return true;
}
