/*  timers - a binary heap by (time, number); a cancelled timer is left in place with its function
 *  cleared, and dropped when it comes to the top or when half the heap is such husks.
 */
#include "timers.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t mono_ms;
    uint64_t number;
    timer_fn *fire; /* NULL: cancelled */
    void *owner;
    uint64_t token;
    size_t slot; /* in slots */
} timer_entry_t;

/*  A timer's number is its slot and the slot's generation, so that cancelling finds it at once. */
typedef struct {
    timer_entry_t *entry; /* NULL: free */
    uint32_t generation;
    uint32_t next_free;
} timer_slot_t;

struct timers {
    timer_entry_t **heap;
    size_t count;
    size_t room;
    size_t husks;
    timer_slot_t *slots;
    uint32_t slots_count;
    size_t slots_room;
    uint32_t free_slot; /* index + 1; 0 = none */
    uint64_t sequence;
};

static bool before (const timer_entry_t *a, const timer_entry_t *b)
{
    return a->mono_ms != b->mono_ms ? a->mono_ms < b->mono_ms : a->number < b->number;
}

static void sift_up (timers_t *self, size_t at)
{
    timer_entry_t *entry = self->heap [at];
    while (at > 0 && before (entry, self->heap [(at - 1) / 2])) {
        self->heap [at] = self->heap [(at - 1) / 2];
        at = (at - 1) / 2;
    }
    self->heap [at] = entry;
}

static void sift_down (timers_t *self, size_t at)
{
    timer_entry_t *entry = self->heap [at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= self->count)
            break;
        if (child + 1 < self->count && before (self->heap [child + 1], self->heap [child]))
            child++;
        if (!before (self->heap [child], entry))
            break;
        self->heap [at] = self->heap [child];
        at = child;
    }
    self->heap [at] = entry;
}

static timer_entry_t *heap_take (timers_t *self)
{
    timer_entry_t *top = self->heap [0];
    self->heap [0] = self->heap [--self->count];
    if (self->count > 0)
        sift_down (self, 0);
    return top;
}

static void slot_release (timers_t *self, size_t slot)
{
    self->slots [slot].entry = NULL;
    self->slots [slot].generation++;
    self->slots [slot].next_free = self->free_slot;
    self->free_slot = (uint32_t) slot + 1;
}

static size_t slot_take (timers_t *self)
{
    if (self->free_slot) {
        size_t slot = self->free_slot - 1;
        self->free_slot = self->slots [slot].next_free;
        return slot;
    }
    self->slots =
      must_grow (self->slots, self->slots_count, &self->slots_room, sizeof (timer_slot_t));
    self->slots [self->slots_count] = (timer_slot_t){.generation = 1};
    return self->slots_count++;
}

static void drop_husks (timers_t *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (self->heap [i]->fire)
            self->heap [kept++] = self->heap [i];
        else
            free (self->heap [i]);
    }
    self->count = kept;
    self->husks = 0;
    for (size_t i = kept / 2; i-- > 0;)
        sift_down (self, i);
}

/*  So that the first in the heap is always a timer that will fire. */
static void drop_husks_on_top (timers_t *self)
{
    while (self->count > 0 && !self->heap [0]->fire) {
        free (heap_take (self));
        self->husks--;
    }
}

timers_t *timers_new (void)
{
    return must (calloc (1, sizeof (timers_t)));
}

void timers_destroy (timers_t **self_p)
{
    timers_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++)
        free (self->heap [i]);
    free (self->heap);
    free (self->slots);
    free (self);
    *self_p = NULL;
}

uint64_t timers_set (timers_t *self, int64_t mono_ms, timer_fn *fire, void *owner, uint64_t token)
{
    assert (self && fire);
    self->heap = must_grow (self->heap, self->count, &self->room, sizeof (timer_entry_t *));
    timer_entry_t *entry = must (malloc (sizeof (timer_entry_t)));
    *entry = (timer_entry_t){.mono_ms = mono_ms,
                             .number = ++self->sequence,
                             .fire = fire,
                             .owner = owner,
                             .token = token,
                             .slot = slot_take (self)};
    timer_slot_t *slot = &self->slots [entry->slot];
    slot->entry = entry;
    self->heap [self->count] = entry;
    sift_up (self, self->count++);
    return (uint64_t) slot->generation << 32 | (uint64_t) (entry->slot + 1);
}

void timers_cancel (timers_t *self, uint64_t timer)
{
    uint64_t index = timer & UINT32_MAX;
    if (index == 0 || index > self->slots_count)
        return;
    timer_slot_t *slot = &self->slots [index - 1];
    if (!slot->entry || slot->generation != timer >> 32)
        return;
    slot->entry->fire = NULL;
    slot_release (self, index - 1);
    self->husks++;
    drop_husks_on_top (self);
    if (self->husks > 64 && self->husks > self->count / 2)
        drop_husks (self);
}

void timers_run (timers_t *self, const moment_t *now)
{
    while (self->count > 0 && self->heap [0]->mono_ms <= now->mono_ms) {
        timer_entry_t *entry = heap_take (self);
        timer_entry_t due = *entry;
        free (entry);
        slot_release (self, due.slot);
        drop_husks_on_top (self);
        due.fire (due.owner, now, due.token);
    }
}

int64_t timers_due (const timers_t *self)
{
    return self->count > 0 ? self->heap [0]->mono_ms : INT64_MAX;
}
