/*  musubi explain - what stands in the way of a request, or what a reservation waits for.
 *
 *  A request is planned and not reserved, so the answer holds for this moment. A request id is
 *  looked up at its home.
 */
#include "answer_form.h"
#include "commands.h"
#include "explanation.h"
#include "json_fields.h"
#include "listing.h"
#include "needed_files.h"
#include "planner_request.h"

#include <string.h>
#include <unistd.h>

static int explain_request (const cli_t *cli, const char *file, const char *algorithm,
                            const char *policy)
{
    json_auto_t *request = planner_request_read (file, algorithm, policy, NULL);
    if (!request)
        return EXIT_USAGE;
    int code;
    json_auto_t *body = json_pack ("{s:O, s:b}", "request", request, "dry_run", 1);
    session_auto_t *session = listing_session (cli, &code);
    if (!session || (code = needed_files (cli, session, request, "data", "file")) != EXIT_DONE)
        return code;
    json_auto_t *answer = listing_question (cli, session, "Reserve", body, &code);
    if (answer) {
        json_auto_t *form = answer_form (answer);
        code = answer_code (form);
        if (cli->json)
            cli_print_json (json_incref (form));
        else if (code == EXIT_REFUSED)
            explain_refusal_print (form, request, stdout);
        else
            answer_print (form, "explain", stdout);
    }
    return code;
}

static int explain_id (const cli_t *cli, const char *id)
{
    int code;
    session_auto_t *session = NULL;
    json_auto_t *view = listing_show (cli, &session, id, &code);
    json_auto_t *form = view ? explain_reservation (view) : NULL;
    if (form && cli->json)
        cli_print_json (json_incref (form));
    else if (form)
        explain_reservation_print (form, stdout);
    return form ? explain_reservation_code (form) : code;
}

static int explain_look (const cli_t *cli, const char *id, const json_t *look)
{
    json_auto_t *answer = services_inner ("Answer", text_of (look, "answer"));
    json_auto_t *holder = services_inner ("Plan", text_of (look, "holder"));
    json_auto_t *form = explain_claim (id, look, answer, holder);
    if (cli->json)
        cli_print_json (json_incref (form));
    else
        explain_claim_print (form, stdout);
    return explain_claim_code (form);
}

static int explain_ask_home (const cli_t *cli, session_t *session, const char *id)
{
    char why [WHY_BYTES];
    char whole [REQUEST_ID_BYTES_MAX + 1];
    char home [REQUEST_ID_BYTES_MAX + 8];
    if (!session_request_id (session, id, whole, why))
        return cli_fail (EXIT_USAGE, "explain: %s", why);
    snprintf (home, sizeof home, "gis/%s", strrchr (whole, '@') + 1);
    const json_t *entry = session_entry (session, home);
    if (!entry)
        return cli_fail (
          EXIT_UNKNOWN,
          "explain: the home \"%s\" of this request is not listed now; try again later", home + 4);
    json_auto_t *question =
      json_pack ("{s:s, s:s}", "actor", session->places.actor, "request_id", whole);
    if (!question)
        return cli_fail (EXIT_USAGE, "explain: --actor must be UTF-8");
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *look = NULL;
    call_status_t status =
      session_ask_entry (session, entry, "Home", "Look", question, &look, reason);
    return status == CALL_OK ? explain_look (cli, whole, look)
                             : cli_fail (status == CALL_TIMED_OUT ? EXIT_UNKNOWN : EXIT_REFUSED,
                                         "explain: %s: %s", home, reason);
}

static int explain_request_id (const cli_t *cli, const char *id)
{
    int code;
    session_auto_t *session = session_open_all (cli, &code);
    return session ? explain_ask_home (cli, session, id) : code;
}

static bool names_file (const char *word)
{
    size_t length = strlen (word);
    return strcmp (word, "-") == 0 || (length > 5 && strcmp (word + length - 5, ".json") == 0) ||
           access (word, F_OK) == 0;
}

int run_explain (cli_t *cli)
{
    const char *algorithm = NULL;
    const char *policy = NULL;
    cli_option_t list [] = {
      TEXT_OPTION ("algorithm", &algorithm, "A", "how to plan, as with reserve"),
      TEXT_OPTION ("policy", &policy, "P", "what to prefer, as with reserve"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    const char *word = cli->words [0];
    if (names_file (word))
        return explain_request (cli, word, algorithm, policy);
    if (algorithm || policy)
        return cli_fail (EXIT_USAGE,
                         "explain: --algorithm and --policy apply to a request's file only");
    return strchr (word, '@') ? explain_request_id (cli, word) : explain_id (cli, word);
}
