/*  coalition_chart - draws past coalitions, as text or as a picture: who gave work, who gained, and
 *  the score of each site.
 *
 *  Work given is drawn on one side of an axis, work taken on the other, to one scale; scores are
 *  lines over the coalitions. Pure, except for the file that it writes to.
 */
#ifndef MUSUBI_COALITION_CHART_H
#define MUSUBI_COALITION_CHART_H

#include <jansson.h>
#include <stdio.h>

/*  form: {"balancer", "coalitions": [as coalition_form_record makes them, oldest first]}. */
void coalition_chart_print (const json_t *form, size_t width, FILE *to);
void coalition_chart_svg (const json_t *form, FILE *to);

#endif
