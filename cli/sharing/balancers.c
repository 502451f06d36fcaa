/*  balancers - found among the directory's entries, and asked. */
#include "balancers.h"

#include "fields.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_BYTES 512
#define PREFIX      "balancer/"

static bool is_balancer (const json_t *entry)
{
    return strncmp (text_of (entry, "name"), PREFIX, strlen (PREFIX)) == 0;
}

/*  That of the name; without one, the first. */
static const json_t *look_up (const session_t *session, const char *name, char names [NAMES_BYTES],
                              size_t *count)
{
    const json_t *found = NULL;
    size_t used = 0;
    const json_t *entry;
    *count = 0;
    names [0] = '\0';
    for (size_t i = 0; (entry = json_array_get (session_entries (session), i)); i++) {
        if (!is_balancer (entry))
            continue;
        const char *own = name_short (text_of (entry, "name"));
        if (!found && (!name || strcmp (own, name) == 0))
            found = entry;
        if (used < NAMES_BYTES)
            used += (size_t) snprintf (names + used, NAMES_BYTES - used, "%s%s",
                                       *count > 0 ? ", " : "", own);
        (*count)++;
    }
    return found;
}

const json_t *balancers_find (session_t *session, const char *command, const char *name, int *code)
{
    char names [NAMES_BYTES];
    size_t count;
    if (name && strncmp (name, PREFIX, strlen (PREFIX)) == 0)
        name += strlen (PREFIX);
    const json_t *found = look_up (session, name, names, &count);
    if (!found && session_look (session, ""))
        found = look_up (session, name, names, &count);
    *code = EXIT_DONE;
    if (count == 0)
        *code = cli_fail (EXIT_REFUSED, "%s: no balancer is known", command);
    else if (!found)
        *code = cli_fail (EXIT_REFUSED, "%s: there is no balancer \"%s\"; there are: %s", command,
                          name, names);
    else if (!name && count > 1)
        *code = cli_fail (EXIT_USAGE, "%s: which balancer? There are: %s", command, names);
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
        *code = cli_fail (EXIT_REFUSED, "%s: %s shares nothing (back_end = none)",
                          cli->command->name, name_short (text_of (entry, "name")));
    else if (status != CALL_OK)
        cli_fail (*code, "%s: %s: %s", cli->command->name, name_short (text_of (entry, "name")),
                  reason);
    return answer;
}
