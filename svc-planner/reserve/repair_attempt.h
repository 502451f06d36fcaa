/*  repair_attempt - a repair's request for a plan (T10). */
#ifndef MUSUBI_REPAIR_ATTEMPT_H
#define MUSUBI_REPAIR_ATTEMPT_H

#include "pending.h"

/*  The reservation has been located: choose what to ask for. */
void repair_attempt_located (pending_t *self, const moment_t *now);

/*  Leave out the sites and domains that this step does without; prefer the places it keeps. */
void repair_attempt_narrow (pending_t *self);

/*  Ends the request. */
void repair_attempt_end (pending_t *self, const moment_t *now, repair_end_t end, const char *text);

#endif
