/*  ledger_replay - follows a ledger row by row and keeps what must stand after each row (T14, R19).
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
 *        was taken before a capacity was lowered stays, and is not reported.
 *
 *  A ledger may have been cut at the front: what began before its first row is taken as it is
 *  found. The same holds after a row that is damaged or missing, which is reported: what was known
 *  before counts for nothing until a later row tells of it. Pure; one thread at a time. */
#ifndef MUSUBI_LEDGER_REPLAY_H
#define MUSUBI_LEDGER_REPLAY_H

#include "booked.h"
#include "ledger.h"
#include "ordered.h"
#include "participant_records.h"

/*  A row, as it is stored. */
typedef struct {
    uint64_t number;
    uint8_t before [LEDGER_DIGEST_BYTES];
    uint32_t start;
    int64_t wall_ms;
    ledger_kind_t kind; /* also one that is not known yet */
    bool txid_set;
    txid_t txid;
    command_state_t from;
    command_state_t to;
    char *event;
    char reservation [NAME_BYTES_MAX + 1];
    uint32_t old_version;
    uint32_t new_version;
    bool command_set;
    command_record_t command; /* without what is as before */
    ledger_quantity_t *quantities;
    size_t quantities_count;
    char *actor;
    char *request_id;
    packed_t record;
    bool old_store_set;
    uint8_t old_store [STORE_ID_BYTES];
    bool readmitted_set;
    reservation_record_t readmitted;
    uint64_t kept_from;
    uint64_t exported_from;
} ledger_row_t;

/*  To be read by codec_decode_fields: no rule between fields is minded. */
extern const codec_t ledger_row_codec;

/*  Does a DecisionRecord say that all have acknowledged the commit? False when it can't be read. */
bool decision_read (bytes_t record, bool *acknowledged);

/*  Called for each violation, with one sentence. */
typedef void replay_tell_fn (void *owner, const char *sentence);

typedef struct {
    uint64_t first; /* number of the first row seen; 0 = none */
    uint64_t last;
    uint64_t rows;
    uint64_t broken;       /* rows that are damaged, missing, or not chained */
    uint64_t violations;   /* reported so far, broken rows included */
    int64_t first_wall_ms; /* of the first row */
    int64_t last_wall_ms;
    uint32_t start;                     /* of the last row */
    uint32_t adopted;                   /* times that an operator put the store under a new id */
    uint8_t before_id [STORE_ID_BYTES]; /* the last old id; zero when never */
} replay_figures_t;

/*  A command as its last row has it; gone: its record was pruned since. */
typedef struct {
    txid_t txid;
    command_state_t state;
    bool gone;
    bool decided;            /* committed, or refused at its edge, once: true for ever */
    bool found;              /* began before the first row, or within a hole */
    uint64_t row;            /* of its last step */
    int64_t begun_ms;        /* of its first step; 0 = found */
    command_record_t record; /* zero when no row held the whole record */
} replay_command_t;

/*  A reservation. It stands when a version of it was committed here, and its record was not pruned.
 *  Its record has a plan when a home sent one with it (T14); else see the command made_by. */
typedef struct {
    char id [NAME_BYTES_MAX + 1];
    bool found; /* some of it is not known: it began before the first row, or rows are missing */
    bool continued; /* by a version that is known; an earlier one may have lasted longer */
    reservation_record_t record;
} replay_reservation_t;

/*  A record that rows hold just as the store does: of a closed claim, of a coordinator's decision,
 *  or of whether the circuits of a reservation are switched. */
#define REPLAY_KEY_BYTES (NAME_BYTES_MAX + REQUEST_ID_BYTES_MAX + 2)
typedef struct {
    uint8_t table;
    size_t key_size;
    uint8_t key [REPLAY_KEY_BYTES];
} replay_key_t;

typedef struct {
    replay_key_t key;
    bool gone;
    uint64_t row;
    packed_t record;
    replay_command_t *holder; /* of a claim that may not be closed; NULL = nobody */
} replay_kept_t;

/*  False when the key is too long to be of any of them. */
bool replay_key (replay_key_t *self, uint8_t table, bytes_t key);

/*  Compares a replay_key_t with that of a thing that begins with one, as ordered_new wants it. */
int replay_key_compare (const void *key, const void *thing);

/*  What there is of a resource, and what is taken of it, with the gaps. */
typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* must be the first member */
    bool known;                     /* some row said how much there is */
    int64_t quantity;
    int64_t missing; /* fewer than configured or set: machines that are lost or drained */
    int64_t gap_ms;
    levels_t booked;
} replay_resource_t;

/*  What must stand now, and what was. To be read by anybody until the next row; ledger_replay*.c
 *  alone change it. */
typedef struct {
    replay_figures_t figures;
    ordered_t *commands;          /* replay_command_t by txid, the gone ones too */
    ordered_t *kept;              /* replay_kept_t by key, the gone ones too */
    ordered_t *reservations;      /* see ledger_replay_reservation */
    replay_resource_t *resources; /* that the ledger mentions */
    size_t resources_count;
    size_t resources_room;

    replay_tell_fn *tell;
    void *owner;
    bool hole; /* rows before this one can't be known: what they began is taken as found */
    uint64_t whole_from; /* from this row on none is missing; 0 = none ever was */
    bool chained;        /* digest is that of the last row */
    uint8_t digest [LEDGER_DIGEST_BYTES];
    int64_t greatest_wall_ms;
    bool adopted;       /* by the row before */
    uint64_t kept_from; /* of the last cut */
    uint64_t *gaps; /* rows that are missing: the first one, and the first one behind them, … */
    size_t gaps_count;
    size_t gaps_room;
    uint64_t front;  /* the first row of the segment that ended before the first row seen */
    uint64_t number; /* of the row that is judged, for sentences */
} ledger_replay_t;

ledger_replay_t *ledger_replay_new (replay_tell_fn *tell, void *owner);
void ledger_replay_destroy (ledger_replay_t **self_p);

/*  Takes the next row, as it is stored. False when it can't be read, which is reported. */
bool ledger_replay_row (ledger_replay_t *self, bytes_t row);

/*  All rows were given, and the ledger says that there are so many: reports those that are missing.
 */
void ledger_replay_end (ledger_replay_t *self, uint64_t last);

/*  Is all known that happened: is no row missing but those that were cut off? */
bool ledger_replay_whole (const ledger_replay_t *self);

/*  Is it still as that row left it? Rows that are missing behind it may have changed it. */
static inline bool ledger_replay_knows (const ledger_replay_t *self, uint64_t row)
{
    return row >= self->whole_from;
}

/*  Of the reservations that stand, ascending by id; after = NULL: the first. NULL at the end. */
const replay_reservation_t *ledger_replay_reservation (const ledger_replay_t *self,
                                                       const char *after);

/*  The one of this id; NULL when no row names it. */
const replay_reservation_t *ledger_replay_find (const ledger_replay_t *self, bytes_t id);

/*  A resource by its name; NULL when the ledger does not mention it. */
replay_resource_t *ledger_replay_named (const ledger_replay_t *self, const char *name);

#endif
