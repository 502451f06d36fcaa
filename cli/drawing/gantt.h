/*  gantt - reservations over time, a row for each class of a site and each link, as text or SVG.
 *  Pure but for the file it writes to.
 *
 *  Bars that overlap in a row of a class lie in lanes below each other, each in the first lane that
 *  has room. A link is shared, so the height of its bars is the share of its bandwidth: in the
 *  picture they are stacked on each other, and what stays pale is free; in letters they lie in
 *  lanes of their own. Bars of one reservation share its letter and colour; a legend tells which is
 *  which. What a reservation has used of its CPUs at a site so far is written in its bars as a
 *  percentage; in the picture its bars are darker as high as that.
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
    const char *name; /* "amsterdam/thin", "N/n8-x1" */
    int64_t capacity; /* CPUs, Mbit/s; 0 = not known any more */
    bool link;
} gantt_row_t;

typedef struct {
    size_t row;
    size_t reservation;
    const char *need;
    int64_t quantity; /* CPUs, Mbit/s */
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
    int *used; /* of each bar's reservation there: percent, below zero = not told; or NULL */
} gantt_t;

void gantt_print (const gantt_t *self, size_t width, bool colour, FILE *to);
void gantt_svg (const gantt_t *self, FILE *to);

/*  The lane of each bar, and how many lanes each row has (at least one). For both drawings. */
void gantt_lanes (const gantt_t *self, size_t *lane_of_bar, size_t *lanes_of_row);

/*  A piece of a bar in a row where bars are stacked: it covers [from, until) and lies on so much of
 *  other bars. */
typedef struct {
    size_t bar;
    int64_t from_ms;
    int64_t until_ms;
    int64_t below;
} gantt_piece_t;

/*  The pieces of a row's bars, by time, then from the bottom up; new, of *count; the caller frees
 *  them. *peak is the height of the highest stack. At no instant does a piece overlap another. */
gantt_piece_t *gantt_pieces (const gantt_t *self, size_t row, size_t *count, int64_t *peak);

/*  Time between two marks of the axis, a round one, so that there are at most marks_max; and the
 *  first mark from an instant on. */
int64_t gantt_step (int64_t span_ms, int64_t marks_max);
int64_t gantt_first_mark (int64_t from_ms, int64_t step_ms);

/*  "09:30", or "12-01" where marks are days apart. */
#define GANTT_MARK_BYTES 16
const char *gantt_mark (int64_t at_ms, int64_t step_ms, char text [GANTT_MARK_BYTES]);

#endif
