/*  musubi nodes - lists the nodes of sites that run tasks, takes one out, or gives it work again.
 */
#include "commands.h"
#include "task_client.h"

typedef struct {
    const char *drain;
    const char *resume;
} nodes_options_t;

/*  Takes the question over. NULL after saying why there is no answer, with *code. */
static json_t *nodes_ask (const cli_t *cli, session_t *session, const json_t *site,
                          const char *method, json_t *question, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status =
      session_ask_entry (session, site, "Nodes", method, question, &answer, reason);
    json_decref (question);
    if (status == CALL_UNKNOWN_METHOD)
        *code = cli_fail (EXIT_REFUSED, "%s: %s runs no tasks (back_end = none)",
                          cli->command->name, task_site_name (site));
    else if (status != CALL_OK)
        *code = cli_fail (status == CALL_TIMED_OUT ? EXIT_UNKNOWN : EXIT_REFUSED, "%s: %s: %s",
                          cli->command->name, task_site_name (site), reason);
    return answer;
}

/*  --- the list --- */

static const char *state_cell (const json_t *node, const char *key, char text [CELL_BYTES])
{
    snprintf (text, CELL_BYTES, "%s%s%s%s%s%s", text_of (node, key),
              flag_of (node, "drained") ? ", drained" : "",
              *text_of (node, "resting") ? ", rests" : "",
              flag_of (node, "computing") ? ", computes" : "",
              flag_of (node, "transferring") ? ", transfers" : "",
              number_of (node, "suspended") > 0 ? ", suspends" : "");
    return text;
}

static const char *const state_words [][2] = {{"NODE_UP", "up"},
                                              {"NODE_SILENT", "silent"},
                                              {"NODE_LOST", "lost"},
                                              {"NODE_AWAITED", "awaited"},
                                              {NULL}};

static const form_row_t node_rows [] = {
  {"SITE", "site", .kind = FORM_MADE},
  {"NODE", "node", .kind = FORM_TEXT},
  {"CLASS", "class", .kind = FORM_TEXT, .from = "class_name"},
  {"STATE", "state", state_cell, .kind = FORM_WORD, .more = state_words},
  {.key = "drained", .kind = FORM_FLAG},
  {">CPUS", "cpus", .kind = FORM_NUMBER},
  {">USED", "cpus_used", .kind = FORM_NUMBER},
  {"RESERVATION", "reservation", .kind = FORM_TEXT, .optional = true},
  {.key = "computing", .kind = FORM_FLAG},
  {.key = "transferring", .kind = FORM_FLAG},
  {.key = "suspended", .kind = FORM_NUMBER},
  {.key = "resting", .kind = FORM_TEXT, .optional = true},
  {"HEARD", "heard", .kind = FORM_TIME, .from = "heard_ms", .optional = true},
  {"WHY", "why", .kind = FORM_TEXT, .optional = true},
  {0}};

static json_t *node_form (const json_t *site, const json_t *record)
{
    json_t *form = made (json_pack ("{s:s}", "site", task_site_name (site)));
    form_add (form, node_rows, record);
    return form;
}

/*  Adds the nodes of one site, page by page. False after saying why not. */
static bool nodes_add_nodes (void *owner, const cli_t *cli, session_t *session, const json_t *site,
                             json_t *nodes, int *code)
{
    (void) owner;
    char after [NAME_BYTES_MAX + 1] = "";
    for (bool more = true; more;) {
        json_t *question = json_pack ("{s:s}", "after", after);
        json_auto_t *answer = nodes_ask (cli, session, site, "Nodes", question, code);
        if (!answer)
            return false;
        size_t i;
        const json_t *record;
        for (i = 0; (record = item_of (answer, "nodes", i)); i++) {
            json_array_append_new (nodes, node_form (site, record));
            snprintf (after, sizeof after, "%s", text_of (record, "node"));
        }
        more = flag_of (answer, "more") && i > 0;
    }
    return true;
}

/*  --- taking out --- */

static int nodes_drain (const cli_t *cli, session_t *session, const char *named, const char *node,
                        bool drained)
{
    int code = EXIT_DONE;
    const json_t *site = task_site (session, "nodes", named, &code);
    if (!site)
        return code;
    json_t *question = json_pack ("{s:s, s:b}", "node", node, "drained", drained);
    if (!question)
        return cli_fail (EXIT_USAGE, "nodes: NODE must be UTF-8");
    json_auto_t *answer = nodes_ask (cli, session, site, "Drain", question, &code);
    if (!answer)
        return code;
    const json_t *overbooked = json_object_get (answer, "overbooked");
    if (!cli_json (cli, json_pack ("{s:s, s:s, s:b, s:O*}", "site", task_site_name (site), "node",
                                   node, "drained", drained, "overbooked", overbooked))) {
        printf ("%s at %s %s\n", node, task_site_name (site),
                drained ? "is drained: it finishes what it runs" : "is resumed");
        json_each (one, overbooked)
            printf ("reservation %s has too few nodes now\n", json_string_value (one));
    }
    return EXIT_DONE;
}

int run_nodes (cli_t *cli)
{
    nodes_options_t options = {0};
    cli_option_t list_of [] = {
      TEXT_OPTION ("drain", &options.drain, "NODE",
                   "take this node out: it finishes what it runs, and gets nothing new"),
      TEXT_OPTION ("resume", &options.resume, "NODE", "give this node work again"),
      {0}};
    int code;
    if (!cli_parse (cli, list_of, 0, 1, &code))
        return code;
    const char *named = cli->words [0];
    const char *node = options.drain ? options.drain : options.resume;
    if (options.drain && options.resume)
        return cli_fail (EXIT_USAGE, "nodes: give --drain or --resume, not both");
    if (node && !named)
        return cli_fail (EXIT_USAGE, "nodes: the site is missing; say musubi nodes SITE --%s %s",
                         options.drain ? "drain" : "resume", node);
    session_auto_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    return node ? nodes_drain (cli, session, named, node, options.drain != NULL)
                : task_list (
                    cli, session, named,
                    &(task_rows_t){.key = "nodes", .add = nodes_add_nodes, .columns = node_rows});
}
