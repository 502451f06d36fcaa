/*  store_read - records in order: all at a start, pages of them later.
 */
#include "store_state.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint8_t table_of (const MDB_val *key)
{
    return *(const uint8_t *) key->mv_data;
}

static row_t store_row_of (const MDB_val *key, const MDB_val *sealed, bool *sound)
{
    const uint8_t *at = key->mv_data;
    row_t row = {.key = {.data = at + 1, .size = key->mv_size - 1}};
    *sound = store_open_sealed (key, sealed, &row.value);
    if (!*sound)
        row.value = RECORD_DAMAGED;
    return row;
}

/*  From the ledger's first row to its last sound one, or to the first when none is. */
static int ledger_end (MDB_cursor *cursor, MDB_val *key, MDB_val *value)
{
    uint8_t behind = TABLE_LEDGER + 1;
    *key = (MDB_val){.mv_size = 1, .mv_data = &behind};
    int code = mdb_cursor_get (cursor, key, value, MDB_SET_RANGE);
    code = mdb_cursor_get (cursor, key, value, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
    bool sound;
    while (code == MDB_SUCCESS && table_of (key) == TABLE_LEDGER) {
        store_row_of (key, value, &sound);
        if (sound)
            return code;
        code = mdb_cursor_get (cursor, key, value, MDB_PREV);
    }
    return code == MDB_SUCCESS || code == MDB_NOTFOUND
             ? mdb_cursor_get (cursor, key, value, code == MDB_NOTFOUND ? MDB_FIRST : MDB_NEXT)
             : code;
}

static int each_record (store_t *self, MDB_cursor *cursor, store_visit_fn *visit, void *owner)
{
    MDB_val key, value;
    bool more = true;
    bool ledger = false;
    int code = mdb_cursor_get (cursor, &key, &value, MDB_FIRST);
    while (more && code == MDB_SUCCESS) {
        if (table_of (&key) == TABLE_LEDGER && !ledger) {
            ledger = true;
            if ((code = ledger_end (cursor, &key, &value)) != MDB_SUCCESS)
                break;
        }
        bool sound;
        row_t row = store_row_of (&key, &value, &sound);
        if (!sound)
            store_note_damage (self, &key, &value);
        if (table_of (&key) != TABLE_IDENTITY)
            more = visit (owner, table_of (&key), row.key, row.value, sound);
        if (more)
            code = mdb_cursor_get (cursor, &key, &value, MDB_NEXT);
    }
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

int store_read_begin (store_t *self, MDB_txn **txn, MDB_cursor **cursor)
{
    int code = mdb_txn_begin (self->env, NULL, MDB_RDONLY, txn);
    if (code != MDB_SUCCESS)
        return code;
    code = mdb_cursor_open (*txn, self->table, cursor);
    if (code != MDB_SUCCESS)
        mdb_txn_abort (*txn);
    return code;
}

static store_answer_t read_end (store_t *self, MDB_txn *txn, MDB_cursor *cursor, int code)
{
    mdb_cursor_close (cursor);
    mdb_txn_abort (txn);
    return code == MDB_SUCCESS ? STORE_OK
                               : store_fail_mdb (self->facts.why, code, "cannot read on");
}

store_answer_t store_each (store_t *self, store_visit_fn *visit, void *owner)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    int code = store_read_begin (self, &txn, &cursor);
    if (code != MDB_SUCCESS)
        return store_fail_mdb (self->facts.why, code, "cannot begin reading");
    code = each_record (self, cursor, visit, owner);
    return read_end (self, txn, cursor, code);
}

/*  Is a row missing between these of the ledger? It may be in a segment. */
static bool gap_between (const row_t *row, const row_t *next)
{
    uint64_t number = segment_number (row->key);
    return number > 0 && segment_number (next->key) > number + 1;
}

/*  Rows of the ledger before found, the first record in the store that was asked for. Its last row
 *  is always in the store, so there are more behind them. */
static size_t segment_rows (const store_t *self, const read_order_t *order, const MDB_val *found,
                            row_t *rows, packed_t *segment)
{
    const uint8_t *at = found->mv_data;
    if (at [0] != TABLE_LEDGER || order->table != TABLE_LEDGER || order->store_alone)
        return 0;
    uint64_t before = segment_number ((bytes_t){.data = at + 1, .size = found->mv_size - 1});
    *segment = segments_find (self->segments, segment_number (order->from), before);
    return segment_page (packed_bytes (*segment), order, before, rows);
}

/*  Fills rows, of which there is room for order->most; those of a segment are views of it. */
static int store_read_rows (const store_t *self, MDB_cursor *cursor, const read_order_t *order,
                            row_t *rows, size_t *count, bool *more, packed_t *segment)
{
    uint8_t bytes [1 + STORE_KEY_BYTES_MAX] = {order->table};
    assert (order->from.size <= STORE_KEY_BYTES_MAX);
    if (order->from.size > 0)
        memcpy (bytes + 1, order->from.data, order->from.size);
    MDB_val key = {.mv_size = 1 + order->from.size, .mv_data = bytes}, value;
    size_t used = 0;
    *count = 0;
    int code = mdb_cursor_get (cursor, &key, &value, MDB_SET_RANGE);
    if (code == MDB_SUCCESS)
        *count = segment_rows (self, order, &key, rows, segment);
    *more = *count > 0;
    while (!*more && code == MDB_SUCCESS && table_of (&key) == order->table) {
        bool sound;
        row_t row = store_row_of (&key, &value, &sound);
        used += key.mv_size + value.mv_size;
        *more =
          *count == order->most || (*count > 0 && used > order->bytes) ||
          (order->table == TABLE_LEDGER && *count > 0 && gap_between (&rows [*count - 1], &row));
        if (*more)
            return code;
        rows [(*count)++] = row;
        code = mdb_cursor_get (cursor, &key, &value, MDB_NEXT);
    }
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

store_answer_t store_read (store_t *self, const read_order_t *order, store_rows_fn *visit,
                           void *owner)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    size_t count;
    bool more;
    int code = store_read_begin (self, &txn, &cursor);
    if (code != MDB_SUCCESS)
        return store_fail_mdb (self->facts.why, code, "cannot begin reading");
    row_t *rows = must (calloc (order->most, sizeof *rows));
    packed_t segment = {0};
    code = store_read_rows (self, cursor, order, rows, &count, &more, &segment);
    if (code == MDB_SUCCESS)
        visit (owner, rows, count, more);
    free (segment.data);
    free (rows);
    return read_end (self, txn, cursor, code);
}
