/*  musubi balance history - shows past coalitions as a table and lines of scores, as a picture, or
 *  as JSON.
 */
#include "balancers.h"
#include "coalition_chart.h"
#include "coalition_form.h"
#include "commands.h"
#include "json_fields.h"
#include "output_file.h"

/*  Collects the forms of past coalitions, page by page. False after saying why not. */
static bool balance_history_gather (const cli_t *cli, session_t *session, const json_t *entry,
                                    json_int_t from, json_t *forms, int *code)
{
    for (bool more = true; more;) {
        json_t *question = json_pack ("{s:I}", "from", from);
        json_auto_t *answer =
          balancers_ask (cli, session, entry, "Balancer", "History", question, code);
        if (!answer)
            return false;
        size_t i;
        const json_t *record;
        for (i = 0; (record = item_of (answer, "coalitions", i)); i++) {
            json_array_append_new (forms, coalition_form_record (record));
            from = number_of (record, "coalition") + 1;
        }
        more = flag_of (answer, "more") && i > 0;
    }
    return true;
}

static int balance_history_write_svg (const json_t *form, const char *path)
{
    FILE *file = output_file_open (path, false);
    if (!file)
        return EXIT_USAGE;
    coalition_chart_svg (form, file);
    return output_file_close (file, path);
}

static int history (const cli_t *cli, session_t *session, const char *name, int64_t from,
                    const char *svg)
{
    int code;
    const json_t *entry = balancers_find (session, cli->command->name, name, &code);
    if (!entry)
        return code;
    json_auto_t *forms = json_array ();
    if (balance_history_gather (cli, session, entry, from, forms, &code)) {
        const char *full = json_string_value (json_object_get (entry, "name"));
        json_auto_t *form =
          json_pack ("{s:s, s:O}", "balancer", name_short (full), "coalitions", forms);
        if (svg)
            code = balance_history_write_svg (form, svg);
        if (cli->json)
            cli_print_json (json_incref (form));
        else if (!svg)
            coalition_chart_print (form, cli_width (), stdout);
    }
    return code;
}

int run_balance_history (cli_t *cli)
{
    int64_t from = 0;
    const char *svg = NULL;
    cli_option_t list [] = {
      INTEGER_OPTION (
        "from", &from, "COALITION",
        "number of the first coalition to show; otherwise the oldest one that is kept", 0, 0),
      TEXT_OPTION ("svg", &svg, "FILE", "draw a picture into this file; - = standard output"),
      {0}};
    int code;
    session_auto_t *session = session_begin (cli, list, 0, 1, &code);
    return session ? history (cli, session, cli->words [0], from, svg) : code;
}
