/*  ledger_replay_wire - rows and the records in them, from proto to plain values. For the files of
 *  ledger_replay and of what compares with it.
 */
#ifndef MUSUBI_LEDGER_REPLAY_WIRE_H
#define MUSUBI_LEDGER_REPLAY_WIRE_H

#include "ledger.h"
#include "transaction.h"

/*  A row. Borrows from what it was read from: end it with row_end. */
typedef struct {
    uint64_t number;
    const uint8_t *before; /* LEDGER_DIGEST_BYTES */
    uint32_t start;
    int64_t wall_ms;
    ledger_kind_t kind;
    bool txid_set;
    txid_t txid;
    command_state_t from;
    command_state_t to;
    const char *event;
    const char *reservation;
    uint32_t old_version;
    uint32_t new_version;
    const void *command; /* NULL: none */
    ledger_quantity_t *quantities;
    size_t quantities_count;
    const char *actor;
    const char *request_id;
    bytes_t record;
    bytes_t old_store;
    uint64_t kept_from;
    const void *readmitted; /* NULL: none */
    void *message;
} ledger_row_t;

/*  False with why; then there is nothing to end. */
bool row_read (ledger_row_t *self, bytes_t bytes, char why [WHY_BYTES]);
void row_end (ledger_row_t *self);

/*  The row's StoredCommand, packed; plan and part are those of before where it leaves them out. */
packed_t row_command (const ledger_row_t *self, bytes_t before);

/*  A StoredCommand. Borrows: end it with stored_command_end. */
typedef struct {
    command_state_t state;
    bytes_t plan;
    part_kind_t part_kind;
    bytes_t part;
    int64_t held_ms;
    int64_t prepared_ms;
    int64_t until_ms;
    uint32_t epoch;
    bool done;
    void *message;
} stored_command_t;
bool stored_command_read (stored_command_t *self, bytes_t bytes);
void stored_command_end (stored_command_t *self);

/*  A StoredReservation. Borrows: end it with stored_reservation_end. */
typedef struct {
    const char *owner;
    uint32_t version;
    txid_t made_by;
    part_kind_t part_kind;
    bytes_t part;
    bool released;
    bool failed;
    int64_t until_ms;
    bytes_t plan;
    void *message;
} stored_reservation_t;
bool stored_reservation_read (stored_reservation_t *self, bytes_t bytes);
void stored_reservation_end (stored_reservation_t *self);
packed_t stored_reservation_pack (const stored_reservation_t *self);

/*  The row's. */
bool row_readmitted (const ledger_row_t *self, stored_reservation_t *reservation);

/*  What a DecisionRecord comes to: all have acknowledged that they committed, or it was undone.
 *  False when it is none. */
bool decision_read (bytes_t record, bool *acknowledged, bool *undone);

#endif
