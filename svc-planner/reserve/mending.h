/*  mending - a repair's errand (T10). */
#ifndef MUSUBI_MENDING_H
#define MUSUBI_MENDING_H

#include "errand.h"

/*  Look for a plan in the place of one that could not be kept. Told once by mend->ended, never from
 *  within; the errand is gone then. */
errand_t *errand_mend (errands_t *errands, const moment_t *now, const mend_t *mend);

/*  The reservation was found. */
void errand_mend_located (errand_t *self, const moment_t *now);

/*  Sites and domains that this step does without; places that it keeps. */
void errand_mend_narrow (errand_t *self);

/*  Ends the errand. */
void errand_mend_end (errand_t *self, const moment_t *now, mend_end_t end, const char *text);

#endif
