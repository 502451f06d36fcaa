/*  coalition_chart_state - what both drawings of coalitions share; nobody else includes it.
 *
 *  coalition_chart.c      in letters
 *  coalition_chart_svg.c  as a picture
 */
#ifndef MUSUBI_COALITION_CHART_STATE_H
#define MUSUBI_COALITION_CHART_STATE_H

#include "coalition_chart.h"
#include "coalition_form.h"
#include "fields.h"

#include <stdbool.h>
#include <stdlib.h>

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
