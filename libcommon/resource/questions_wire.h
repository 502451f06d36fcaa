/*  questions_wire - the questions and answers of proto/calendar.proto as plain values.
 *  questions_wire.c alone sees the generated code.
 *
 *  Decoders check names, counts, times and interval order; on false, why names the field and
 *  nothing is allocated. Encoders return malloc'ed bytes that the caller frees.
 */
#ifndef MUSUBI_QUESTIONS_WIRE_H
#define MUSUBI_QUESTIONS_WIRE_H

#include "calendar.h"
#include "transaction.h"

#define OVERBOOKED_MAX 4096 /* reservations named in one answer: fits BODY_BYTES_MAX */

/*  Owns resources: profile_question_clear. */
typedef struct {
    char (*resources) [NAME_BYTES_MAX + 1];
    size_t resources_count; /* 0 = all */
    interval_t over;
    char reservation [NAME_BYTES_MAX + 1]; /* "" = none */
    bool without_work;
} profile_question_t;

typedef struct {
    char resource [NAME_BYTES_MAX + 1];
    uint32_t quantity; /* > 0 */
    interval_t over;
} window_t;

/*  Owns windows: windows_question_clear. */
typedef struct {
    window_t *windows;
    size_t windows_count;
    char reservation [NAME_BYTES_MAX + 1];
} windows_question_t;

typedef struct {
    char resource [NAME_BYTES_MAX + 1]; /* "" = any */
    uint32_t amount;                    /* > 0 */
    int64_t duration_ms;                /* > 0 */
    interval_t over;
    uint32_t most; /* 0 = as who is asked likes */
} free_question_t;

typedef struct {
    char resource [NAME_BYTES_MAX + 1];
    uint32_t quantity;
} capacity_question_t;

typedef struct {
    const char *resource; /* borrowed */
    interval_t over;
} free_span_t;

typedef struct {
    const char *resource; /* borrowed */
    double utilisation;   /* 0 to 1 */
} resource_use_t;

bool profile_question_decode (profile_question_t *self, bytes_t body, size_t resources_max,
                              char why [WHY_BYTES]);
void profile_question_clear (profile_question_t *self);
bool windows_question_decode (windows_question_t *self, bytes_t body, size_t windows_max,
                              char why [WHY_BYTES]);
void windows_question_clear (windows_question_t *self);
bool free_question_decode (free_question_t *self, bytes_t body, char why [WHY_BYTES]);
bool utilisation_question_decode (interval_t *over, bytes_t body, char why [WHY_BYTES]);
bool capacity_question_decode (capacity_question_t *self, bytes_t body, uint32_t quantity_max,
                               char why [WHY_BYTES]);

packed_t profile_answer_encode (const profile_t *profiles, size_t count, uint64_t version);
packed_t windows_answer_encode (const bool *fits, size_t count, uint64_t version);
packed_t free_answer_encode (const free_span_t *spans, size_t count, double utilisation);
packed_t utilisation_answer_encode (const resource_use_t *uses, size_t count, double utilisation);

/*  count names are told of overbooked_count reservations in all. */
packed_t capacity_answer_encode (const char *const *names, size_t count, size_t overbooked_count);

/*  In which time the packed Request of a plan may be placed; frame is left alone when it does not
 *  say. Times counted from its receipt are taken from now_ms. */
void request_frame_decode (bytes_t request, int64_t now_ms, interval_t *frame);

#endif
