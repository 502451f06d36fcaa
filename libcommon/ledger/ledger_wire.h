/*  ledger_wire - rows and questions of proto/ledger.proto, to and from plain values. */
#ifndef MUSUBI_LEDGER_WIRE_H
#define MUSUBI_LEDGER_WIRE_H

#include "ledger.h"

/*  What the ledger adds to an entry. */
typedef struct {
    uint64_t number;
    const uint8_t *before; /* LEDGER_DIGEST_BYTES */
    uint32_t start;
    int64_t wall_ms;
} ledger_place_t;

packed_t ledger_row_encode (const ledger_place_t *place, const ledger_entry_t *entry);

/*  False when it is no row. */
bool ledger_subject_read (ledger_subject_t *subject, bytes_t row);

typedef struct {
    uint64_t from;
    uint32_t most;
} rows_question_t;
extern const codec_t rows_question_codec;
extern const codec_t ledger_quantity_codec;
packed_t rows_answer_encode (const row_t *rows, size_t count, bool more, uint64_t last);

#endif
