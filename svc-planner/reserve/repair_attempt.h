/*  repair_attempt - a repair's request for a plan (T10). */
#ifndef MUSUBI_REPAIR_ATTEMPT_H
#define MUSUBI_REPAIR_ATTEMPT_H

#include "pending.h"

/*  The reservation has been located: choose what to ask for. */
void repair_attempt_located (pending_t *self, const moment_t *now);

/*  Leave out the sites and domains that this step does without; where a need has no place at
 *  present, prefer one that it had. */
void repair_attempt_narrow (const repair_order_t *repair_order, snapshot_t *snapshot,
                            present_t *present);

/*  Ends the request. */
void repair_attempt_end (pending_t *self, const moment_t *now, repair_end_t end, const char *text);

#endif
