/*  done - telling participants which transactions everyone has acknowledged (T6).
 *
 *  The news is gathered for a while and goes out as one message a participant. It may get lost: a
 *  participant that missed it asks before it forgets anything.
 */
#ifndef MUSUBI_DONE_H
#define MUSUBI_DONE_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

typedef struct done done_t;

/*  sent is called in each step in which messages go out, for what else should be written then. */
typedef void done_sent_fn (void *owner, const moment_t *now);

done_t *done_new (service_t *service, const planner_settings_t *settings, done_sent_fn *sent,
                  void *owner);
void done_destroy (done_t **self_p);

/*  Tell this participant of this transaction, soon. */
void done_add (done_t *self, const moment_t *now, const party_t *party, const txid_t *txid);

#endif
