/*  live_wire - reads holds from proto/ledger.proto. */
#include "live_wire.h"

#include "message.h"

#include "calendar.pb-c.h"
#include "ledger.pb-c.h"

#include <string.h>

packed_t live_windows_encode (const char *link, int64_t from_ms, int64_t until_ms)
{
    Musubi__Window window = MUSUBI__WINDOW__INIT;
    Musubi__Window *windows [] = {&window};
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    packed_t packed;
    window.resource = (char *) link;
    window.quantity = 1;
    window.from_ms = from_ms;
    window.until_ms = until_ms;
    request.n_windows = 1;
    request.windows = windows;
    packed.data = message_pack (&request.base, &packed.size);
    return packed;
}

packed_t live_free_encode (const char *class, int64_t duration_ms, int64_t from_ms,
                           int64_t until_ms)
{
    Musubi__FreeRequest request = MUSUBI__FREE_REQUEST__INIT;
    packed_t packed;
    request.resource = (char *) class;
    request.amount = 1;
    request.duration_ms = duration_ms;
    request.from_ms = from_ms;
    request.until_ms = until_ms;
    request.most = 1;
    packed.data = message_pack (&request.base, &packed.size);
    return packed;
}

packed_t live_rows_encode (uint64_t from)
{
    Musubi__RowsRequest request = MUSUBI__ROWS_REQUEST__INIT;
    packed_t packed;
    request.from = from;
    packed.data = message_pack (&request.base, &packed.size);
    return packed;
}

static bool read_row (ProtobufCBinaryData bytes, void (*take) (void *, const live_move_t *),
                      void *owner, uint64_t *number)
{
    ProtobufCMessage *message = message_unpack (&musubi__ledger_row__descriptor,
                                                (bytes_t){.data = bytes.data, .size = bytes.len});
    if (!message)
        return false;
    const Musubi__LedgerRow *row = (Musubi__LedgerRow *) message;
    *number = row->number;
    if (row->kind == MUSUBI__LEDGER_KIND__ROW_MOVED && row->txid && row->command &&
        row->txid->store.len == STORE_ID_BYTES) {
        live_move_t move = {.to = (command_state_t) row->to,
                            .wall_ms = row->wall_ms,
                            .expires_ms = row->command->expires_ms};
        memcpy (move.txid.store, row->txid->store.data, STORE_ID_BYTES);
        move.txid.start = row->txid->start;
        move.txid.counter = row->txid->counter;
        take (owner, &move);
    }
    message_free (message);
    return true;
}

bool live_rows_read (bytes_t body, void (*take) (void *owner, const live_move_t *move), void *owner,
                     uint64_t *next)
{
    ProtobufCMessage *message = message_unpack (&musubi__rows_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__RowsAnswer *answer = (Musubi__RowsAnswer *) message;
    bool good = true;
    uint64_t number = 0;
    for (size_t i = 0; i < answer->n_rows && good; i++)
        good = read_row (answer->rows [i], take, owner, &number);
    *next = answer->more ? number + 1 : 0;
    message_free (message);
    return good;
}
