/*  watch - prints a line for each change of a reservation, or of all reservations.
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

/*  Follows all reservations, or those of one owner ("" = anybody's), until an interrupt. */
int watch_all (const watch_t *self, const char *owner);

#endif
