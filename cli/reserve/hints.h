/*  hints - hears services say that something has changed.
 *
 *  Hints may be lost (T16): whoever waits here also asks now and then.
 */
#ifndef MUSUBI_HINTS_H
#define MUSUBI_HINTS_H

#include <jansson.h>
#include <stdint.h>

typedef struct hints hints_t;

/*  topics: as publishers name them, parted by blanks: "calendar" is said when capacity has come
 *  free, "reservation" when one has changed, "use" when circuits may be used or no longer. */
hints_t *hints_new (const char *topics);
void hints_destroy (hints_t **self_p);

/*  Listens to the publishers of all sites and domains among the directory's entries, besides those
 *  it listens to already. */
void hints_follow (hints_t *self, const json_t *entries);

/*  Returns at the first hint, after so long, or at an interrupt. What came since the last call
 *  counts; several hints at once are one. */
void hints_wait (hints_t *self, int64_t ms);

#endif
