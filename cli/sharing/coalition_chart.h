/*  coalition_chart - past coalitions: who gave and who gained, and each owner's score, as letters
 *  or as a picture.
 *
 *  Given work stands on one side of an axis, taken work on the other, all to one scale; scores are
 *  lines over the coalitions. Pure but for the file it writes to.
 */
#ifndef MUSUBI_COALITION_CHART_H
#define MUSUBI_COALITION_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define COALITION_SITES_MAX 26 /* drawn; each has a letter, a colour */

/*  form: {"balancer", "coalitions": [as coalition_form_record makes them, oldest first]}. */
void coalition_chart_print (const json_t *form, size_t width, FILE *to);
void coalition_chart_svg (const json_t *form, FILE *to);

/*  --- what both drawings share --- */

/*  Who is drawn, by name, and the scales. Names are borrowed. */
typedef struct {
    const char *names [COALITION_SITES_MAX];
    size_t count;
    bool more; /* than are drawn */
    bool scored;
    double load_most; /* given or taken by one in one coalition */
    double score_least;
    double score_most; /* 1 lies between them */
} coalition_sites_t;

void coalition_sites (coalition_sites_t *self, const json_t *form);

/*  Where a member stands among them; count when it is not drawn. */
size_t coalition_site (const coalition_sites_t *self, const json_t *member);

double chart_finite (const json_t *form, const char *key);

#endif
