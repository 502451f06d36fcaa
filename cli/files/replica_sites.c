/*  replica_sites - asks each site itself what it has, and names the sites that do not answer. */
#include "replica_sites.h"

#include "json_fields.h"

#include <stdlib.h>
#include <string.h>

#define TRY_MS 3000 /* a question without answer is repeated after this */
#define PAGE   500
#define KIND   "replica/"

size_t replica_sites_count (const session_t *session)
{
    json_auto_t *sites = session_kind (session, "replica");
    return json_array_size (sites);
}

const json_t *replica_sites_entry (session_t *session, const char *command, const char *name,
                                   int *code)
{
    char text [ENTRIES_TEXT_BYTES];
    json_auto_t *sites = session_kind (session, "replica"); /* entries live with the session */
    if (name && strncmp (name, KIND, strlen (KIND)) == 0)
        name += strlen (KIND);
    const json_t *found = name                           ? entries_named (sites, name)
                          : json_array_size (sites) == 1 ? json_array_get (sites, 0)
                                                         : NULL;
    entries_list (sites, text);
    if (!found && json_array_size (sites) == 0)
        *code = cli_fail (EXIT_REFUSED, "%s: no site of this federation keeps files", command);
    else if (!found && name)
        *code = cli_fail (EXIT_REFUSED, "%s: no site called %s keeps files; these sites do: %s",
                          command, name, text);
    else if (!found)
        *code = cli_fail (EXIT_USAGE, "%s: several sites keep files; choose one with --site: %s",
                          command, text);
    return found;
}

const char *bytes_text (double bytes, char text [BYTES_TEXT_BYTES])
{
    static const char *const units [] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit < 5; unit++)
        bytes /= 1000;
    snprintf (text, BYTES_TEXT_BYTES, unit > 0 && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes,
              units [unit]);
    return text;
}

/*  --- asking --- */

call_status_t replica_sites_try (session_t *session, const json_t *site, const char *method,
                                 const json_t *question, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES])
{
    return session_ask_again (session, site, "Replica", method, question, "", TRY_MS, answer,
                              reason);
}

json_t *replica_sites_ask (const cli_t *cli, session_t *session, const json_t *site,
                           const char *method, const json_t *question, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status = replica_sites_try (session, site, method, question, &answer, reason);
    const char *name = text_of (site, "name") + strlen (KIND);
    *code = session_code (status);
    if (status == CALL_TIMED_OUT)
        cli_fail (*code, "%s: %s does not answer; it is safe to run the command again",
                  cli->command->name, name);
    else if (status != CALL_OK)
        cli_fail (*code, "%s: %s: %s", cli->command->name, name, reason);
    return answer;
}

/*  Collects all pages of one site; false when it does not answer. */
static bool gather_site (session_t *session, const json_t *site, const char *name, json_t *held)
{
    char reason [CLIENT_REASON_BYTES];
    bool answered = true;
    const char *after = "";
    for (bool more = true; more && answered;) {
        json_auto_t *question =
          json_pack ("{s:s, s:s, s:i}", "name", name ? name : "", "after", after, "most", PAGE);
        json_auto_t *answer = NULL;
        answered = replica_sites_try (session, site, "Files", question, &answer, reason) == CALL_OK;
        size_t i;
        json_t *file;
        more = false;
        for (i = 0; (file = item_of (answer, "files", i)); i++) {
            json_array_append_new (held, json_pack ("{s:s, s:O, s:O}", "site",
                                                    text_of (site, "name") + strlen (KIND), "file",
                                                    file, "entry", site));
            after = text_of (file, "name"); /* the list keeps it */
            more = flag_of (answer, "more");
        }
    }
    return answered;
}

json_t *replica_sites_gather (session_t *session, const json_t *site, const char *name,
                              json_t *silent)
{
    json_t *held = json_array ();
    json_auto_t *sites = site ? json_pack ("[O]", site) : session_kind (session, "replica");
    const json_t *one;
    for (size_t i = 0; (one = json_array_get (sites, i)); i++)
        if (!gather_site (session, one, name, held))
            json_array_append_new (silent, json_string (text_of (one, "name") + strlen (KIND)));
    return held;
}
