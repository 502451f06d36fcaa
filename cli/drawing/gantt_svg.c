/*  gantt - the same chart as an SVG picture. */
#include "gantt.h"

#include "must.h"
#include "svg.h"
#include "table.h"

#include <inttypes.h>

#define CHART_LEFT_LEAST 170 /* room for names */
#define CHART_LEFT_MOST  320
#define CHART_WIDTH      1000
#define CHART_TOP        40
#define LANE_HEIGHT      20 /* of a class */
#define LINK_HEIGHT      40 /* all the bandwidth of a link */
#define ROW_GAP          8
#define HEADING_HEIGHT   24
#define LEGEND_LINE      16
#define LEGEND_MAX       40
#define MARKS_MAX        10
#define TEXT_WIDTH       7  /* about, of a letter */
#define EDGE_HEIGHT      4  /* lower pieces have no edge */
#define TEXT_HEIGHT      13 /* lower bars have no text */

/*  What is drawn, and where its rows stand. */
typedef struct {
    const gantt_t *gantt;
    double left;
    double *top_of_row;
    double heading; /* of the links; 0 = there are none */
    double bottom;
    size_t *lane_of_bar;
    size_t *lanes_of_row;
} gantt_svg_picture_t;

static double gantt_svg_x_of (const gantt_svg_picture_t *picture, int64_t at_ms)
{
    const gantt_t *self = picture->gantt;
    int64_t clipped_ms = at_ms < self->from_ms    ? self->from_ms
                         : at_ms > self->until_ms ? self->until_ms
                                                  : at_ms;
    return picture->left + (double) (clipped_ms - self->from_ms) /
                             (double) (self->until_ms - self->from_ms) * CHART_WIDTH;
}

static void draw_axis (const gantt_svg_picture_t *picture, FILE *to)
{
    const gantt_t *self = picture->gantt;
    int64_t step_ms = gantt_step (self->until_ms - self->from_ms, MARKS_MAX);
    char from [TIMETEXT_BYTES];
    svg_label (to, 8, 24, "font-weight=\"bold\"", "%.10s UTC",
               timetext_format (self->from_ms, from));
    for (int64_t at = gantt_first_mark (self->from_ms, step_ms); at <= self->until_ms;
         at += step_ms) {
        char text [GANTT_MARK_BYTES];
        double x = gantt_svg_x_of (picture, at);
        svg_line (x, CHART_TOP - 8, x, picture->bottom, "stroke=\"#ddd\"", to);
        svg_label (to, x, 24, "text-anchor=\"middle\"", "%s", gantt_mark (at, step_ms, text));
    }
}

/*  A bar, or a piece of one, as a rectangle; pointing at it shows what it is. */
static void draw_rectangle (const gantt_svg_picture_t *picture, const gantt_bar_t *bar,
                            int64_t from_ms, int64_t until_ms, double y, double height, FILE *to)
{
    const gantt_t *self = picture->gantt;
    double from = gantt_svg_x_of (picture, from_ms);
    double until = gantt_svg_x_of (picture, until_ms);
    bool link = self->rows [bar->row].link;
    if (until <= from)
        return;
    char text [128];
    snprintf (text, sizeof text, "%.60s%s%" PRId64, bar->need, *bar->need ? " " : "",
              bar->quantity);
    text_auto_t *title = must_print ("%s, %s %s", self->reservations [bar->reservation].id, text,
                                     self->rows [bar->row].unit);
    fputs ("<g><title>", to);
    svg_text (title, to);
    fprintf (to,
             "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s "
             "fill=\"%s\"/>",
             from, y, until - from, height,
             !link                  ? "rx=\"2\""
             : height < EDGE_HEIGHT ? ""
                                    : "stroke=\"white\" stroke-width=\"0.5\"",
             svg_colour (bar->reservation));
    if ((double) (text_width (text) * TEXT_WIDTH) < until - from && height >= TEXT_HEIGHT)
        svg_label (to, from + 4, y + height / 2 + 4, "fill=\"white\"", "%s", text);
    fputs ("</g>\n", to);
}

/*  Darkens the lower part of a bar, as high as the share of its CPU time that was used. */
static void draw_used (const gantt_svg_picture_t *picture, const gantt_bar_t *bar, int percent,
                       double y, FILE *to)
{
    double from = gantt_svg_x_of (picture, bar->from_ms);
    double until = gantt_svg_x_of (picture, bar->until_ms);
    double height = (LANE_HEIGHT - 2) * (percent < 100 ? percent : 100) / 100.0;
    if (from < until)
        fprintf (to,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"black\" "
                 "fill-opacity=\"0.25\"><title>%d %% used</title></rect>\n",
                 from, y + LANE_HEIGHT - 2 - height, until - from, height, percent);
}

/*  A link's bars from the bottom up, on a pale band as high as its bandwidth. Where more is booked
 *  than there is now, the band is lower than the stack, and ends in red. */
static void draw_link (const gantt_svg_picture_t *picture, size_t row, FILE *to)
{
    const gantt_row_t *link = &picture->gantt->rows [row];
    double bottom = picture->top_of_row [row] + LINK_HEIGHT;
    size_t count;
    int64_t peak;
    memory_auto gantt_piece_t *pieces = gantt_pieces (picture->gantt, row, &count, &peak);
    int64_t full = peak > link->capacity ? peak : link->capacity;
    double each = full > 0 ? (double) LINK_HEIGHT / (double) full : 0;
    double band = (double) link->capacity * each;
    svg_rectangle (picture->left, bottom - band, CHART_WIDTH, band,
                   "fill=\"#5b7083\" fill-opacity=\"0.1\"", to);
    for (size_t i = 0; i < count; i++) {
        const gantt_bar_t *bar = &picture->gantt->bars [pieces [i].bar];
        double height = (double) bar->quantity * each;
        draw_rectangle (picture, bar, pieces [i].from_ms, pieces [i].until_ms,
                        bottom - (double) pieces [i].below * each - height, height, to);
    }
    if (link->capacity > 0 && peak > link->capacity)
        svg_line (picture->left, bottom - band, picture->left + CHART_WIDTH, bottom - band,
                  "stroke=\"#c00\" stroke-dasharray=\"4 3\"", to);
}

/*  The name and the capacity of a row. */
static void draw_label (const gantt_svg_picture_t *picture, size_t row, FILE *to)
{
    const gantt_row_t *one = &picture->gantt->rows [row];
    double top = picture->top_of_row [row];
    svg_line (8, top - 4, picture->left + CHART_WIDTH, top - 4, "stroke=\"#bbb\"", to);
    fprintf (to, "<text x=\"8\" y=\"%.1f\">", top + 13);
    svg_text (one->name, to);
    if (!one->link && one->capacity > 0)
        fprintf (to, " <tspan fill=\"#666\">%" PRId64 " CPUs</tspan>", one->capacity);
    fputs ("</text>\n", to);
    if (one->link && one->capacity > 0)
        svg_label (to, 8, top + 28, "fill=\"#666\"", "%" PRId64 " Mbit/s", one->capacity);
}

static void gantt_svg_draw_legend (const gantt_svg_picture_t *picture, FILE *to)
{
    const gantt_t *self = picture->gantt;
    double y = picture->bottom + 12;
    for (size_t i = 0; i < self->reservations_count && i < LEGEND_MAX; i++, y += LEGEND_LINE) {
        const gantt_reservation_t *one = &self->reservations [i];
        text_auto_t *text =
          must_print ("%s %s %s, %s", one->id, one->name, one->owner, one->status);
        svg_key (picture->left, y, i, text, to);
    }
    if (self->reservations_count > LEGEND_MAX)
        svg_label (to, picture->left + 16, y + 9, "", "and %zu more",
                   self->reservations_count - LEGEND_MAX);
}

static void lay_out (gantt_svg_picture_t *picture)
{
    const gantt_t *self = picture->gantt;
    picture->lane_of_bar = must (calloc (self->bars_count + 1, sizeof *picture->lane_of_bar));
    picture->lanes_of_row = must (calloc (self->rows_count + 1, sizeof *picture->lanes_of_row));
    picture->top_of_row = must (calloc (self->rows_count + 1, sizeof *picture->top_of_row));
    gantt_lanes (self, picture->lane_of_bar, picture->lanes_of_row);
    picture->left = CHART_LEFT_LEAST;
    picture->bottom = CHART_TOP;
    for (size_t r = 0; r < self->rows_count; r++) {
        const gantt_row_t *row = &self->rows [r];
        /* A class has its CPUs beside its name. */
        double width = (double) ((text_width (row->name) + (row->link ? 3 : 14)) * TEXT_WIDTH);
        if (width > picture->left)
            picture->left = width < CHART_LEFT_MOST ? width : CHART_LEFT_MOST;
        if (row->link && picture->heading == 0) {
            picture->heading = picture->bottom;
            picture->bottom += HEADING_HEIGHT;
        }
        picture->top_of_row [r] = picture->bottom;
        picture->bottom +=
          row->link ? LINK_HEIGHT : (double) picture->lanes_of_row [r] * LANE_HEIGHT;
        picture->bottom += ROW_GAP;
    }
}

static void draw_rows (const gantt_svg_picture_t *picture, FILE *to)
{
    const gantt_t *self = picture->gantt;
    if (picture->heading > 0)
        fprintf (to,
                 "<text x=\"8\" y=\"%.1f\"><tspan font-weight=\"bold\">links</tspan> "
                 "<tspan fill=\"#666\">height: share of the bandwidth</tspan></text>\n",
                 picture->heading + 13);
    for (size_t r = 0; r < self->rows_count; r++) {
        draw_label (picture, r, to);
        if (self->rows [r].link)
            draw_link (picture, r, to);
    }
    for (size_t b = 0; b < self->bars_count; b++) {
        const gantt_bar_t *bar = &self->bars [b];
        double y = picture->top_of_row [bar->row] + (double) picture->lane_of_bar [b] * LANE_HEIGHT;
        if (self->rows [bar->row].link)
            continue;
        draw_rectangle (picture, bar, bar->from_ms, bar->until_ms, y, LANE_HEIGHT - 2, to);
        if (self->used && self->used [b] > 0)
            draw_used (picture, bar, self->used [b], y, to);
    }
}

void gantt_svg (const gantt_t *self, FILE *to)
{
    gantt_svg_picture_t picture = {.gantt = self};
    lay_out (&picture);
    size_t legend =
      self->reservations_count < LEGEND_MAX ? self->reservations_count : LEGEND_MAX + 1;
    svg_begin (picture.left + CHART_WIDTH + 30, picture.bottom + 24 + (double) legend * LEGEND_LINE,
               11, to);
    draw_axis (&picture, to);
    draw_rows (&picture, to);
    gantt_svg_draw_legend (&picture, to);
    svg_end (to);
    free (picture.lane_of_bar);
    free (picture.lanes_of_row);
    free (picture.top_of_row);
}
