/*  nis_wire - the questions, answers and records of proto/nis.proto as plain values. nis_wire.c
 *  alone sees the generated code.
 *
 *  Decoders check names, counts, times and interval order; on false, why names the field and
 *  nothing is allocated. Encoders return malloc'ed bytes that the caller frees.
 */
#ifndef MUSUBI_NIS_WIRE_H
#define MUSUBI_NIS_WIRE_H

#include "calendar.h"
#include "domain.h"
#include "path.h"
#include "transaction.h"

#define PATH_REQUIRE_MAX 32 /* requirements of one question */

typedef struct {
    char from [NAME_BYTES_MAX + 1]; /* names of vertices */
    char to [NAME_BYTES_MAX + 1];
    uint32_t mbps; /* > 0 */
    interval_t over;
    int64_t latency_us_max; /* 0 = any */
    path_order_t order;
    requirement_t *require;
    size_t require_count;
} path_ask_t;

/*  Owns asks: paths_question_clear. */
typedef struct {
    path_ask_t *asks;
    size_t asks_count;
    char reservation [NAME_BYTES_MAX + 1]; /* "" = none */
} paths_question_t;

/*  Names are borrowed. */
typedef struct {
    bool found;
    const char *links [PATH_HOPS_MAX];
    const char *vertices [PATH_HOPS_MAX + 1];
    size_t links_count;
    int64_t latency_us;
    uint32_t mbps;
    char reason [256];
} path_told_t;

bool domain_question_decode (bytes_t body, char why [WHY_BYTES]);
packed_t domain_answer_encode (const char *name, const domain_t *domain);

bool paths_question_decode (paths_question_t *self, bytes_t body, size_t asks_max,
                            char why [WHY_BYTES]);
void paths_question_clear (paths_question_t *self);
packed_t paths_answer_encode (const path_told_t *told, size_t count, uint64_t version);

bool use_question_decode (char reservation [NAME_BYTES_MAX + 1], bytes_t body,
                          char why [WHY_BYTES]);
packed_t use_answer_encode (bool provisioned, bool active);
packed_t use_record_encode (bool provisioned);
bool use_record_decode (bytes_t value, bool *provisioned);

#endif
