/*  musubi reserve - has a planner find a plan and commit it.
 *
 *  The full request id is printed before anything is sent: whatever happens then, the same id with
 *  the same request finds out what became of it. With --wait a refused request is asked again,
 *  under a new id each time, when a site says that capacity has become free, and now and then
 *  besides, since such notices may be lost.
 */
#include "change_watch.h"
#include "commands.h"
#include "listing.h"
#include "must.h"
#include "needed_files.h"
#include "planner_request.h"
#include "resource_lookup.h"

#include "json_fields.h"

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
    const json_t *reason;
    if (json_object_get (form, "conflict"))
        return false;
    for (size_t i = 0; (reason = json_array_get (reasons, i)); i++)
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
    const json_t *need;
    for (size_t i = 0; (need = item_of (request, "compute", i)); i++)
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
