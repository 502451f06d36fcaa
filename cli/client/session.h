/*  session - a client's view of a federation: whom it can ask, found through any live directory.
 *
 *  Nothing is asked before it is needed. A directory is a hint: a planner that does not answer is
 *  passed over, and the same request goes to another one (T2 makes that safe).
 */
#ifndef MUSUBI_SESSION_H
#define MUSUBI_SESSION_H

#include "cli.h"
#include "client.h"
#include "endpoints.h"
#include "prng.h"
#include "services.h"

/*  To be read by whoever asks; session.c alone changes it. */
typedef struct {
    endpoints_t places;
    client_t *client;
    json_t *entries;  /* all that are known, as JSON of proto Entry, ascending by name */
    json_t *homes;    /* of requests, names ("gis/g1"), as the first directory has them */
    json_t *answered; /* names of directories that have answered */
    bool whole;       /* the entries, as one directory at least has told all of its own */
    prng_t prng;      /* for picking one of equals */
} session_t;

/*  Where to ask is taken from --gis, --dir, MUSUBI_GIS, ~/.config/musubi.zpl, or the federation
 *  that runs from here. NULL after refusing, with *code. */
session_t *session_open (const cli_t *cli, int *code);
void session_close (session_t **self_p);

/*  One that is closed where its block ends. */
#define session_auto_t session_t __attribute__ ((cleanup (session_close)))

/*  Asks the directories. wanted = a kind ("planner") or a name ("lis/ams"): the first answers that
 *  hold such an entry will do; "" = everybody: waits for all directories, those that are silent for
 *  a moment after one has told all of its pages left out. False when no directory answered; then
 *  what was known before stays known. False, too, for everybody, when none has told all: then a
 *  part is known. */
bool session_look (session_t *self, const char *wanted);

/*  One of the entries, or NULL. */
const json_t *session_entry (const session_t *self, const char *name);

/*  Those of a kind ("lis"), as a new array; they live with the session. Is one of a kind? The one of such a list with
 *  that short name, or NULL; and all short names, "ams, ber", as far as there is room. */
#define ENTRIES_TEXT_BYTES 512
json_t *session_kind (const session_t *self, const char *kind);
bool entry_is (const json_t *entry, const char *kind);
const json_t *entries_named (const json_t *entries, const char *name);
const char *entries_list (const json_t *entries, char text [ENTRIES_TEXT_BYTES]);

/*  Why session_look was false, on standard error; returns EXIT_UNKNOWN. */
int session_lost (const session_t *self);

/*  A session that knows all who are listed. NULL after telling why not, with *code. */
session_t *session_open_all (const cli_t *cli, int *code);

/*  The same, once the command line is parsed (cli_parse). */
session_t *session_begin (cli_t *cli, const cli_option_t *own, size_t least, size_t most,
                          cli_words_t *words, int *code);

/*  One question to one endpoint. *answer is new, or NULL unless CALL_OK; an answer that can't be
 *  read counts as CALL_BAD_REQUEST. reason is never empty unless CALL_OK. */
call_status_t session_ask (session_t *self, const char *endpoint, const method_t *method,
                           const json_t *body, const char *request_id, int64_t timeout_ms,
                           json_t **answer, char reason [CLIENT_REASON_BYTES]);

/*  The same of one who is listed, without a request id, for as long as --timeout says. */
call_status_t session_ask_entry (session_t *self, const json_t *entry, const char *service,
                                 const char *method, const json_t *body, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES]);

/*  The same again and again, each time for try_ms at most, while nobody answers, or who answers is
 *  busy or does not serve yet, and there is time. */
call_status_t session_ask_again (session_t *self, const json_t *entry, const char *service,
                                 const char *method, const json_t *body, const char *request_id,
                                 int64_t try_ms, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES]);

/*  The exit code that the end of a call means. */
int session_code (call_status_t status);

/*  The same without waiting, for as long as --timeout says: the call's number, whose reply comes
 *  from client_wait of session_client. body fits the method. */
uint64_t session_send (session_t *self, const char *endpoint, const method_t *method,
                       const json_t *body);

/*  The full request id ID@HOME: as given; a bare one with the home that its hash names; none given:
 *  a fresh one at a directory that has answered. False with why. Needs session_look. */
bool session_request_id (session_t *self, const char *given, char id [REQUEST_ID_BYTES_MAX + 1],
                         char why [OPTIONS_WHY_BYTES]);

/*  In planner_call.c. Asks any live planner, another one when it is silent, busy or does not know, until
 *  there is an answer or the time is over. Returns the exit code that the call itself means:
 *  EXIT_DONE with *answer (which may tell a refusal), EXIT_REFUSED or EXIT_USAGE with reason,
 *  EXIT_UNKNOWN with reason; *sent says whether any planner may have got it. */
int session_ask_planner (session_t *self, const char *method, const json_t *body,
                         const char *request_id, json_t **answer, bool *sent,
                         char reason [CLIENT_REASON_BYTES]);

#endif
