/*  mending - a repair's request (T10). */
#ifndef MUSUBI_MENDING_H
#define MUSUBI_MENDING_H

#include "pending.h"

/*  The reservation was found. */
void pending_mend_located (pending_t *self, const moment_t *now);

/*  Sites and domains that this step does without; places that it keeps. */
void pending_mend_narrow (pending_t *self);

/*  Ends the request. */
void pending_mend_end (pending_t *self, const moment_t *now, mend_end_t end, const char *text);

#endif
