/*  ledger_levels - a sorted array. */
#include "ledger_levels.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void levels_clear (levels_t *self)
{
    free (self->list);
    *self = (levels_t){0};
}

/*  Index of the first instant that is after at_ms. */
static size_t behind (const levels_t *self, int64_t at_ms)
{
    size_t low = 0;
    size_t high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->list [middle].from_ms <= at_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t levels_at (const levels_t *self, int64_t at_ms)
{
    size_t next = behind (self, at_ms);
    return next > 0 ? self->list [next - 1].sum : 0;
}

int64_t levels_next (const levels_t *self, int64_t after_ms)
{
    size_t next = behind (self, after_ms);
    return next < self->count ? self->list [next].from_ms : INT64_MAX;
}

int64_t levels_greatest (const levels_t *self, int64_t from_ms, int64_t until_ms, int64_t *at_ms)
{
    size_t i = behind (self, from_ms);
    int64_t greatest = i > 0 ? self->list [i - 1].sum : 0;
    *at_ms = from_ms;
    for (; i < self->count && self->list [i].from_ms < until_ms; i++) {
        if (self->list [i].sum > greatest) {
            greatest = self->list [i].sum;
            *at_ms = self->list [i].from_ms;
        }
    }
    return greatest;
}

/*  An entry that begins exactly there; returns its index. */
static size_t cut_at (levels_t *self, int64_t at_ms)
{
    size_t next = behind (self, at_ms);
    if (next > 0 && self->list [next - 1].from_ms == at_ms)
        return next - 1;
    self->list = must_grow (self->list, self->count, &self->room, sizeof *self->list);
    int64_t sum = next > 0 ? self->list [next - 1].sum : 0;
    memmove (&self->list [next + 1], &self->list [next], (self->count - next) * sizeof *self->list);
    self->list [next] = (level_t){.from_ms = at_ms, .sum = sum};
    self->count++;
    return next;
}

/*  Takes the entry out when it says what the one before says. */
static void join_at (levels_t *self, size_t i)
{
    int64_t before = i > 0 ? self->list [i - 1].sum : 0;
    if (i >= self->count || self->list [i].sum != before)
        return;
    memmove (&self->list [i], &self->list [i + 1], (self->count - i - 1) * sizeof *self->list);
    self->count--;
}

void levels_add (levels_t *self, int64_t from_ms, int64_t until_ms, int64_t change)
{
    assert (from_ms < until_ms);
    if (change == 0)
        return;
    size_t first = cut_at (self, from_ms);
    size_t last = cut_at (self, until_ms);
    for (size_t i = first; i < last; i++)
        self->list [i].sum += change;
    join_at (self, last);
    join_at (self, first);
}
