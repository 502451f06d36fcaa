/*  watermarks - ordered by name; put when something has changed, with the batch of the announcement
 *  that changed it.
 */
#include "watermarks.h"

#include "ledger.h"
#include "must.h"
#include "ordered.h"
#include "standing.h"

#include <stdlib.h>
#include <string.h>

#define FORGET_EVERY_MS 3600000

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    watermark_t watermark;
} kept_t;

struct watermarks {
    service_t *service;
    ordered_t *kept; /* by name */
    uint32_t most;
};

static void put (watermarks_t *self, const kept_t *kept)
{
    service_put (self->service, TABLE_WATERMARKS, text_bytes (kept->name),
                 codec_encode (&watermark_codec, &kept->watermark));
}

static kept_t *kept_new (watermarks_t *self, const char *name)
{
    kept_t *kept = must (calloc (1, sizeof *kept));
    memcpy (kept->name, name, strlen (name) + 1);
    ordered_add (self->kept, kept->name, kept);
    return kept;
}

static void forget (watermarks_t *self, const char *name)
{
    outbox_delete (self->service->outbox, TABLE_WATERMARKS, text_bytes (name));
    free (ordered_remove (self->kept, name));
}

static void on_record (void *owner, bytes_t key, bytes_t value)
{
    watermarks_t *self = owner;
    watermark_t watermark;
    char name [NAME_BYTES_MAX + 1] = "", why [WHY_BYTES] = "key: not a name";
    bool good = key.size > 0 && key.size <= NAME_BYTES_MAX && !memchr (key.data, 0, key.size) &&
                codec_decode (&watermark_codec, &watermark, value, why);
    if (good)
        memcpy (name, key.data, key.size);
    if (!good || ordered_find (self->kept, name)) {
        service_bad_record (self->service, "watermarks", good ? "key: twice" : why);
        return;
    }
    kept_new (self, name)->watermark = watermark;
}

/*  Those not heard of for long; and one of the others while there is no room. */
static void make_room (watermarks_t *self, const moment_t *now, size_t wanted)
{
    const kept_t *oldest = NULL;
    const char *at = NULL;
    for (const kept_t *kept; (kept = ordered_after (self->kept, at)); at = kept->name)
        if (!oldest || kept->watermark.seen_ms < oldest->watermark.seen_ms)
            oldest = kept;
    if (!oldest)
        return;
    bool full = ordered_count (self->kept) + wanted > self->most;
    if (full)
        outbox_log (self->service->outbox, LEVEL_WARNING,
                    "watermark %s forgotten watermarks_max=%u: a backup of it will not be known",
                    oldest->name, self->most);
    if (full || oldest->watermark.seen_ms < now->wall_ms - WATERMARK_KEPT_MS)
        forget (self, oldest->name);
}

static void on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    watermarks_t *self = owner;
    make_room (self, now, 0);
    timers_set (self->service->timers, now->mono_ms + FORGET_EVERY_MS, on_time, self, 0);
}

static void on_start (void *owner, const moment_t *now)
{
    watermarks_t *self = owner;
    timers_set (self->service->timers, now->mono_ms + FORGET_EVERY_MS, on_time, self, 0);
}

watermarks_t *watermarks_new (service_t *service, uint32_t watermarks_max)
{
    watermarks_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->kept = ordered_by_text (offsetof (kept_t, name));
    self->most = watermarks_max;
    service_load (service, TABLE_WATERMARKS, on_record, self);
    service_at_start (service, on_start, self);
    return self;
}

void watermarks_destroy (watermarks_t **self_p)
{
    watermarks_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->kept, free);
    free (self);
    *self_p = NULL;
}

size_t watermarks_count (const watermarks_t *self)
{
    return ordered_count (self->kept);
}

const watermark_t *watermarks_find (const watermarks_t *self, const char *name)
{
    const kept_t *kept = ordered_find (self->kept, name);
    return kept ? &kept->watermark : NULL;
}

static bool same_store (const uint8_t *a, const uint8_t *b)
{
    return memcmp (a, b, STORE_ID_BYTES) == 0;
}

watermark_answer_t watermarks_compare (const watermarks_t *self, const char *name,
                                       const ledger_mark_t *mark)
{
    const watermark_t *known = watermarks_find (self, name);
    if (!known || mark->row == 0)
        return WATERMARK_FITS;
    if (!same_store (known->mark.store, mark->store)) {
        for (size_t i = 0; i < known->former_count; i++)
            if (same_store (known->former [i], mark->store))
                return WATERMARK_REPLACED;
        return WATERMARK_OTHER;
    }
    bool other_row = mark->row == known->mark.row &&
                     memcmp (mark->digest, known->mark.digest, LEDGER_DIGEST_BYTES) != 0;
    return mark->row < known->mark.row || other_row ? WATERMARK_BELOW : WATERMARK_FITS;
}

/*  The store that had the name goes to the front of the former ones. */
static void replace (watermarks_t *self, kept_t *kept)
{
    watermark_t *watermark = &kept->watermark;
    if (watermark->former_count < STANDING_FORMER_MAX)
        watermark->former_count++;
    memmove (watermark->former [1], watermark->former [0],
             (watermark->former_count - 1) * STORE_ID_BYTES);
    memcpy (watermark->former [0], watermark->mark.store, STORE_ID_BYTES);
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "watermark %s: another store has taken the place of one at row %llu", kept->name,
                (unsigned long long) watermark->mark.row);
}

void watermarks_raise (watermarks_t *self, const moment_t *now, const char *name,
                       const ledger_mark_t *mark)
{
    watermark_answer_t answer = watermarks_compare (self, name, mark);
    kept_t *kept = ordered_find (self->kept, name);
    if (mark->row == 0 || answer == WATERMARK_BELOW || answer == WATERMARK_REPLACED)
        return;
    if (kept && answer == WATERMARK_FITS && kept->watermark.mark.row == mark->row)
        return;
    if (!kept && ordered_count (self->kept) >= self->most)
        make_room (self, now, 1);
    if (!kept)
        kept = kept_new (self, name);
    else if (answer == WATERMARK_OTHER)
        replace (self, kept);
    kept->watermark.mark = *mark;
    kept->watermark.seen_ms = now->wall_ms;
    put (self, kept);
}
