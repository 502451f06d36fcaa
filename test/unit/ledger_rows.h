/*  ledger_rows - hand-made ledgers for tests: rows that are numbered and chained, or broken on
 *  purpose.
 */
#ifndef MUSUBI_LEDGER_ROWS_H
#define MUSUBI_LEDGER_ROWS_H

#include "ledger.pb-c.h"
#include "ledger_replay.h"
#include "transaction_wire.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define NINE 1796115600000 /* 2026-12-01T09:00:00Z */
#define HOUR 3600000

typedef struct {
    ledger_replay_t *replay;
    uint64_t number; /* of the last row */
    uint32_t start;
    int64_t wall_ms;
    uint8_t before [LEDGER_DIGEST_BYTES];
    char told [4096]; /* all violations, a line each */
    size_t violations;
} rows_t;

static inline void rows_tell (void *owner, const char *sentence)
{
    rows_t *self = owner;
    size_t used = strlen (self->told);
    snprintf (self->told + used, sizeof self->told - used, "%s\n", sentence);
    self->violations++;
}

static inline void rows_begin (rows_t *self)
{
    *self = (rows_t){.start = 1, .wall_ms = NINE - 24 * (int64_t) HOUR};
    self->replay = ledger_replay_new (rows_tell, self);
}

static inline void rows_end (rows_t *self)
{
    ledger_replay_destroy (&self->replay);
}

/*  The row as stored; the next one will follow it. The caller frees it. */
static inline packed_t rows_pack (rows_t *self, Musubi__LedgerRow *row)
{
    row->number = ++self->number;
    row->start = self->start;
    row->wall_ms = self->wall_ms += 1000;
    row->before = (ProtobufCBinaryData){.len = sizeof self->before, .data = self->before};
    packed_t packed = packed_of (&row->base);
    crypto_generichash (self->before, sizeof self->before, packed.data, packed.size, NULL, 0);
    return packed;
}

static inline void rows_give (rows_t *self, Musubi__LedgerRow *row)
{
    packed_t packed = rows_pack (self, row);
    ledger_replay_row (self->replay, (bytes_t){.data = packed.data, .size = packed.size});
    free (packed.data);
}

static inline void rows_quantity (rows_t *self, Musubi__LedgerKind kind, const char *resource,
                                  int64_t quantity, int64_t gap_ms)
{
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    Musubi__LedgerQuantity one = MUSUBI__LEDGER_QUANTITY__INIT;
    Musubi__LedgerQuantity *list [] = {&one};
    one.resource = (char *) resource;
    one.quantity = quantity;
    one.gap_ms = gap_ms;
    row.kind = kind;
    row.quantities = list;
    row.n_quantities = resource ? 1 : 0;
    rows_give (self, &row);
}

/*  A change of a reservation, as its participant has it. */
typedef struct {
    uint64_t counter; /* of its txid */
    operation_t operation;
    const char *reservation;
    uint32_t base;
    uint32_t nodes; /* of class "thin"; 0 = it books nothing */
    int64_t from_ms;
    int64_t until_ms;
    const char *request_id; /* set: it is a home's claim */
    command_state_t state;
} rows_change_t;

static inline txid_t rows_txid (uint64_t counter)
{
    return (txid_t){.store = {7}, .start = 1, .counter = counter};
}

static inline packed_t rows_plan (const rows_change_t *change)
{
    participant_ref_t parties [2] = {{.name = "lis/ams", .store = {1}},
                                     {.name = "gis/g1", .store = {2}}};
    plan_t plan = {.txid = rows_txid (change->counter),
                   .operation = change->operation,
                   .base_version = change->base,
                   .participants = parties,
                   .participants_count = 2,
                   .coordinator = {.name = "planner/p", .store = {7}},
                   .decide_by_ms = NINE,
                   .edge_ms = NINE,
                   .actor = "alice",
                   .owner = "alice",
                   .home = "gis/g1"};
    snprintf (plan.reservation, sizeof plan.reservation, "%s", change->reservation);
    snprintf (plan.request_id, sizeof plan.request_id, "%s",
              change->request_id ? change->request_id : "r@g1");
    return codec_encode (&plan_codec, &plan);
}

/*  Moves it by that event. Only the first row carries plan and part. */
static inline void rows_move (rows_t *self, rows_change_t *change, command_state_t to,
                              const char *event)
{
    static uint8_t digest [DIGEST_BYTES];
    bool begins = change->state == COMMAND_UNKNOWN;
    compute_booking_t booking = {.need = "ocean",
                                 .class_name = "thin",
                                 .cpus = change->nodes,
                                 .nodes = change->nodes,
                                 .from_ms = change->from_ms,
                                 .until_ms = change->until_ms};
    packed_t plan = begins ? rows_plan (change) : (packed_t){0};
    packed_t part = {0};
    if (begins && change->request_id)
        part = claim_part_encode (digest, (bytes_t){0});
    else if (begins && change->nodes > 0)
        part = compute_part_encode (&booking, 1);
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    Musubi__StoredCommand stored = MUSUBI__STORED_COMMAND__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid_t own = rows_txid (change->counter);
    codec_fill (&txid_codec, &own, &txid, NULL);
    stored.plan = (ProtobufCBinaryData){.len = plan.size, .data = plan.data};
    stored.part = (ProtobufCBinaryData){.len = part.size, .data = part.data};
    stored.part_kind = change->request_id ? PART_CLAIM : PART_COMPUTE;
    stored.state = (Musubi__CommandState) to;
    row.kind = MUSUBI__LEDGER_KIND__ROW_MOVED;
    row.txid = &txid;
    row.from = (Musubi__CommandState) change->state;
    row.to = (Musubi__CommandState) to;
    row.event = (char *) event;
    row.command = &stored;
    if (to == COMMAND_COMMITTED || to == COMMAND_EDGE_REFUSED) {
        row.old_version = change->base;
        row.new_version = change->request_id ? 0 : change->base + 1;
    }
    rows_give (self, &row);
    change->state = to;
    free (plan.data);
    free (part.data);
}

#endif
