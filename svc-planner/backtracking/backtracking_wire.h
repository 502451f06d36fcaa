/*  backtracking_wire - S0's question to a site, to and from proto/calendar.proto. */
#ifndef MUSUBI_BACKTRACKING_WIRE_H
#define MUSUBI_BACKTRACKING_WIRE_H

#include "transaction.h"

/*  Calendar.Free for the first span alone. resource "thin", amount CPUs. malloc'ed bytes. */
packed_t free_question_encode (const char *resource, uint32_t amount, int64_t duration_ms,
                               int64_t from_ms, int64_t until_ms);

/*  *start_ms: the earliest start, -1 when there is none. load: booked share of [from, until). False
 *  with why when it is no such answer. */
bool free_answer_decode (bytes_t body, int64_t *start_ms, double *load, char why [WHY_BYTES]);

#endif
