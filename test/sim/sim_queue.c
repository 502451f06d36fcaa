/*  sim_queue - a binary heap ordered by (time, order of arrival). */
#include "sim_queue.h"

#include <stdlib.h>

struct sim_queue {
    tick_t *ticks;
    size_t count;
    size_t room;
    uint64_t order;
};

static bool before (const tick_t *a, const tick_t *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

sim_queue_t *sim_queue_new (void)
{
    sim_queue_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    return self;
}

void sim_queue_destroy (sim_queue_t **self_p)
{
    sim_queue_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++)
        free (self->ticks [i].message);
    free (self->ticks);
    free (self);
    *self_p = NULL;
}

void sim_queue_push (sim_queue_t *self, const tick_t *tick)
{
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 256;
        self->ticks = realloc (self->ticks, self->room * sizeof (tick_t));
        if (!self->ticks)
            abort ();
    }
    tick_t pushed = *tick;
    pushed.order = ++self->order;
    size_t at = self->count++;
    while (at > 0 && before (&pushed, &self->ticks [(at - 1) / 2])) {
        self->ticks [at] = self->ticks [(at - 1) / 2];
        at = (at - 1) / 2;
    }
    self->ticks [at] = pushed;
}

bool sim_queue_pop (sim_queue_t *self, tick_t *tick)
{
    if (self->count == 0)
        return false;
    *tick = self->ticks [0];
    const tick_t last = self->ticks [--self->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= self->count)
            break;
        if (child + 1 < self->count && before (&self->ticks [child + 1], &self->ticks [child]))
            child++;
        if (!before (&self->ticks [child], &last))
            break;
        self->ticks [at] = self->ticks [child];
        at = child;
    }
    self->ticks [at] = last;
    return true;
}

int64_t sim_queue_due (const sim_queue_t *self)
{
    return self->count ? self->ticks [0].at_us : INT64_MAX;
}
