/*  ledger_check - one process whose ledger is read, replayed and held against what it says of itself.
 */
#ifndef MUSUBI_LEDGER_CHECK_H
#define MUSUBI_LEDGER_CHECK_H

#include "check_gather.h"
#include "ledger_replay.h"
#include "session.h"

#include <stdio.h>

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    char endpoint [256];
    session_t *session;
    check_teller_t *teller;
    bool heard; /* the store below answered, to the end of its ledger */
    uint8_t store [STORE_ID_BYTES];
    ledger_replay_t *replay;
    uint64_t last; /* rows that it says it has */
    uint64_t mark; /* rows that were read before the others were read to their end */
    FILE *file;    /* where rows are kept, too; NULL = nowhere */
    size_t kept;   /* records, reservations and stretches of profiles held against the ledger */
    bool moving;   /* it never stood still for long enough to be held against its ledger */
    char why [CLIENT_REASON_BYTES]; /* not heard, or no file: why */
} ledger_check_t;

/*  Begins with nothing read. teller and session are borrowed for life. */
void ledger_check_begin (ledger_check_t *self, const char *name, const char *endpoint,
                         session_t *session, check_teller_t *teller);
void ledger_check_end (ledger_check_t *self);

/*  Reads rows from where it stands to the end. folder: where to keep them, NULL = nowhere. False
 *  when it does not answer, or by another store. */
bool ledger_check_read (ledger_check_t *self, const char *folder);

/*  Once, when a folder was given: the file is ended. False when not all rows are in it, which is
 *  told.
 */
bool ledger_check_saved (ledger_check_t *self);

/*  Holds its records, its reservations and its calendar against the replay, at a moment between two
 *  rows: new rows are read, and what was compared meanwhile is compared again. */
void ledger_check_compare (ledger_check_t *self);

/*  --- ledger_check_compare.c --- */

/*  One question; false when it was not answered. The body lives until the next one. */
bool ledger_check_ask (ledger_check_t *self, const char *service, const char *method,
                       packed_t question, client_reply_t *reply);

#endif
