/*  explanation - why a request is refused, what a reservation waits for, what became of a request.
 *  Pure.
 */
#ifndef MUSUBI_EXPLANATION_H
#define MUSUBI_EXPLANATION_H

#include <jansson.h>
#include <stdio.h>

/*  Prints the form (answer_form) of a refused answer: each need with what stands in its way, then
 *  the alternatives. request is the proto Request, needed for the units; NULL when it is not known.
 */
void explain_refusal_print (const json_t *form, const json_t *request, FILE *to);

/*  A reservation from its ReservationView:
 *
 *      {"reservation", "status", "state", "version", "parts": [{"participant", "version", "state",
 *       "change", "change_state", "holds": […]}…], "silent": […], "waits": ["a sentence"…]}
 *
 *  waits is empty when all is well. New. */
json_t *explain_reservation (const json_t *view);
void explain_reservation_print (const json_t *form, FILE *to);

/*  What became of a request, from what its home says (LookAnswer) and the messages packed in it,
 *  which may be NULL: the stored Answer, and the Plan of the attempt that holds the claim.
 *
 *      {"request_id", "state": "committed" | "refused" | "in progress" | "unknown", "done",
 *       "answer": {…}, "holder": {"reservation", "operation", "coordinator", "participants": […],
 *       "decide_by"}}
 *
 *  New. */
json_t *explain_claim (const char *request_id, const json_t *look, const json_t *answer,
                       const json_t *holder);
void explain_claim_print (const json_t *form, FILE *to);

/*  The exit codes for these forms. */
int explain_reservation_code (const json_t *form);
int explain_claim_code (const json_t *form);

#endif
