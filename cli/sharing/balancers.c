/*  balancers - finds balancers among the entries of the directory, and asks them. */
#include "balancers.h"

#include "json_fields.h"

#include <string.h>

#define PREFIX "balancer/"

const json_t *balancers_find (session_t *session, const char *command, const char *name, int *code)
{
    char names [ENTRIES_TEXT_BYTES];
    if (name && strncmp (name, PREFIX, strlen (PREFIX)) == 0)
        name += strlen (PREFIX);
    json_auto_t *all = session_kind (session, "balancer");
    if (!(name ? entries_named (all, name) : json_array_get (all, 0)) &&
        session_look (session, "")) {
        json_decref (all);
        all = session_kind (session, "balancer");
    }
    const json_t *found = name ? entries_named (all, name) : json_array_get (all, 0);
    entries_list (all, names);
    *code = EXIT_DONE;
    if (json_array_size (all) == 0)
        *code = cli_fail (EXIT_REFUSED, "%s: this federation has no balancer", command);
    else if (!found)
        *code = cli_fail (EXIT_REFUSED, "%s: there is no balancer \"%s\"; there are: %s", command,
                          name, names);
    else if (!name && json_array_size (all) > 1)
        *code =
          cli_fail (EXIT_USAGE, "%s: there are several balancers; name one: %s", command, names);
    return *code == EXIT_DONE ? found : NULL;
}

json_t *balancers_ask (const cli_t *cli, session_t *session, const json_t *entry,
                       const char *service, const char *method, json_t *question, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status =
      session_ask_entry (session, entry, service, method, question, &answer, reason);
    json_decref (question);
    *code = session_code (status);
    if (status == CALL_UNKNOWN_METHOD)
        *code =
          cli_fail (EXIT_REFUSED, "%s: %s runs no tasks, so it can't share any (back_end = none)",
                    cli->command->name, name_short (text_of (entry, "name")));
    else if (status != CALL_OK)
        cli_fail (*code, "%s: %s: %s", cli->command->name, name_short (text_of (entry, "name")),
                  reason);
    return answer;
}
