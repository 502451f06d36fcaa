/*  ledger_replay_wire - a row of a ledger, as the judge reads it. */
#ifndef MUSUBI_LEDGER_REPLAY_WIRE_H
#define MUSUBI_LEDGER_REPLAY_WIRE_H

#include "ledger.h"
#include "participant_records.h"

typedef struct {
    uint64_t number;
    uint8_t before [LEDGER_DIGEST_BYTES];
    uint32_t start;
    int64_t wall_ms;
    ledger_kind_t kind; /* also one that is not known yet */
    bool txid_set;
    txid_t txid;
    command_state_t from;
    command_state_t to;
    char *event;
    char reservation [NAME_BYTES_MAX + 1];
    uint32_t old_version;
    uint32_t new_version;
    bool command_set;
    command_record_t command; /* without what is as before */
    ledger_quantity_t *quantities;
    size_t quantities_count;
    char *actor;
    char *request_id;
    packed_t record;
    bool old_store_set;
    uint8_t old_store [STORE_ID_BYTES];
    bool readmitted_set;
    reservation_record_t readmitted;
    uint64_t kept_from;
    uint64_t exported_from;
} ledger_row_t;

/*  To be read by codec_decode_fields: no rule between fields is minded. */
extern const codec_t ledger_row_codec;

/*  Does a DecisionRecord say that all have acknowledged the commit? False when it can't be read. */
bool decision_read (bytes_t record, bool *acknowledged);

#endif
