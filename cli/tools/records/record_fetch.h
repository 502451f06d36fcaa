/*  record_fetch - the participants' records of transactions, asked for all at once.
 *
 *  All that keep such records (sites, network domains, request homes) are asked page by page, each
 *  at its own pace, so that those that are silent cost one time-out together. */
#ifndef MUSUBI_RECORD_FETCH_H
#define MUSUBI_RECORD_FETCH_H

#include "records.h"
#include "session.h"

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
