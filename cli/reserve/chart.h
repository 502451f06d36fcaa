/*  chart - what a Gantt chart shows, from the federation's entries and its reservations. Pure.
 */
#ifndef MUSUBI_CHART_H
#define MUSUBI_CHART_H

#include "gantt.h"

#include <jansson.h>

/*  Owns its names and borrows the forms' texts. */
typedef struct {
    gantt_row_t *rows;
    gantt_bar_t *bars;
    int *used; /* as gantt.h says, of each bar */
    gantt_reservation_t *reservations;
    size_t rows_count;
    size_t bars_count;
    size_t reservations_count;
    size_t hidden_count; /* reservations of others, of which nobody tells where they are */
    char **names;
} chart_t;

/*  entries: of the directory; forms: as view_form makes them, must outlive the chart. A row for
 *  each class of each site, then one for each link that some reservation uses, or for all links.
 *  What is reserved where the directory knows nothing any more has a row, too. */
void chart_fill (chart_t *self, const json_t *entries, const json_t *forms, bool all_links);
void chart_clear (chart_t *self);

#endif
