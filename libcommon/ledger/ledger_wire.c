/*  ledger_wire - rows and questions of proto/ledger.proto. */
#include "ledger_wire.h"

#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) LEDGER_EXPORTED == MUSUBI__LEDGER_KIND__ROW_EXPORTED, "same numbers");
static_assert ((int) LEDGER_KINDS == LEDGER_EXPORTED + 1, "none without a number");

static const codec_row_t quantity_rows [] = {
  ROW_WORD ("resource", ledger_quantity_t, resource),
  ROW_NUMBER ("quantity", ledger_quantity_t, quantity, LEAST (0)),
  ROW_TIME ("gap_ms", ledger_quantity_t, gap_ms),
  ROW_NUMBER ("missing", ledger_quantity_t, missing, BETWEEN (0, UINT32_MAX)),
};
const codec_t ledger_quantity_codec = CODEC (ledger_quantity_t, ledger_quantity, quantity_rows);

/*  What we packed ourselves; NULL for nothing. */
static void *unpacked (const ProtobufCMessageDescriptor *descriptor, bytes_t bytes, arena_t *arena)
{
    char why [WHY_BYTES];
    return bytes.size > 0 ? must (codec_unpack (descriptor, bytes, arena, why)) : NULL;
}

packed_t ledger_row_encode (const ledger_place_t *place, const ledger_entry_t *entry)
{
    ARENA (arena);
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    row.number = place->number;
    row.before = bytes_put (place->before, LEDGER_DIGEST_BYTES);
    row.start = place->start;
    row.wall_ms = place->wall_ms;
    row.kind = (Musubi__LedgerKind) entry->kind;
    row.caller = (char *) entry->caller;
    row.txid = entry->txid ? codec_put (&txid_codec, entry->txid, &arena) : NULL;
    row.from = (Musubi__CommandState) entry->from;
    row.to = (Musubi__CommandState) entry->to;
    row.event = (char *) entry->event;
    row.reservation = (char *) entry->reservation;
    row.old_version = entry->old_version;
    row.new_version = entry->new_version;
    row.command = unpacked (&musubi__stored_command__descriptor, entry->command, &arena);
    row.n_quantities = entry->quantities_count;
    row.quantities = arena_take (&arena, entry->quantities_count * sizeof *row.quantities);
    for (size_t i = 0; i < entry->quantities_count; i++)
        row.quantities [i] = codec_put (&ledger_quantity_codec, &entry->quantities [i], &arena);
    row.actor = (char *) entry->actor;
    row.request_id = (char *) entry->request_id;
    row.record = bytes_put (entry->record.data, entry->record.size);
    if (entry->old_store)
        row.old_store = bytes_put (entry->old_store, STORE_ID_BYTES);
    row.readmitted = unpacked (&musubi__stored_reservation__descriptor, entry->readmitted, &arena);
    row.kept_from = entry->kept_from;
    row.exported_from = entry->exported_from;
    return packed_of (&row.base);
}

/*  As it is, if it fits. */
static bool ledger_copy_text (char *to, size_t bytes_max, const char *from)
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
    return (!from->txid || codec_take (&txid_codec, &to->txid, from->txid, why)) &&
           ledger_copy_text (to->reservation, NAME_BYTES_MAX, from->reservation) &&
           ledger_copy_text (to->actor, NAME_BYTES_MAX, from->actor) &&
           ledger_copy_text (to->request_id, REQUEST_ID_BYTES_MAX, from->request_id);
}

bool ledger_subject_read (ledger_subject_t *subject, bytes_t row)
{
    message_auto_t *message = message_unpack (&musubi__ledger_row__descriptor, row);
    return message && subject_take (subject, (const Musubi__LedgerRow *) message);
}

static const codec_row_t question_rows [] = {
  ROW_NUMBER ("from", rows_question_t, from),
  ROW_NUMBER ("most", rows_question_t, most),
};
const codec_t rows_question_codec = CODEC (rows_question_t, rows_request, question_rows);

packed_t rows_answer_encode (const row_t *rows, size_t count, bool more, uint64_t last)
{
    Musubi__RowsAnswer answer = MUSUBI__ROWS_ANSWER__INIT;
    memory_auto ProtobufCBinaryData *list = must (calloc (count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++)
        list [i] = bytes_put (rows [i].value.data, rows [i].value.size);
    answer.rows = list;
    answer.n_rows = count;
    answer.more = more;
    answer.last = last;
    return packed_of (&answer.base);
}
