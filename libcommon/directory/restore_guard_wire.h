/*  restore_guard_wire - marks of ledgers, to and from proto/gis.proto and proto/ledger.proto. */
#ifndef MUSUBI_RESTORE_GUARD_WIRE_H
#define MUSUBI_RESTORE_GUARD_WIRE_H

#include "codec.h"
#include "restore_guard.h"

/*  What a directory remembers of a name. */
#define RESTORE_GUARD_FORMER_MAX 16

typedef struct {
    ledger_mark_t mark;
    int64_t seen_ms;
    uint8_t former [RESTORE_GUARD_FORMER_MAX][STORE_ID_BYTES]; /* the latest first */
    size_t former_count;
} watermark_t;

extern const codec_t ledger_mark_codec; /* of a mark that was told: start and row from 1 */
extern const codec_t watermark_codec;

/*  The digest of the row before, as this row says it; zeros when it can't be read. */
void row_before (bytes_t row, uint8_t digest [LEDGER_DIGEST_BYTES]);

#endif
