/*  musubi gantt - reservations over time, on the terminal or as a picture. */
#include "answer_form.h"
#include "gantt.h"
#include "listing.h"
#include "timetext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_PRESET 100
#define HOUR_MS      INT64_C (3600000)
#define SPAN_MS_MAX  (INT64_C (3660) * 24 * HOUR_MS)

typedef struct {
    option_time_t from;
    option_time_t until;
    const char *svg;
} gantt_options_t;

/*  What is drawn, with the texts that it borrows. */
typedef struct {
    gantt_row_t *rows;
    gantt_bar_t *bars;
    gantt_reservation_t *reservations;
    size_t rows_count;
    size_t bars_count;
    size_t reservations_count;
    char **names;
} chart_t;

static const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

static int64_t number_of (const json_t *object, const char *key)
{
    return json_integer_value (json_object_get (object, key));
}

static int64_t time_of (const json_t *object, const char *key)
{
    int64_t ms = 0;
    bool relative;
    timetext_parse (text_of (object, key), &ms, &relative);
    return ms;
}

/*  Room for one more in a list. */
static void *append (void *list, size_t count, size_t size)
{
    void *grown = realloc (list, (count + 1) * size);
    if (!grown)
        abort ();
    return grown;
}

static size_t add_row (chart_t *chart, const char *site, const char *class, int64_t cpus)
{
    char *name = NULL;
    if (asprintf (&name, "%s/%s", site, class) < 0)
        abort ();
    chart->names = append (chart->names, chart->rows_count, sizeof *chart->names);
    chart->rows = append (chart->rows, chart->rows_count, sizeof *chart->rows);
    chart->names [chart->rows_count] = name;
    chart->rows [chart->rows_count] = (gantt_row_t){name, cpus};
    return chart->rows_count++;
}

static void add_rows (chart_t *chart, const json_t *entries)
{
    size_t e;
    const json_t *entry;
    json_array_foreach (entries, e, entry)
    {
        size_t c;
        const json_t *class;
        json_array_foreach (json_object_get (json_object_get (entry, "site"), "classes"), c, class)
          add_row (chart, name_short (text_of (entry, "name")), text_of (class, "name"),
                   number_of (class, "nodes") * number_of (class, "cpus_per_node"));
    }
}

/*  A site that the directory has forgotten still has its reservations. */
static size_t row_of (chart_t *chart, const char *site, const char *class)
{
    size_t length = strlen (site);
    for (size_t r = 0; r < chart->rows_count; r++) {
        const char *name = chart->rows [r].name;
        if (strncmp (name, site, length) == 0 && name [length] == '/' &&
            strcmp (name + length + 1, class) == 0)
            return r;
    }
    return add_row (chart, site, class, 0);
}

static void add_bars (chart_t *chart, const json_t *form)
{
    size_t i;
    const json_t *placement;
    json_array_foreach (json_object_get (form, "compute"), i, placement)
    {
        chart->bars = append (chart->bars, chart->bars_count, sizeof *chart->bars);
        chart->bars [chart->bars_count++] = (gantt_bar_t){
          .row = row_of (chart, text_of (placement, "site"), text_of (placement, "class")),
          .reservation = chart->reservations_count,
          .need = text_of (placement, "id"),
          .cpus = number_of (placement, "cpus"),
          .from_ms = time_of (placement, "start"),
          .until_ms = time_of (placement, "end")};
    }
    chart->reservations =
      append (chart->reservations, chart->reservations_count, sizeof *chart->reservations);
    chart->reservations [chart->reservations_count++] =
      (gantt_reservation_t){.id = text_of (form, "reservation"),
                            .name = text_of (form, "name"),
                            .owner = text_of (form, "owner"),
                            .status = text_of (form, "status"),
                            .from_ms = time_of (form, "start"),
                            .until_ms = time_of (form, "end")};
}

static void chart_clear (chart_t *chart)
{
    for (size_t i = 0; i < chart->rows_count; i++)
        free (chart->names [i]);
    free (chart->names);
    free (chart->rows);
    free (chart->bars);
    free (chart->reservations);
}

/*  From now, or the first start if that is earlier, to the last end; some of it, whatever comes. */
static bool choose_span (gantt_t *gantt, const gantt_options_t *options, int64_t now_ms)
{
    int64_t first_ms = now_ms;
    int64_t last_ms = now_ms + HOUR_MS;
    for (size_t i = 0; i < gantt->bars_count; i++) {
        if (gantt->bars [i].until_ms > last_ms)
            last_ms = gantt->bars [i].until_ms;
        if (gantt->bars [i].from_ms < first_ms)
            first_ms = gantt->bars [i].from_ms;
    }
    gantt->from_ms = options->from.set ? option_time_wall (options->from, now_ms) : first_ms;
    gantt->until_ms = options->until.set ? option_time_wall (options->until, now_ms) : last_ms;
    return gantt->from_ms < gantt->until_ms && gantt->until_ms - gantt->from_ms <= SPAN_MS_MAX;
}

static size_t terminal_width (void)
{
    struct winsize size;
    if (isatty (STDOUT_FILENO) && ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return WIDTH_PRESET;
}

static int write_svg (const gantt_t *gantt, const char *path)
{
    FILE *file = fopen (path, "we");
    bool written = file != NULL;
    if (file) {
        gantt_svg (gantt, file);
        written = !ferror (file);
        written = fclose (file) == 0 && written;
    }
    return written ? EXIT_DONE
                   : cli_fail (EXIT_USAGE, "%s: can't be written: %s", path, strerror (errno));
}

static int draw (const chart_t *chart, const gantt_options_t *options)
{
    gantt_t gantt = {.rows = chart->rows,
                     .rows_count = chart->rows_count,
                     .bars = chart->bars,
                     .bars_count = chart->bars_count,
                     .reservations = chart->reservations,
                     .reservations_count = chart->reservations_count};
    if (!choose_span (&gantt, options, cli_wall_ms ()))
        return cli_fail (EXIT_USAGE, "gantt: --from is not before --until, or ten years are less");
    if (options->svg)
        return write_svg (&gantt, options->svg);
    const char *plain = getenv ("NO_COLOR");
    gantt_print (&gantt, terminal_width (), isatty (STDOUT_FILENO) && !(plain && *plain), stdout);
    return EXIT_DONE;
}

int run_gantt (cli_t *cli)
{
    gantt_options_t options = {0};
    option_t list [] = {
      {"from", OPTION_TIME, &options.from, "T", "start of the chart; now", 0, 0},
      {"until", OPTION_TIME, &options.until, "T", "end of the chart; the last end", 0, 0},
      {"svg", OPTION_TEXT, &options.svg, "FILE", "draw into this file", 0, 0},
    };
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){list, 3}, 0, 0, &words, &code))
        return code;
    session_t *session = listing_session (cli, &code);
    if (!session)
        return code;
    session_look (session, "");
    int64_t now_ms = cli_wall_ms ();
    listing_filter_t filter = {
      .owner = "",
      .from_ms = options.from.set ? option_time_wall (options.from, now_ms) : now_ms,
      .until_ms =
        options.until.set ? option_time_wall (options.until, now_ms) : now_ms + SPAN_MS_MAX / 2};
    json_t *listing =
      filter.from_ms < filter.until_ms
        ? listing_ask (cli, session, &filter, &code)
        : (code = cli_fail (EXIT_USAGE, "gantt: --from is not before --until"), NULL);
    if (listing && cli->json) {
        cli_print_json (json_incref (listing));
    } else if (listing) {
        chart_t chart = {0};
        size_t i;
        const json_t *form;
        add_rows (&chart, session_entries (session));
        json_array_foreach (json_object_get (listing, "reservations"), i, form)
        {
            if (json_array_size (json_object_get (form, "compute")) > 0)
                add_bars (&chart, form);
        }
        code = draw (&chart, &options);
        listing_tell_silent (cli, listing);
        chart_clear (&chart);
    }
    json_decref (listing);
    session_close (&session);
    return code;
}
