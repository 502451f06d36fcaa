/*  change_watch - listens for the notices by which services say that something has changed.
 *
 *  Notices may be lost (T16), so whoever waits here also asks now and then.
 */
#ifndef MUSUBI_CHANGE_WATCH_H
#define MUSUBI_CHANGE_WATCH_H

#include <jansson.h>
#include <stdint.h>

typedef struct notices change_watch_t;

/*  topics: names of notices, separated by blanks. "calendar": capacity has become free;
 *  "reservation": a reservation has changed; "use": circuits may or may no longer be used; "staged": a
 *  reservation's file is late, or not any more. */
change_watch_t *change_watch_new (const char *topics);
void change_watch_destroy (change_watch_t **self_p);

/*  Also listens to the sites, domains and storages among these entries of the directory. */
void change_watch_follow (change_watch_t *self, const json_t *entries);

/*  Returns at the first notice, after that time, or at an interrupt. Notices that came since the
 *  last call count; several at once are one. */
void change_watch_wait (change_watch_t *self, int64_t ms);

#endif
