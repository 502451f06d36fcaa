/*  ledger_audit - compares the ledgers of a federation: are all transactions whole?
 *
 *  Each ledger has been replayed by itself (ledger_replay.h). Compared with each other they show
 *
 *      - a transaction that was committed by one of its participants and aborted by another,
 *      - one of which two participants have different plans,
 *      - an orphan: committed somewhere, while another participant of its plan, its request home
 *        included, never heard of it,
 *      - a commit that its coordinator never decided,
 *      - a decision that all are said to have acknowledged, and one has not.
 *
 *  Plans name stores: a participant that has lost its store is not judged by the ledger of its new
 *  one. Records that were pruned since are judged, too. Pure. */
#ifndef MUSUBI_LEDGER_AUDIT_H
#define MUSUBI_LEDGER_AUDIT_H

#include "ledger_replay.h"

/*  A ledger and its owner. mark: the rows up to this one were read before the other ledgers were
 *  read to their end, so the others must know what these rows say; 0 = all rows. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    const ledger_replay_t *replay;
    uint64_t mark;
} audit_ledger_t;

typedef struct {
    size_t transactions; /* that any ledger mentions */
    size_t committed;
    size_t unjudged; /* committed ones of which a participant's ledger is not there */
    size_t violations;
} audit_result_t;

audit_result_t ledger_audit_judge (const audit_ledger_t *ledgers, size_t count,
                                   replay_tell_fn *tell, void *owner);

#endif
