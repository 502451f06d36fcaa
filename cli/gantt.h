/*  gantt - reservations over time, a row for each class of a site, as text or SVG. Pure but for the
 *  file it writes to.
 *
 *  Bars that overlap in a row lie in lanes below each other, each in the first lane that has room.
 *  Bars of one reservation share its letter and colour; a legend tells which is which.
 */
#ifndef MUSUBI_GANTT_H
#define MUSUBI_GANTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GANTT_WIDTH_LEAST 60
#define GANTT_LANES_MAX   16 /* shown of a row; the rest is counted */

typedef struct {
    const char *name; /* "amsterdam/thin" */
    int64_t cpus;
} gantt_row_t;

typedef struct {
    size_t row;
    size_t reservation;
    const char *need;
    int64_t cpus;
    int64_t from_ms;
    int64_t until_ms;
} gantt_bar_t;

typedef struct {
    const char *id;
    const char *name;
    const char *owner;
    const char *status;
    int64_t from_ms;
    int64_t until_ms;
} gantt_reservation_t;

/*  Everything is borrowed. */
typedef struct {
    const gantt_row_t *rows;
    size_t rows_count;
    const gantt_bar_t *bars;
    size_t bars_count;
    const gantt_reservation_t *reservations;
    size_t reservations_count;
    int64_t from_ms; /* the time shown; from before until */
    int64_t until_ms;
} gantt_t;

void gantt_print (const gantt_t *self, size_t width, bool colour, FILE *to);
void gantt_svg (const gantt_t *self, FILE *to);

/*  The lane of each bar, and how many lanes each row has (at least one). For both drawings. */
void gantt_lanes (const gantt_t *self, size_t *lane_of_bar, size_t *lanes_of_row);

/*  Time between two marks of the axis, a round one, so that there are at most marks_max. */
int64_t gantt_step (int64_t span_ms, int64_t marks_max);

/*  "09:30", or "12-01" where marks are days apart. */
#define GANTT_MARK_BYTES 16
const char *gantt_mark (int64_t at_ms, int64_t step_ms, char text [GANTT_MARK_BYTES]);

#endif
