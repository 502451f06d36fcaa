/*  ledger_wire - rows and questions of proto/ledger.proto. */
#include "ledger_wire.h"

#include "transaction_wire.h"

#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) LEDGER_CUT == MUSUBI__LEDGER_KIND__ROW_CUT, "same numbers");
static_assert ((int) LEDGER_KINDS == LEDGER_CUT + 1, "none without a number");

static ProtobufCBinaryData binary (const uint8_t *data, size_t size)
{
    return (ProtobufCBinaryData){.len = size, .data = (uint8_t *) data};
}

/*  An absent text is an empty one. */
static char *text (const char *from)
{
    static char none [] = "";
    return from ? (char *) from : none;
}

/*  What we packed ourselves; NULL for nothing. */
static ProtobufCMessage *unpacked (const ProtobufCMessageDescriptor *descriptor, bytes_t bytes)
{
    if (bytes.size == 0)
        return NULL;
    ProtobufCMessage *message = message_unpack (descriptor, bytes);
    assert (message);
    return message;
}

static Musubi__LedgerQuantity **quantities_put (const ledger_entry_t *entry)
{
    size_t count = entry->quantities_count;
    Musubi__LedgerQuantity **list = messages_new (&musubi__ledger_quantity__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        list [i]->resource = (char *) entry->quantities [i].resource;
        list [i]->quantity = entry->quantities [i].quantity;
        list [i]->gap_ms = entry->quantities [i].gap_ms;
        list [i]->missing = entry->quantities [i].missing;
    }
    return list;
}

packed_t ledger_row_encode (const ledger_place_t *place, const ledger_entry_t *entry)
{
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    Musubi__Txid txid;
    row.number = place->number;
    row.before = binary (place->before, LEDGER_DIGEST_BYTES);
    row.start = place->start;
    row.wall_ms = place->wall_ms;
    row.kind = (Musubi__LedgerKind) entry->kind;
    row.caller = text (entry->caller);
    if (entry->txid) {
        txid_put (&txid, entry->txid);
        row.txid = &txid;
    }
    row.from = (Musubi__CommandState) entry->from;
    row.to = (Musubi__CommandState) entry->to;
    row.event = text (entry->event);
    row.reservation = text (entry->reservation);
    row.old_version = entry->old_version;
    row.new_version = entry->new_version;
    ProtobufCMessage *command = unpacked (&musubi__stored_command__descriptor, entry->command);
    row.command = (Musubi__StoredCommand *) command;
    row.quantities = quantities_put (entry);
    row.n_quantities = entry->quantities_count;
    row.actor = text (entry->actor);
    row.request_id = text (entry->request_id);
    row.record = binary (entry->record.data, entry->record.size);
    if (entry->old_store)
        row.old_store = binary (entry->old_store, STORE_ID_BYTES);
    ProtobufCMessage *readmitted =
      unpacked (&musubi__stored_reservation__descriptor, entry->readmitted);
    row.readmitted = (Musubi__StoredReservation *) readmitted;
    row.kept_from = entry->kept_from;
    packed_t packed = packed_of (&row.base);
    free (row.quantities);
    message_free (command);
    message_free (readmitted);
    return packed;
}

/*  As it is, if it fits. */
static bool copy_text (char *to, size_t bytes_max, const char *from)
{
    size_t length = strlen (from);
    if (length > bytes_max)
        return false;
    memcpy (to, from, length + 1);
    return true;
}

static bool subject_take (ledger_subject_t *to, const Musubi__LedgerRow *from)
{
    char why [WHY_BYTES];
    *to = (ledger_subject_t){.wall_ms = from->wall_ms, .txid_set = from->txid != NULL};
    return (!from->txid || codec_take_field (&txid_codec, &to->txid, from->txid, "txid", why)) &&
           copy_text (to->reservation, NAME_BYTES_MAX, from->reservation) &&
           copy_text (to->actor, NAME_BYTES_MAX, from->actor) &&
           copy_text (to->request_id, REQUEST_ID_BYTES_MAX, from->request_id);
}

bool ledger_subject_read (ledger_subject_t *subject, bytes_t row)
{
    ProtobufCMessage *message = message_unpack (&musubi__ledger_row__descriptor, row);
    bool good = message && subject_take (subject, (const Musubi__LedgerRow *) message);
    message_free (message);
    return good;
}

bool rows_question_decode (bytes_t body, uint64_t *from, uint32_t *most, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__rows_request__descriptor, body);
    if (!message)
        return wrong (why, "not a RowsRequest");
    const Musubi__RowsRequest *request = (Musubi__RowsRequest *) message;
    *from = request->from;
    *most = request->most;
    message_free (message);
    return true;
}

packed_t rows_answer_encode (const row_t *rows, size_t count, bool more, uint64_t last)
{
    Musubi__RowsAnswer answer = MUSUBI__ROWS_ANSWER__INIT;
    ProtobufCBinaryData *list = must (calloc (count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++)
        list [i] = binary (rows [i].value.data, rows [i].value.size);
    answer.rows = list;
    answer.n_rows = count;
    answer.more = more;
    answer.last = last;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}
