/*  sim_store - a sorted array of durable records and a list of changes that wait. */
#include "sim_store.h"
#include "must.h"
#include "segment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

typedef struct record {
    STAILQ_ENTRY (record) link; /* while it waits */
    size_t key_size;
    size_t value_size;
    uint8_t table;
    bool gone;        /* a delete; it waits for the flush, and is never durable */
    uint8_t bytes []; /* key, then value */
} sim_store_record_t;

#define NODE_BYTES   32 /* kept beside a record */
#define BEYOND_PARTS 4  /* it may grow past its size by this part of it, when promises end */

STAILQ_HEAD (record_list, record);

typedef struct {
    uint64_t first;
    uint64_t last;
    packed_t rows;
} sim_segment_t;

struct sim_store {
    store_identity_t identity;
    int64_t stamp_ms;
    uint64_t bytes; /* capacity */
    uint64_t used_bytes;
    uint64_t put_bytes; /* what waiting changes may take, as store.c counts it */
    sim_store_record_t **records;
    size_t records_count;
    size_t records_room;
    struct record_list waiting;
    sim_segment_t *segments; /* in the order in which they were made */
    size_t segments_count;
    size_t segments_room;
};

static int compare (const sim_store_record_t *a, const sim_store_record_t *b)
{
    if (a->table != b->table)
        return a->table < b->table ? -1 : 1;
    size_t least = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = memcmp (a->bytes, b->bytes, least);
    if (order != 0)
        return order;
    return a->key_size == b->key_size ? 0 : a->key_size < b->key_size ? -1 : 1;
}

/*  Where the record is, or would be. */
static size_t place (const sim_store_t *self, const sim_store_record_t *wanted, bool *found)
{
    size_t low = 0;
    size_t high = self->records_count;
    *found = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare (self->records [middle], wanted);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sim_store_t *sim_store_new (const uint8_t id [STORE_ID_BYTES])
{
    sim_store_t *self = must (calloc (1, sizeof *self));
    memcpy (self->identity.id, id, STORE_ID_BYTES);
    self->stamp_ms = INT64_MIN;
    self->bytes = SIM_STORE_BYTES;
    STAILQ_INIT (&self->waiting);
    return self;
}

/*  Forgets those that end before a row. */
static void drop_segments (sim_store_t *self, uint64_t kept_from)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->segments_count; i++) {
        if (self->segments [i].last < kept_from)
            free (self->segments [i].rows.data);
        else
            self->segments [kept++] = self->segments [i];
    }
    self->segments_count = kept;
}

void sim_store_segment (sim_store_t *self, bytes_t order, uint8_t **result, size_t *result_size)
{
    uint64_t bytes = 0;
    bytes_t rows = {.data = order.data + SEGMENT_ORDER_BYTES,
                    .size = order.size - SEGMENT_ORDER_BYTES};
    if (rows.size > 0) {
        sim_segment_t made = {.rows = packed_copy (rows)};
        row_t row;
        while (segment_take (&rows, &row)) {
            made.last = segment_number (row.key);
            made.first = made.first > 0 ? made.first : made.last;
        }
        self->segments = must_grow (self->segments, self->segments_count, &self->segments_room,
                                    sizeof *self->segments);
        self->segments [self->segments_count++] = made;
    }
    drop_segments (self, number_get (order.data, SEGMENT_ORDER_BYTES));
    for (size_t i = 0; i < self->segments_count; i++)
        bytes += self->segments [i].rows.size;
    *result = must (malloc (SEGMENT_BYTES_BYTES));
    *result_size = SEGMENT_BYTES_BYTES;
    number_put (*result, bytes, SEGMENT_BYTES_BYTES);
}

/*  The first one with rows from one number on and before another; NULL when there is none. */
static const sim_segment_t *segment_find (const sim_store_t *self, uint64_t from, uint64_t before)
{
    const sim_segment_t *found = NULL;
    for (size_t i = 0; i < self->segments_count; i++) {
        const sim_segment_t *one = &self->segments [i];
        if (one->last >= from && one->first < before && (!found || one->first < found->first))
            found = one;
    }
    return found;
}

void sim_store_destroy (sim_store_t **self_p)
{
    sim_store_t *self = *self_p;
    if (!self)
        return;
    sim_store_forget (self);
    for (size_t i = 0; i < self->records_count; i++)
        free (self->records [i]);
    free (self->records);
    drop_segments (self, UINT64_MAX);
    free (self->segments);
    free (self);
    *self_p = NULL;
}

void sim_store_lose (sim_store_t *self)
{
    sim_store_forget (self);
    while (self->records_count > 0)
        free (self->records [--self->records_count]);
    drop_segments (self, UINT64_MAX);
    self->used_bytes = 0;
    self->stamp_ms = INT64_MIN;
    self->identity.start = 0;
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        self->identity.id [i] ^= 0xff;
}

void sim_store_open (sim_store_t *self)
{
    sim_store_forget (self);
    self->identity.start++;
}

const store_identity_t *sim_store_identity (const sim_store_t *self)
{
    return &self->identity;
}

int64_t sim_store_stamp_ms (const sim_store_t *self)
{
    return self->stamp_ms;
}

void sim_store_size (sim_store_t *self, uint64_t bytes, uint64_t taken_bytes)
{
    self->bytes = bytes;
    self->used_bytes += taken_bytes;
}

uint64_t sim_store_bytes (const sim_store_t *self)
{
    return self->bytes;
}

uint64_t sim_store_free_bytes (const sim_store_t *self)
{
    uint64_t taken = self->used_bytes + self->put_bytes;
    return taken < self->bytes ? self->bytes - taken : 0;
}

static void wait_for_flush (sim_store_t *self, uint8_t table, bytes_t key, bytes_t value, bool gone)
{
    sim_store_record_t *record = must (malloc (sizeof *record + key.size + value.size));
    *record = (sim_store_record_t){
      .table = table, .gone = gone, .key_size = key.size, .value_size = value.size};
    memcpy (record->bytes, key.data, key.size);
    if (value.size > 0)
        memcpy (record->bytes + key.size, value.data, value.size);
    STAILQ_INSERT_TAIL (&self->waiting, record, link);
}

void sim_store_put (sim_store_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    wait_for_flush (self, table, key, value, false);
    self->put_bytes += 2 * (key.size + value.size + NODE_BYTES);
}

void sim_store_delete (sim_store_t *self, uint8_t table, bytes_t key)
{
    wait_for_flush (self, table, key, (bytes_t){0}, true);
}

bool sim_store_waiting (const sim_store_t *self)
{
    return !STAILQ_EMPTY (&self->waiting);
}

static uint64_t bytes_of (const sim_store_record_t *record)
{
    return record->key_size + record->value_size;
}

static void insert_at (sim_store_t *self, size_t at, sim_store_record_t *record)
{
    if (self->records_count == self->records_room) {
        self->records_room = self->records_room ? 2 * self->records_room : 64;
        self->records =
          must (realloc (self->records, self->records_room * sizeof (sim_store_record_t *)));
    }
    memmove (&self->records [at + 1], &self->records [at],
             (self->records_count - at) * sizeof (sim_store_record_t *));
    self->records [at] = record;
    self->records_count++;
    self->used_bytes += bytes_of (record);
}

static void remove_at (sim_store_t *self, size_t at)
{
    self->used_bytes -= bytes_of (self->records [at]);
    free (self->records [at]);
    self->records_count--;
    memmove (&self->records [at], &self->records [at + 1],
             (self->records_count - at) * sizeof (sim_store_record_t *));
}

/*  A waiting change becomes durable. */
static void apply (sim_store_t *self, sim_store_record_t *change)
{
    bool found;
    size_t at = place (self, change, &found);
    if (found)
        remove_at (self, at);
    if (change->gone)
        free (change);
    else
        insert_at (self, at, change);
}

bool sim_store_flush (sim_store_t *self, int64_t wall_ms)
{
    while (!STAILQ_EMPTY (&self->waiting)) {
        sim_store_record_t *change = STAILQ_FIRST (&self->waiting);
        STAILQ_REMOVE_HEAD (&self->waiting, link);
        apply (self, change);
    }
    self->put_bytes = 0;
    if (wall_ms > self->stamp_ms)
        self->stamp_ms = wall_ms;
    return self->used_bytes <= self->bytes + self->bytes / BEYOND_PARTS;
}

void sim_store_forget (sim_store_t *self)
{
    while (!STAILQ_EMPTY (&self->waiting)) {
        sim_store_record_t *change = STAILQ_FIRST (&self->waiting);
        STAILQ_REMOVE_HEAD (&self->waiting, link);
        free (change);
    }
    self->put_bytes = 0;
}

static row_t row_of (const sim_store_record_t *record)
{
    return (row_t){.key = {.data = record->bytes, .size = record->key_size},
                   .value = {.data = record->bytes + record->key_size, .size = record->value_size}};
}

/*  Does another record of the same table follow it? */
static bool followed (const sim_store_t *self, size_t at)
{
    uint8_t table = self->records [at]->table;
    return at + 1 < self->records_count && self->records [at + 1]->table == table;
}

/*  Rows in segments that are not in the store. */
static void each_exported (const sim_store_t *self, uint64_t from, uint64_t before,
                           sim_record_fn *visit, void *owner)
{
    const sim_segment_t *segment;
    while (from < before && (segment = segment_find (self, from, before))) {
        bytes_t rows = packed_bytes (segment->rows);
        for (row_t row; segment_take (&rows, &row);) {
            uint64_t number = segment_number (row.key);
            if (number < from || number >= before)
                continue;
            visit (owner, TABLE_LEDGER, row.key, row.value);
            from = number + 1;
        }
    }
}

void sim_store_each (const sim_store_t *self, bool whole, sim_record_fn *visit, void *owner)
{
    uint64_t next = 0; /* row of the ledger */
    for (size_t i = 0; i < self->records_count; i++) {
        const sim_store_record_t *record = self->records [i];
        if (record->table == TABLE_LEDGER && !whole && followed (self, i))
            continue;
        row_t row = row_of (record);
        if (record->table == TABLE_LEDGER && whole) {
            each_exported (self, next, segment_number (row.key), visit, owner);
            next = segment_number (row.key) + 1;
        }
        visit (owner, record->table, row.key, row.value);
    }
}

row_t *sim_store_read (const sim_store_t *self, const read_order_t *order, size_t *count,
                       bool *more)
{
    sim_store_record_t *from = must (malloc (sizeof *from + order->from.size));
    *from = (sim_store_record_t){.table = order->table, .key_size = order->from.size};
    if (order->from.size > 0)
        memcpy (from->bytes, order->from.data, order->from.size);
    bool found;
    size_t at = place (self, from, &found);
    free (from);
    row_t *rows = must (calloc (order->most, sizeof *rows));
    uint64_t bytes = 0;
    uint64_t next = 0; /* row of the ledger; 0 = any */
    *count = 0;
    *more = false;
    for (; at < self->records_count && self->records [at]->table == order->table; at++) {
        const sim_store_record_t *record = self->records [at];
        uint64_t number = order->table == TABLE_LEDGER ? segment_number (row_of (record).key) : 0;
        const sim_segment_t *segment =
          number == 0 || next > 0 || order->store_alone
            ? NULL
            : segment_find (self, segment_number (order->from), number);
        if (segment) {
            *count = segment_page (packed_bytes (segment->rows), order, number, rows);
            *more = true;
            break;
        }
        bytes += bytes_of (record);
        *more = *count == order->most || (*count > 0 && bytes > order->bytes) ||
                (next > 0 && number != next);
        next = number > 0 ? number + 1 : 0;
        if (*more)
            break;
        rows [(*count)++] = row_of (record);
    }
    return rows;
}
