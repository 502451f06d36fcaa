/*  answer_form - planners' answers and reservations as users read them: the interfaces' JSON, and
 * text.
 *
 *  Pure. In: the JSON of proto's Answer or ReservationView. Out: times as RFC 3339, sites by their
 *  short names, status in one word.
 */
#ifndef MUSUBI_ANSWER_FORM_H
#define MUSUBI_ANSWER_FORM_H

#include "table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*  The user's form of an Answer, new. */
json_t *answer_form (const json_t *answer);

/*  The user's form of one Refusal of an Answer, new. */
json_t *reason_form (const json_t *reason);

/*  For what could not be learnt: status "unknown", the id to ask again with, and why. */
json_t *answer_form_unknown (const char *request_id, const char *why);

/*  The same form for people. what = "reserve", "modify", "release". */
void answer_print (const json_t *form, const char *what, FILE *to);

/*  The exit code that a form's status means. */
int answer_code (const json_t *form);

/*  The user's form of a ReservationView, new; and printed. */
json_t *view_form (const json_t *view);
void view_print (const json_t *form, FILE *to);

/*  "ams" of "lis/ams". */
const char *name_short (const char *name);

/*  The texts of a list, joined; as much of it as there is room for. */
void texts_join (const json_t *texts, const char *between, char *joined, size_t size);

/*  A number of a form, for tables. */
#define NUMBER_TEXT_BYTES 24
const char *number_text (const json_t *form, const char *key, char text [NUMBER_TEXT_BYTES]);

/*  Times for tables; the text lives in the caller's array. */
#define TIME_TEXT_BYTES 32
const char *time_text (int64_t ms, char text [TIME_TEXT_BYTES]);

/*  A time of a form to the second, for people. */
const char *time_brief (const char *time, char text [TIME_TEXT_BYTES]);

/*  Micro-credits as credits: "1.25". */
#define COST_TEXT_BYTES 40
const char *cost_text (int64_t micro_credits, char text [COST_TEXT_BYTES]);

#endif
