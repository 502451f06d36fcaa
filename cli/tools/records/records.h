/*  records - the pages that a participant tells auditors: commands, rows of its ledger; to and from proto.
 */
#ifndef MUSUBI_RECORDS_H
#define MUSUBI_RECORDS_H

#include "check.h"
#include "part_record.h"

#include <jansson.h>

/*  What there is at a site or in a domain, by the JSON of its entry; the caller clears it. */
bool site_read (site_t *self, const json_t *written);
bool domain_read (domain_t *self, const json_t *written);

/*  Hands the commands of a page to take, in order; each lives for the call only. *last is the txid
 *  to go on from. False when the body is no such page. */
typedef void records_take_fn (void *owner, const check_record_t *record);
bool records_read (bytes_t body, records_take_fn *take, void *owner, txid_t *last, bool *more);

/*  Rows from a number on. The caller frees data. */
packed_t rows_question (uint64_t from);

/*  Hands the rows of a page to take, in order, as stored. *last = number of the ledger's last one.
 *  False when the body is no such page. */
typedef void rows_take_fn (void *owner, bytes_t row);
bool rows_read (bytes_t body, rows_take_fn *take, void *owner, uint64_t *last, bool *more);

/*  The wall clock of who tells its status. */
bool clock_read (bytes_t body, int64_t *wall_ms);

#endif
