/*  unresponsive - sites and domains that have not answered lately.
 *
 *  A site that died stays in the directory for the rest of its lease. When one request has waited
 *  for it in vain it becomes a suspect: it is still asked, but not waited for, unless nothing is
 *  found without it. A question about one reservation waits for suspects for a moment (MOMENT_MS),
 *  in which one that has come back answers. Only one that was waited for in full becomes a suspect;
 *  otherwise a slow one could stay one for ever.
 */
#ifndef MUSUBI_UNRESPONSIVE_H
#define MUSUBI_UNRESPONSIVE_H

#include "core.h"

#define UNRESPONSIVE_MAX 64
#define UNRESPONSIVE_MS  20000 /* a little longer than a lease */
#define MOMENT_MS        500   /* how long questions about one reservation wait for them */

typedef struct {
    struct {
        char name [NAME_BYTES_MAX + 1];
        int64_t until_ms; /* monotonic; 0 = free */
    } sites [UNRESPONSIVE_MAX];
} unresponsive_t;

bool unresponsive_has (const unresponsive_t *self, const moment_t *now, const char *name);

/*  Notes that it was silent, or has answered. When there are too many, the one suspected longest is
 *  dropped. */
void unresponsive_judge (unresponsive_t *self, const moment_t *now, const char *name, bool silent);

/*  How long to wait for a suspect where others are waited for try_ms. */
int64_t unresponsive_try_ms (int64_t try_ms);

#endif
