/*  unresponsive - sites that did not answer lately.
 *
 *  A site that died stays in the directory for the rest of its lease. Whoever has waited for it
 *  once in vain need not make every request wait again: suspects are asked, but not waited for,
 *  unless nothing is found without them. Who asks about one reservation waits for them for a
 *  moment: one that has come back answers in that. Only who was waited for in full and did not
 *  answer is suspected, or a slow one could stay so for ever.
 */
#ifndef MUSUBI_UNRESPONSIVE_H
#define MUSUBI_UNRESPONSIVE_H

#include "core.h"

#define UNRESPONSIVE_MAX 64
#define UNRESPONSIVE_MS  20000 /* a little longer than a lease */
#define MOMENT_MS        500   /* that they are waited for by who asks about one reservation */

typedef struct {
    struct {
        char name [NAME_BYTES_MAX + 1];
        int64_t until_ms; /* monotonic; 0 = free */
    } sites [UNRESPONSIVE_MAX];
} unresponsive_t;

bool unresponsive_has (const unresponsive_t *self, const moment_t *now, const char *name);

/*  It was silent, or it has answered. When there are too many, the one suspected longest goes. */
void unresponsive_judge (unresponsive_t *self, const moment_t *now, const char *name, bool silent);

/*  How long to wait for a suspect, where others are waited for so long. */
int64_t unresponsive_try_ms (int64_t try_ms);

#endif
