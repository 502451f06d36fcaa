/*  nis_wire - the questions and records of proto/nis.proto as plain values. Decoders check names,
 *  counts, times and interval order; on false, why names the field and nothing is allocated.
 */
#ifndef MUSUBI_NIS_WIRE_H
#define MUSUBI_NIS_WIRE_H

#include "calendar.h"
#include "path.h"

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

extern const codec_t paths_question_codec;

/*  Of a use_t the question and the stored record, of a use_told_t the answer. */
extern const codec_t use_question_codec;
extern const codec_t use_answer_codec;
extern const codec_t use_record_codec;

#endif
