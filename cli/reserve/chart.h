/*  chart - what a Gantt chart shows, from the federation's entries and its reservations. Pure.
 */
#ifndef MUSUBI_CHART_H
#define MUSUBI_CHART_H

#include "gantt.h"

#include <jansson.h>

/*  Owns its names and borrows the forms' texts. */
typedef struct {
    gantt_t gantt;       /* the time shown is the caller's to set */
    size_t hidden_count; /* reservations of others, of which nobody tells where they are */
    json_t *classes;     /* name of a row to its number, so that thousands are found quickly */
    json_t *links;       /* the same */
} chart_t;

/*  entries: of the directory; forms: as view_form makes them, must outlive the chart. A row for
 *  each class of each site, then one for each link that some reservation uses, or for all links.
 *  What is reserved where the directory knows nothing any more has a row, too. */
void chart_fill (chart_t *self, const json_t *entries, const json_t *forms, bool all_links);
void chart_clear (chart_t *self);

#endif
