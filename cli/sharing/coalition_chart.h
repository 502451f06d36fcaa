/*  coalition_chart - draws past coalitions, as text or as a picture: who gave work, who gained, and
 *  the score of each site.
 *
 *  Work given is drawn on one side of an axis, work taken on the other, to one scale; scores are
 *  lines over the coalitions. Pure, except for the file that it writes to.
 */
#ifndef MUSUBI_COALITION_CHART_H
#define MUSUBI_COALITION_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define COALITION_SITES_MAX 26 /* sites that are drawn, each with a letter and a colour */

/*  form: {"balancer", "coalitions": [as coalition_form_record makes them, oldest first]}. */
void coalition_chart_print (const json_t *form, size_t width, FILE *to);
void coalition_chart_svg (const json_t *form, FILE *to);

/*  --- what both drawings share --- */

/*  The sites that are drawn, by name, and the scales. Names are borrowed. */
typedef struct {
    const char *names [COALITION_SITES_MAX];
    size_t count;
    bool more; /* there are more sites than are drawn */
    bool scored;
    double load_most; /* most that one site gave or took in one coalition */
    double score_least;
    double score_most; /* 1 lies between least and most */
} coalition_sites_t;

void coalition_sites (coalition_sites_t *self, const json_t *form);

/*  The index of a member among the sites; count when it is not drawn. */
size_t coalition_site (const coalition_sites_t *self, const json_t *member);

double chart_finite (const json_t *form, const char *key);

#endif
