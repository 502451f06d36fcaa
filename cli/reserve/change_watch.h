/*  change_watch - hears services say that something has changed.
 *
 *  Hints may be lost (T16): whoever waits here also asks now and then.
 */
#ifndef MUSUBI_CHANGE_WATCH_H
#define MUSUBI_CHANGE_WATCH_H

#include <jansson.h>
#include <stdint.h>

typedef struct notices change_watch_t;

/*  topics: as publishers name them, parted by blanks: "calendar" is said when capacity has come
 *  free, "reservation" when one has changed, "use" when circuits may be used or no longer. */
change_watch_t *change_watch_new (const char *topics);
void change_watch_destroy (change_watch_t **self_p);

/*  Listens to the publishers of all sites and domains among the directory's entries, besides those
 *  it listens to already. */
void change_watch_follow (change_watch_t *self, const json_t *entries);

/*  Returns at the first hint, after so long, or at an interrupt. What came since the last call
 *  counts; several hints at once are one. */
void change_watch_wait (change_watch_t *self, int64_t ms);

#endif
