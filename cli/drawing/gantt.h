/*  gantt - reservations over time, as text or SVG: a row for each class of a site and each link.
 *  Pure but for the file it writes to.
 *
 *  Bars of a class that overlap lie in lanes below each other, each in the first lane that has
 *  room. The height of a bar of a link is its share of the bandwidth: in the SVG picture these bars
 *  are stacked and the pale rest is free; in letters each has a lane. Bars of one reservation share
 *  a letter and a colour, which the legend explains. The percentage in a bar is the CPU time used
 *  so far; in the picture the bar is darker up to that height.
 */
#ifndef MUSUBI_GANTT_H
#define MUSUBI_GANTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GANTT_WIDTH_LEAST 60
#define GANTT_LANES_MAX   16 /* more are counted, not shown */

typedef struct {
    const char *name; /* "amsterdam/thin", "N/n8-x1", "amsterdam/disk-1" */
    int64_t capacity; /* 0 = not known any more */
    bool link;        /* or storage: a bar is as high as its share */
    const char *unit; /* "CPUs", "Mbit/s", "MiB" */
} gantt_row_t;

typedef struct {
    size_t row;
    size_t reservation;
    const char *need;
    int64_t quantity; /* in its row's unit */
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
    gantt_row_t *rows;
    size_t rows_count;
    gantt_bar_t *bars;
    size_t bars_count;
    gantt_reservation_t *reservations;
    size_t reservations_count;
    int64_t from_ms; /* the time shown; from before until */
    int64_t until_ms;
    int *used; /* of each bar: percent of its CPU time used, below 0 = not told; or NULL */
} gantt_t;

void gantt_print (const gantt_t *self, size_t width, bool colour, FILE *to);
void gantt_svg (const gantt_t *self, FILE *to);

/*  For both drawings: the lane of each bar, and the number of lanes of each row (at least one). */
void gantt_lanes (const gantt_t *self, size_t *lane_of_bar, size_t *lanes_of_row);

/*  A piece of a bar in a row of stacked bars: it covers [from, until), and bars of the height below
 *  lie under it. */
typedef struct {
    size_t bar;
    int64_t from_ms;
    int64_t until_ms;
    int64_t below;
} gantt_piece_t;

/*  The pieces of a row's bars, by time, then from the bottom up; new, of *count; the caller frees
 *  them. *peak is the height of the highest stack. At no instant does a piece overlap another. */
gantt_piece_t *gantt_pieces (const gantt_t *self, size_t row, size_t *count, int64_t *peak);

/*  The time between two marks of the axis, a round one that gives at most marks_max; and the first
 *  mark at or after an instant. */
int64_t gantt_step (int64_t span_ms, int64_t marks_max);
int64_t gantt_first_mark (int64_t from_ms, int64_t step_ms);

/*  "09:30", or "12-01" where marks are days apart. */
#define GANTT_MARK_BYTES 16
const char *gantt_mark (int64_t at_ms, int64_t step_ms, char text [GANTT_MARK_BYTES]);

#endif
