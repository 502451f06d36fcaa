/*  ledger_replay - follows a ledger row by row and keeps what must then stand (T14, R19).
 *
 *  It is a judge of its own: it knows the rows and the state table, and shares no code with the
 *  participant, the timetable or the calendar. Every row is held against what came before it:
 *
 *      - numbers without gaps, the digest of the row before, starts that never fall,
 *      - each step of a command by the state table, from the state that it was in,
 *      - one pending change of a reservation at a time, made on its current version (T11),
 *      - one attempt that has a claim, none once it is closed (T2),
 *      - nothing taken beyond what there was at that moment, at any instant of the window, with the
 *        gap after each booking; while a change is pending the larger of old and new counts. What
 *  was taken before a capacity was lowered stays and is no fault of anybody's.
 *
 *  A ledger may have been cut: what began before its first row is then taken as it is found. So it
 *  is after a row that is damaged or missing, which is told. Pure; one thread at a time.
 */
#ifndef MUSUBI_LEDGER_REPLAY_H
#define MUSUBI_LEDGER_REPLAY_H

#include "ledger.h"
#include "transaction.h"

typedef struct ledger_replay ledger_replay_t;

/*  Told for each violation, one sentence. */
typedef void replay_tell_fn (void *owner, const char *sentence);

ledger_replay_t *ledger_replay_new (replay_tell_fn *tell, void *owner);
void ledger_replay_destroy (ledger_replay_t **self_p);

/*  The next row, as stored. False when it can't be read, which is told. */
bool ledger_replay_row (ledger_replay_t *self, bytes_t row);

/*  All rows were given: the ledger says that there are so many. Tells of missing ones. */
void ledger_replay_end (ledger_replay_t *self, uint64_t last);

typedef struct {
    uint64_t first; /* number of the first row seen; 0 = none */
    uint64_t last;
    uint64_t rows;
    uint64_t broken;       /* rows that are damaged, missing, or not chained */
    uint64_t violations;   /* told so far, those included */
    int64_t first_wall_ms; /* of the first row */
    int64_t last_wall_ms;
    uint32_t start;                     /* of the last row */
    uint32_t adopted;                   /* times that an operator put the store under a new id */
    uint8_t before_id [STORE_ID_BYTES]; /* the last old id; zero when never */
} replay_figures_t;
replay_figures_t ledger_replay_figures (const ledger_replay_t *self);

/*  --- what must stand now, and what was ---
 *
 *  Everything borrowed until the next row. */

/*  A command as last told; gone: its record was pruned since. */
typedef struct {
    txid_t txid;
    command_state_t state;
    bool gone;
    bool decided;    /* committed, or refused at its edge, once: true for ever */
    bool found;      /* began before the first row, or within a hole */
    uint64_t row;    /* of its last step */
    int64_t wall_ms; /* of that row */
    bytes_t stored;  /* packed StoredCommand; empty when it was never told whole */
} replay_command_t;

/*  Ascending by txid, the gone ones too; after = NULL: the first. False at the end. */
bool ledger_replay_command (const ledger_replay_t *self, const txid_t *after,
                            replay_command_t *command);
bool ledger_replay_find (const ledger_replay_t *self, const txid_t *txid,
                         replay_command_t *command);

/*  A reservation that stands: a version of it was committed here, and its record was not pruned. */
typedef struct {
    const char *id;
    const char *owner;
    bool found; /* some of it is not known: it began before the first row */
    uint32_t version;
    txid_t made_by;
    part_kind_t part_kind;
    bytes_t part;
    bool released;
    bool failed;
    int64_t until_ms; /* retention counts from here */
    bytes_t plan;     /* kept with it, as a home told it (T14); empty = see the command made_by */
} replay_reservation_t;
bool ledger_replay_reservation (const ledger_replay_t *self, const char *after,
                                replay_reservation_t *reservation);

/*  A claim that is closed: its key is that of its record in the store with a line feed for the NUL.
 */
typedef struct {
    const char *key;
    bytes_t record;
} replay_closed_t;
bool ledger_replay_closed (const ledger_replay_t *self, const char *after_key,
                           replay_closed_t *closed);

/*  A coordinator's decision, as last written. */
typedef struct {
    txid_t txid;
    bool gone;
    uint64_t row;
    bytes_t record; /* DecisionRecord */
} replay_decision_t;
bool ledger_replay_decision (const ledger_replay_t *self, const txid_t *after,
                             replay_decision_t *decision);

/*  Whether the circuits of a reservation were switched: its UseRecord. */
typedef struct {
    const char *reservation;
    bytes_t record;
} replay_use_t;
bool ledger_replay_use (const ledger_replay_t *self, const char *after, replay_use_t *use);

/*  What there is of a resource; false when no row tells. */
bool ledger_replay_quantity (const ledger_replay_t *self, const char *resource, int64_t *quantity);

/*  The same with the machines that are lost or drained: as configured, or set. */
bool ledger_replay_set (const ledger_replay_t *self, const char *resource, int64_t *quantity);

/*  The n-th resource, of which the ledger told: NULL behind the last. */
const char *ledger_replay_resource (const ledger_replay_t *self, size_t n);

/*  Free quantity at an instant, and until when it stays so (INT64_MAX: for ever). Only of a
 *  resource whose quantity is known. */
int64_t ledger_replay_free (const ledger_replay_t *self, const char *resource, int64_t at_ms,
                            int64_t *until_ms);

#endif
