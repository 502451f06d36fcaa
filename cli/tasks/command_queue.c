/*  musubi queue, musubi cancel - lists the bags at sites, or the tasks of one bag; ends a bag, or
 *  one of its tasks. */
#include "commands.h"
#include "task_client.h"

typedef struct {
    int64_t bag;
    bool mine;
    bool over;
} queue_options_t;

/*  --- bags --- */

static json_t *bag_form (const char *site, const json_t *record)
{
    static const form_row_t rows [] = {
      {.key = "owner", .kind = FORM_TEXT},
      {.key = "tasks", .kind = FORM_NUMBER, .from = "submitted.count"},
      {.key = "queued", .kind = FORM_NUMBER},
      {.key = "awaiting_input", .kind = FORM_NUMBER},
      {.key = "running", .kind = FORM_NUMBER},
      {.key = "over", .kind = FORM_NUMBER},
      {.key = "failed", .kind = FORM_NUMBER},
      {.key = "away", .kind = FORM_NUMBER},
      {.key = "home", .kind = FORM_TEXT, .optional = true},
      {.key = "name", .kind = FORM_TEXT, .from = "submitted.name", .optional = true},
      {.key = "priority", .kind = FORM_NUMBER, .from = "submitted.priority"},
      {.key = "cpus", .kind = FORM_NUMBER, .from = "submitted.cpus"},
      {.key = "reservation", .kind = FORM_TEXT, .from = "submitted.reservation", .optional = true},
      {.key = "need", .kind = FORM_TEXT, .from = "submitted.need", .optional = true},
      {.key = "class_name", .kind = FORM_TEXT, .from = "submitted.class_name", .optional = true},
      {.key = "preemptible", .kind = FORM_FLAG, .from = "submitted.preemptible"},
      {.key = "requeue", .kind = FORM_FLAG, .from = "submitted.requeue"},
      {.key = "shared", .kind = FORM_FLAG, .from = "submitted.shared"},
      {.key = "limit", .kind = FORM_DURATION, .from = "submitted.limit_ms"},
      {.key = "inputs", .kind = FORM_SAME, .from = "submitted.inputs", .optional = true},
      {.key = "outputs", .kind = FORM_SAME, .from = "submitted.outputs", .optional = true},
      {.key = "command",
       .kind = FORM_SAME,
       .from = "submitted.command.arguments",
       .optional = true},
      {.key = "submitted", .kind = FORM_TIME, .from = "submitted_ms", .optional = true},
      {.key = "expected", .kind = FORM_TIME, .from = "expected_ms", .optional = true},
      {.key = "why", .kind = FORM_TEXT, .optional = true},
      {0}};
    json_t *form = made (json_pack ("{s:o, s:s}", "bag",
                                    json_sprintf ("%s/%" PRId64, site, number_of (record, "bag")),
                                    "site", site));
    form_add (form, rows, record);
    return form;
}

/*  False after saying why not. */
static bool add_bags (void *owner, const cli_t *cli, session_t *session, const json_t *site,
                      json_t *bags, int *code)
{
    const queue_options_t *options = owner;
    const char *owner_name = options->mine ? session->places.actor : "";
    json_auto_t *records = task_bags (cli, session, site, owner_name, options->over, code);
    json_each (record, records)
        json_array_append_new (bags, bag_form (task_site_name (site), record));
    return *code == EXIT_DONE;
}

static const char *called_cell (const json_t *bag, const char *key, char text [CELL_BYTES])
{
    const char *home = name_short (text_of (bag, "home"));
    const char *name = text_of (bag, key);
    snprintf (text, CELL_BYTES, "%s%s%s%s", name, *home && *name ? ", " : "",
              *home ? "guest of " : "", home);
    return text;
}

static const form_row_t bag_columns [] = {{"BAG", "bag", .kind = FORM_TEXT},
                                          {"OWNER", "owner", .kind = FORM_TEXT},
                                          {"NAME", "name", .cell = called_cell},
                                          {">QUEUED", "queued", .kind = FORM_NUMBER},
                                          {">AWAITING", "awaiting_input", .kind = FORM_NUMBER},
                                          {">RUNNING", "running", .kind = FORM_NUMBER},
                                          {">AWAY", "away", .kind = FORM_NUMBER},
                                          {">OVER", "over", .kind = FORM_NUMBER},
                                          {">FAILED", "failed", .kind = FORM_NUMBER},
                                          {">CPUS", "cpus", .kind = FORM_NUMBER},
                                          {">LIMIT", "limit", .kind = FORM_TEXT},
                                          {">PRIORITY", "priority", .kind = FORM_NUMBER},
                                          {"EXPECTED", "expected", .kind = FORM_TIME},
                                          {"WHY", "why", .kind = FORM_TEXT},
                                          {0}};

/*  --- tasks --- */

static json_t *task_form (const task_name_t *name, const json_t *record)
{
    static const form_row_t always [] = {
      {.key = "state", .kind = FORM_WORD, .more = task_state_words},
      {.key = "why", .kind = FORM_TEXT, .optional = true},
      {.key = "site", .kind = FORM_TEXT, .optional = true},
      {.key = "waits", .kind = FORM_TEXT, .optional = true},
      {0}};
    static const form_row_t tried [] = {
      {.key = "tries", .kind = FORM_NUMBER, .from = "run"},
      {.key = "node", .kind = FORM_TEXT, .optional = true},
      {.key = "started", .kind = FORM_TIME, .from = "started_ms", .optional = true},
      {.key = "ended", .kind = FORM_TIME, .from = "ended_ms", .optional = true},
      {0}};
    static const char *const phases [][2] = {{"PHASE_COMPUTING", "computing"},
                                             {"PHASE_TRANSFERRING", "transferring"},
                                             {"PHASE_SUSPENDED", "suspended"},
                                             {NULL}};
    static const form_row_t under_way [] = {{.key = "phase", .kind = FORM_WORD, .more = phases},
                                            {0}};
    static const form_row_t last [] = {{.key = "dropped", .kind = FORM_NUMBER, .optional = true},
                                       {0}};
    json_t *form =
      made (json_pack ("{s:o}", "task",
                       json_sprintf ("%s/%" PRIu64 ".%" PRId64, name->site, name->bag,
                                     number_of (json_object_get (record, "task"), "index"))));
    form_add (form, always, record);
    if (number_of (record, "run") == 0)
        return form;
    form_add (form, tried, record);
    take (form, "cpu_seconds", json_real ((double) number_of (record, "cpu_ms") / 1000));
    const char *state = text_of (form, "state");
    if (strcmp (state, "placed") == 0 || strcmp (state, "running") == 0)
        form_add (form, under_way, record);
    if (strcmp (state, "placed") == 0 && has_text (form, "phase", "transferring"))
        take (form, "state", json_string (state = "awaiting-input"));
    if (strcmp (state, "ended") == 0 || strcmp (state, "stopped") == 0) {
        bool begun = number_of (record, "started_ms") != 0;
        take (form, "exit_code",
              begun ? json_integer (number_of (record, "exit_code")) : json_null ());
        take (form, "signal", json_integer (number_of (record, "signal")));
    }
    form_add (form, last, record);
    return form;
}

/*  The exit code or signal of a task that began and has ended. */
static const char *end_cell (const json_t *task, const char *key, char text [CELL_BYTES])
{
    return json_is_integer (json_object_get (task, "exit_code")) ? number_text (task, key, text)
                                                                 : "";
}

static const char *cpu_cell (const json_t *task, const char *key, char text [CELL_BYTES])
{
    const json_t *seconds = json_object_get (task, key);
    if (!seconds)
        return "";
    snprintf (text, CELL_BYTES, "%.2f", json_real_value (seconds));
    return text;
}

static const char *why_cell (const json_t *task, const char *key, char text [CELL_BYTES])
{
    int64_t dropped = number_of (task, "dropped");
    if (*text_of (task, "waits"))
        return text_of (task, "waits");
    if (has_text (task, "phase", "suspended"))
        return "suspended for a task of higher priority";
    if (*text_of (task, key) || dropped == 0)
        return text_of (task, key);
    snprintf (text, CELL_BYTES, "%" PRId64 " bytes of output were dropped", dropped);
    return text;
}

static const form_row_t task_columns [] = {{"TASK", "task", .kind = FORM_TEXT},
                                           {"STATE", "state", .kind = FORM_TEXT},
                                           {"NODE", "node", .kind = FORM_TEXT},
                                           {"SITE", "site", .cell = cell_short},
                                           {">EXIT", "exit_code", .cell = end_cell},
                                           {">SIGNAL", "signal", .cell = end_cell},
                                           {">CPU S", "cpu_seconds", .cell = cpu_cell},
                                           {"STARTED", "started", .kind = FORM_TIME},
                                           {"WHY", "why", .cell = why_cell},
                                           {0}};

static int queue_of_bag (const cli_t *cli, session_t *session, const task_name_t *name)
{
    int code;
    const json_t *site = task_site (session, "queue", name->site, &code);
    if (!site)
        return code;
    json_auto_t *tasks = json_array ();
    json_int_t from = name->task ? name->index : 0;
    for (bool more = true; more;) {
        json_t *question = json_pack ("{s:I, s:I, s:i}", "bag", (json_int_t) name->bag, "from",
                                      from, "most", name->task ? 1 : 0);
        json_auto_t *answer = task_ask (cli, session, site, "Tasks", question, "", &code);
        size_t i;
        const json_t *record;
        for (i = 0; (record = item_of (answer, "tasks", i)); i++)
            json_array_append_new (tasks, task_form (name, record));
        more = !name->task && flag_of (answer, "more") && i > 0;
        from += (json_int_t) i;
    }
    if (code == EXIT_DONE && name->task && json_array_size (tasks) == 0)
        code = cli_fail (EXIT_REFUSED, "queue: bag %s/%" PRIu64 " has no task %" PRIu32, name->site,
                         name->bag, name->index);
    else if (code == EXIT_DONE && !cli_json (cli, json_pack ("{s:O}", "tasks", tasks)))
        table_print_forms (task_columns, tasks, stdout);
    return code;
}

int run_queue (cli_t *cli)
{
    queue_options_t options = {0};
    cli_option_t list [] = {
      INTEGER_OPTION ("bag", &options.bag, "N", "the tasks of this bag; the same as SITE/N", 1,
                      9e15),
      FLAG_OPTION ("mine", &options.mine, "only your own bags"),
      FLAG_OPTION ("over", &options.over, "also bags whose tasks have all ended"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 0, 1, &code))
        return code;
    const char *named = cli->words [0];
    task_name_t name = {.bag = 0};
    char whole [2 * NAME_BYTES_MAX];
    if (options.bag > 0 && !named)
        return cli_fail (EXIT_USAGE, "queue: --bag needs a site: say SITE --bag N, or SITE/N");
    if (options.bag > 0) {
        snprintf (whole, sizeof whole, "%s/%" PRId64, named, options.bag);
        named = whole;
    }
    bool of_bag = false;
    if (named && !task_word ("queue", named, &of_bag, &name, &code))
        return code;
    session_auto_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    return of_bag ? queue_of_bag (cli, session, &name)
                  : task_list (
                      cli, session, named,
                      &(task_rows_t){
                        .key = "bags", .add = add_bags, .owner = &options, .columns = bag_columns});
}

/*  --- cancel --- */

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
    if (!cli_json (cli, json_pack ("{s:s, s:I, s:I}", "name", text, "cancelled",
                                   (json_int_t) cancelled, "ended", (json_int_t) ended)))
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
