/*  answer_form - planners' answers and reservations as users read them, as JSON and as text.
 *
 *  Pure. In: the JSON of proto's Answer or ReservationView. Out: times as RFC 3339, sites by their
 *  short names, the status as one word.
 */
#ifndef MUSUBI_ANSWER_FORM_H
#define MUSUBI_ANSWER_FORM_H

#include "json_fields.h"

#include <stdio.h>

/*  The user's form of an Answer, new. */
json_t *answer_form (const json_t *answer);

/*  The user's form of one Refusal of an Answer, new. */
json_t *reason_form (const json_t *reason);

/*  When no answer came: status "unknown", the id under which to ask again, and why. */
json_t *answer_form_unknown (const char *request_id, const char *why);

/*  The same form for people. what = "reserve", "modify", "release". */
void answer_print (const json_t *form, const char *what, FILE *to);

/*  The exit code that a form's status means. */
int answer_code (const json_t *form);

/*  The user's form of a ReservationView, new; and its text. "openings" has an object for each site
 *  that tells the state of the reservation on its nodes:
 *
 *      {"site", "phase", "nodes", "wanted", "ready", "degraded", "lent", "given_back",
 *       "disconnected", "cpu_ms", "offered_ms", "counted", "trouble", "alternatives": [{"class",
 *       "nodes", "start", "end"}…]}
 *
 *  trouble and alternatives are there only when there are any. "staging" has one for each file at a
 *  storage node: {"site", "need", "node", "file", "state", "has", "size", "source", "why"}, in
 *  bytes, with the state awaited, coming, ready or late. "circuits" has one for each domain whose
 *  back end is to bring some about now: {"domain", "state", "trouble"}, opening, active or
 *  degraded. */
json_t *view_form (const json_t *view);
void view_print (const json_t *form, FILE *to);

/*  That at one site, "ID at SITE: waiting, … degraded, WHY; 3 nodes of any are free …", of its
 *  record there, new. */
json_t *opening_sentence (const json_t *part);

/*  Has the reservation fewer nodes at some site than it was promised, circuits that are not there,
 *  or a file that is late? */
bool opening_degraded (const json_t *view);

/*  "since 16:04 there is less than was promised: 2 reservations, first ID", of the shortage in a
 *  status; NULL = there is none. */
json_t *shortage_sentence (const json_t *shortage);

/*  The first reason for that which a site or domain tells; "" = none. */
const char *view_trouble (const json_t *view);

/*  Its status and that: "committed, ready". */
const char *view_status (const json_t *view, char text [CELL_BYTES]);

#endif
