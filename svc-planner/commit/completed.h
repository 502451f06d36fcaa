/*  completed - decisions that are over, kept for questions until their windows' end + retention (T5).
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

/*  Keep one. done: every participant has acknowledged the commit. stored: its record is put
 *  already; else it waits for completed_store. */
void completed_keep (completed_t *self, const txid_t *txid, int64_t end_ms, bool done, bool stored);

/*  Is it here? Then *done, which may be NULL, is filled. */
bool completed_has (const completed_t *self, const txid_t *txid, bool *done);

/*  Put the records of those that wait for it. */
void completed_store (completed_t *self);
bool completed_waits (const completed_t *self);

/*  Forget what is over at this wall time, a few at a time. */
void completed_prune (completed_t *self, int64_t wall_ms);

#endif
