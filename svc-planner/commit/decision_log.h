/*  decision_log - a coordinator's records of decisions in its store, each with the row of the
 *  ledger that tells of it (T14).
 */
#ifndef MUSUBI_DECISION_LOG_H
#define MUSUBI_DECISION_LOG_H

#include "record.h"
#include "service.h"

void decision_log_put (service_t *service, const txid_t *txid, const decision_record_t *record);

/*  fenced: given up, because it was aborted by another planner (T8); else its retention is over. */
void decision_log_delete (service_t *service, const txid_t *txid, bool fenced);

#endif
