/*  plot - pictures of experiments, as SVG. */
#ifndef MUSUBI_PLOT_H
#define MUSUBI_PLOT_H

#include "experiment.h"

/*  For each arm, a bar for each of the metrics, with its 95 % interval. */
void plot_bars (const experiment_run_t *run, const char *title, const size_t *shown, size_t count,
                FILE *to);

/*  A table of coloured fields. */
typedef struct {
    double value; /* NO_VALUE: an empty field */
    int colour;   /* 0 plain, 1 good, 2 bad */
} plot_field_t;

typedef struct {
    const char *title;
    size_t rows;
    size_t columns;
    const char *(*row) (size_t row);
    const char *(*column) (size_t column);
    const plot_field_t *fields; /* by row, then column */
} plot_table_t;

void plot_table (const plot_table_t *table, FILE *to);

/*  Lines over a logarithmic axis, or over an axis from 0 to 1. */
typedef struct {
    const char *title;
    bool shares;        /* values are 0 to 1 */
    const char *across; /* titles of the axes */
    const char *up;
    size_t points;
    const char *(*point) (size_t point); /* equal steps, each with its label */
    size_t lines;
    const char *(*line) (size_t line);
    const double *values; /* by line, then point; positive, or NO_VALUE */
} plot_lines_t;

void plot_lines (const plot_lines_t *lines, FILE *to);

#endif
