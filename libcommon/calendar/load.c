/*  load - the calendar's tree of changes, without its bookings. */
#include "load.h"

#include "calendar_changes.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>

struct load {
    changes_t changes;
    size_t takings;
};

load_t *load_new (void)
{
    load_t *self = must (calloc (1, sizeof *self));
    changes_init (&self->changes);
    return self;
}

void load_destroy (load_t **self_p)
{
    load_t *self = *self_p;
    if (!self)
        return;
    changes_free (&self->changes);
    free (self);
    *self_p = NULL;
}

void load_add (load_t *self, interval_t over, int64_t quantity)
{
    assert (quantity > 0 && over.from < over.until);
    changes_touch (&self->changes, over.from, quantity);
    changes_touch (&self->changes, over.until, -quantity);
    self->takings++;
}

void load_take_off (load_t *self, interval_t over, int64_t quantity)
{
    assert (self->takings > 0);
    changes_untouch (&self->changes, over.from, quantity);
    changes_untouch (&self->changes, over.until, -quantity);
    if (--self->takings > 0)
        return;
    changes_free (&self->changes); /* with instants that lost count of their touches */
    changes_init (&self->changes);
}

bool load_empty (const load_t *self)
{
    return self->takings == 0;
}

int64_t load_most (const load_t *self, interval_t over)
{
    return changes_most (&self->changes, over, 0);
}

bool load_above (const load_t *self, interval_t over, int64_t limit, interval_t *piece)
{
    if (load_most (self, over) <= limit)
        return false;
    interval_t within [2];
    gaps_wanted_t wanted = {.window = over, .duration_ms = 1, .limit = limit};
    size_t count = changes_gaps (&self->changes, &wanted, within, 2);
    *piece = over;
    if (count > 0 && within [0].from > over.from)
        piece->until = within [0].from;
    else if (count > 0)
        *piece = (interval_t){within [0].until, count > 1 ? within [1].from : over.until};
    return true;
}
