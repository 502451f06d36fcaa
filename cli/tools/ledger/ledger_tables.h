/*  ledger_tables - compares the records of a store with its ledger.
 *
 *  Given every record of the tables of commands, reservations, claims, decisions, capacities and
 *  uses, it reports each that differs from the replay, is missing, is damaged, or is mentioned by
 *  no row; and it says what must be put or deleted to make the store agree. What began before the
 *  first row, or in a hole, is not judged. Pure. */
#ifndef MUSUBI_LEDGER_TABLES_H
#define MUSUBI_LEDGER_TABLES_H

#include "ledger_replay.h"

typedef struct ledger_tables ledger_tables_t;

typedef struct {
    /*  Called for each difference, with one sentence. mended: put was called for it; if not, only
     *  an operator can decide. */
    void (*tell) (void *owner, bool mended, const char *sentence);

    /*  What must be written instead, or erased: then value has no data. May be NULL. */
    void (*put) (void *owner, uint8_t table, bytes_t key, bytes_t value);
    void *owner;
} ledger_mender_t;

/*  The replay has come to its end and is borrowed, as is what the mender points to. */
ledger_tables_t *ledger_tables_new (const ledger_replay_t *replay, const ledger_mender_t *mender);
void ledger_tables_destroy (ledger_tables_t **self_p);

/*  Takes a record, in any order; records of other tables are passed over. sound: its checksum is
 *  right. */
void ledger_tables_record (ledger_tables_t *self, uint8_t table, bytes_t key, bytes_t value,
                           bool sound);

/*  After the last record: reports what is missing. Returns how many differences there were. */
size_t ledger_tables_end (ledger_tables_t *self);

#endif
