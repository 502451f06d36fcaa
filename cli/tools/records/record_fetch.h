/*  record_fetch - pages of what a participant gives to auditors, its commands and the rows of its
 *  ledger, from proto; and the records of all of them, asked for at once.
 *
 *  All that keep such records (sites, network domains, request homes) are asked page by page, each
 *  at its own pace, so that those that are silent cost one time-out together. */
#ifndef MUSUBI_RECORD_FETCH_H
#define MUSUBI_RECORD_FETCH_H

#include "check.h"
#include "session.h"

/*  Hands every command of a page, in order; the record lives for that call only. *last is
 *  the txid after which the next page begins. False when the body is no such page. */
typedef void records_take_fn (void *owner, const check_record_t *record);
bool records_read (bytes_t body, records_take_fn *each, void *owner, txid_t *last, bool *more);

/*  Hands every row of a page, in order, as it is stored. *last is the number of the
 *  ledger's last row. False when the body is no such page. */
typedef void rows_take_fn (void *owner, bytes_t row);
bool rows_read (bytes_t body, rows_take_fn *each, void *owner, uint64_t *last, bool *more);

/*  Called for each record that is wanted, with the name of its participant. */
typedef void record_fetch_take_fn (void *owner, const char *participant,
                                   const check_record_t *record);

typedef struct {
    const char *txid;  /* of this transaction only, or of any that it may mean; NULL = of all */
    const char *store; /* only what was coordinated from the store whose id begins so; NULL = all */
    const char *kind;  /* of "gis" only; NULL = all who keep records */
    record_fetch_take_fn *take_record;
    void *owner;
    json_t *heard;           /* names as keys */
    json_t *silent;          /* name: why */
    json_t *named;           /* in plans */
    const char *participant; /* whose records are being read */
} record_fetch_t;

/*  Asks all participants of the kind that the session lists. Whoever is named by a plan that is
 *  wanted and is not listed is silent, too, when all are asked. What stands before heard is the
 *  caller's; end it with record_fetch_clear. */
void record_fetch_run (record_fetch_t *self, session_t *session);
void record_fetch_clear (record_fetch_t *self);

/*  Does one of that name keep records of transactions: a site, a domain, a request home? */
bool keeps_records (const char *name);

#endif
