/*  decision_log - a coordinator's records of decisions, each with its row of the ledger (T14). */
#ifndef MUSUBI_DECISION_LOG_H
#define MUSUBI_DECISION_LOG_H

#include "record.h"
#include "service.h"

void decision_log_put (service_t *service, const txid_t *txid, const decision_record_t *record);

/*  fenced: another planner has aborted it (T8); else its retention is over. */
void decision_log_delete (service_t *service, const txid_t *txid, bool fenced);

#endif
