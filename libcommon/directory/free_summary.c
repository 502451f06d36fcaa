/*  free_summary - spans and levels. */
#include "free_summary.h"

#include "codec_table.h"

#include "gis.pb-c.h"

#define LEVEL_BITS 3 /* of a quantity that are kept behind its first */

static const codec_row_t free_summary_rows [] = {
  ROW_TIME ("from_ms", free_summary_t, from_ms),
  ROW_BYTES ("levels", free_summary_t, levels, levels_size, FREE_SUMMARY_BYTES_MAX),
};

static bool free_summary_rule (void *self, char why [WHY_BYTES])
{
    const free_summary_t *summary = self;
    for (size_t at = 0; at < summary->levels_size;) {
        size_t count = summary->levels [at];
        if (count > FREE_SUMMARY_SPANS || count >= summary->levels_size - at)
            return wrong (why, "levels: byte %zu counts %zu levels", at, count);
        at += count + 1;
    }
    return true;
}

const codec_t free_summary_codec =
  CODEC_RULED (free_summary_t, free_summary, free_summary_rows, free_summary_rule);

uint8_t free_summary_level (uint64_t quantity)
{
    unsigned shift = 0;
    while (quantity >> shift >= 2u << LEVEL_BITS)
        shift++;
    uint64_t level = (quantity >> shift) + ((uint64_t) shift << LEVEL_BITS);
    level += (quantity >> shift) << shift < quantity;
    return level < UINT8_MAX ? (uint8_t) level : UINT8_MAX;
}

uint64_t free_summary_quantity (uint8_t level)
{
    if (level >> LEVEL_BITS == 0)
        return level;
    unsigned shift = (level >> LEVEL_BITS) - 1u;
    return (uint64_t) (level - (shift << LEVEL_BITS)) << shift;
}

int64_t free_summary_begin (int64_t from_ms, size_t span)
{
    int64_t four = INT64_C (1) << span / 4;
    return from_ms + FREE_SUMMARY_SPAN_MS * (four * (int64_t) (4 + span % 4) - 4);
}

bytes_t free_summary_of (const free_summary_t *self, size_t resource)
{
    size_t at = 0;
    while (at < self->levels_size && resource-- > 0)
        at += self->levels [at] + 1u;
    if (at >= self->levels_size)
        return (bytes_t){0};
    return (bytes_t){.data = &self->levels [at + 1], .size = self->levels [at]};
}

int64_t free_summary_first (const free_summary_t *self, size_t resource, int64_t from_ms,
                            int64_t duration_ms, uint64_t quantity)
{
    bytes_t levels = free_summary_of (self, resource);
    int64_t start_ms = from_ms;
    for (size_t span = 0; span < levels.size; span++) {
        int64_t end_ms = free_summary_begin (self->from_ms, span + 1);
        if (end_ms > start_ms && free_summary_quantity (levels.data [span]) < quantity) {
            if (free_summary_begin (self->from_ms, span) >= start_ms + duration_ms)
                break;
            start_ms = end_ms;
        }
    }
    return start_ms;
}
