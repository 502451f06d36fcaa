/*  lis_wire - the questions and answers of proto/lis.proto as plain values. lis_wire.c alone sees
 *  the generated code.
 *
 *  Decoders check names, counts, times and interval order; on false, why names the field. Encoders
 *  return malloc'ed bytes that the caller frees.
 */
#ifndef MUSUBI_LIS_WIRE_H
#define MUSUBI_LIS_WIRE_H

#include "calendar.h"
#include "site.h"
#include "transaction.h"

#define WINDOWS_MAX    64   /* in one question */
#define OVERBOOKED_MAX 4096 /* reservations named in one answer: fits BODY_BYTES_MAX */

typedef struct {
    char classes [SITE_CLASSES_MAX][NAME_BYTES_MAX + 1];
    size_t classes_count; /* 0 = all */
    interval_t over;
    char reservation [NAME_BYTES_MAX + 1]; /* "" = none */
} profile_question_t;

typedef struct {
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t nodes; /* > 0 */
    interval_t over;
} window_t;

typedef struct {
    window_t windows [WINDOWS_MAX];
    size_t windows_count;
    char reservation [NAME_BYTES_MAX + 1];
} windows_question_t;

typedef struct {
    char class_name [NAME_BYTES_MAX + 1]; /* "" = any */
    uint32_t cpus;                        /* > 0 */
    int64_t duration_ms;                  /* > 0 */
    interval_t over;
    uint32_t most; /* 0 = as the site likes */
} free_question_t;

typedef struct {
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t nodes;
} capacity_question_t;

typedef struct {
    const char *class_name; /* borrowed */
    interval_t over;
} free_span_t;

typedef struct {
    const char *class_name; /* borrowed */
    double utilisation;     /* 0 to 1 */
} class_use_t;

bool site_question_decode (bytes_t body, char why [WHY_BYTES]);
bool profile_question_decode (profile_question_t *self, bytes_t body, char why [WHY_BYTES]);
bool windows_question_decode (windows_question_t *self, bytes_t body, char why [WHY_BYTES]);
bool free_question_decode (free_question_t *self, bytes_t body, char why [WHY_BYTES]);
bool utilisation_question_decode (interval_t *over, bytes_t body, char why [WHY_BYTES]);
bool capacity_question_decode (capacity_question_t *self, bytes_t body, char why [WHY_BYTES]);

packed_t site_answer_encode (const char *name, const site_t *site);
packed_t profile_answer_encode (const profile_t *profiles, size_t count, uint64_t version);
packed_t windows_answer_encode (const bool *fits, size_t count, uint64_t version);
packed_t free_answer_encode (const free_span_t *spans, size_t count, double utilisation);
packed_t utilisation_answer_encode (const class_use_t *uses, size_t count, double utilisation);

/*  count names are told of overbooked_count reservations in all. */
packed_t capacity_answer_encode (const char *const *names, size_t count, size_t overbooked_count);

/*  In which time the packed Request of a plan may be placed; frame is left alone when it does not
 *  say. Times counted from its receipt are taken from now_ms. */
void request_frame_decode (bytes_t request, int64_t now_ms, interval_t *frame);

#endif
