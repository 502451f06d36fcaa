/*  done_notices - tell participants which transactions everyone has acknowledged (T6).
 *
 *  Txids are gathered for a while and go out as one message a participant. A message may get lost:
 *  a participant that missed it asks before it forgets anything.
 */
#ifndef MUSUBI_DONE_NOTICES_H
#define MUSUBI_DONE_NOTICES_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

typedef struct done_notices done_notices_t;

done_notices_t *done_notices_new (service_t *service, const planner_settings_t *settings);
void done_notices_destroy (done_notices_t **self_p);

/*  Tell the participant, with the next message, that the transaction is done. */
void done_notices_add (done_notices_t *self, const moment_t *now, const participant_ref_t *party,
                       const txid_t *txid);

#endif
