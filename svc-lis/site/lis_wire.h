/*  lis_wire - the question and answer of proto/lis.proto as plain values. lis_wire.c alone sees the
 *  generated code.
 */
#ifndef MUSUBI_LIS_WIRE_H
#define MUSUBI_LIS_WIRE_H

#include "codec.h"
#include "site.h"

extern const codec_t site_question_codec; /* of nothing */

typedef struct {
    const char *name; /* the service's */
    site_t *site;
} site_told_t;
extern const codec_t site_told_codec;

#endif
