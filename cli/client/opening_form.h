/*  opening_form - how a reservation stands on the nodes of its sites, for people and scripts:
 *
 *      {"site", "phase", "nodes", "wanted", "ready", "degraded", "lent", "given_back",
 *       "disconnected", "cpu_ms", "offered_ms", "trouble", "alternatives": [{"class", "nodes",
 *       "start", "end"}…]}
 *
 *  trouble and alternatives only where there are any. Pure.
 */
#ifndef MUSUBI_OPENING_FORM_H
#define MUSUBI_OPENING_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*  From the SiteOpenings of a view, new; NULL when there are none. */
json_t *openings_form (const json_t *openings);

/*  One of them, as a line and one for each alternative. */
void opening_print (const json_t *form, FILE *to);

/*  Has a reservation, as view_form makes it, fewer nodes somewhere than it should? */
bool opening_degraded (const json_t *view);

#endif
