/*  watermarks - how far the ledger of each service had come, as it was last announced (T14).
 *
 *  One for each name, stored: the store, its start, the last row with its digest, and the stores
 *  that had the name before. It only rises, unless another store takes the name over after it has
 *  made up for what was lost with the first. A name that was not heard of for a year is forgotten;
 *  so is the one heard of longest ago, when there are watermarks_max of them.
 */
#ifndef MUSUBI_WATERMARKS_H
#define MUSUBI_WATERMARKS_H

#include "ledger.h"
#include "restore_guard_wire.h"
#include "service.h"

#define WATERMARK_KEPT_MS (INT64_C (366) * 86400000)

typedef struct watermarks watermarks_t;

/*  Loads TABLE_WATERMARKS. */
watermarks_t *watermarks_new (service_t *service, uint32_t watermarks_max);
void watermarks_destroy (watermarks_t **self_p);

size_t watermarks_count (const watermarks_t *self);

/*  NULL when nothing is remembered. Valid until the next watermarks_raise. */
const watermark_t *watermarks_find (const watermarks_t *self, const char *name);

typedef enum {
    WATERMARK_FITS,     /* nothing is remembered, or this is at least as far */
    WATERMARK_BELOW,    /* less far, or the same row with another digest: a restored backup */
    WATERMARK_OTHER,    /* another store had the name last */
    WATERMARK_REPLACED, /* this store had the name before, and another one has replaced it */
} watermark_answer_t;
watermark_answer_t watermarks_compare (const watermarks_t *self, const char *name,
                                       const ledger_mark_t *mark);

/*  Remembers it, unless it is below what is remembered, or replaced. */
void watermarks_raise (watermarks_t *self, const moment_t *now, const char *name,
                       const ledger_mark_t *mark);

#endif
