/*  musubi sites, musubi free - what there is, and when it is free. */
#include "answer_form.h"
#include "session.h"

#include "timetext.h"

#include <inttypes.h>
#include <string.h>

#define WINDOWS_MAX 64   /* in one question */
#define MARGIN_MS   2000 /* for the way there */

static const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

static int64_t number_of (const json_t *object, const char *key)
{
    return json_integer_value (json_object_get (object, key));
}

/*  --- sites ---  */

static json_t *class_form (const json_t *class)
{
    json_t *attributes = json_object ();
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (class, "attributes"), i, one)
      json_object_set_new (attributes, text_of (one, "name"), json_string (text_of (one, "value")));
    int64_t nodes = number_of (class, "nodes");
    int64_t each = number_of (class, "cpus_per_node");
    json_int_t cpus = nodes * each;
    return json_pack ("{s:s, s:I, s:I, s:I, s:I, s:o}", "class", text_of (class, "name"), "nodes",
                      (json_int_t) nodes, "cpus_per_node", (json_int_t) each, "cpus", cpus, "price",
                      (json_int_t) number_of (class, "price"), "attributes", attributes);
}

static json_t *site_form (const json_t *entry)
{
    const json_t *site = json_object_get (entry, "site");
    json_t *classes = json_array ();
    size_t i;
    const json_t *class;
    json_array_foreach (json_object_get (site, "classes"), i, class)
      json_array_append_new (classes, class_form (class));
    bool windows = strcmp (text_of (site, "disclosure"), "WINDOWS") == 0;
    return json_pack ("{s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "name",
                      name_short (text_of (entry, "name")), "endpoint", text_of (entry, "endpoint"),
                      "disclosure", windows ? "windows" : "profile", "lead_ms",
                      (json_int_t) number_of (site, "lead_ms"), "horizon_ms",
                      (json_int_t) number_of (site, "horizon_ms"), "cleaning_gap_ms",
                      (json_int_t) number_of (site, "cleaning_gap_ms"), "classes", classes);
}

static void attributes_text (json_t *attributes, char *text, size_t size)
{
    size_t length = 0;
    const char *key;
    json_t *value;
    text [0] = '\0';
    json_object_foreach (attributes, key, value)
    {
        if (length < size)
            length += (size_t) snprintf (text + length, size - length, "%s%s=%s", length ? " " : "",
                                         key, json_string_value (value));
    }
}

static void print_sites (const json_t *sites)
{
    static const char *const headings [] = {"SITE",  "CLASS",  ">NODES",    ">CPUS/NODE",
                                            ">CPUS", ">PRICE", "ATTRIBUTES"};
    table_t *table = table_new (headings, 7);
    size_t s;
    const json_t *site;
    json_array_foreach (sites, s, site)
    {
        size_t c;
        const json_t *class;
        json_array_foreach (json_object_get (site, "classes"), c, class)
        {
            char nodes [24];
            char each [24];
            char cpus [24];
            char price [COST_TEXT_BYTES];
            char attributes [512];
            snprintf (nodes, sizeof nodes, "%" PRId64, number_of (class, "nodes"));
            snprintf (each, sizeof each, "%" PRId64, number_of (class, "cpus_per_node"));
            snprintf (cpus, sizeof cpus, "%" PRId64, number_of (class, "cpus"));
            attributes_text (json_object_get (class, "attributes"), attributes, sizeof attributes);
            const char *cells [] = {text_of (site, "name"),
                                    text_of (class, "class"),
                                    nodes,
                                    each,
                                    cpus,
                                    cost_text (number_of (class, "price"), price),
                                    attributes};
            table_row (table, cells);
        }
    }
    table_print (table, stdout);
    table_destroy (&table);
}

int run_sites (cli_t *cli)
{
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){NULL, 0}, 0, 0, &words, &code))
        return code;
    session_t *session = session_open (cli, &code);
    if (!session)
        return code;
    if (!session_look (session, "")) {
        code = session_lost (session);
        session_close (&session);
        return code;
    }
    json_t *sites = json_array ();
    size_t i;
    const json_t *entry;
    json_array_foreach (session_entries (session), i, entry)
    {
        if (json_object_get (entry, "site"))
            json_array_append_new (sites, site_form (entry));
    }
    if (cli->json)
        cli_print_json (json_pack ("{s:O}", "sites", sites));
    else
        print_sites (sites);
    json_decref (sites);
    session_close (&session);
    return EXIT_DONE;
}

/*  --- free ---  */

typedef struct {
    int64_t need;
    int64_t for_ms;
    option_time_t between [2];
    const char *class;
} free_options_t;

static int refuse_site (const session_t *session, const char *site)
{
    fprintf (stderr, "musubi: there is no site \"%s\"; there are:", site);
    size_t i;
    const json_t *entry;
    json_array_foreach (session_entries (session), i, entry)
    {
        if (json_object_get (entry, "site"))
            fprintf (stderr, " %s", name_short (text_of (entry, "name")));
    }
    fputc ('\n', stderr);
    return EXIT_REFUSED;
}

static json_t *spans_form (const json_t *spans)
{
    json_t *list = json_array ();
    size_t i;
    const json_t *span;
    json_array_foreach (spans, i, span)
    {
        char from [TIME_TEXT_BYTES];
        char until [TIME_TEXT_BYTES];
        json_array_append_new (
          list, json_pack ("{s:s, s:s, s:s}", "class", text_of (span, "resource"), "from",
                           time_text (number_of (span, "from_ms"), from), "until",
                           time_text (number_of (span, "until_ms"), until)));
    }
    return list;
}

static void print_spans (const json_t *form, const free_options_t *options)
{
    static const char *const headings [] = {"CLASS", "FREE FROM", "UNTIL"};
    const json_t *spans = json_object_get (form, "spans");
    char text [TIMETEXT_BYTES];
    size_t i;
    const json_t *span;
    if (json_array_size (spans) == 0) {
        printf ("%" PRId64 " CPUs are not free for %s in that time\n", options->need,
                timetext_format_duration (options->for_ms, text));
    } else {
        table_t *table = table_new (headings, 3);
        json_array_foreach (spans, i, span)
        {
            const char *cells [] = {text_of (span, "class"), text_of (span, "from"),
                                    text_of (span, "until")};
            table_row (table, cells);
        }
        table_print (table, stdout);
        table_destroy (&table);
    }
    const json_t *utilisation = json_object_get (form, "utilisation");
    if (utilisation)
        printf ("%.1f %% of it is booked\n", 100 * json_real_value (utilisation));
    else if (json_array_size (spans) > 0)
        printf ("this site tells only whether given windows fit: these are some that do\n");
}

/*  Where a site tells only whether windows fit: windows of the wanted length, evenly spread over
 * the time, in every class that could hold them. */
static json_t *windows_question (const json_t *site, const free_options_t *options, int64_t from_ms,
                                 int64_t until_ms)
{
    json_t *windows = json_array ();
    const json_t *classes = json_object_get (site, "classes");
    size_t each = WINDOWS_MAX / (json_array_size (classes) ? json_array_size (classes) : 1);
    int64_t slack_ms = until_ms - options->for_ms - from_ms;
    size_t i;
    const json_t *class;
    json_array_foreach (classes, i, class)
    {
        const char *name = text_of (class, "name");
        int64_t per_node = number_of (class, "cpus_per_node");
        int64_t nodes = per_node ? (options->need + per_node - 1) / per_node : INT64_MAX;
        bool wanted = !options->class || strcmp (options->class, name) == 0;
        if (!wanted || nodes > number_of (class, "nodes") || slack_ms < 0)
            continue;
        for (size_t w = 0; w < each; w++) {
            int64_t start_ms =
              from_ms + (each > 1 ? slack_ms / (int64_t) (each - 1) : 0) * (int64_t) w;
            json_int_t end_ms = start_ms + options->for_ms;
            json_array_append_new (windows, json_pack ("{s:s, s:I, s:I, s:I}", "resource", name,
                                                       "quantity", (json_int_t) nodes, "from_ms",
                                                       (json_int_t) start_ms, "until_ms", end_ms));
        }
    }
    return json_pack ("{s:o}", "windows", windows);
}

/*  The windows that fit, as spans. */
static json_t *fitting_windows (const json_t *question, const json_t *answer)
{
    json_t *spans = json_array ();
    const json_t *windows = json_object_get (question, "windows");
    size_t i;
    const json_t *fits;
    json_array_foreach (json_object_get (answer, "fits"), i, fits)
    {
        if (json_is_true (fits) && i < json_array_size (windows))
            json_array_append (spans, json_array_get (windows, i));
    }
    json_t *form = spans_form (spans);
    json_decref (spans);
    return form;
}

static int code_of (call_status_t status)
{
    return status == CALL_TIMED_OUT     ? EXIT_UNKNOWN
           : status == CALL_BAD_REQUEST ? EXIT_USAGE
                                        : EXIT_REFUSED;
}

/*  Asks the one question that the site answers; the form is new, NULL after telling why not. */
static json_t *ask_site (session_t *session, const json_t *entry, const free_options_t *options,
                         int *code)
{
    const json_t *site = json_object_get (entry, "site");
    bool windows = strcmp (text_of (site, "disclosure"), "WINDOWS") == 0;
    method_t method = services_method ("Calendar", windows ? "Windows" : "Free");
    int64_t now_ms = cli_wall_ms ();
    int64_t from_ms = option_time_wall (options->between [0], now_ms);
    int64_t until_ms = option_time_wall (options->between [1], now_ms);
    /* A site books nothing that starts within its lead. */
    int64_t soonest_ms = now_ms + number_of (site, "lead_ms") + MARGIN_MS;
    if (windows && from_ms < soonest_ms)
        from_ms = soonest_ms;
    json_t *question =
      windows ? windows_question (site, options, from_ms, until_ms)
              : json_pack ("{s:s, s:I, s:I, s:I, s:I}", "resource",
                           options->class ? options->class : "", "amount",
                           (json_int_t) options->need, "duration_ms", (json_int_t) options->for_ms,
                           "from_ms", (json_int_t) from_ms, "until_ms", (json_int_t) until_ms);
    char reason [CLIENT_REASON_BYTES] = "--class is not UTF-8";
    json_t *answer = NULL;
    call_status_t status = question
                             ? session_ask (session, text_of (entry, "endpoint"), &method, question,
                                            "", session_timeout_ms (session), &answer, reason)
                             : CALL_BAD_REQUEST;
    json_t *form = NULL;
    *code = status == CALL_OK ? EXIT_DONE : code_of (status);
    if (status != CALL_OK)
        cli_fail (*code, "free: %s: %s", text_of (entry, "name"), reason);
    else if (windows)
        form = json_pack ("{s:s, s:o}", "site", name_short (text_of (entry, "name")), "spans",
                          fitting_windows (question, answer));
    else
        form = json_pack ("{s:s, s:o, s:O}", "site", name_short (text_of (entry, "name")), "spans",
                          spans_form (json_object_get (answer, "spans")), "utilisation",
                          json_object_get (answer, "utilisation"));
    json_decref (question);
    json_decref (answer);
    return form;
}

static int ask_free (const cli_t *cli, session_t *session, const char *site,
                     const free_options_t *options)
{
    char name [NAME_BYTES_MAX + 1];
    int code;
    snprintf (name, sizeof name, "lis/%.*s", NAME_BYTES_MAX - 4, name_short (site));
    const json_t *entry = session_entry (session, name);
    if (!entry && session_look (session, ""))
        entry = session_entry (session, name);
    if (!entry)
        return refuse_site (session, site);
    json_t *form = ask_site (session, entry, options, &code);
    if (form && cli->json)
        cli_print_json (json_incref (form));
    else if (form)
        print_spans (form, options);
    json_decref (form);
    return code;
}

int run_free (cli_t *cli)
{
    free_options_t options = {
      .between = {{.set = true, .relative = true, .ms = 0},
                  {.set = true, .relative = true, .ms = INT64_C (24) * 3600000}}};
    option_t list [] = {
      {"need", OPTION_INTEGER, &options.need, "N", "CPUs wanted", 1, UINT32_MAX},
      {"for", OPTION_DURATION, &options.for_ms, "D", "for how long", 0, 0},
      {"between", OPTION_SPAN, options.between, "T T", "in which time; now now+24h", 0, 0},
      {"class", OPTION_TEXT, &options.class, "NAME", "only this class of nodes", 0, 0},
    };
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){list, 4}, 1, 1, &words, &code))
        return code;
    if (options.need == 0 || options.for_ms == 0)
        return cli_fail (EXIT_USAGE, "free: --need and --for are wanted");
    session_t *session = session_open (cli, &code);
    if (!session)
        return code;
    code = session_look (session, "lis") ? ask_free (cli, session, words.list [0], &options)
                                         : session_lost (session);
    session_close (&session);
    return code;
}
