/*  watch - follows the federation and tells each change of a reservation, or of any of them, as a
 *  line on standard output.
 *
 *  Hints say when to look, asking says what is so: a lost hint only makes a line come later, by one
 *  poll at most. More than a quarter of the time is never spent asking.
 */
#ifndef MUSUBI_WATCH_H
#define MUSUBI_WATCH_H

#include "session.h"

#define WATCH_POLL_MS 2000

typedef struct {
    const cli_t *cli;
    session_t *session; /* borrowed */
    int64_t poll_ms;    /* looks at least so often */
} watch_t;

/*  Follows one reservation to its end. first is how it looked before (of the Show answer's view, as
 *  view_form has it), NULL when nothing has been told of it yet. Returns the exit code. */
int watch_one (const watch_t *self, const char *id, const json_t *first);

/*  Follows all reservations, or those of one owner ("" = anybody's), until an interrupt. */
int watch_all (const watch_t *self, const char *owner);

#endif
