/*  suspects - sites that did not answer lately.
 *
 *  A site that died stays in the directory for the rest of its lease. Whoever has waited for it
 *  once in vain need not make every request wait again: suspects are asked, but not waited for,
 *  unless nothing is found without them.
 */
#ifndef MUSUBI_SUSPECTS_H
#define MUSUBI_SUSPECTS_H

#include "core.h"

#define SUSPECTS_MAX 64
#define SUSPECT_MS   20000 /* a little longer than a lease */

typedef struct {
    struct {
        char name [NAME_BYTES_MAX + 1];
        int64_t until_ms; /* monotonic; 0 = free */
    } sites [SUSPECTS_MAX];
} suspects_t;

bool suspects_has (const suspects_t *self, const moment_t *now, const char *name);

/*  It was silent; it has answered. When there are too many, the one suspected longest goes. */
void suspects_add (suspects_t *self, const moment_t *now, const char *name);
void suspects_remove (suspects_t *self, const char *name);

#endif
