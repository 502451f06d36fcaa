/*  musubi cancel - ends a bag, or one of its tasks. */
#include "commands.h"
#include "json_fields.h"
#include "task_client.h"

#include <inttypes.h>

static int cancel_cancel (const cli_t *cli, session_t *session, const char *text,
                          const task_name_t *name)
{
    int code;
    const json_t *site = task_site (session, "cancel", name->site, &code);
    if (!site)
        return code;
    json_t *question = json_pack ("{s:I, s:b, s:I}", "bag", (json_int_t) name->bag, "one",
                                  name->task, "index", (json_int_t) name->index);
    json_auto_t *answer = task_ask (cli, session, site, "Cancel", question, "", &code);
    if (!answer)
        return code;
    int64_t cancelled = number_of (answer, "cancelled");
    int64_t ended = number_of (answer, "ended");
    if (cli->json)
        cli_print_json (json_pack ("{s:s, s:I, s:I}", "name", text, "cancelled",
                                   (json_int_t) cancelled, "ended", (json_int_t) ended));
    else
        printf ("%s: %" PRId64 " cancelled before they started, %" PRId64 " told to end\n", text,
                cancelled, ended);
    return EXIT_DONE;
}

int run_cancel (cli_t *cli)
{
    int code;
    task_name_t name;
    if (!cli_parse (cli, NULL, 1, 1, &code))
        return code;
    if (!task_name_read (&name, cli->words [0]))
        return cli_fail (EXIT_USAGE,
                         "cancel: \"%s\" is neither a bag such as ams/12 nor a task such as "
                         "ams/12.3",
                         cli->words [0]);
    session_auto_t *session = session_open_all (cli, &code);
    return session ? cancel_cancel (cli, session, cli->words [0], &name) : code;
}
