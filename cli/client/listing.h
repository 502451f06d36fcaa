/*  listing - all reservations of a federation, page by page from any planner. */
#ifndef MUSUBI_LISTING_H
#define MUSUBI_LISTING_H

#include "session.h"

typedef struct {
    const char *owner; /* "" = anybody's */
    int64_t from_ms;   /* only those that touch [from, until); 0, 0 = all */
    int64_t until_ms;
} listing_filter_t;

/*  Opens a session that knows at least one planner. NULL: it has said why, and set *code. */
session_t *listing_session (const cli_t *cli, int *code);

/*  Asks for {"reservations": [forms…], "silent": [names…]}, new. NULL: it has said why, and set
 *  *code. */
json_t *listing_ask (const cli_t *cli, session_t *session, const listing_filter_t *filter,
                     int *code);

/*  The same without printing anything: reason says why not. */
json_t *listing_gather (session_t *session, const listing_filter_t *filter, int *code,
                        char reason [CLIENT_REASON_BYTES]);

/*  A question to any planner without a request id; NULL after refusing, with *code. */
json_t *listing_question (const cli_t *cli, session_t *session, const char *method,
                          const json_t *body, int *code);

/*  The view of one reservation, new; NULL after refusing, with *code. The session opened for it is
 *  the caller's in either case, and may be NULL. */
json_t *listing_show (const cli_t *cli, session_t **session, const char *id, int *code);

/*  Prints which sites did not answer. */
bool listing_tell_silent (const cli_t *cli, const json_t *listing);

#endif
