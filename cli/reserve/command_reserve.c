/*  musubi reserve, modify, release - have a planner find a plan and commit it, or change all parts
 *  of a reservation in one transaction; musubi explain - what stands in the way of a request, or
 *  what a reservation waits for.
 *
 *  The full request id is printed before anything is sent: whatever happens then, the same id with
 *  the same request finds out what became of it. With --wait a refused request is asked again,
 *  under a new id each time, when a site says that capacity has become free, and now and then
 *  besides, since such notices may be lost.
 */
#include "answer_form.h"
#include "commands.h"
#include "explanation.h"
#include "listing.h"
#include "replica_sites.h"
#include "request_form.h"
#include "resource_lookup.h"
#include "watch.h"

#include <unistd.h>

/*  --- one operation asked of planners under a request id --- */

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

/*  The request in a file ("-" = standard input), with the algorithm, the policy and more files of
 *  the command line, each NULL where there are none; NULL after refusing. */
static json_t *planner_request_read (const char *file, const char *algorithm, const char *policy,
                                     const option_texts_t *inputs)
{
    char why [LONG_WHY_BYTES];
    json_auto_t *written = cli_read_json (file);
    if (!written)
        return NULL;
    request_form_choose (written, algorithm, policy);
    for (size_t i = 0; inputs && i < inputs->count; i++)
        request_form_input (written, inputs->list [i]);
    json_t *request = request_form_read (written, why);
    if (!request)
        cli_fail (EXIT_USAGE, "%s: %s", strcmp (file, "-") == 0 ? "standard input" : file, why);
    return request;
}

static int planner_request_call (planner_request_t *self, const char *given, json_t **form)
{
    char why [WHY_BYTES];
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *answer = NULL;
    bool sent;
    *form = NULL;
    if (!session_request_id (self->session, given, self->request_id, why))
        return cli_fail (given ? EXIT_USAGE : EXIT_UNKNOWN, "%s", why);
    fprintf (stderr, "request-id %s\n", self->request_id);
    self->asked++;
    int code = session_ask_planner (self->session, self->method, self->body, self->request_id,
                                    &answer, &sent, reason);
    if (code == EXIT_DONE) {
        *form = answer_form (answer);
        code = answer_code (*form);
    } else if (code == EXIT_UNKNOWN) {
        *form = answer_form_unknown (self->request_id, reason);
        self->unsent = !sent && !given;
    } else {
        cli_fail (code, "%s: %s", self->word, reason);
    }
    return code;
}

/*  Asks under the id of the command line, or a fresh one. *form is new: the user's form of the
 *  answer, NULL when the request was refused as bad (said already). Returns the exit code. */
static int planner_request_ask (planner_request_t *self, json_t **form)
{
    return planner_request_call (self, self->cli->request_id, form);
}

/*  The same under a new id. */
static int planner_request_ask_anew (planner_request_t *self, json_t **form)
{
    /* A user's own id gets a number behind it, so that it can still be recognised. */
    const char *given = self->cli->request_id;
    char numbered [REQUEST_ID_BYTES_MAX + 1];
    session_look (self->session, "planner");
    if (given) {
        int length = (int) strcspn (given, "@");
        snprintf (numbered, sizeof numbered, "%.*s-%u%s", length, given, self->asked + 1,
                  given + length);
    }
    return planner_request_call (self, given ? numbered : NULL, form);
}

/*  Prints the form, and how to ask again when the outcome is unknown. Takes form; returns code. */
static int planner_request_print (const planner_request_t *self, json_t *form, int code)
{
    if (!form)
        return code;
    if (self->cli->json)
        cli_print_json (json_incref (form));
    else if (self->unsent)
        cli_fail (code, "%s: %s", self->word, text_of (item_of (form, "reasons", 0), "text"));
    else
        answer_print (form, self->word, code == EXIT_DONE ? stdout : stderr);
    json_decref (form);
    if (code == EXIT_UNKNOWN) {
        text_auto_t *again = cli_again (self->cli, self->request_id);
        fprintf (stderr, "musubi: %s; it is safe to ask again:\n  %s\n",
                 self->unsent ? "the request was not sent, and nothing has changed"
                              : "the outcome is unknown",
                 again);
    }
    return code;
}

/*  --- reserve --- */

#define POLL_MS       30000
#define POLL_MS_FIRST 2000

typedef struct {
    const char *algorithm;
    const char *policy;
    bool dry_run;
    bool wait;
    option_texts_t inputs;
} reserve_options_t;

/*  --- waiting ---  */

/*  Makes times relative to now absolute, so that the request means the same when it is asked again
 *  later. */
static void fix_times (json_t *request, int64_t now_ms)
{
    json_t *window = json_object_get (request, "window");
    const char *key;
    json_t *instant;
    json_object_foreach (window, key, instant)
    {
        const json_t *from_now = json_object_get (instant, "from_now_ms");
        if (!from_now)
            continue;
        int64_t at_ms = now_ms + json_integer_value (from_now);
        json_object_clear (instant);
        take (instant, "at_ms", json_integer (at_ms));
    }
}

/*  An earliest start that has passed becomes "now". */
static void renew_earliest (json_t *request, int64_t now_ms)
{
    json_t *earliest = json_object_get (json_object_get (request, "window"), "earliest");
    if (!earliest || number_of (earliest, "at_ms") > now_ms)
        return;
    json_object_clear (earliest);
    take (earliest, "from_now_ms", json_integer (0));
}

/*  The last possible start; INT64_MAX when the request sets none. */
static int64_t last_moment (const json_t *request)
{
    static const char *const ends [] = {"start", "latest", "deadline"};
    const json_t *window = json_object_get (request, "window");
    int64_t last_ms = INT64_MAX;
    for (size_t i = 0; i < sizeof ends / sizeof ends [0]; i++) {
        const json_t *at = json_object_get (json_object_get (window, ends [i]), "at_ms");
        if (at && json_integer_value (at) < last_ms)
            last_ms = json_integer_value (at);
    }
    return last_ms;
}

/*  Can the request succeed when capacity becomes free? Not when no reason names an interval. */
static bool may_free (const json_t *form)
{
    const json_t *reasons = json_object_get (form, "reasons");
    if (json_object_get (form, "conflict"))
        return false;
    json_each (reason, reasons)
        if (json_object_get (reason, "until"))
            return true;
    return json_array_size (reasons) == 0;
}

static int wait_and_ask (const cli_t *cli, planner_request_t *planned, json_t *request,
                         json_t **form)
{
    int64_t last_ms = last_moment (request);
    change_watch_t *notices = change_watch_new ("calendar");
    int64_t poll_ms = POLL_MS_FIRST;
    int code = EXIT_REFUSED;
    cli_note (cli, "refused for now; waiting for free capacity%s",
              last_ms == INT64_MAX ? "" : " until the last possible start");
    while (code == EXIT_REFUSED && may_free (*form) && !cli_interrupted ()) {
        int64_t left_ms = last_ms - cli_wall_ms ();
        if (left_ms <= 0)
            break;
        change_watch_follow (notices, planned->session->entries);
        change_watch_wait (notices, left_ms < poll_ms ? left_ms : poll_ms);
        poll_ms = poll_ms * 2 < POLL_MS ? poll_ms * 2 : POLL_MS;
        if (cli_interrupted ())
            break;
        renew_earliest (request, cli_wall_ms ());
        json_auto_t *before = *form;
        code = planner_request_ask_anew (planned, form);
        bool late = code == EXIT_REFUSED && *form && !may_free (*form);
        if (late) { /* the reasons given while there was time tell more */
            json_decref (*form);
            *form = json_incref (before);
        }
        if (late)
            break;
    }
    if (code == EXIT_REFUSED && !cli_interrupted ())
        cli_note (cli, "the last possible start has passed; this was in the way:");
    change_watch_destroy (&notices);
    return code;
}

/*  Prints names of sites like those that the request names and nobody knows. */
static void tell_sites_near (session_t *session, const json_t *request)
{
    if (!session_look (session, ""))
        return;
    json_each_of (need, request, "compute")
        if (*text_of (need, "site"))
            offer_sites_near (session, text_of (need, "site"));
}

static int reserve_reserve (cli_t *cli, const reserve_options_t *options, json_t *request)
{
    int code;
    json_auto_t *body =
      must (json_pack ("{s:O, s:b}", "request", request, "dry_run", options->dry_run));
    if (options->wait)
        fix_times (request, cli_wall_ms ());
    session_auto_t *session = listing_session (cli, &code);
    if (!session || (code = needed_files (cli, session, request, "data", "file")) != EXIT_DONE)
        return code;
    planner_request_t planned = {
      .cli = cli, .method = "Reserve", .word = "reserve", .body = body, .session = session};
    json_t *form = NULL;
    code = planner_request_ask (&planned, &form);
    if (options->wait && code == EXIT_REFUSED && form)
        code = wait_and_ask (cli, &planned, request, &form);
    if (code == EXIT_REFUSED && form)
        tell_sites_near (session, request);
    return planner_request_print (&planned, form, code);
}

int run_reserve (cli_t *cli)
{
    reserve_options_t options = {0};
    cli_option_t list [] = {
      TEXT_OPTION ("algorithm", &options.algorithm, "A",
                   "how to plan: auto, bbr, bir or ip; default auto"),
      TEXT_OPTION ("policy", &options.policy, "P",
                   "what to prefer: time, cost, load or random; with ip: time, cost or quality"),
      TEXTS_OPTION ("input", &options.inputs, "NAME",
                    "a file that each need is to have when it starts; may be repeated"),
      FLAG_OPTION ("dry-run", &options.dry_run, "plan only, reserve nothing"),
      FLAG_OPTION (
        "wait", &options.wait,
        "when refused, ask again as capacity becomes free, until the last possible start"),
      TEXT_OPTION ("request-id", &cli->request_id, "ID[@HOME]",
                   "names this request; asking again under the same id is safe"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    json_auto_t *request =
      planner_request_read (cli->words [0], options.algorithm, options.policy, &options.inputs);
    return request ? reserve_reserve (cli, &options, request) : EXIT_USAGE;
}

/*  --- modify, release --- */

static int change_change (cli_t *cli, const char *method, const char *word, json_t *body)
{
    int code;
    session_auto_t *session = listing_session (cli, &code);
    if (!session)
        return code;
    planner_request_t planned = {
      .cli = cli, .method = method, .word = word, .body = body, .session = session};
    json_t *form;
    code = planner_request_ask (&planned, &form);
    return planner_request_print (&planned, form, code);
}

/*  dry_run NULL: the command has no such option. */
static bool change_parse (cli_t *cli, size_t words, bool *dry_run, int *code)
{
    cli_option_t list [] = {
      TEXT_OPTION ("request-id", &cli->request_id, "ID[@HOME]",
                   "names this change; asking again under the same id is safe"),
      FLAG_OPTION ("dry-run", dry_run, "plan only, change nothing"),
      {0}};
    if (!dry_run)
        list [1] = (cli_option_t){0};
    return cli_parse (cli, list, words, words, code);
}

int run_modify (cli_t *cli)
{
    int code;
    char why [LONG_WHY_BYTES];
    bool dry_run = false;
    if (!change_parse (cli, 2, &dry_run, &code))
        return code;
    json_auto_t *written = cli_read_json (cli->words [1]);
    if (!written)
        return EXIT_USAGE;
    json_auto_t *body = request_form_patch (written, cli->words [0], why);
    if (!body)
        return cli_fail (EXIT_USAGE, "%s: %s",
                         strcmp (cli->words [1], "-") == 0 ? "standard input" : cli->words [1],
                         why);
    json_object_set_new (body, "dry_run", json_boolean (dry_run));
    return change_change (cli, "Modify", "modify", body);
}

int run_release (cli_t *cli)
{
    int code;
    if (!change_parse (cli, 1, NULL, &code))
        return code;
    json_auto_t *body = json_pack ("{s:s}", "reservation", cli->words [0]);
    if (!body)
        return cli_fail (EXIT_USAGE, "release: the id must be UTF-8");
    return change_change (cli, "Release", "release", body);
}

/*  --- explain: a request is planned and not reserved, so the answer holds for this moment; a
 *  request id is looked up at its home --- */

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
    if (form && !cli_json (cli, json_incref (form)))
        explain_reservation_print (form, stdout);
    return form ? explain_reservation_code (form) : code;
}

static int explain_look (const cli_t *cli, const char *id, const json_t *look)
{
    json_auto_t *answer = services_inner ("Answer", text_of (look, "answer"));
    json_auto_t *holder = services_inner ("Plan", text_of (look, "holder"));
    json_auto_t *form = explain_claim (id, look, answer, holder);
    if (!cli_json (cli, json_incref (form)))
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
