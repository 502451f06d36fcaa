/*  parties_wire - who takes part in a reservation, as a home tells it (Home.Parties of
 *  proto/gis.proto): the planner asks, svc-gis answers.
 */
#ifndef MUSUBI_PARTIES_WIRE_H
#define MUSUBI_PARTIES_WIRE_H

#include "transaction.h"

#define PARTIES_TOLD_MAX 1024

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
} parties_question_t;
extern const codec_t parties_question_codec;

typedef struct {
    participant_ref_t *list; /* each once */
    size_t count;
    bool more; /* not all are told */
} parties_told_t;
extern const codec_t parties_told_codec;

#endif
