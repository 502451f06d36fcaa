/*  records - the pages of commands that a participant tells auditors (Participant.Commands). */
#ifndef MUSUBI_RECORDS_H
#define MUSUBI_RECORDS_H

#include "check.h"

/*  The question for the page after a txid (NULL = the first). The caller frees data. */
packed_t records_question (const txid_t *after);

/*  Hands the commands of a page to take, in order; each lives for the call only. *last is the txid
 *  to go on from. False when the body is no such page. */
typedef void records_take_fn (void *owner, const check_record_t *record);
bool records_read (bytes_t body, records_take_fn *take, void *owner, txid_t *last, bool *more);

#endif
