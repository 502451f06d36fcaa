/*  free_profile - a profile as sorted steps, or windows. */
#include "free_profile.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>

void free_profile_clear (free_profile_t *self)
{
    free (self->steps);
    free (self->windows);
    *self = (free_profile_t){0};
}

void free_profile_set (free_profile_t *self, const profile_t *profile)
{
    free (self->steps);
    self->steps = must_copy (profile->steps, profile->steps_count * sizeof *self->steps);
    self->steps_count = profile->steps_count;
    self->until_ms = profile->until_ms;
}

void free_profile_window (free_profile_t *self, window_t window)
{
    self->windows =
      must (realloc (self->windows, (self->windows_count + 1) * sizeof *self->windows));
    self->windows [self->windows_count++] = window;
}

/*  Appends a step, unless it says nothing new. */
static void push_step (free_profile_t *self, int64_t from_ms, int64_t quantity)
{
    if (self->steps_count > 0 && self->steps [self->steps_count - 1].free == quantity)
        return;
    self->steps [self->steps_count++] = (profile_step_t){.from_ms = from_ms, .free = quantity};
}

/*  The last step that begins at or before at_ms; the first when there is none. */
static size_t step_before (const profile_step_t *steps, size_t count, int64_t at_ms)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (steps [middle].from_ms <= at_ms)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void free_profile_patch (free_profile_t *self, const profile_t *fresh)
{
    if (fresh->steps_count == 0 || self->steps_count == 0)
        return;
    int64_t begin_ms = self->steps [0].from_ms;
    int64_t from_ms = fresh->steps [0].from_ms > begin_ms ? fresh->steps [0].from_ms : begin_ms;
    int64_t until_ms = fresh->until_ms < self->until_ms ? fresh->until_ms : self->until_ms;
    if (from_ms >= until_ms)
        return;

    profile_step_t *old = self->steps;
    size_t old_count = self->steps_count;
    self->steps = must (malloc ((old_count + fresh->steps_count + 2) * sizeof *self->steps));
    self->steps_count = 0;
    for (size_t i = 0; i < old_count && old [i].from_ms < from_ms; i++)
        push_step (self, old [i].from_ms, old [i].free);
    push_step (self, from_ms,
               fresh->steps [step_before (fresh->steps, fresh->steps_count, from_ms)].free);
    for (size_t i = 0; i < fresh->steps_count && fresh->steps [i].from_ms < until_ms; i++)
        if (fresh->steps [i].from_ms > from_ms)
            push_step (self, fresh->steps [i].from_ms, fresh->steps [i].free);
    if (until_ms < self->until_ms)
        push_step (self, until_ms, old [step_before (old, old_count, until_ms)].free);
    for (size_t i = 0; i < old_count; i++)
        if (old [i].from_ms > until_ms)
            push_step (self, old [i].from_ms, old [i].free);
    free (old);
}

void free_profile_deny (free_profile_t *self, int64_t from_ms, int64_t until_ms, int64_t wanted)
{
    for (size_t i = 0; i < self->windows_count; i++) {
        window_t *window = &self->windows [i];
        if (window->from_ms < until_ms && from_ms < window->until_ms && window->quantity >= wanted)
            window->quantity = wanted - 1;
    }
    if (from_ms >= until_ms || free_profile_least (self, from_ms, until_ms) < wanted)
        return;
    profile_step_t step = {.from_ms = from_ms, .free = wanted - 1};
    free_profile_patch (self, &(profile_t){.steps = &step, .steps_count = 1, .until_ms = until_ms});
}

void free_profile_take (free_profile_t *self, window_t taken)
{
    profile_step_t *left = must_copy (self->steps, self->steps_count * sizeof *left);
    for (size_t i = 0; i < self->steps_count; i++) {
        left [i].free = left [i].free > taken.quantity ? left [i].free - taken.quantity : 0;
        if (left [i].from_ms < taken.from_ms)
            left [i].from_ms = taken.from_ms;
    }
    free_profile_patch (
      self,
      &(profile_t){.steps = left, .steps_count = self->steps_count, .until_ms = taken.until_ms});
    free (left);
}

static int64_t windows_least (const free_profile_t *self, int64_t from_ms, int64_t until_ms)
{
    int64_t most = 0;
    for (size_t i = 0; i < self->windows_count; i++) {
        const window_t *window = &self->windows [i];
        if (window->from_ms <= from_ms && window->until_ms >= until_ms && window->quantity > most)
            most = window->quantity;
    }
    return most;
}

int64_t free_profile_least (const free_profile_t *self, int64_t from_ms, int64_t until_ms)
{
    assert (from_ms < until_ms);
    if (self->windows_count > 0)
        return windows_least (self, from_ms, until_ms);
    if (self->steps_count == 0 || from_ms < self->steps [0].from_ms || until_ms > self->until_ms)
        return 0;
    int64_t least = INT64_MAX;
    for (size_t i = step_before (self->steps, self->steps_count, from_ms);
         i < self->steps_count && self->steps [i].from_ms < until_ms; i++)
        if (self->steps [i].free < least)
            least = self->steps [i].free;
    return least;
}

static void insert_edge (int64_t *edges, size_t *count, int64_t edge_ms)
{
    size_t at = (*count)++;
    for (; at > 0 && edges [at - 1] > edge_ms; at--)
        edges [at] = edges [at - 1];
    edges [at] = edge_ms;
}

int64_t free_profile_least_beside (const free_profile_t *self, int64_t from_ms, int64_t until_ms,
                                   const window_t *others, size_t others_count)
{
    assert (others_count <= FREE_PROFILE_OTHERS_MAX);
    int64_t edges [2 * FREE_PROFILE_OTHERS_MAX + 2];
    size_t edges_count = 0;
    insert_edge (edges, &edges_count, from_ms);
    for (size_t i = 0; i < others_count; i++) {
        if (others [i].from_ms > from_ms && others [i].from_ms < until_ms)
            insert_edge (edges, &edges_count, others [i].from_ms);
        if (others [i].until_ms > from_ms && others [i].until_ms < until_ms)
            insert_edge (edges, &edges_count, others [i].until_ms);
    }
    insert_edge (edges, &edges_count, until_ms);
    int64_t least =
      free_profile_least (self, from_ms, until_ms); /* windows must hold as a whole, too */
    for (size_t e = 0; e + 1 < edges_count; e++) {
        if (edges [e] == edges [e + 1])
            continue;
        int64_t left = free_profile_least (self, edges [e], edges [e + 1]);
        for (size_t i = 0; i < others_count; i++)
            if (others [i].from_ms <= edges [e] && edges [e] < others [i].until_ms)
                left -= others [i].quantity;
        if (left < least)
            least = left;
    }
    return least;
}

int64_t free_profile_utilisation (const free_profile_t *self, int64_t capacity)
{
    if (self->steps_count == 0 || capacity <= 0)
        return 0;
    double free_ms = 0;
    for (size_t i = 0; i < self->steps_count; i++) {
        int64_t until_ms = i + 1 < self->steps_count ? self->steps [i + 1].from_ms : self->until_ms;
        free_ms += (double) self->steps [i].free * (double) (until_ms - self->steps [i].from_ms);
    }
    double span_ms = (double) (self->until_ms - self->steps [0].from_ms);
    double share = span_ms > 0 ? 1 - free_ms / span_ms / (double) capacity : 0;
    return share <= 0 ? 0 : (int64_t) (share * 1e6);
}
