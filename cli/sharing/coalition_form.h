/*  coalition_form - what a balancer says about the sites that share their unreserved work, as users
 *  read it: JSON with RFC 3339 times and short names, and tables.
 *
 *  Pure. It is made from the JSON of proto's BalanceStatusAnswer and CoalitionRecord. A time
 *  without end is "inf".
 */
#ifndef MUSUBI_COALITION_FORM_H
#define MUSUBI_COALITION_FORM_H

#include "table.h"

/*  "ams/12". */
#define JOB_TEXT_BYTES 128

/*  The form of a status, new. own: an object whose keys are the jobs to be shown; NULL = all jobs.
 */
json_t *coalition_form (const json_t *status, const json_t *own);
void coalition_form_print (const json_t *form, FILE *to);

/*  The form of a coalition that has ended, new. */
json_t *coalition_form_record (const json_t *record);

/*  Seconds for people: "0.5s", "12m30s", "3d4h", "inf". */
#define SECONDS_TEXT_BYTES 32
const char *seconds_text (double seconds, char text [SECONDS_TEXT_BYTES]);

#endif
