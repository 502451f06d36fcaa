/*  owner_counts - one count for each actor, made with the first booking and gone with the last. */
#include "owner_counts.h"

#include "core.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char actor [NAME_BYTES_MAX + 1];
    size_t count;
} owned_t;

struct owners {
    ordered_t *owned; /* by actor */
    owned_t *last;    /* that was found: one actor's bookings come and go together */
};

owner_counts_t *owner_counts_new (void)
{
    owner_counts_t *self = must (calloc (1, sizeof *self));
    self->owned = ordered_by_text (offsetof (owned_t, actor));
    return self;
}

void owner_counts_destroy (owner_counts_t **self_p)
{
    owner_counts_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->owned, free);
    free (self);
    *self_p = NULL;
}

static owned_t *owned_find (owner_counts_t *self, const char *actor)
{
    if (!self->last || strcmp (self->last->actor, actor) != 0)
        self->last = ordered_find (self->owned, actor);
    return self->last;
}

void owner_counts_add (owner_counts_t *self, const char *actor, size_t count)
{
    owned_t *owned = owned_find (self, actor);
    if (count == 0)
        return;
    if (!owned) {
        owned = must (calloc (1, sizeof *owned));
        snprintf (owned->actor, sizeof owned->actor, "%s", actor);
        ordered_add (self->owned, owned->actor, owned);
    }
    owned->count += count;
}

void owner_counts_take_off (owner_counts_t *self, const char *actor, size_t count)
{
    owned_t *owned = owned_find (self, actor);
    if (count == 0)
        return;
    assert (owned && owned->count >= count);
    owned->count -= count;
    if (owned->count > 0)
        return;
    free (ordered_remove (self->owned, actor));
    self->last = NULL;
}

size_t owner_counts_of (const owner_counts_t *self, const char *actor)
{
    const owned_t *owned = ordered_find (self->owned, actor);
    return owned ? owned->count : 0;
}
