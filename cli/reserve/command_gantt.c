/*  musubi gantt - reservations over time, in letters or as an SVG picture. */
#include "chart.h"
#include "commands.h"
#include "listing.h"

#include <unistd.h>

#define HOUR_MS     INT64_C (3600000)
#define SPAN_MS_MAX (INT64_C (3660) * 24 * HOUR_MS)

typedef struct {
    option_time_t from;
    option_time_t until;
    const char *svg;
    bool all;
} gantt_options_t;

/*  From now, or from the first start if that is earlier, to the last end, and at least an hour. */
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

static int gantt_write_svg (const gantt_t *gantt, const char *path)
{
    FILE *file = output_file_open (path, false);
    if (!file)
        return EXIT_USAGE;
    gantt_svg (gantt, file);
    return output_file_close (file, path);
}

static int gantt_draw (gantt_t *gantt, const gantt_options_t *options)
{
    if (!choose_span (gantt, options, cli_wall_ms ()))
        return cli_fail (EXIT_USAGE,
                         "gantt: --until must be later than --from, by ten years at most");
    if (options->svg)
        return gantt_write_svg (gantt, options->svg);
    const char *plain = getenv ("NO_COLOR");
    gantt_print (gantt, cli_width (), isatty (STDOUT_FILENO) && !(plain && *plain), stdout);
    return EXIT_DONE;
}

int run_gantt (cli_t *cli)
{
    gantt_options_t options = {0};
    cli_option_t list [] = {
      TIME_OPTION ("from", &options.from, "T", "start of the chart; default now"),
      TIME_OPTION ("until", &options.until, "T",
                   "end of the chart; default the end of the last reservation"),
      FLAG_OPTION ("all", &options.all, "draw all links, not only those in use"),
      TEXT_OPTION ("svg", &options.svg, "FILE",
                   "write an SVG picture to this file; - = standard output"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 0, 0, &code))
        return code;
    session_auto_t *session = listing_session (cli, &code);
    if (!session)
        return code;
    if (!session_look (session, ""))
        return session_lost (session);
    int64_t now_ms = cli_wall_ms ();
    listing_filter_t filter = {
      .owner = "",
      .from_ms = options.from.set ? option_time_wall (options.from, now_ms) : now_ms,
      .until_ms =
        options.until.set ? option_time_wall (options.until, now_ms) : now_ms + SPAN_MS_MAX / 2};
    if (filter.from_ms >= filter.until_ms)
        return cli_fail (EXIT_USAGE, "gantt: --until must be later than --from");
    json_auto_t *listing = listing_ask (cli, session, &filter, &code);
    if (listing && !cli_json (cli, json_incref (listing))) {
        chart_t chart;
        chart_fill (&chart, session->entries, json_object_get (listing, "reservations"),
                    options.all);
        code = gantt_draw (&chart.gantt, &options);
        if (chart.hidden_count > 0)
            cli_note (cli,
                      "%zu reservations of others are not drawn: only their owners and "
                      "administrators may see where they are",
                      chart.hidden_count);
        listing_tell_silent (cli, listing);
        chart_clear (&chart);
    }
    return code;
}
