/*  task_client - finds the sites that run tasks by asking all; a site that runs none does not serve
 *  the method.
 */
#include "task_client.h"

#include "must.h"
#include "resource_lookup.h"

#include <ctype.h>

#define TRY_MS 5000 /* a question without answer is repeated after this */

/*  --- names --- */

static bool task_number_read (const char **text, uint64_t most, uint64_t *number)
{
    char *end;
    if (!isdigit ((unsigned char) **text))
        return false;
    errno = 0;
    *number = strtoull (*text, &end, 10);
    *text = end;
    return errno == 0 && *number <= most;
}

bool task_name_read (task_name_t *to, const char *text)
{
    *to = (task_name_t){.bag = 0};
    const char *name = name_short (text);
    const char *slash = strchr (name, '/');
    if (strncmp (text, "lis/", 4) != 0 || !slash) {
        name = text;
        slash = strchr (text, '/');
    }
    if (!slash || slash == name || slash - name > NAME_BYTES_MAX)
        return false;
    memcpy (to->site, name, (size_t) (slash - name));
    const char *at = slash + 1;
    uint64_t index = 0;
    if (!task_number_read (&at, UINT64_MAX, &to->bag) || to->bag == 0)
        return false;
    if (*at == '.') {
        at++;
        to->task = true;
        if (!task_number_read (&at, UINT32_MAX, &index))
            return false;
        to->index = (uint32_t) index;
    }
    return *at == '\0';
}

bool task_word (const char *command, const char *word, bool *of_bag, task_name_t *name, int *code)
{
    const char *rest = strncmp (word, "lis/", 4) == 0 ? word + 4 : word;
    *of_bag = task_name_read (name, word);
    if (*of_bag || !strchr (rest, '/'))
        return true;
    *code = cli_fail (
      EXIT_USAGE,
      "%s: \"%s\" should be a site such as ams, a bag such as ams/12 or a task such as ams/12.3",
      command, word);
    return false;
}

const char *task_site_name (const json_t *site)
{
    return name_short (text_of (site, "name"));
}

const char *const task_state_words [][2] = {
  {"TASK_QUEUED", "queued"},       {"TASK_PLACED", "placed"},
  {"TASK_RUNNING", "running"},     {"TASK_ENDED", "ended"},
  {"TASK_STOPPED", "stopped"},     {"TASK_LOST", "lost"},
  {"TASK_CANCELLED", "cancelled"}, {"TASK_AWAY", "away"},
  {"TASK_RETURNED", "returned"},   {NULL},
};

const char *task_state_word (const json_t *task)
{
    return word_of (task_state_words, text_of (task, "state"));
}

/*  --- sites --- */

const json_t *task_site (session_t *session, const char *command, const char *name, int *code)
{
    resource_entry_t offer;
    if (!offer_find (session, command, name, &offer, code))
        return NULL;
    if (offer.link) {
        *code = cli_fail (EXIT_USAGE, "%s: %s is a link; name a site", command, offer.name);
        return NULL;
    }
    *code = EXIT_DONE;
    return offer.entry;
}

typedef struct {
    uint64_t call;
    const json_t *entry;
    call_status_t status;
} probe_t;

json_t *task_sites (session_t *session, json_t *mute)
{
    method_t method = services_method ("Queue", "Bags");
    json_auto_t *question = json_pack ("{s:i}", "most", 1);
    size_t most = json_array_size (session->entries);
    probe_t *probes = must (calloc (most + 1, sizeof *probes));
    size_t count = 0;
    size_t i;
    const json_t *entry;
    for (i = 0; (entry = json_array_get (session->entries, i)); i++) {
        if (!json_object_get (entry, "site"))
            continue;
        probes [count].entry = entry;
        probes [count].status = CALL_TIMED_OUT;
        probes [count++].call =
          session_send (session, text_of (entry, "endpoint"), &method, question);
    }
    client_reply_t reply;
    for (size_t left = count; left > 0 && client_wait (session->client, -1, &reply);)
        for (size_t k = 0; k < count; k++)
            if (probes [k].call == reply.call) {
                probes [k].status = reply.status;
                left--;
            }
    json_t *sites = json_array ();
    for (size_t k = 0; k < count; k++)
        if (probes [k].status != CALL_UNKNOWN_METHOD)
            json_array_append (probes [k].status == CALL_OK ? sites : mute,
                               (json_t *) probes [k].entry);
    json_auto_t *absent = session_absences (session, "lis");
    json_array_extend (mute, absent);
    free (probes);
    return sites;
}

const json_t *task_only_site (session_t *session, const char *command, int *code)
{
    char silent [ENTRIES_TEXT_BYTES];
    json_auto_t *mute = json_array ();
    json_auto_t *sites = task_sites (session, mute); /* entries live with the session */
    entries_list (mute, silent);
    const json_t *only =
      json_array_size (sites) == 1 && !*silent ? json_array_get (sites, 0) : NULL;
    if (json_array_size (sites) == 0 && *silent) {
        *code = cli_fail (
          EXIT_UNKNOWN,
          "%s: it is not known which sites run tasks, because these did not answer: %s; name one",
          command, silent);
    } else if (json_array_size (sites) == 0) {
        *code = cli_fail (EXIT_REFUSED, "%s: no site that answers runs tasks (back_end = runner)",
                          command);
    } else if (!only) {
        char names [ENTRIES_TEXT_BYTES];
        *code =
          cli_fail (EXIT_USAGE, "%s: name a site; these run tasks: %s%s%s", command,
                    entries_list (sites, names), *silent ? "; these did not answer: " : "", silent);
    }
    return only;
}

/*  --- asking --- */

static int task_client_tell_unknown (const cli_t *cli, const json_t *site, const char *request_id)
{
    if (!*request_id)
        return cli_fail (EXIT_UNKNOWN, "%s: %s does not answer", cli->command->name,
                         task_site_name (site));
    text_auto_t *again = cli_again (cli, request_id);
    return cli_fail (EXIT_UNKNOWN, "%s: %s does not answer; ask again with\n  %s",
                     cli->command->name, task_site_name (site), again);
}

int task_list (const cli_t *cli, session_t *session, const char *named, const task_rows_t *rows)
{
    int code = EXIT_DONE;
    const char *command = cli->command->name;
    char silent [ENTRIES_TEXT_BYTES];
    json_auto_t *mute = json_array ();
    json_auto_t *sites = named ? json_array () : task_sites (session, mute);
    const json_t *site = named ? task_site (session, command, named, &code) : NULL;
    if (site)
        json_array_append (sites, (json_t *) site);
    if (*entries_list (mute, silent))
        code = cli_fail (EXIT_UNKNOWN, "%s: these sites did not answer: %s", command, silent);
    json_auto_t *list = json_array ();
    size_t answered = 0;
    for (size_t i = 0; (site = json_array_get (sites, i)); i++) {
        int told = EXIT_DONE;
        if (rows->add (rows->owner, cli, session, site, list, &told))
            answered++;
        else
            code = told;
    }
    if (cli->json && answered > 0)
        cli_print_json (json_pack ("{s:O, s:o}", rows->key, list, "silent", names_of (mute)));
    else if (answered > 0)
        table_print_forms (rows->columns, list, stdout);
    else if (code == EXIT_DONE)
        code = cli_fail (EXIT_REFUSED, "%s: no site that answers runs tasks (back_end = runner)",
                         command);
    return code;
}

json_t *task_ask (const cli_t *cli, session_t *session, const json_t *site, const char *method,
                  json_t *question, const char *request_id, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status = session_ask_again (session, site, "Queue", method, question, request_id,
                                              TRY_MS, &answer, reason);
    json_decref (question);
    *code = status == CALL_TIMED_OUT
              ? task_client_tell_unknown (cli, site, request_id)
              : session_tell (cli, site, status, reason, "runs no tasks (back_end = none)");
    return answer;
}

json_t *task_bags (const cli_t *cli, session_t *session, const json_t *site, const char *owner,
                   bool over, int *code)
{
    json_t *bags = json_array ();
    for (bool more = true; more;) {
        json_t *last = json_array_get (bags, json_array_size (bags) - 1);
        json_t *question = json_pack ("{s:s, s:I, s:b}", "owner", owner, "after",
                                      (json_int_t) number_of (last, "bag"), "over", over);
        json_auto_t *answer = task_ask (cli, session, site, "Bags", question, "", code);
        json_t *page = json_object_get (answer, "bags");
        json_array_extend (bags, page);
        more = flag_of (answer, "more") && json_array_size (page) > 0;
    }
    return bags;
}
