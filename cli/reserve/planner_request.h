/*  planner_request - one operation asked of a planner under a request id: reserve, modify, release.
 *
 *  Tells the full request id before sending, asks until there is an answer or the time is over, and
 *  says how to ask again when the outcome is unknown.
 */
#ifndef MUSUBI_PLANNER_REQUEST_H
#define MUSUBI_PLANNER_REQUEST_H

#include "session.h"

typedef struct {
    const cli_t *cli;
    const char *method; /* of Planner: "Reserve" */
    const char *word;   /* "reserve" */
    json_t *body;       /* of the method; borrowed, may change between askings */

    session_t *session;
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    unsigned asked; /* under how many ids */
    bool unsent; /* no planner was there to be asked, under a fresh id: nothing can have happened */
} planner_request_t;

/*  The request that a file ("-" = standard input) has, with what was chosen besides; NULL after
 *  refusing. */
json_t *planner_request_read (const char *file, const char *algorithm, const char *policy);

/*  Finds a directory. False after refusing, with *code. The session is the caller's. */
bool planner_request_open (planner_request_t *self, int *code);

/*  Asks under the id of the command line, or a fresh one. *form is new: the user's form of the
 *  answer, NULL when the planner could not take the request at all (told already). Returns the exit
 *  code. */
int planner_request_ask (planner_request_t *self, json_t **form);

/*  The same under a new id. */
int planner_request_ask_anew (planner_request_t *self, json_t **form);

/*  Prints the form, and how to ask again where that is wanted. Takes form; returns code. */
int planner_request_print (const planner_request_t *self, json_t *form, int code);

#endif
