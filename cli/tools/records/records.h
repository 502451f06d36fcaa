/*  records - pages of what a participant gives to auditors: its commands, the rows of its ledger;
 *  from proto. */
#ifndef MUSUBI_RECORDS_H
#define MUSUBI_RECORDS_H

#include "check.h"

/*  Calls take for each command of a page, in order; the record lives for that call only. *last is
 *  the txid after which the next page begins. False when the body is no such page. */
typedef void records_take_fn (void *owner, const check_record_t *record);
bool records_read (bytes_t body, records_take_fn *take, void *owner, txid_t *last, bool *more);

/*  Calls take for each row of a page, in order, as it is stored. *last is the number of the
 *  ledger's last row. False when the body is no such page. */
typedef void rows_take_fn (void *owner, bytes_t row);
bool rows_read (bytes_t body, rows_take_fn *take, void *owner, uint64_t *last, bool *more);

#endif
