/*  completed - decisions that are over, kept to answer Outcome until the end of their last window
 *  plus the retention (T5).
 */
#ifndef MUSUBI_COMPLETED_H
#define MUSUBI_COMPLETED_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

#define COMPLETED_END_UNKNOWN INT64_MAX /* never forgotten */

typedef struct settled completed_t;

completed_t *completed_new (service_t *service, const planner_settings_t *settings);
void completed_destroy (completed_t **self_p);

/*  Keep one. done: every participant has acknowledged the commit. stored: its record is in the
 *  store already; else completed_store will put it. */
void completed_keep (completed_t *self, const txid_t *txid, int64_t end_ms, bool done, bool stored);

/*  Is it kept here? Then *done is filled; done may be NULL. */
bool completed_has (const completed_t *self, const txid_t *txid, bool *done);

/*  Store the records that wait for it; are there any? */
void completed_store (completed_t *self);
bool completed_waits (const completed_t *self);

/*  Forget decisions whose retention is over at this wall time, a limited number a call. */
void completed_prune (completed_t *self, int64_t wall_ms);

#endif
