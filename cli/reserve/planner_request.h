/*  planner_request - one operation (reserve, modify, release) asked of planners under a request id.
 *
 *  Prints the full request id before sending, asks until there is an answer or the time is over,
 *  and says how to ask again when the outcome is unknown.
 */
#ifndef MUSUBI_PLANNER_REQUEST_H
#define MUSUBI_PLANNER_REQUEST_H

#include "options.h"
#include "session.h"

typedef struct {
    const cli_t *cli;
    const char *method; /* of Planner: "Reserve" */
    const char *word;   /* "reserve" */
    json_t *body;       /* the question; borrowed, may change between two calls */
    session_t *session; /* that knows a planner; borrowed */

    char request_id [REQUEST_ID_BYTES_MAX + 1];
    unsigned asked; /* number of ids used so far */
    bool unsent;    /* no planner answered and the id was fresh: nothing can have happened */
} planner_request_t;

/*  The request in a file ("-" = standard input), with the algorithm, the policy and more files of the
 *  command line, each NULL where there are none; NULL after refusing. */
json_t *planner_request_read (const char *file, const char *algorithm, const char *policy,
                              const option_texts_t *inputs);

/*  Asks under the id of the command line, or a fresh one. *form is new: the user's form of the
 *  answer, NULL when the request was refused as bad (said already). Returns the exit code. */
int planner_request_ask (planner_request_t *self, json_t **form);

/*  The same under a new id. */
int planner_request_ask_anew (planner_request_t *self, json_t **form);

/*  Prints the form, and how to ask again when the outcome is unknown. Takes form; returns code. */
int planner_request_print (const planner_request_t *self, json_t *form, int code);

#endif
