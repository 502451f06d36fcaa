/*  watermarks - ordered by name; a change is put with the announcement that made it. */
#include "watermarks.h"

#include "ledger.h"
#include "must.h"
#include "ordered.h"
#include "restore_guard.h"

#include <stdlib.h>
#include <string.h>

#define FORGET_EVERY_MS 3600000

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    watermark_t watermark;
} watermark_entry_t;

struct watermarks {
    service_t *service;
    ordered_t *kept; /* by name */
    uint32_t most;
};

static void watermarks_put (watermarks_t *self, const watermark_entry_t *kept)
{
    service_put (self->service, TABLE_WATERMARKS, text_bytes (kept->name),
                 codec_encode (&watermark_codec, &kept->watermark));
}

static watermark_entry_t *kept_new (watermarks_t *self, const char *name)
{
    watermark_entry_t *kept = must (calloc (1, sizeof *kept));
    memcpy (kept->name, name, strlen (name) + 1);
    ordered_add (self->kept, kept->name, kept);
    return kept;
}

static void watermarks_forget (watermarks_t *self, const char *name)
{
    outbox_delete (self->service->outbox, TABLE_WATERMARKS, text_bytes (name));
    free (ordered_remove (self->kept, name));
}

static void watermarks_on_record (void *owner, bytes_t key, bytes_t value)
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

/*  Forgets the watermark that was heard of longest ago, if that is long ago or room is needed. */
static void watermarks_make_room (watermarks_t *self, const moment_t *now, size_t wanted)
{
    const watermark_entry_t *oldest = NULL;
    const char *at = NULL;
    for (const watermark_entry_t *kept; (kept = ordered_after (self->kept, at)); at = kept->name)
        if (!oldest || kept->watermark.seen_ms < oldest->watermark.seen_ms)
            oldest = kept;
    if (!oldest)
        return;
    bool full = ordered_count (self->kept) + wanted > self->most;
    if (full)
        outbox_log (self->service->outbox, LEVEL_WARNING,
                    "watermark %s forgotten watermarks_max=%u: a restored backup of its store "
                    "would not be noticed",
                    oldest->name, self->most);
    if (full || oldest->watermark.seen_ms < now->wall_ms - WATERMARK_KEPT_MS)
        watermarks_forget (self, oldest->name);
}

static void watermarks_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    watermarks_t *self = owner;
    watermarks_make_room (self, now, 0);
    timers_set (self->service->timers, now->mono_ms + FORGET_EVERY_MS, watermarks_on_time, self, 0);
}

static void watermarks_on_start (void *owner, const moment_t *now)
{
    watermarks_t *self = owner;
    timers_set (self->service->timers, now->mono_ms + FORGET_EVERY_MS, watermarks_on_time, self, 0);
}

watermarks_t *watermarks_new (service_t *service, uint32_t watermarks_max)
{
    watermarks_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->kept = ordered_by_text (offsetof (watermark_entry_t, name));
    self->most = watermarks_max;
    service_load (service, TABLE_WATERMARKS, watermarks_on_record, self);
    service_at_start (service, watermarks_on_start, self);
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
    const watermark_entry_t *kept = ordered_find (self->kept, name);
    return kept ? &kept->watermark : NULL;
}

static bool watermarks_same_store (const uint8_t *a, const uint8_t *b)
{
    return memcmp (a, b, STORE_ID_BYTES) == 0;
}

watermark_answer_t watermarks_compare (const watermarks_t *self, const char *name,
                                       const ledger_mark_t *mark)
{
    const watermark_t *known = watermarks_find (self, name);
    if (!known || mark->row == 0)
        return WATERMARK_FITS;
    if (!watermarks_same_store (known->mark.store, mark->store)) {
        for (size_t i = 0; i < known->former_count; i++)
            if (watermarks_same_store (known->former [i], mark->store))
                return WATERMARK_REPLACED;
        return WATERMARK_OTHER;
    }
    bool other_row = mark->row == known->mark.row &&
                     memcmp (mark->digest, known->mark.digest, LEDGER_DIGEST_BYTES) != 0;
    return mark->row < known->mark.row || other_row ? WATERMARK_BELOW : WATERMARK_FITS;
}

/*  Puts the store that had the name at the front of the former ones. */
static void watermarks_replace (watermarks_t *self, watermark_entry_t *kept)
{
    watermark_t *watermark = &kept->watermark;
    if (watermark->former_count < RESTORE_GUARD_FORMER_MAX)
        watermark->former_count++;
    memmove (watermark->former [1], watermark->former [0],
             (watermark->former_count - 1) * STORE_ID_BYTES);
    memcpy (watermark->former [0], watermark->mark.store, STORE_ID_BYTES);
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "watermark %s: another store has replaced the one that had come to row %llu",
                kept->name, (unsigned long long) watermark->mark.row);
}

void watermarks_raise (watermarks_t *self, const moment_t *now, const char *name,
                       const ledger_mark_t *mark)
{
    watermark_answer_t answer = watermarks_compare (self, name, mark);
    watermark_entry_t *kept = ordered_find (self->kept, name);
    if (mark->row == 0 || answer == WATERMARK_BELOW || answer == WATERMARK_REPLACED)
        return;
    if (kept && answer == WATERMARK_FITS && kept->watermark.mark.row == mark->row)
        return;
    if (!kept && ordered_count (self->kept) >= self->most)
        watermarks_make_room (self, now, 1);
    if (!kept)
        kept = kept_new (self, name);
    else if (answer == WATERMARK_OTHER)
        watermarks_replace (self, kept);
    kept->watermark.mark = *mark;
    kept->watermark.seen_ms = now->wall_ms;
    watermarks_put (self, kept);
}
