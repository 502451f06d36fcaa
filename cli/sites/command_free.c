/*  musubi free - shows when a site has so many CPUs free, or a link so much bandwidth. */
#include "commands.h"
#include "resource_lookup.h"

#define WINDOWS_MAX 64   /* in one question */
#define MARGIN_MS   2000 /* for the way of the question */

typedef struct {
    int64_t need; /* CPUs, Mbit/s */
    int64_t for_ms;
    option_time_t between [2];
    const char *class;
} free_options_t;

/*  Of a link, or a storage node. */
static int64_t offer_capacity (const json_t *link)
{
    return number_of (link, "mbps") + number_of (link, "mib");
}

/*  The spans of the calendar; those of a site with their class. */
static json_t *spans_form (const resource_entry_t *offer, const json_t *spans)
{
    static const form_row_t rows [] = {{.key = "from", .kind = FORM_TIME, .from = "from_ms"},
                                       {.key = "until", .kind = FORM_TIME, .from = "until_ms"},
                                       {.key = "class", .kind = FORM_TEXT, .from = "resource"},
                                       {0}};
    static const form_row_t of_link [] = {{.key = "from", .kind = FORM_TIME, .from = "from_ms"},
                                          {.key = "until", .kind = FORM_TIME, .from = "until_ms"},
                                          {0}};
    return forms_of (offer->link ? of_link : rows, spans);
}

/*  --- the questions ---  */

/*  Adds windows of the wanted length, spread evenly over the time. */
static void spread_windows (json_t *windows, const char *resource, int64_t quantity, size_t count,
                            const free_options_t *options, int64_t from_ms, int64_t until_ms)
{
    int64_t slack_ms = until_ms - options->for_ms - from_ms;
    for (size_t w = 0; w < count && slack_ms >= 0; w++) {
        int64_t step_ms = count > 1 ? slack_ms / (int64_t) (count - 1) : 0;
        json_int_t start_ms = from_ms + step_ms * (int64_t) w;
        json_int_t end_ms = start_ms + options->for_ms;
        json_array_append_new (windows, json_pack ("{s:s, s:I, s:I, s:I}", "resource", resource,
                                                   "quantity", (json_int_t) quantity, "from_ms",
                                                   start_ms, "until_ms", end_ms));
    }
}

/*  Windows to ask about where only windows are disclosed: of the link, or of each class that is
 *  large enough. */
static json_t *windows_question (const resource_entry_t *offer, const free_options_t *options,
                                 int64_t from_ms, int64_t until_ms)
{
    json_t *windows = json_array ();
    const json_t *classes = json_object_get (offer_description (offer), "classes");
    size_t each = WINDOWS_MAX / (json_array_size (classes) ? json_array_size (classes) : 1);
    if (offer->link && options->need <= offer_capacity (offer->link))
        spread_windows (windows, text_of (offer->link, "name"), options->need, WINDOWS_MAX, options,
                        from_ms, until_ms);
    json_each (class, classes) {
        const char *name = text_of (class, "name");
        int64_t per_node = number_of (class, "cpus_per_node");
        int64_t nodes = per_node ? (options->need + per_node - 1) / per_node : INT64_MAX;
        bool wanted = !options->class || strcmp (options->class, name) == 0;
        if (wanted && nodes <= number_of (class, "nodes"))
            spread_windows (windows, name, nodes, each, options, from_ms, until_ms);
    }
    return json_pack ("{s:o}", "windows", windows);
}

static json_t *free_question (const resource_entry_t *offer, const free_options_t *options,
                              int64_t from_ms, int64_t until_ms)
{
    const char *resource = offer->link      ? text_of (offer->link, "name")
                           : options->class ? options->class
                                            : "";
    return json_pack ("{s:s, s:I, s:I, s:I, s:I}", "resource", resource, "amount",
                      (json_int_t) options->need, "duration_ms", (json_int_t) options->for_ms,
                      "from_ms", (json_int_t) from_ms, "until_ms", (json_int_t) until_ms);
}

/*  The windows that fit, as forms of spans. */
static json_t *fitting_windows (const resource_entry_t *offer, const json_t *question,
                                const json_t *answer)
{
    json_auto_t *spans = json_array ();
    const json_t *windows = json_object_get (question, "windows");
    const json_t *fits;
    for (size_t i = 0; (fits = item_of (answer, "fits", i)); i++)
        if (json_is_true (fits) && i < json_array_size (windows))
            json_array_append (spans, json_array_get (windows, i));
    return spans_form (offer, spans);
}

/*  Asks what the site or domain discloses. The form is new; NULL after saying why not. */
static json_t *ask_owner (session_t *session, const resource_entry_t *offer,
                          const free_options_t *options, int *code)
{
    const json_t *description = offer_description (offer);
    bool windows = offer_windows_only (description);
    int64_t now_ms = cli_wall_ms ();
    int64_t from_ms = option_time_wall (options->between [0], now_ms);
    int64_t until_ms = option_time_wall (options->between [1], now_ms);
    /* No booking can start within the lead. */
    int64_t soonest_ms = now_ms + number_of (description, "lead_ms") + MARGIN_MS;
    if (windows && from_ms < soonest_ms)
        from_ms = soonest_ms;
    json_auto_t *question = windows ? windows_question (offer, options, from_ms, until_ms)
                                    : free_question (offer, options, from_ms, until_ms);
    char reason [CLIENT_REASON_BYTES] = "--class must be UTF-8";
    json_auto_t *answer = NULL;
    call_status_t status = CALL_BAD_REQUEST;
    if (question)
        status = session_ask_entry (session, offer->entry, "Calendar", windows ? "Windows" : "Free",
                                    question, &answer, reason);
    json_t *form = NULL;
    *code = session_code (status);
    if (status != CALL_OK) {
        cli_fail (*code, "free: %s: %s", text_of (offer->entry, "name"), reason);
    } else {
        form = json_pack ("{s:s, s:o}",
                          json_object_get (offer->entry, "storage") ? "storage"
                          : offer->link                             ? "link"
                                                                    : "site",
                          offer->name, "spans",
                          windows ? fitting_windows (offer, question, answer)
                                  : spans_form (offer, json_object_get (answer, "spans")));
        if (!windows)
            json_object_set (form, "utilisation", json_object_get (answer, "utilisation"));
    }
    return form;
}

/*  --- the answer ---  */

static void print_none (const resource_entry_t *offer, const free_options_t *options)
{
    char text [TIMETEXT_BYTES];
    printf ("%" PRId64 " %s are not free for %s in that time", options->need, offer_unit (offer),
            timetext_format_duration (options->for_ms, text));
    if (offer->link && options->need > offer_capacity (offer->link))
        printf (": %s has %" PRId64 " in all", offer->name, offer_capacity (offer->link));
    putchar ('\n');
}

static void print_spans (const resource_entry_t *offer, const json_t *form,
                         const free_options_t *options)
{
    static const form_row_t columns [] = {{"CLASS", "class", .kind = FORM_TEXT},
                                          {"FREE FROM", "from", .kind = FORM_TEXT},
                                          {"UNTIL", "until", .kind = FORM_TEXT},
                                          {0}};
    const json_t *spans = json_object_get (form, "spans");
    if (json_array_size (spans) == 0)
        print_none (offer, options);
    else
        table_print_forms (offer->link ? columns + 1 : columns, spans, stdout);
    const json_t *utilisation = json_object_get (form, "utilisation");
    if (utilisation)
        printf ("%.1f %% of its capacity is booked in that time\n",
                100 * json_number_value (utilisation));
    else if (json_array_size (spans) > 0)
        printf ("%s discloses only whether given windows fit; these are some that do\n",
                name_short (text_of (offer->entry, "name")));
}

static int ask_free (const cli_t *cli, session_t *session, const char *name,
                     const free_options_t *options)
{
    resource_entry_t offer;
    int code;
    if (!offer_find (session, "free", name, &offer, &code))
        return code;
    if (offer.link && options->class)
        return cli_fail (EXIT_USAGE, "free: --class can be given for sites only; %s is a link",
                         offer.name);
    json_auto_t *form = ask_owner (session, &offer, options, &code);
    if (form && !cli_json (cli, json_incref (form)))
        print_spans (&offer, form, options);
    return code;
}

int run_free (cli_t *cli)
{
    free_options_t options = {
      .between = {{.set = true, .relative = true, .ms = 0},
                  {.set = true, .relative = true, .ms = INT64_C (24) * 3600000}}};
    cli_option_t list [] = {
      INTEGER_OPTION ("need", &options.need, "N",
                      "CPUs of a site, Mbit/s of a link, or MiB of SITE/NODE or SITE/storage", 1,
                      UINT32_MAX),
      DURATION_OPTION ("for", &options.for_ms, "D", "for how long they must be free"),
      SPAN_OPTION ("between", options.between, "T T",
                   "within which time; now to now+24h unless given"),
      TEXT_OPTION ("class", &options.class, "NAME", "only nodes of this class"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    if (options.need == 0 || options.for_ms == 0)
        return cli_fail (EXIT_USAGE, "free: --need and --for must be given");
    session_auto_t *session = session_open_all (cli, &code);
    return session ? ask_free (cli, session, cli->words [0], &options) : code;
}
