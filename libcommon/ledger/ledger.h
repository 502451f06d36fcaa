/*  ledger - an append-only record of every transition of what this process has promised (T14, R19;
 *  proto/ledger.proto).
 *
 *  A row is stored in the same write as the change that it records. Rows are numbered without gaps,
 *  and each carries the digest of the row before. They are not kept in memory: at a start only the
 *  last one is read, to go on from it. The first row of each start lists all capacities.
 *
 *  A row that was damaged on disk keeps its number. The row after it carries zeros for its digest,
 *  and whoever audits the ledger finds both. Rows leave the store for segments, and old ones leave
 *  for good, from the front (ledger_cut.h). Pure.
 */
#ifndef MUSUBI_LEDGER_H
#define MUSUBI_LEDGER_H

#include "core.h"
#include "segment.h"
#include "setting.h"
#include "transaction.h"

#define LEDGER_DIGEST_BYTES 32
#define LEDGER_KEY_BYTES    SEGMENT_KEY_BYTES /* the row's number, network order */
#define LEDGER_READS_MAX    64                /* under way at once */
#define LEDGER_ROOM_PARTS   5 /* with less than a fifth of the store left, rows leave sooner */

/*  Same numbers as proto LedgerKind. */
typedef enum {
    LEDGER_NONE,
    LEDGER_STARTED,
    LEDGER_CHANGED_CAPACITY,
    LEDGER_MOVED,
    LEDGER_CLOSED_CLAIM,
    LEDGER_DECIDED,
    LEDGER_SWITCHED,
    LEDGER_PRUNED_COMMAND,
    LEDGER_PRUNED_RESERVATION,
    LEDGER_PRUNED_CLAIM,
    LEDGER_PRUNED_DECISION,
    LEDGER_ADOPTED,
    LEDGER_READMITTED,
    LEDGER_CUT,
    LEDGER_EXPORTED,
    LEDGER_KINDS
} ledger_kind_t;

typedef struct {
    char resource [NAME_BYTES_MAX + 1];
    int64_t quantity;
    int64_t gap_ms;
    int64_t missing; /* fewer than configured or set: machines that are lost or drained */
} ledger_quantity_t;

/*  How far the ledger of a store has come. */
typedef struct {
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t row; /* 0 = there is none */
    uint8_t digest [LEDGER_DIGEST_BYTES];
} ledger_mark_t;

/*  A row but for its number, digest, start and time, which the ledger adds. Unset fields are NULL
 *  or zero; all is borrowed. */
typedef struct {
    ledger_kind_t kind;
    const char *caller; /* NULL: the caller whose request is being served */
    const txid_t *txid;
    command_state_t from;
    command_state_t to;
    const char *event;
    const char *reservation;
    uint32_t old_version;
    uint32_t new_version;
    bytes_t command; /* packed StoredCommand */
    const ledger_quantity_t *quantities;
    size_t quantities_count;
    const char *actor;
    const char *request_id;
    bytes_t record;
    const uint8_t *old_store; /* STORE_ID_BYTES */
    bytes_t readmitted;       /* packed StoredReservation */
    uint64_t kept_from;
    uint64_t exported_from;
} ledger_entry_t;

typedef struct ledger ledger_t;
struct service;

/*  Made by member_new (member.h) for every service: loads TABLE_LEDGER, serves Ledger.Rows to
 *  administrators. */
ledger_t *ledger_new (struct service *service);
void ledger_destroy (ledger_t **self_p);

/*  Says who the administrators are; borrowed for life. Without it Ledger.Rows is refused to
 *  everybody. */
struct access;
void ledger_access (ledger_t *self, const struct access *access);

/*  Asked at the start for all capacities: a malloc'ed list, which the ledger frees. */
typedef ledger_quantity_t *ledger_quantities_fn (void *owner, size_t *count);
void ledger_capacities (ledger_t *self, ledger_quantities_fn *quantities, void *owner);

/*  Puts the row, at the time of the step that is under way. */
void ledger_append (ledger_t *self, const ledger_entry_t *entry);

/*  The same, with all capacities as its quantities. */
void ledger_append_whole (ledger_t *self, const ledger_entry_t *entry);

/*  How much of the ledger is kept. */
typedef struct {
    int64_t retention_ms;   /* longer while something that a row records still exists */
    int64_t segments_bytes; /* all segments together, on the disk: beyond that the oldest rows leave
                               whatever exists */
    uint32_t segment_rows;  /* in a segment, and at least as many stay in the store */
} ledger_limits_t;
extern const setting_table_t ledger_table;
void ledger_limit (ledger_t *self, const ledger_limits_t *limits);

/*  What a row is about; "" where it names nothing. */
typedef struct {
    int64_t wall_ms;
    bool txid_set;
    txid_t txid;
    char reservation [NAME_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
} ledger_subject_t;

/*  Does it still exist, so that the row is needed? Every module that keeps records is asked. */
typedef bool ledger_stands_fn (void *owner, const ledger_subject_t *subject);
void ledger_stands (ledger_t *self, ledger_stands_fn *stands, void *owner);

/*  Of the last row: its number (0 = none) and the digest that the next one will carry. */
uint64_t ledger_last (const ledger_t *self);
const uint8_t *ledger_digest (const ledger_t *self);

/*  Reads rows as they are after this step's flush, ascending from a number. done is called once,
 *  in a later step; the rows live until it returns. False when too many reads are under way. */
typedef struct {
    uint64_t from;
    uint32_t most; /* rows, */
    uint32_t bytes;
    bool store_alone; /* without those in segments */
} ledger_page_t;
typedef void ledger_read_fn (void *owner, const moment_t *now, uint64_t token, const row_t *rows,
                             size_t count, bool more);
bool ledger_read (ledger_t *self, const ledger_page_t *page, ledger_read_fn *done, void *owner,
                  uint64_t token);

/*  The number in a key; 0 when it is none. */
static inline uint64_t ledger_number (bytes_t key)
{
    return segment_number (key);
}

/*  For service.c: an EVENT_ROWS. */
void ledger_rows (ledger_t *self, const moment_t *now, const event_t *event);

#endif
