/*  watch - prints a line for each change of a reservation; and the notices by which services say
 *  that something has changed.
 *
 *  A notice says when to look, and asking says what is true: a lost notice only delays a line, by
 *  one poll at most. At most a quarter of the time is spent asking.
 */
#ifndef MUSUBI_WATCH_H
#define MUSUBI_WATCH_H

#include "session.h"

#define WATCH_POLL_MS 2000

typedef struct {
    const cli_t *cli;
    session_t *session; /* borrowed */
    int64_t poll_ms;    /* longest time between two looks */
} watch_t;

/*  Follows one reservation to its end. first is the form (view_form) that was printed already, or
 *  NULL. Returns the exit code. */
int watch_one (const watch_t *self, const char *id, const json_t *first);

/*  --- notices. They may be lost (T16), so whoever waits here also asks now and then --- */

typedef struct notices change_watch_t;

/*  topics: names of notices, separated by blanks. "calendar": capacity has become free;
 *  "reservation": a reservation has changed; "use": circuits may or may no longer be used;
 *  "staged": a reservation's file is late, or not any more. */
change_watch_t *change_watch_new (const char *topics);
void change_watch_destroy (change_watch_t **self_p);

/*  Also listens to the sites, domains and storages among these entries of the directory. */
void change_watch_follow (change_watch_t *self, const json_t *entries);

/*  Returns at the first notice, after that time, or at an interrupt. Notices that came since the
 *  last call count; several at once are one. */
void change_watch_wait (change_watch_t *self, int64_t ms);

#endif
