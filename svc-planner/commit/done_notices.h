/*  done_notices - telling participants which transactions everyone has acknowledged (T6).
 *
 *  The news is gathered for a while and goes out as one message a participant. It may get lost: a
 *  participant that missed it asks before it forgets anything.
 */
#ifndef MUSUBI_DONE_NOTICES_H
#define MUSUBI_DONE_NOTICES_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

typedef struct done_notices done_notices_t;

/*  sent is called in each step in which messages go out, for what else should be written then. */
typedef void done_notices_sent_fn (void *owner, const moment_t *now);

done_notices_t *done_notices_new (service_t *service, const planner_settings_t *settings,
                                  done_notices_sent_fn *sent, void *owner);
void done_notices_destroy (done_notices_t **self_p);

/*  Tell this participant of this transaction, soon. */
void done_notices_add (done_notices_t *self, const moment_t *now, const participant_ref_t *party,
                       const txid_t *txid);

#endif
