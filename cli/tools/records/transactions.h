/*  transactions - what participants have on record of transactions, put together by txid.
 *
 *  Pure. In: their records. Out: a form each, for scripts and for people:
 *
 *      {"txid", "status", "in_doubt", "operation", "reservation", "version", "actor",
 *  "coordinator", "home", "request_id", "since", "decide_by", "edge", "participants":
 *  [{"participant", "store", "state", "held", "voted", "acknowledged", "fenced", "fenced_by"}]}
 *
 *  version is the one that the transaction makes. A participant's state is its command's
 *  ("prepared"), "unknown" when it has no record, "lost" when it has another store by now, or
 *  "silent". The status is what all of them mean together:
 *
 *      held somebody holds, nobody has voted voting votes are there, and the decision may still be
 *      taken in doubt votes are there, the time for a decision is over, and nobody knows of one
 *      committing committed somewhere, and not yet where it was voted for aborting ended somewhere,
 *      and not yet where it was voted for repair committed, and somebody could not keep its part
 *      any more repaired the same, with a later version committed committed, aborted, expired,
 *      rejected, unknown over */
#ifndef MUSUBI_TRANSACTIONS_H
#define MUSUBI_TRANSACTIONS_H

#include "check.h"

#include <jansson.h>
#include <stdio.h>

/*  Is it a txid, as logs write it ("3fa9c2d1-7-42") or with the whole store id? Has it the whole
 *  store id? */
bool txid_sound (const char *text);
bool txid_whole (const char *text);

/*  As logs write it. The text lives in the caller's array. */
#define TXID_BRIEF_BYTES 44
const char *txid_brief (const char *txid, char text [TXID_BRIEF_BYTES]);

/*  Reads a txid that is known to be written right; txid_json makes the message Txid of it, new. */
txid_t txid_read (const char *text);
json_t *txid_json (const char *txid);

/*  Of the stores whose id begins with these letters of hexadecimal, at most 32: the last txid
 *  before all of theirs, false when they come first of all; where a txid sorts, < 0 is before them,
 *  and 0 is among them. */
bool txid_before (const char *letters, txid_t *txid);
int txid_store_compare (const txid_t *txid, const char *letters);

/*  Does such a text mean this transaction? */
bool txid_means (const char *text, const txid_t *txid);

/*  owner: a JSON object, at first empty; a record_fetch_take_fn. */
void transactions_take (void *owner, const char *participant, const check_record_t *record);

/*  The forms, the oldest first; new. silent: names of those that did not answer, as keys. */
json_t *transactions_forms (const json_t *self, const json_t *silent, int64_t now_ms);

/*  Is it not over? Is the decision overdue for somebody who has voted? */
bool transaction_open (const json_t *form);
bool transaction_in_doubt (const json_t *form);

/*  Planner.Settle's request for the transaction of a form, new; does an answer to it know how the
 *  transaction ends? */
json_t *transaction_settle_order (const json_t *form, bool fence);
bool transaction_outcome_known (const json_t *answer);

/*  Sets a participant's state in a form, and works out its status anew. */
void transaction_set (json_t *form, const char *participant, const char *state, int64_t now_ms);

/*  One participant of a form; NULL when it has none of that name. */
json_t *transaction_participant (const json_t *form, const char *name);

/*  A table of forms; one form with all that is known; what it waits for, in a sentence that the
 *  caller frees. */
void transactions_print (const json_t *forms, int64_t now_ms, FILE *to);
void transaction_print (const json_t *form, int64_t now_ms, FILE *to);
char *transaction_explain (const json_t *form);

#endif
