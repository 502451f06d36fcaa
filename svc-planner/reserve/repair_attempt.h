/*  repair_attempt - a repair's request (T10). */
#ifndef MUSUBI_REPAIR_ATTEMPT_H
#define MUSUBI_REPAIR_ATTEMPT_H

#include "pending.h"

/*  The reservation was found. */
void repair_attempt_located (pending_t *self, const moment_t *now);

/*  Sites and domains that this step does without; places that it keeps. */
void repair_attempt_narrow (pending_t *self);

/*  Ends the request. */
void repair_attempt_end (pending_t *self, const moment_t *now, mend_end_t end, const char *text);

#endif
