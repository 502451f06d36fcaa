/*  live_wire - packs the questions that are measured, and reads rows of ledgers as far as they
 *  concern the life of holds. */
#ifndef MUSUBI_LIVE_WIRE_H
#define MUSUBI_LIVE_WIRE_H

#include "transaction.h"

/*  Calendar.Windows: is one Mbit/s of a link free?; malloc'ed bytes. */
packed_t live_free_encode (const char *class, int64_t duration_ms, int64_t from_ms,
                           int64_t until_ms);
packed_t live_windows_encode (const char *link, int64_t from_ms, int64_t until_ms);

/*  A command has moved, or its hold was renewed. */
typedef struct {
    txid_t txid;
    command_state_t to;
    int64_t wall_ms;
    int64_t expires_ms; /* of the hold, as granted by then */
} live_move_t;

/*  Ledger.Rows from that number on; malloc'ed bytes. */
packed_t live_rows_encode (uint64_t from);

/*  Hands each move to take; *next is where to continue, 0 at the end. False when the answer can't
 *  be read. */
bool live_rows_read (bytes_t body, void (*take) (void *owner, const live_move_t *move), void *owner,
                     uint64_t *next);

#endif
