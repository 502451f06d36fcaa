/*  gantt - the same chart as an SVG picture. */
#include "gantt.h"

#include "timetext.h"

#include <inttypes.h>
#include <stdlib.h>

#define CHART_LEFT   170
#define CHART_WIDTH  1000
#define CHART_TOP    40
#define LANE_HEIGHT  20
#define ROW_GAP      8
#define LEGEND_LINE  16
#define LEGEND_MAX   40
#define MARKS_MAX    10
#define TEXT_WIDTH_7 7 /* of a letter, about */

static const char *const colours [] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                       "#76b7b2", "#b07aa1", "#edc948", "#9c755f"};

#define COLOURS (sizeof colours / sizeof colours [0])

static void write_text (const char *text, FILE *to)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs ("&lt;", to);
            break;
        case '>':
            fputs ("&gt;", to);
            break;
        case '&':
            fputs ("&amp;", to);
            break;
        default:
            if ((unsigned char) *text >= 0x20)
                fputc (*text, to);
        }
    }
}

static double x_of (const gantt_t *self, int64_t at_ms)
{
    int64_t clipped_ms = at_ms < self->from_ms    ? self->from_ms
                         : at_ms > self->until_ms ? self->until_ms
                                                  : at_ms;
    return CHART_LEFT + (double) (clipped_ms - self->from_ms) /
                          (double) (self->until_ms - self->from_ms) * CHART_WIDTH;
}

static void draw_axis (const gantt_t *self, double bottom, FILE *to)
{
    int64_t step_ms = gantt_step (self->until_ms - self->from_ms, MARKS_MAX);
    char from [TIMETEXT_BYTES];
    fprintf (to, "<text x=\"8\" y=\"24\" font-weight=\"bold\">%.10s UTC</text>\n",
             timetext_format (self->from_ms, from));
    int64_t rest = self->from_ms % step_ms;
    for (int64_t at = self->from_ms + (rest ? step_ms - rest : 0); at <= self->until_ms;
         at += step_ms) {
        char text [GANTT_MARK_BYTES];
        double x = x_of (self, at);
        fprintf (to,
                 "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                 "<text x=\"%.1f\" y=\"24\" text-anchor=\"middle\">%s</text>\n",
                 x, CHART_TOP - 8, x, bottom, x, gantt_mark (at, step_ms, text));
    }
}

static void draw_bar (const gantt_t *self, const gantt_bar_t *bar, double y, FILE *to)
{
    double from = x_of (self, bar->from_ms);
    double until = x_of (self, bar->until_ms);
    if (until <= from)
        return;
    char text [128];
    int length = snprintf (text, sizeof text, "%.60s %" PRId64, bar->need, bar->cpus);
    fputs ("<g><title>", to);
    write_text (self->reservations [bar->reservation].id, to);
    fputs (", ", to);
    write_text (text, to);
    fprintf (to,
             " CPUs</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\" "
             "fill=\"%s\"/>",
             from, y, until - from, LANE_HEIGHT - 2, colours [bar->reservation % COLOURS]);
    if (length * TEXT_WIDTH_7 < until - from) {
        fprintf (to, "<text x=\"%.1f\" y=\"%.1f\" fill=\"white\">", from + 4, y + 13);
        write_text (text, to);
        fputs ("</text>", to);
    }
    fputs ("</g>\n", to);
}

static void draw_legend (const gantt_t *self, double y, FILE *to)
{
    for (size_t i = 0; i < self->reservations_count && i < LEGEND_MAX; i++, y += LEGEND_LINE) {
        const gantt_reservation_t *one = &self->reservations [i];
        fprintf (to,
                 "<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                 "<text x=\"%d\" y=\"%.1f\">",
                 CHART_LEFT, y, colours [i % COLOURS], CHART_LEFT + 16, y + 9);
        write_text (one->id, to);
        fputs (" ", to);
        write_text (one->name, to);
        fputs (" ", to);
        write_text (one->owner, to);
        fputs (", ", to);
        write_text (one->status, to);
        fputs ("</text>\n", to);
    }
}

void gantt_svg (const gantt_t *self, FILE *to)
{
    size_t *lane_of_bar = calloc (self->bars_count + 1, sizeof *lane_of_bar);
    size_t *lanes_of_row = calloc (self->rows_count + 1, sizeof *lanes_of_row);
    double *top_of_row = calloc (self->rows_count + 1, sizeof *top_of_row);
    if (!lane_of_bar || !lanes_of_row || !top_of_row)
        abort ();
    gantt_lanes (self, lane_of_bar, lanes_of_row);
    double bottom = CHART_TOP;
    for (size_t r = 0; r < self->rows_count; r++) {
        top_of_row [r] = bottom;
        bottom += (double) lanes_of_row [r] * LANE_HEIGHT + ROW_GAP;
    }
    size_t legend = self->reservations_count < LEGEND_MAX ? self->reservations_count : LEGEND_MAX;
    fprintf (to,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
             "font-family=\"sans-serif\" font-size=\"11\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             CHART_LEFT + CHART_WIDTH + 30, bottom + 24 + (double) legend * LEGEND_LINE);
    draw_axis (self, bottom, to);
    for (size_t r = 0; r < self->rows_count; r++) {
        fprintf (to, "<line x1=\"8\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#bbb\"/>",
                 top_of_row [r] - 3, CHART_LEFT + CHART_WIDTH, top_of_row [r] - 3);
        fprintf (to, "<text x=\"8\" y=\"%.1f\">", top_of_row [r] + 13);
        write_text (self->rows [r].name, to);
        fprintf (to, " (%" PRId64 ")</text>\n", self->rows [r].cpus);
    }
    for (size_t b = 0; b < self->bars_count; b++)
        draw_bar (self, &self->bars [b],
                  top_of_row [self->bars [b].row] + (double) lane_of_bar [b] * LANE_HEIGHT, to);
    draw_legend (self, bottom + 12, to);
    fputs ("</svg>\n", to);
    free (lane_of_bar);
    free (lanes_of_row);
    free (top_of_row);
}
