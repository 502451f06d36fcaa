/*  sim_store - a store that forgets what was not flushed.
 *
 *  Puts and deletes wait until the flush makes all of them durable at once; a crash forgets those
 *  still waiting. Its identity is as store.h keeps it: a random id for life and a start number that
 *  is raised, durably, each time it is opened (T1, T13).
 */
#ifndef MUSUBI_SIM_STORE_H
#define MUSUBI_SIM_STORE_H

#include "core.h"

#define SIM_STORE_BYTES ((uint64_t) 1 << 30) /* unless sim_store_size says otherwise */

typedef struct sim_store sim_store_t;

sim_store_t *sim_store_new (const uint8_t id [STORE_ID_BYTES]);
void sim_store_destroy (sim_store_t **self_p);

/*  The store was deleted: it is empty, and it has another id. */
void sim_store_lose (sim_store_t *self);

/*  A process opens the store: waiting changes are forgotten, and the start number is raised. */
void sim_store_open (sim_store_t *self);
const store_identity_t *sim_store_identity (const sim_store_t *self);

/*  Sets how much the store can hold, and how much of that is taken for good by records that no
 *  process reads any more. */
void sim_store_size (sim_store_t *self, uint64_t bytes, uint64_t taken_bytes);
uint64_t sim_store_bytes (const sim_store_t *self);

/*  Wall time of the last flush, ms; INT64_MIN before the first. */
int64_t sim_store_stamp_ms (const sim_store_t *self);
uint64_t sim_store_free_bytes (const sim_store_t *self);

void sim_store_put (sim_store_t *self, uint8_t table, bytes_t key, bytes_t value);
void sim_store_delete (sim_store_t *self, uint8_t table, bytes_t key);

/*  Carries out a SEGMENT_WORK, as segments.h does: durable at once, whatever waits for a flush. The
 *  result is to be freed. */
void sim_store_segment (sim_store_t *self, bytes_t order, uint8_t **result, size_t *result_size);

/*  Is anything waiting for a flush? */
bool sim_store_waiting (const sim_store_t *self);
/*  False when the store holds far more than it should, which means that something new was begun
 *  without room for its end. */
bool sim_store_flush (sim_store_t *self, int64_t wall_ms);
void sim_store_forget (sim_store_t *self);

/*  The durable records asked for, also from segments; the caller frees the list. They live until
 *  the next flush or SEGMENT_WORK. */
row_t *sim_store_read (const sim_store_t *self, const read_order_t *order, size_t *count,
                       bool *more);

/*  Visits every durable record, ascending by table and key; of TABLE_LEDGER the last row alone, or
 *  all rows, those in segments too, when whole is set. visit must not change the store's durable
 *  records; it may put, since puts wait. */
typedef void sim_record_fn (void *owner, uint8_t table, bytes_t key, bytes_t value);
void sim_store_each (const sim_store_t *self, bool whole, sim_record_fn *visit, void *owner);

#endif
