/*  session - a client's view of a federation: the services to call, found through any live
 *  directory.
 *
 *  Nothing is asked before it is needed. The directory is a hint: a planner that does not answer is
 *  passed over, and the same request goes to another one (T2 makes that safe).
 */
#ifndef MUSUBI_SESSION_H
#define MUSUBI_SESSION_H

#include "client.h"
#include "endpoints.h"
#include "json_fields.h"
#include "prng.h"
#include "services.h"

/*  Read by anyone; changed by session.c alone. */
typedef struct {
    endpoints_t places;
    client_t *client;
    json_t *entries;  /* as JSON of proto Entry, ascending by name */
    json_t *absent;   /* as JSON of proto Absence: of those that are in no answer an entry */
    json_t *homes;    /* names of the homes of requests ("gis/g1"), from the first directory */
    json_t *answered; /* names of directories that have answered */
    bool whole;       /* has at least one directory told all its entries? */
    char lost [CLIENT_REASON_BYTES]; /* why the last call to a directory failed; "": none has */
    prng_t prng;                     /* to choose among equals */
} session_t;

/*  The directories come from --gis, --dir, MUSUBI_GIS, ~/.config/musubi.zpl, or the federation that
 *  runs from here. NULL after refusing, with *code. */
session_t *session_open (const cli_t *cli, int *code);
void session_close (session_t **self_p);

/*  A session that is closed where its block ends. */
#define session_auto_t session_t __attribute__ ((cleanup (session_close)))

/*  Reads the directories. wanted is a kind ("planner") or a name ("lis/ams"): the first answers
 *  that have such an entry are enough. "" = all entries: waits for all directories, but only a
 *  moment once one of them has told all its pages.
 *
 *  False when no directory answered; then the entries known before stay. False, too, for "", when
 *  no directory has told all its entries; then a part of them is known. */
bool session_look (session_t *self, const char *wanted);

/*  One of the entries, or NULL. */
const json_t *session_entry (const session_t *self, const char *name);

/*  Entries of a kind ("lis"), as a new array; they live with the session. Is an entry of a kind?
 *  The entry of a list with that short name, or NULL. All short names, "ams, ber", cut to the room
 *  there is. */
#define ENTRIES_TEXT_BYTES 512
json_t *session_kind (const session_t *self, const char *kind);
bool entry_is (const json_t *entry, const char *kind);
const json_t *entries_named (const json_t *entries, const char *name);
const char *entries_list (const json_t *entries, char text [ENTRIES_TEXT_BYTES]);

/*  Who was listed and is not now: of that name, or NULL; of a kind ("lis"; "" = all), as a new
 *  array; and what to say of one: "is silent since T" or "stopped at T". Needs all entries. */
#define ABSENCE_TEXT_BYTES (TIMETEXT_BYTES + 32)
const json_t *session_absent (const session_t *self, const char *name);
json_t *session_absences (const session_t *self, const char *kind);
const char *absence_text (const json_t *absence, char text [ABSENCE_TEXT_BYTES]);

/*  Prints why session_look was false; returns EXIT_UNKNOWN. */
int session_lost (const session_t *self);

/*  A session that has read what is wanted (session_look), or all entries. NULL after refusing, with
 *  *code. */
session_t *session_open_for (const cli_t *cli, const char *wanted, int *code);
session_t *session_open_all (const cli_t *cli, int *code);

/*  The same after parsing the command line (cli_parse). */
session_t *session_begin (cli_t *cli, const cli_option_t *own, size_t least, size_t most,
                          int *code);

/*  Calls one endpoint. *answer is new, or NULL unless CALL_OK; an answer that can't be read counts
 *  as CALL_BAD_REQUEST. reason is never empty unless CALL_OK. */
call_status_t session_ask (session_t *self, const char *endpoint, const method_t *method,
                           const json_t *body, const char *request_id, int64_t timeout_ms,
                           json_t **answer, char reason [CLIENT_REASON_BYTES]);

/*  The same for an entry, without a request id, for as long as --timeout says. */
call_status_t session_ask_entry (session_t *self, const json_t *entry, const char *service,
                                 const char *method, const json_t *body, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES]);

/*  The same again and again, each time for try_ms at most, while the service is silent, busy or not
 *  serving yet, and there is time. */
call_status_t session_ask_again (session_t *self, const json_t *entry, const char *service,
                                 const char *method, const json_t *body, const char *request_id,
                                 int64_t try_ms, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES]);

/*  The exit code for the status of a call; the same after saying why an entry has not answered, and
 *  what a service that does not serve the method is said to lack. */
int session_code (call_status_t status);
int session_tell (const cli_t *cli, const json_t *entry, call_status_t status, const char *reason,
                  const char *lacks);

/*  Sends without waiting; the reply comes from client_wait, with the number that is returned,
 *  within --timeout. body must fit the method. */
uint64_t session_send (session_t *self, const char *endpoint, const method_t *method,
                       const json_t *body);

/*  The full request id ID@HOME: as given; a bare id with the home that its hash names; or, without
 *  one, a fresh id at a directory that has answered. False with why. Needs session_look. */
bool session_request_id (session_t *self, const char *given, char id [REQUEST_ID_BYTES_MAX + 1],
                         char why [WHY_BYTES]);

/*  In planner_call.c. Asks live planners in turn until one answers or the time is over; the next
 *  one when a planner is silent, busy or does not know. Returns the exit code of the call itself:
 *  EXIT_DONE with *answer (which may be a refusal), EXIT_REFUSED, EXIT_USAGE or EXIT_UNKNOWN with
 *  reason. *sent: may any planner have got the request? */
int session_ask_planner (session_t *self, const char *method, const json_t *body,
                         const char *request_id, json_t **answer, bool *sent,
                         char reason [CLIENT_REASON_BYTES]);

#endif
