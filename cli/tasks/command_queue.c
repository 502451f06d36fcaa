/*  musubi queue - what waits and runs at sites; and a bag's tasks, one by one. */
#include "answer_form.h"
#include "task_client.h"
#include "tasks_commands.h"

#include "fields.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t bag;
    bool mine;
    bool over;
} queue_options_t;

/*  0: left out. */
static void set_time (json_t *form, const char *key, int64_t ms)
{
    char text [TIME_TEXT_BYTES];
    if (ms != 0)
        json_object_set_new (form, key, json_string (time_text (ms, text)));
}

/*  --- bags --- */

static json_t *bag_form (const char *site, const json_t *record)
{
    static const char *const kept [] = {"name",        "priority", "cpus",
                                        "reservation", "need",     "class_name",
                                        "preemptible", "requeue",  "shared"};
    char name [2 * NAME_BYTES_MAX];
    const json_t *submitted = json_object_get (record, "submitted");
    snprintf (name, sizeof name, "%s/%" PRId64, site, number_of (record, "bag"));
    json_t *form = json_pack (
      "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "bag", name, "site", site, "owner",
      text_of (record, "owner"), "tasks", (json_int_t) number_of (submitted, "count"), "queued",
      (json_int_t) number_of (record, "queued"), "running",
      (json_int_t) number_of (record, "running"), "over", (json_int_t) number_of (record, "over"),
      "failed", (json_int_t) number_of (record, "failed"), "away",
      (json_int_t) number_of (record, "away"));
    if (*text_of (record, "home"))
        json_object_set (form, "home", json_object_get (record, "home"));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        json_object_set (form, kept [i], json_object_get (submitted, kept [i]));
    char limit [TIMETEXT_BYTES];
    json_object_set_new (
      form, "limit",
      json_string (timetext_format_duration (number_of (submitted, "limit_ms"), limit)));
    json_object_set (form, "command",
                     json_object_get (json_object_get (submitted, "command"), "arguments"));
    set_time (form, "submitted", number_of (record, "submitted_ms"));
    set_time (form, "expected", number_of (record, "expected_ms"));
    return form;
}

/*  Page by page. False after telling why not. */
static bool add_bags (void *owner, const cli_t *cli, session_t *session, const json_t *site,
                      json_t *bags, int *code)
{
    const queue_options_t *options = owner;
    json_int_t after = 0;
    for (bool more = true; more;) {
        json_t *question =
          json_pack ("{s:s, s:I, s:b}", "owner", options->mine ? session_actor (session) : "",
                     "after", after, "over", options->over);
        json_t *answer = task_ask (cli, session, site, "Bags", question, "", code);
        if (!answer)
            return false;
        size_t i;
        const json_t *record;
        json_array_foreach (json_object_get (answer, "bags"), i, record)
        {
            json_array_append_new (bags, bag_form (task_site_name (site), record));
            after = number_of (record, "bag");
        }
        more = json_is_true (json_object_get (answer, "more")) && i > 0;
        json_decref (answer);
    }
    return true;
}

static void print_bags (const json_t *bags)
{
    static const char *const headings [] = {"BAG",      "OWNER",  "NAME",      ">QUEUED",
                                            ">RUNNING", ">AWAY",  ">OVER",     ">FAILED",
                                            ">CPUS",    ">LIMIT", ">PRIORITY", "EXPECTED"};
    table_t *table = table_new (headings, 12);
    size_t i;
    const json_t *bag;
    json_array_foreach (bags, i, bag)
    {
        char queued [24], running [24], away [24], over [24], failed [24], cpus [24], priority [24];
        char called [3 * NAME_BYTES_MAX];
        const char *home = name_short (text_of (bag, "home"));
        snprintf (called, sizeof called, "%s%s%s%s", text_of (bag, "name"),
                  *home && *text_of (bag, "name") ? ", " : "", *home ? "guest of " : "", home);
        char expected [TIME_TEXT_BYTES];
        const char *when = text_of (bag, "expected");
        const char *cells [] = {text_of (bag, "bag"),
                                text_of (bag, "owner"),
                                called,
                                number_text (bag, "queued", queued),
                                number_text (bag, "running", running),
                                number_text (bag, "away", away),
                                number_text (bag, "over", over),
                                number_text (bag, "failed", failed),
                                number_text (bag, "cpus", cpus),
                                text_of (bag, "limit"),
                                number_text (bag, "priority", priority),
                                *when ? time_brief (when, expected) : ""};
        table_row (table, cells);
    }
    table_print (&table, stdout);
}

/*  --- tasks --- */

static json_t *task_form (const task_name_t *name, const json_t *record)
{
    char text [2 * NAME_BYTES_MAX];
    const json_t *id = json_object_get (record, "task");
    const char *state = task_state_word (record);
    snprintf (text, sizeof text, "%s/%" PRIu64 ".%" PRId64, name->site, name->bag,
              number_of (id, "index"));
    json_t *form = json_pack ("{s:s, s:s}", "task", text, "state", state);
    if (*text_of (record, "why"))
        json_object_set (form, "why", json_object_get (record, "why"));
    if (*text_of (record, "site"))
        json_object_set (form, "site", json_object_get (record, "site"));
    if (number_of (record, "run") == 0)
        return form;
    json_object_set (form, "tries", json_object_get (record, "run"));
    json_object_set (form, "node", json_object_get (record, "node"));
    set_time (form, "started", number_of (record, "started_ms"));
    set_time (form, "ended", number_of (record, "ended_ms"));
    json_object_set_new (form, "cpu_seconds",
                         json_real ((double) number_of (record, "cpu_ms") / 1000));
    if (strcmp (state, "ended") == 0 || strcmp (state, "stopped") == 0) {
        bool begun = number_of (record, "started_ms") != 0;
        json_object_set_new (form, "exit_code",
                             begun ? json_integer (number_of (record, "exit_code")) : json_null ());
        json_object_set_new (form, "signal", json_integer (number_of (record, "signal")));
    }
    if (number_of (record, "dropped") > 0)
        json_object_set_new (form, "dropped", json_integer (number_of (record, "dropped")));
    return form;
}

static void print_tasks (const json_t *tasks)
{
    static const char *const headings [] = {"TASK",    "STATE",  "NODE",    "SITE", ">EXIT",
                                            ">SIGNAL", ">CPU S", "STARTED", "WHY"};
    table_t *table = table_new (headings, 9);
    size_t i;
    const json_t *task;
    json_array_foreach (tasks, i, task)
    {
        char exit_code [24], signal [24], cpu [32] = "", started [TIME_TEXT_BYTES], cut [64];
        const char *why = text_of (task, "why");
        snprintf (cut, sizeof cut, "%" PRId64 " bytes of output were dropped",
                  number_of (task, "dropped"));
        bool over = json_is_integer (json_object_get (task, "exit_code"));
        const char *when = text_of (task, "started");
        if (json_object_get (task, "cpu_seconds"))
            snprintf (cpu, sizeof cpu, "%.2f",
                      json_real_value (json_object_get (task, "cpu_seconds")));
        const char *cells [] = {text_of (task, "task"),
                                text_of (task, "state"),
                                text_of (task, "node"),
                                name_short (text_of (task, "site")),
                                over ? number_text (task, "exit_code", exit_code) : "",
                                over ? number_text (task, "signal", signal) : "",
                                cpu,
                                *when ? time_brief (when, started) : "",
                                !*why && number_of (task, "dropped") > 0 ? cut : why};
        table_row (table, cells);
    }
    table_print (&table, stdout);
}

static int queue_of_bag (const cli_t *cli, session_t *session, const task_name_t *name)
{
    int code;
    const json_t *site = task_site (session, "queue", name->site, &code);
    if (!site)
        return code;
    json_t *tasks = json_array ();
    json_int_t from = name->task ? name->index : 0;
    for (bool more = true; more;) {
        json_t *question = json_pack ("{s:I, s:I, s:i}", "bag", (json_int_t) name->bag, "from",
                                      from, "most", name->task ? 1 : 0);
        json_t *answer = task_ask (cli, session, site, "Tasks", question, "", &code);
        size_t i;
        const json_t *record;
        json_array_foreach (json_object_get (answer, "tasks"), i, record)
          json_array_append_new (tasks, task_form (name, record));
        more = !name->task && json_is_true (json_object_get (answer, "more")) && i > 0;
        from += (json_int_t) i;
        json_decref (answer);
    }
    if (code == EXIT_DONE && name->task && json_array_size (tasks) == 0)
        code = cli_fail (EXIT_REFUSED, "queue: bag %s/%" PRIu64 " has no task %" PRIu32, name->site,
                         name->bag, name->index);
    else if (code == EXIT_DONE && cli->json)
        cli_print_json (json_pack ("{s:O}", "tasks", tasks));
    else if (code == EXIT_DONE)
        print_tasks (tasks);
    json_decref (tasks);
    return code;
}

int run_queue (cli_t *cli)
{
    queue_options_t options = {0};
    option_t list [] = {
      {"bag", OPTION_INTEGER, &options.bag, "N", "the tasks of this bag, as SITE/N", 1, 9e15},
      {"mine", OPTION_FLAG, &options.mine, NULL, "only one's own", 0, 0},
      {"over", OPTION_FLAG, &options.over, NULL, "those that are over, too", 0, 0},
    };
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){list, 3}, 0, 1, &words, &code))
        return code;
    const char *named = words.count > 0 ? words.list [0] : NULL;
    task_name_t name = {.bag = 0};
    char whole [2 * NAME_BYTES_MAX];
    if (options.bag > 0 && !named)
        return cli_fail (EXIT_USAGE, "queue: --bag is of which site? SITE --bag N, or SITE/N");
    if (options.bag > 0) {
        snprintf (whole, sizeof whole, "%s/%" PRId64, named, options.bag);
        named = whole;
    }
    bool of_bag = false;
    if (named && !task_word ("queue", named, &of_bag, &name, &code))
        return code;
    session_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    code =
      of_bag
        ? queue_of_bag (cli, session, &name)
        : task_list (
            cli, session, named,
            &(task_rows_t){.key = "bags", .add = add_bags, .owner = &options, .print = print_bags});
    session_close (&session);
    return code;
}
