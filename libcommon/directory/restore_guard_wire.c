/*  restore_guard_wire - watermarks and the chain of a row. */
#include "restore_guard_wire.h"

#include "codec_table.h"
#include "message.h"

#include "gis.pb-c.h"
#include "ledger.pb-c.h"

#include <string.h>

static const codec_row_t mark_rows [] = {
  ROW_FIXED ("store", ledger_mark_t, store),
  ROW_NUMBER ("start", ledger_mark_t, start, LEAST (1)),
  ROW_NUMBER ("row", ledger_mark_t, row, LEAST (1)),
  ROW_FIXED ("digest", ledger_mark_t, digest),
};
const codec_t ledger_mark_codec = CODEC (ledger_mark_t, watermark, mark_rows);

static const codec_row_t watermark_rows [] = {
  ROW_ONE ("mark", watermark_t, mark, ledger_mark),
  ROW_NUMBER ("seen_ms", watermark_t, seen_ms),
  ROW_FIXED_ARRAY ("former", watermark_t, former, former_count),
};
const codec_t watermark_codec = CODEC (watermark_t, watermark_record, watermark_rows);

void row_before (bytes_t row, uint8_t digest [LEDGER_DIGEST_BYTES])
{
    message_auto_t *message = message_unpack (&musubi__ledger_row__descriptor, row);
    const Musubi__LedgerRow *wire = (const Musubi__LedgerRow *) message;
    memset (digest, 0, LEDGER_DIGEST_BYTES);
    if (wire && wire->before.len == LEDGER_DIGEST_BYTES)
        memcpy (digest, wire->before.data, LEDGER_DIGEST_BYTES);
}
