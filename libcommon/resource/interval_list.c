/*  interval_list - one sweep over the instants at which a quantity turns up or down. */
#include "interval_list.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>

void interval_list_clear (interval_list_t *self)
{
    free (self->list);
    *self = (interval_list_t){0};
}

void interval_changes_clear (interval_changes_t *self)
{
    free (self->list);
    *self = (interval_changes_t){0};
}

/*  The first stretch of a resource that is not before this one. */
static size_t stretch_first (const interval_list_t *self, size_t resource)
{
    size_t from = 0;
    size_t until = self->count;
    while (from < until) {
        size_t middle = from + (until - from) / 2;
        if (self->list [middle].resource < resource)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

interval_list_t interval_list_of_resource (const interval_list_t *self, size_t resource)
{
    if (!self)
        return (interval_list_t){0};
    size_t first = stretch_first (self, resource);
    size_t end = first;
    while (end < self->count && self->list [end].resource == resource)
        end++;
    if (first == end)
        return (interval_list_t){0};
    return (interval_list_t){.list = self->list + first, .count = end - first};
}

/*  At an instant, the quantities of one resource move by so much. */
typedef struct {
    size_t resource;
    int64_t at;
    int64_t before;
    int64_t after;
} turn_t;

static int turn_compare (const void *left, const void *right)
{
    const turn_t *a = left;
    const turn_t *b = right;
    if (a->resource != b->resource)
        return a->resource < b->resource ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static size_t turns_add (turn_t *turns, size_t count, const interval_list_t *stretches, bool after)
{
    for (size_t i = 0; i < stretches->count; i++) {
        const resource_interval_t *stretch = &stretches->list [i];
        assert (stretch->over.from < stretch->over.until);
        turn_t up = {
          .resource = stretch->resource,
          .at = stretch->over.from,
          .before = after ? 0 : stretch->quantity,
          .after = after ? stretch->quantity : 0,
        };
        turn_t down = up;
        down.at = stretch->over.until;
        down.before = -up.before;
        down.after = -up.after;
        turns [count++] = up;
        turns [count++] = down;
    }
    return count;
}

/*  Appends it, or lengthens the last one when that has the same quantities and touches it. */
static void interval_changes_add (interval_changes_t *self, const interval_change_t *change)
{
    interval_change_t *last = self->count > 0 ? &self->list [self->count - 1] : NULL;
    if (last && last->resource == change->resource && last->over.until == change->over.from &&
        last->before == change->before && last->after == change->after)
        last->over.until = change->over.until;
    else
        self->list [self->count++] = *change;
}

interval_changes_t interval_list_changes (const interval_list_t *before,
                                          const interval_list_t *after)
{
    size_t turns_max = 2 * (before->count + after->count);
    if (turns_max == 0)
        return (interval_changes_t){0};
    interval_changes_t changes = {.list = must (calloc (turns_max, sizeof *changes.list))};
    if (before->count == 0 && after->count == 1) { /* most reservations, a million at a start */
        const resource_interval_t *only = after->list;
        changes.list [changes.count++] = (interval_change_t){
          .resource = only->resource, .over = only->over, .after = only->quantity};
        return changes;
    }
    memory_auto turn_t *turns = must (calloc (turns_max, sizeof *turns));
    size_t count = turns_add (turns, 0, before, false);
    count = turns_add (turns, count, after, true);
    qsort (turns, count, sizeof *turns, turn_compare);

    /*  Between two neighbouring turns of a resource, both quantities are constant. After the last
     *  turn of a resource both are 0 again. */
    int64_t quantity_before = 0;
    int64_t quantity_after = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        quantity_before += turns [i].before;
        quantity_after += turns [i].after;
        bool empty =
          turns [i].resource != turns [i + 1].resource || turns [i].at == turns [i + 1].at;
        if (empty || (quantity_before == 0 && quantity_after == 0))
            continue;
        interval_changes_add (&changes,
                              &(interval_change_t){.resource = turns [i].resource,
                                                   .over = {turns [i].at, turns [i + 1].at},
                                                   .before = quantity_before,
                                                   .after = quantity_after});
    }
    return changes;
}

/*  The stretches of a quantity that is read off each change; where it is 0 there is none. */
static interval_list_t interval_list_read (const interval_changes_t *changes, bool extra)
{
    if (changes->count == 0)
        return (interval_list_t){0};
    interval_list_t stretches = {.list = must (calloc (changes->count, sizeof *stretches.list))};
    for (size_t i = 0; i < changes->count; i++) {
        const interval_change_t *change = &changes->list [i];
        int64_t quantity = change->after - (extra ? change->before : 0);
        if (quantity <= 0)
            continue;
        resource_interval_t *last =
          stretches.count > 0 ? &stretches.list [stretches.count - 1] : NULL;
        if (last && last->resource == change->resource && last->over.until == change->over.from &&
            last->quantity == quantity)
            last->over.until = change->over.until;
        else
            stretches.list [stretches.count++] = (resource_interval_t){
              .resource = change->resource, .over = change->over, .quantity = quantity};
    }
    if (stretches.count == 0)
        interval_list_clear (&stretches);
    return stretches;
}

interval_list_t interval_changes_after (const interval_changes_t *self)
{
    return interval_list_read (self, false);
}

interval_list_t interval_changes_extra (const interval_changes_t *self)
{
    return interval_list_read (self, true);
}

bool interval_changes_free_after (const interval_changes_t *self, int64_t then_ms)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].after < self->list [i].before && self->list [i].over.until > then_ms)
            return true;
    return false;
}
