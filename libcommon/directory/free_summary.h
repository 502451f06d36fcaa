/*  free_summary - how much a service has free at most of each thing that it offers, and when: a
 *  hint of a few hundred bytes that comes with its heartbeat.
 *
 *  Time is cut into spans from from_ms on: four of FREE_SUMMARY_SPAN_MS, four of twice the length,
 *  and so on. What is told of a span is the most that is free at any instant in it, as a level:
 *  exact up to 16, rounded up by an eighth at most beyond. So it bounds what was free when it was
 *  made, and changes rarely; what has become free since it does not know. Pure.
 */
#ifndef MUSUBI_FREE_SUMMARY_H
#define MUSUBI_FREE_SUMMARY_H

#include "codec.h"

#include <stdint.h>

#define FREE_SUMMARY_SPAN_MS   (INT64_C (15) * 60000)
#define FREE_SUMMARY_SPANS     40                         /* the last one ends after 42 days */
#define FREE_SUMMARY_BYTES_MAX 1024                       /* of levels */
#define FREE_SUMMARY_OLD_MS    (8 * FREE_SUMMARY_SPAN_MS) /* older ones say nothing */

/*  levels: of each resource, in the order in which the entry has them, a count and so many levels.
 *  Of spans and resources behind the last that is told all may be free. */
typedef struct {
    int64_t from_ms; /* wall; 0 = nothing is told */
    uint8_t *levels;
    size_t levels_size;
} free_summary_t;

extern const codec_t free_summary_codec;

/*  The least level whose quantity is not less; and its quantity. */
uint8_t free_summary_level (uint64_t quantity);
uint64_t free_summary_quantity (uint8_t level);

/*  When a span begins; that of FREE_SUMMARY_SPANS is the end of the last. */
int64_t free_summary_begin (int64_t from_ms, size_t span);

/*  The levels that are told of a resource; an empty list when none are. */
bytes_t free_summary_of (const free_summary_t *self, size_t resource);

/*  The first start from from_ms on at which so much may be free for the duration (> 0). */
int64_t free_summary_first (const free_summary_t *self, size_t resource, int64_t from_ms,
                            int64_t duration_ms, uint64_t quantity);

#endif
