/*  calendar_wire - the questions and answers of proto/calendar.proto as plain values.
 *  calendar_wire.c alone sees the generated code.
 */
#ifndef MUSUBI_CALENDAR_WIRE_H
#define MUSUBI_CALENDAR_WIRE_H

#include "calendar.h"
#include "transaction.h"

#define CALENDAR_WINDOWS_MOST   4096 /* whatever is configured */
#define CALENDAR_RESOURCES_MOST 4096
#define OVERBOOKED_MAX          4096 /* reservations named in one answer: fits BODY_BYTES_MAX */

typedef struct {
    char (*resources) [NAME_BYTES_MAX + 1];
    size_t resources_count; /* 0 = all */
    interval_t over;
    char reservation [NAME_BYTES_MAX + 1]; /* "" = none */
    bool without_work;
    char actor [NAME_BYTES_MAX + 1]; /* "" = its rights are not asked for */
} profile_question_t;

typedef struct {
    interval_t over; /* first: see over_rule */
    char resource [NAME_BYTES_MAX + 1];
    uint32_t quantity; /* > 0 */
} window_question_t;

typedef struct {
    window_question_t *windows;
    size_t windows_count;
    char reservation [NAME_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
} windows_question_t;

typedef struct {
    interval_t over;                    /* first, too */
    char resource [NAME_BYTES_MAX + 1]; /* "" = any */
    uint32_t amount;                    /* > 0 */
    int64_t duration_ms;                /* > 0 */
    uint32_t most;                      /* 0 = as who is asked likes */
    char actor [NAME_BYTES_MAX + 1];
} free_question_t;

typedef struct {
    char resource [NAME_BYTES_MAX + 1];
    uint32_t quantity;
} capacity_question_t;

typedef struct {
    const char *resource; /* borrowed, but by codec_decode */
    interval_t over;
} free_span_t;

typedef struct {
    const char *resource; /* borrowed */
    double utilisation;   /* 0 to 1 */
} resource_use_t;

extern const codec_t profile_question_codec;
extern const codec_t windows_question_codec;
extern const codec_t free_question_codec;
extern const codec_t utilisation_question_codec; /* of an interval_t */
extern const codec_t capacity_question_codec;

/*  Answers borrow what they point to. */
typedef struct {
    profile_t *profiles;
    size_t count;
    uint64_t version;
} profile_answer_t;
extern const codec_t profile_answer_codec;

typedef struct {
    bool *fits;
    size_t count;
    uint64_t version;
} windows_answer_t;
extern const codec_t windows_answer_codec;

typedef struct {
    free_span_t *spans;
    size_t count;
    double utilisation;
} free_answer_t;
extern const codec_t free_answer_codec;

typedef struct {
    resource_use_t *uses;
    size_t count;
    double utilisation;
} utilisation_answer_t;
extern const codec_t utilisation_answer_codec;

/*  count names are told of so many reservations in all. */
typedef struct {
    const char **names;
    size_t count;
    uint32_t overbooked;
} capacity_answer_t;
extern const codec_t capacity_answer_codec;

/*  In which time the packed Request of a plan may be placed; frame is left alone when it does not
 *  say. Times counted from its receipt are taken from now_ms. */
void request_frame_decode (bytes_t request, int64_t now_ms, interval_t *frame);

#endif
