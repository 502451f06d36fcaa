/*  store - typed tables of records in one LMDB environment. Its parts (store_state.h) alone see
 *  lmdb.h.
 *
 *  One process a store: a lock file is held for life. Every write checks that the file is
 *  still the one that was opened and the start number in it still ours (T4) and stamps the wall
 *  time (T15). Flushed means that mdb_txn_commit returned 0 with all syncs on (T13). Rows of the
 *  ledger leave it for segments, files beside it (segments.h).
 */
#ifndef MUSUBI_STORE_H
#define MUSUBI_STORE_H

#include "core.h"

#define STORE_BYTES_DEFAULT ((uint64_t) 16 << 30)
#define STORE_BYTES_LEAST   ((uint64_t) 1 << 20)
#define STORE_KEY_BYTES_MAX 510 /* LMDB's limit, less one byte for the table */

#define STORE_PATH_BYTES 4096

typedef struct store store_t;

/*  What is known of a store, read-only. bytes is the most it can hold: bytes_most, or less if the
 *  disk has less room; free_bytes is what it can still take. Both are measured at each flush, and
 *  free_bytes falls with each put by the most that the put can take. Puts beyond it succeed while
 *  the disk has room: whoever begins something new must check free_bytes first, while whatever
 *  ends a promise is always stored (T13). */
typedef struct {
    char folder [STORE_PATH_BYTES];
    store_identity_t identity;
    int64_t stamp_ms; /* wall time of the last write before this start */
    uint64_t free_bytes;
    uint64_t bytes;
    const uint8_t *adopted_from; /* the id before store_adopt; NULL when nobody adopted it, or a
                                    batch has been flushed since */
    char why [WHY_BYTES];        /* what went wrong, for the log; "" when nothing has */
} store_facts_t;

typedef enum {
    STORE_OK,
    STORE_LOCKED,  /* another process serves it */
    STORE_DAMAGED, /* not a store, one of another layout, or not the one that was opened */
    STORE_FULL,    /* the disk has no room */
    STORE_TAKEN,   /* another start number is in it: we were taken over and must end */
    STORE_ERROR,   /* see errno and why */
} store_answer_t;

/*  Opens or makes the store in folder, locks it, raises its start number and flushes that; entropy
 *  gives a new store its id. On STORE_OK *self_p is the caller's: store_close. */
store_answer_t store_open (store_t **self_p, const char *folder, uint64_t bytes_most,
                           const uint8_t entropy [STORE_ID_BYTES], int64_t wall_ms,
                           char why [WHY_BYTES]);
void store_close (store_t **self_p);

/*  Does a process hold its lock? Asked without opening the store or disturbing a process that
 *  does. */
bool store_locked (const char *folder);

/*  Says that the store stays ours for as long as this process lives, and not for a look or to
 *  settle what a dead process left; store_served asks for that, as store_locked does. */
void store_serve (store_t *self);
bool store_served (const char *folder);

const store_facts_t *store_facts (const store_t *self);

/*  Gives the store a new id, flushed (T14): an operator has decided that its contents may be
 *  served again although it has forgotten promises. Between store_open and the first batch. */
store_answer_t store_adopt (store_t *self, const uint8_t id [STORE_ID_BYTES]);

/*  Shows every record, ascending by table and key, until visit returns false. Of TABLE_LEDGER
 *  only the last sound row and damaged ones behind it are shown, so that a start takes no longer
 *  the more has happened. sound: key and value are those that were put; otherwise value is
 *  RECORD_DAMAGED. */
typedef bool store_visit_fn (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound);
store_answer_t store_each (store_t *self, store_visit_fn *visit, void *owner);

/*  The records asked for, as they were flushed; visit is called once, and what it is shown lives
 *  until it returns. It may put, delete and read. Of TABLE_LEDGER those in segments, too: of a row
 *  that is in both, the store's is shown. A page ends where rows are missing. */
typedef void store_rows_fn (void *owner, const row_t *rows, size_t count, bool more);
store_answer_t store_read (store_t *self, const read_order_t *order, store_rows_fn *visit,
                           void *owner);

/*  A SEGMENT_WORK, as work_kind_t's run_for: on any thread, one at a time; the owner is the
 *  store. */
bool store_segment (void *owner, bytes_t arguments, uint8_t **result, size_t *result_size);

/*  A batch: begin, puts and deletes, flush. Nothing of it is visible before STORE_OK of flush. On
 *  any other answer the batch is gone, and its why says more. Deleting what is not there is
 *  STORE_OK. */
store_answer_t store_begin (store_t *self);
store_answer_t store_put (store_t *self, uint8_t table, bytes_t key, bytes_t value);
store_answer_t store_delete (store_t *self, uint8_t table, bytes_t key);
store_answer_t store_flush (store_t *self, int64_t wall_ms);

/*  Goes on reading where it stopped, for about so many bytes of records, and checks each against
 *  its checksum; *ended is set after the last one, and the next call begins again. Damage that
 *  was there when the store was opened is passed over; new damage is shown to visit and answered
 *  by STORE_DAMAGED. The ledger is not read at a start, so damage that the first pass finds in it
 *  is only shown. Not within a batch. */
store_answer_t store_scrub (store_t *self, size_t bytes, store_visit_fn *visit, void *owner,
                            bool *ended);

/*  What store_copy has copied. */
typedef struct {
    uint64_t records;
    uint64_t damaged;  /* of these: as they are in the store */
    uint64_t last_row; /* of the ledger; 0 = none */
    uint64_t bytes;    /* of all files */
} store_copied_t;

/*  Copies a store, which a process may be serving, into a new folder: the records of one moment,
 *  flushed and then read back, and the regular files of the store's folder. Only on STORE_OK there
 *  is a folder of that name. Needs the store's own account, and does not take its lock. */
store_answer_t store_copy (const char *folder, const char *target, store_copied_t *copied,
                           char why [WHY_BYTES]);

/*  For the rest of this process: a fault in reading the file (it was cut, its pages are damaged)
 *  ends the process with exit code 1 and a line in the log that names the file. */
void store_guard (const store_t *self);

#endif
