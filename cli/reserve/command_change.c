/*  musubi modify, musubi release - change all parts of a reservation in one transaction. */
#include "commands.h"
#include "listing.h"
#include "planner_request.h"
#include "request_form.h"

#include <string.h>

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
