/*  chart - the rows and bars of a Gantt chart, from the entries and reservations of a federation.
 *  Pure.
 */
#ifndef MUSUBI_CHART_H
#define MUSUBI_CHART_H

#include "gantt.h"

#include <jansson.h>

/*  Owns its lists, and borrows the texts of the forms. */
typedef struct {
    gantt_t gantt;       /* the caller sets the time shown */
    size_t hidden_count; /* reservations of others whose places are not told */
    json_t *classes;     /* from the name of a row to its number */
    json_t *links;       /* the same */
    json_t *texts;       /* that are made of several */
} chart_t;

/*  entries are the directory's; forms are made by view_form and must outlive the chart. There is a
 *  row for each class of each site, then one for each link in use, or for all links; and a row for
 *  what is reserved where the directory lists nothing any more. */
void chart_fill (chart_t *self, const json_t *entries, const json_t *forms, bool all_links);
void chart_clear (chart_t *self);

#endif
