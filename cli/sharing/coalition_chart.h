/*  coalition_chart - past coalitions: who gave and who gained, and each owner's score, as letters
 *  or as a picture.
 *
 *  Given work stands on one side of an axis, taken work on the other, all to one scale; scores are
 *  lines over the coalitions. Pure but for the file it writes to.
 */
#ifndef MUSUBI_COALITION_CHART_H
#define MUSUBI_COALITION_CHART_H

#include <jansson.h>
#include <stdio.h>

#define COALITION_SITES_MAX 26 /* drawn; each has a letter, a colour */

/*  form: {"balancer", "coalitions": [as coalition_form_record makes them, oldest first]}. */
void coalition_chart_print (const json_t *form, size_t width, FILE *to);
void coalition_chart_svg (const json_t *form, FILE *to);

#endif
