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
    int64_t latency_us_max;          /* 0 = any */
    char route [NAME_BYTES_MAX + 1]; /* order as it was told; "" = free */
    path_order_t order;
    requirement_t *require;
    size_t require_count;
} path_ask_t;

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

extern const codec_t domain_question_codec; /* of nothing */
packed_t domain_answer_encode (const char *name, const domain_t *domain);

extern const codec_t paths_question_codec;
packed_t paths_answer_encode (const path_told_t *told, size_t count, uint64_t version);

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
} use_question_t;
extern const codec_t use_question_codec;

typedef struct {
    bool provisioned;
    bool active;
} use_answer_t;
extern const codec_t use_answer_codec;

typedef struct {
    bool provisioned;
} use_record_t;
extern const codec_t use_record_codec;

#endif
