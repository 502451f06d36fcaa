/*  standing_wire - watermarks and the chain of a row. */
#include "standing_wire.h"
#include "standing.h"

#include "gis.pb-c.h"
#include "ledger.pb-c.h"
#include "mark_wire.h"
#include "message.h"
#include "transaction_wire.h"

#include <string.h>

void ledger_mark_put (Musubi__Watermark *to, const ledger_mark_t *from)
{
    musubi__watermark__init (to);
    to->store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) from->store};
    to->start = from->start;
    to->row = from->row;
    to->digest =
      (ProtobufCBinaryData){.len = LEDGER_DIGEST_BYTES, .data = (uint8_t *) from->digest};
}

bool ledger_mark_take (ledger_mark_t *to, const Musubi__Watermark *from, char why [WHY_BYTES])
{
    *to = (ledger_mark_t){.start = from->start, .row = from->row};
    if (from->store.len != STORE_ID_BYTES)
        return wrong (why, "mark.store: must be %d bytes", STORE_ID_BYTES);
    if (from->digest.len != LEDGER_DIGEST_BYTES)
        return wrong (why, "mark.digest: must be %d bytes", LEDGER_DIGEST_BYTES);
    if (from->start == 0 || from->row == 0)
        return wrong (why, "mark: start and row count from 1");
    memcpy (to->store, from->store.data, STORE_ID_BYTES);
    memcpy (to->digest, from->digest.data, LEDGER_DIGEST_BYTES);
    return true;
}

packed_t watermark_encode (const watermark_t *watermark)
{
    Musubi__Watermark mark;
    Musubi__WatermarkRecord record = MUSUBI__WATERMARK_RECORD__INIT;
    ProtobufCBinaryData former [STANDING_FORMER_MAX];
    ledger_mark_put (&mark, &watermark->mark);
    for (size_t i = 0; i < watermark->former_count; i++)
        former [i] =
          (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) watermark->former [i]};
    record.mark = &mark;
    record.seen_ms = watermark->seen_ms;
    record.former = former;
    record.n_former = watermark->former_count;
    return packed_of (&record.base);
}

static bool record_take (watermark_t *to, const Musubi__WatermarkRecord *from, char why [WHY_BYTES])
{
    *to = (watermark_t){.seen_ms = from->seen_ms};
    if (!from->mark)
        return wrong (why, "mark: missing");
    if (from->n_former > STANDING_FORMER_MAX)
        return wrong (why, "former: more than %d", STANDING_FORMER_MAX);
    for (size_t i = 0; i < from->n_former; i++) {
        if (from->former [i].len != STORE_ID_BYTES)
            return wrong (why, "former: must be %d bytes", STORE_ID_BYTES);
        memcpy (to->former [to->former_count++], from->former [i].data, STORE_ID_BYTES);
    }
    return ledger_mark_take (&to->mark, from->mark, why);
}

bool watermark_decode (watermark_t *watermark, bytes_t value, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__watermark_record__descriptor, value);
    if (!message)
        return wrong (why, "record: not such a message");
    bool taken = record_take (watermark, (const Musubi__WatermarkRecord *) message, why);
    message_free (message);
    return taken;
}

void row_before (bytes_t row, uint8_t digest [LEDGER_DIGEST_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__ledger_row__descriptor, row);
    const Musubi__LedgerRow *wire = (const Musubi__LedgerRow *) message;
    memset (digest, 0, LEDGER_DIGEST_BYTES);
    if (wire && wire->before.len == LEDGER_DIGEST_BYTES)
        memcpy (digest, wire->before.data, LEDGER_DIGEST_BYTES);
    message_free (message);
}
