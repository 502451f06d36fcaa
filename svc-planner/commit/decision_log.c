/*  decision_log - writes a decision's record and its row of the ledger together. */
#include "decision_log.h"

#include "member.h"

#include <stdlib.h>

void decision_log_put (service_t *service, const txid_t *txid, const decision_record_t *record)
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    packed_t packed = decision_encode (record);
    bytes_t value = packed_bytes (packed);
    outbox_put (service->outbox, TABLE_DECISIONS, (bytes_t){.data = key, .size = sizeof key},
                value);
    ledger_append (ledger_of (service),
                   &(ledger_entry_t){.kind = LEDGER_DECIDED, .txid = txid, .record = value});
    free (packed.data);
}

void decision_log_delete (service_t *service, const txid_t *txid, bool fenced)
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    outbox_delete (service->outbox, TABLE_DECISIONS, (bytes_t){.data = key, .size = sizeof key});
    ledger_append (ledger_of (service), &(ledger_entry_t){.kind = LEDGER_PRUNED_DECISION,
                                                          .txid = txid,
                                                          .event = fenced ? "fence" : NULL});
}
