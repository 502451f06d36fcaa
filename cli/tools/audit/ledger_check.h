/*  ledger_check - one process whose ledger is read, replayed and compared with what the process
 *  says it has. */
#ifndef MUSUBI_LEDGER_CHECK_H
#define MUSUBI_LEDGER_CHECK_H

#include "check_gather.h"
#include "ledger_replay.h"

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    char endpoint [256];
    session_t *session;
    check_teller_t *teller;
    bool heard; /* the store below answered, to the end of its ledger */
    bool gone;  /* it has left the directory since it was listed: it is not judged */
    uint8_t store [STORE_ID_BYTES];
    ledger_replay_t *replay;
    uint64_t last; /* rows that it says it has */
    uint64_t mark; /* rows that were read before the others were read to their end */
    FILE *file;    /* where rows are kept, too; NULL = nowhere */
    size_t kept;   /* records, reservations and intervals of profiles compared with the ledger */
    bool moving;   /* its ledger grew during each comparison, so that none counts */
    char why [CLIENT_REASON_BYTES]; /* not heard, or no file: why */
} ledger_check_t;

/*  Begins with nothing read. teller and session are borrowed for life. */
void ledger_check_begin (ledger_check_t *self, const char *name, const char *endpoint,
                         session_t *session, check_teller_t *teller);
void ledger_check_end (ledger_check_t *self);

/*  Reads rows from where it stands to the end. folder: where to keep them, NULL = nowhere. False
 *  when it does not answer, or by another store. */
bool ledger_check_read (ledger_check_t *self, const char *folder);

/*  Called once, when a folder was given: ends the file. False when not all rows are in it, which is
 *  reported. */
bool ledger_check_saved (ledger_check_t *self);

/*  Compares its records, its reservations and its calendar with the replay. When new rows came
 *  meanwhile, they are read and everything is compared again. */
void ledger_check_compare (ledger_check_t *self);

#endif
