/*  planner_wire - what users ask and are told, to and from proto/planner.proto.
 *
 *  Decoders take what has the right form; whether it makes sense is request.h's business. On false,
 *  why names the field and nothing is allocated. Encoders return malloc'ed bytes.
 */
#ifndef MUSUBI_PLANNER_WIRE_H
#define MUSUBI_PLANNER_WIRE_H

#include "answer.h"
#include "request.h"

bool reserve_decode (bytes_t body, user_request_t *request, bool *dry_run, char why [WHY_BYTES]);
bool modify_decode (bytes_t body, request_patch_t *patch, char why [WHY_BYTES]);

/*  Release and Show: a reservation's id alone. */
bool reservation_decode (bytes_t body, char reservation [NAME_BYTES_MAX + 1], char why [WHY_BYTES]);

/*  A Request as it is kept in a plan. */
packed_t user_request_encode (const user_request_t *self);
bool user_request_decode (user_request_t *self, bytes_t body, char why [WHY_BYTES]);

packed_t answer_encode (const answer_t *self);

#endif
