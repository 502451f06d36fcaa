/*  gathering - the participants' records of transactions, asked for all at once.
 *
 *  Whoever keeps such records (sites, network domains, request homes) is asked page by page, each
 *  at its own pace, so that the silent ones cost one time-out together.
 */
#ifndef MUSUBI_GATHERING_H
#define MUSUBI_GATHERING_H

#include "session.h"

typedef struct {
    json_t *transactions; /* transactions.h */
    json_t *heard;        /* names as keys */
    json_t *silent;       /* name: why */
} gathering_t;

/*  txid: of this transaction only (any that it may mean, when its store id is not whole); NULL =
 *  all. Whoever the plans name and nobody lists is silent, too. */
void gathering_take (gathering_t *self, session_t *session, const char *txid);
void gathering_clear (gathering_t *self);

/*  The message Txid of a whole txid, new. */
json_t *gathering_txid (const char *txid);

#endif
