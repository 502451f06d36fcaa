/*  plot - rectangles, lines and words. */
#include "plot.h"

#include "svg.h"

#include <math.h>

#define LEFT   300.0
#define WIDTH  900.0
#define ROW    18.0
#define TOP    48.0
#define RIGHT  60.0
#define HEIGHT 360.0 /* of a picture with lines, without its axes */

static const char *const colours [] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                       "#76b7b2", "#edc948", "#b07aa1", "#9c755f"};
#define COLOURS (sizeof colours / sizeof colours [0])

static void begin (const char *title, double width, double height, FILE *to)
{
    svg_begin (width, height, 12, to);
    fputs ("<text x=\"8\" y=\"22\" font-weight=\"bold\" font-size=\"14\">", to);
    svg_text (title, to);
    fputs ("</text>\n", to);
}

static void words (double x, double y, const char *anchor, const char *text, FILE *to)
{
    fprintf (to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    svg_text (text, to);
    fputs ("</text>\n", to);
}

static void bar (double y, double scale, const estimate_t *estimate, size_t colour, FILE *to)
{
    double low = estimate->low > 0 ? estimate->low : 0;
    fprintf (to,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n"
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#222\"/>\n"
             "<text x=\"%.1f\" y=\"%.1f\" fill=\"#333\">%.3g</text>\n",
             LEFT, y + 2, estimate->mean * scale, ROW - 5, colours [colour % COLOURS],
             LEFT + low * scale, y + ROW / 2, LEFT + estimate->high * scale, y + ROW / 2,
             LEFT + estimate->high * scale + 6, y + ROW - 4, estimate->mean);
}

void plot_bars (const experiment_run_t *run, const char *title, const size_t *shown, size_t count,
                FILE *to)
{
    const experiment_t *experiment = run->experiment;
    size_t arms = experiment->arms (run->small);
    double most = 0;
    for (size_t arm = 0; arm < arms; arm++)
        for (size_t i = 0; i < count; i++)
            most = fmax (most, experiment_estimate (run, arm, shown [i]).high);
    double scale = (WIDTH - LEFT - RIGHT) / (most > 0 ? most : 1);
    double group = (double) count * ROW + 8;
    begin (title, WIDTH, TOP + (double) arms * group + (double) count * ROW + 16, to);
    for (size_t arm = 0; arm < arms; arm++) {
        char name [ARM_NAME_BYTES];
        double y = TOP + (double) arm * group;
        experiment->arm_name (arm, name);
        words (LEFT - 8, y + ROW - 4, "end", name, to);
        for (size_t i = 0; i < count; i++) {
            estimate_t estimate = experiment_estimate (run, arm, shown [i]);
            if (estimate.count > 0)
                bar (y + (double) i * ROW, scale, &estimate, i, to);
        }
    }
    for (size_t i = 0; i < count; i++) {
        double y = TOP + (double) arms * group + (double) i * ROW + 8;
        fprintf (to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", LEFT,
                 y, colours [i % COLOURS]);
        words (LEFT + 18, y + 11, "start", experiment->metrics [shown [i]].what, to);
    }
    svg_end (to);
}

void plot_table (const plot_table_t *table, FILE *to)
{
    static const char *const fills [] = {"#eeeeee", "#cfe8cf", "#e15759"};
    double column = (WIDTH - LEFT - 8) / (double) table->columns;
    begin (table->title, WIDTH, TOP + (double) (table->rows + 1) * ROW + 60, to);
    for (size_t i = 0; i < table->columns; i++) {
        double x = LEFT + ((double) i + 0.5) * column;
        fprintf (to, "<text transform=\"translate(%.1f %.1f) rotate(-30)\">", x, TOP + 50);
        svg_text (table->column (i), to);
        fputs ("</text>\n", to);
    }
    for (size_t row = 0; row < table->rows; row++) {
        double y = TOP + 60 + (double) row * ROW;
        words (LEFT - 8, y + ROW - 5, "end", table->row (row), to);
        for (size_t i = 0; i < table->columns; i++) {
            const plot_field_t *field = &table->fields [row * table->columns + i];
            double x = LEFT + (double) i * column;
            if (isnan (field->value))
                continue;
            fprintf (to,
                     "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n"
                     "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
                     x, y, column - 2, ROW - 2, fills [field->colour], x + column / 2, y + ROW - 5,
                     field->value);
        }
    }
    svg_end (to);
}

/*  The decades that hold every value. */
static void decades (const plot_lines_t *lines, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t i = 0; i < lines->lines * lines->points; i++) {
        if (isnan (lines->values [i]))
            continue;
        *low = fmin (*low, floor (log10 (lines->values [i])));
        *high = fmax (*high, ceil (log10 (lines->values [i])));
    }
    if (*low > *high)
        *low = *high = 0;
    if (*low == *high)
        *high = *low + 1;
}

/*  Where a value stands on its axis, from the bottom (0) to the top (1). */
static double height_of (const plot_lines_t *lines, double value, double low, double high)
{
    return ((lines->shares ? value : log10 (value)) - low) / (high - low);
}

static void draw_line (const plot_lines_t *lines, size_t line, double low, double high, FILE *to)
{
    double step = (WIDTH - 80 - LEFT) / (double) (lines->points > 1 ? lines->points - 1 : 1);
    const char *colour = colours [line % COLOURS];
    fprintf (to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour,
             line >= COLOURS ? " stroke-dasharray=\"6 3\"" : "");
    for (size_t i = 0; i < lines->points; i++) {
        double value = lines->values [line * lines->points + i];
        if (!isnan (value))
            fprintf (to, "%.1f,%.1f ", 80 + (double) i * step,
                     TOP + HEIGHT * (1 - height_of (lines, value, low, high)));
    }
    fprintf (to, "\"/>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"%s\"/>\n",
             WIDTH - LEFT + 16, TOP + (double) line * ROW + 4, colour);
    words (WIDTH - LEFT + 34, TOP + (double) line * ROW + 11, "start", lines->line (line), to);
}

void plot_lines (const plot_lines_t *lines, FILE *to)
{
    double low;
    double high;
    double step = (WIDTH - 80 - LEFT) / (double) (lines->points > 1 ? lines->points - 1 : 1);
    if (lines->shares) {
        low = 0;
        high = 1;
    } else {
        decades (lines, &low, &high);
    }
    int steps = lines->shares ? 5 : (int) (high - low);
    begin (lines->title, WIDTH, TOP + HEIGHT + 50, to);
    for (int at = 0; at <= steps; at++) {
        double tick = low + (high - low) * at / steps;
        double y = TOP + HEIGHT * (1 - (double) at / steps);
        char label [32];
        snprintf (label, sizeof label, "%.4g", lines->shares ? tick : pow (10, tick));
        fprintf (to, "<line x1=\"80\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", y,
                 WIDTH - LEFT, y);
        words (74, y + 4, "end", label, to);
    }
    for (size_t i = 0; i < lines->points; i++)
        words (80 + (double) i * step, TOP + HEIGHT + 18, "middle", lines->point (i), to);
    words ((80 + WIDTH - LEFT) / 2, TOP + HEIGHT + 38, "middle", lines->across, to);
    words (8, TOP - 8, "start", lines->up, to);
    for (size_t line = 0; line < lines->lines; line++)
        draw_line (lines, line, low, high, to);
    svg_end (to);
}
