/*  completed - a table by txid, swept in order. */
#include "completed.h"

#include "decision.h"
#include "must.h"
#include "ordered.h"

#include <stdlib.h>

#define PRUNE_STEP 4096 /* a second: more than are committed in one */

typedef struct {
    txid_t txid;
    int64_t end_ms;
    bool done;
    bool stored;
} completed_entry_t;

struct settled {
    service_t *service;
    const planner_settings_t *settings;
    ordered_t *kept; /* by txid */
    completed_entry_t **unstored;
    size_t unstored_count;
    size_t unstored_room;
    txid_t prune_after;
    bool prune_begun;
    int64_t earliest_ms; /* earliest end of those looked at and kept */
};

static int compare_kept (const void *key, const void *thing)
{
    return txid_compare (key, &((const completed_entry_t *) thing)->txid);
}

completed_t *completed_new (service_t *service, const planner_settings_t *settings)
{
    completed_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->kept = ordered_new (compare_kept);
    self->earliest_ms = COMPLETED_END_UNKNOWN;
    return self;
}

void completed_destroy (completed_t **self_p)
{
    completed_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->kept, free);
    free (self->unstored);
    free (self);
    *self_p = NULL;
}

static void notice_end (completed_t *self, int64_t end_ms)
{
    if (end_ms < self->earliest_ms)
        self->earliest_ms = end_ms;
}

void completed_keep (completed_t *self, const txid_t *txid, int64_t end_ms, bool done, bool stored)
{
    completed_entry_t *kept = must (malloc (sizeof *kept));
    *kept = (completed_entry_t){.txid = *txid, .end_ms = end_ms, .done = done, .stored = stored};
    ordered_add (self->kept, txid, kept);
    notice_end (self, end_ms);
    if (stored)
        return;
    self->unstored = must_grow (self->unstored, self->unstored_count, &self->unstored_room,
                                sizeof (completed_entry_t *));
    self->unstored [self->unstored_count++] = kept;
}

bool completed_has (const completed_t *self, const txid_t *txid, bool *done)
{
    const completed_entry_t *kept = ordered_find (self->kept, txid);
    if (kept && done)
        *done = kept->done;
    return kept != NULL;
}

void completed_store (completed_t *self)
{
    for (size_t i = 0; i < self->unstored_count; i++) {
        completed_entry_t *kept = self->unstored [i];
        decision_record_t record = {.phase = DECISION_SETTLED, .end_ms = kept->end_ms};
        decision_log_put (self->service, &kept->txid, &record);
        kept->stored = true;
    }
    self->unstored_count = 0;
}

bool completed_waits (const completed_t *self)
{
    return self->unstored_count > 0;
}

static void completed_forget (completed_t *self, completed_entry_t *kept)
{
    decision_log_delete (self->service, &kept->txid, false);
    ordered_remove (self->kept, &kept->txid);
    free (kept);
}

static bool completed_outlived (const completed_t *self, int64_t end_ms, int64_t wall_ms)
{
    return end_ms != COMPLETED_END_UNKNOWN && wall_ms >= end_ms + self->settings->retention_ms;
}

/*  A sweep over the table begins only when there is something to forget. */
void completed_prune (completed_t *self, int64_t wall_ms)
{
    if (!self->prune_begun) {
        if (!completed_outlived (self, self->earliest_ms, wall_ms))
            return;
        self->earliest_ms = COMPLETED_END_UNKNOWN;
    }
    for (int i = 0; i < PRUNE_STEP; i++) {
        completed_entry_t *kept =
          ordered_after (self->kept, self->prune_begun ? &self->prune_after : NULL);
        self->prune_begun = kept != NULL;
        if (!kept)
            return;
        self->prune_after = kept->txid;
        if (kept->stored && completed_outlived (self, kept->end_ms, wall_ms))
            completed_forget (self, kept);
        else
            notice_end (self, kept->end_ms);
    }
}
