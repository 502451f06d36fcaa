/*  musubi output - prints what a task has written, as its node has it. */
#include "commands.h"
#include "task_client.h"

#define FOLLOW_MS 1000 /* between two questions, when there was nothing new */

typedef struct {
    bool errors;
    bool follow;
} output_options_t;

static int output_digit (char hex)
{
    return hex <= '9' ? hex - '0' : hex - 'a' + 10;
}

/*  Writes the bytes that hex stands for; returns how many. */
static int64_t write_hex (const char *hex)
{
    int64_t count = 0;
    for (; hex [2 * count] && hex [2 * count + 1]; count++)
        putchar (output_digit (hex [2 * count]) << 4 | output_digit (hex [2 * count + 1]));
    return count;
}

/*  Prints a piece of the output; with --json as an object. Returns how many bytes it had. */
static int64_t tell_piece (const cli_t *cli, const json_t *answer, int64_t offset)
{
    const char *hex = text_of (answer, "data");
    if (!cli->json)
        return write_hex (hex);
    json_t *piece =
      json_pack ("{s:I, s:s, s:I, s:b, s:I}", "offset", (json_int_t) offset, "data", hex, "size",
                 (json_int_t) number_of (answer, "size"), "over", flag_of (answer, "over"),
                 "dropped", (json_int_t) number_of (answer, "dropped"));
    cli_print_json (piece);
    return (int64_t) strlen (hex) / 2;
}

/*  The task's record, new; NULL after saying why it is not known, with *code. */
static json_t *record_of (const cli_t *cli, session_t *session, const json_t *site,
                          const task_name_t *name, int *code)
{
    json_t *question = json_pack ("{s:I, s:I, s:i}", "bag", (json_int_t) name->bag, "from",
                                  (json_int_t) name->index, "most", 1);
    json_auto_t *answer = task_ask (cli, session, site, "Tasks", question, "", code);
    json_t *record = json_incref (item_of (answer, "tasks", 0));
    if (answer && !record)
        *code = cli_fail (EXIT_REFUSED, "output: bag %s/%" PRIu64 " has no task %" PRIu32,
                          name->site, name->bag, name->index);
    return record;
}

/*  Waits while the task is in one of these two states, and returns its record then, new. NULL after
 *  an interrupt, or after saying why not, with *code. */
static json_t *wait_while (const cli_t *cli, session_t *session, const json_t *site,
                           const task_name_t *name, const char *one, const char *other, int *code)
{
    json_t *record;
    while ((record = record_of (cli, session, site, name, code))) {
        const char *state = task_state_word (record);
        if (strcmp (state, one) != 0 && strcmp (state, other) != 0)
            return record;
        json_decref (record);
        if (cli_interrupted ())
            return NULL;
        cli_rest (FOLLOW_MS);
    }
    return NULL;
}

/*  EXIT_DONE if the task ended with exit code 0; otherwise says how it ended. */
static int output_tell_end (const task_name_t *name, const json_t *record)
{
    const char *state = task_state_word (record);
    const char *why = text_of (record, "why");
    char end [64] = "";
    if (strcmp (state, "ended") == 0 && number_of (record, "signal") != 0)
        snprintf (end, sizeof end, " by signal %" PRId64, number_of (record, "signal"));
    else if (strcmp (state, "ended") == 0 && number_of (record, "exit_code") != 0)
        snprintf (end, sizeof end, " with exit code %" PRId64, number_of (record, "exit_code"));
    else if (strcmp (state, "ended") == 0)
        return EXIT_DONE;
    if (strcmp (state, "cancelled") == 0)
        state = "was cancelled before it began";
    return cli_fail (EXIT_REFUSED, "output: task %s/%" PRIu64 ".%" PRIu32 " %s%s%s%s", name->site,
                     name->bag, name->index, state, end, *why ? ": " : "", why);
}

/*  Waits until the task has begun. False if it never will, with *code. */
static bool wait_begun (const cli_t *cli, session_t *session, const json_t *site,
                        const task_name_t *name, int *code)
{
    json_auto_t *record = wait_while (cli, session, site, name, "queued", "placed", code);
    bool never = record && number_of (record, "started_ms") == 0 &&
                 (strcmp (task_state_word (record), "cancelled") == 0 ||
                  strcmp (task_state_word (record), "stopped") == 0);
    if (never)
        *code = output_tell_end (name, record);
    return record && !never && !cli_interrupted ();
}

/*  Waits for the end of a task that was followed, and says how it ended. */
static int output_wait_end (const cli_t *cli, session_t *session, const json_t *site,
                            const task_name_t *name)
{
    int code = EXIT_DONE;
    json_auto_t *record = wait_while (cli, session, site, name, "running", "away", &code);
    return record ? output_tell_end (name, record) : code;
}

/*  Prints the output of the named task; of task 0 when only a bag is named. */
static int output (const cli_t *cli, session_t *session, const task_name_t *name,
                   const output_options_t *options)
{
    int code;
    const json_t *site = task_site (session, "output", name->site, &code);
    if (!site || (options->follow && !wait_begun (cli, session, site, name, &code)))
        return code;
    int64_t offset = 0;
    int64_t dropped = 0;
    for (bool done = false; !done && !cli_interrupted () && !ferror (stdout);) {
        json_t *question = json_pack ("{s:{s:I, s:I}, s:b, s:I}", "task", "bag",
                                      (json_int_t) name->bag, "index", (json_int_t) name->index,
                                      "errors", options->errors, "offset", (json_int_t) offset);
        json_auto_t *answer = task_ask (cli, session, site, "Output", question, "", &code);
        if (!answer)
            return code;
        int64_t came = tell_piece (cli, answer, offset);
        offset += came;
        fflush (stdout);
        bool all = offset >= number_of (answer, "size");
        bool over = flag_of (answer, "over");
        done = came == 0 && (!options->follow || over);
        done = done || (all && !options->follow) || (all && over);
        dropped = number_of (answer, "dropped");
        if (!done && came == 0)
            cli_rest (FOLLOW_MS);
    }
    if (dropped > 0 && !cli->json)
        fprintf (stderr,
                 "output: %" PRId64 " more bytes were dropped: the node keeps only %" PRId64
                 " (its limits/output, while 256 MiB of its disk stay free)\n",
                 dropped, offset);
    bool ended = options->follow && !cli_interrupted () && !ferror (stdout);
    return ended ? output_wait_end (cli, session, site, name) : EXIT_DONE;
}

int run_output (cli_t *cli)
{
    output_options_t options = {0};
    cli_option_t list [] = {
      FLAG_OPTION ("errors", &options.errors, "standard error, if the task keeps it apart"),
      FLAG_OPTION (
        "follow", &options.follow,
        "wait for the task and print until it has ended; exit 1 unless its exit code was 0"),
      {0}};
    int code;
    task_name_t name;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    if (!task_name_read (&name, cli->words [0]))
        return cli_fail (EXIT_USAGE, "output: \"%s\" should be a task such as ams/12.3",
                         cli->words [0]);
    session_auto_t *session = session_open_all (cli, &code);
    return session ? output (cli, session, &name, &options) : code;
}
