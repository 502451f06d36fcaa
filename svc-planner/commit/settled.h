/*  settled - decisions that are over, kept for questions until their windows' end + retention (T5).
 */
#ifndef MUSUBI_SETTLED_H
#define MUSUBI_SETTLED_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

#define SETTLED_END_UNKNOWN INT64_MAX /* never forgotten */

typedef struct settled settled_t;

settled_t *settled_new (service_t *service, const planner_settings_t *settings);
void settled_destroy (settled_t **self_p);

/*  Keep one. done: every participant has acknowledged the commit. stored: its record is put
 *  already; else it waits for settled_store. */
void settled_keep (settled_t *self, const txid_t *txid, int64_t end_ms, bool done, bool stored);

/*  Is it here? Then *done, which may be NULL, is filled. */
bool settled_has (const settled_t *self, const txid_t *txid, bool *done);

/*  Put the records of those that wait for it. */
void settled_store (settled_t *self);
bool settled_waits (const settled_t *self);

/*  Forget what is over at this wall time, a few at a time. */
void settled_prune (settled_t *self, int64_t wall_ms);

#endif
