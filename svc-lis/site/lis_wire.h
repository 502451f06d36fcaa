/*  lis_wire - the question and answer of proto/lis.proto as plain values. lis_wire.c alone sees the
 *  generated code.
 */
#ifndef MUSUBI_LIS_WIRE_H
#define MUSUBI_LIS_WIRE_H

#include "site.h"
#include "transaction.h"

bool site_question_decode (bytes_t body, char why [WHY_BYTES]);

/*  malloc'ed; the caller frees it. */
packed_t site_answer_encode (const char *name, const site_t *site);

#endif
