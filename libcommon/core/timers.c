/*  timers - each timer in two orders: by the time it is due, and by its number, by which it is
 *  cancelled.
 */
#include "timers.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct {
    uint64_t number;
    int64_t mono_ms;
    timer_fn *fire;
    void *owner;
    uint64_t token;
} timer_entry_t;

struct timers {
    ordered_t *by_time;
    ordered_t *by_number;
    uint64_t numbers; /* given so far */
};

static int timers_compare_times (const void *key, const void *thing)
{
    const timer_entry_t *a = key, *b = thing;
    int order = (a->mono_ms > b->mono_ms) - (a->mono_ms < b->mono_ms);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

timers_t *timers_new (void)
{
    timers_t *self = must (calloc (1, sizeof *self));
    self->by_time = ordered_new (timers_compare_times);
    self->by_number = ordered_by_number (offsetof (timer_entry_t, number));
    return self;
}

void timers_destroy (timers_t **self_p)
{
    timers_t *self = *self_p;
    if (!self)
        return;
    ordered_destroy (&self->by_time);
    ordered_end (&self->by_number, free);
    free (self);
    *self_p = NULL;
}

uint64_t timers_set (timers_t *self, int64_t mono_ms, timer_fn *fire, void *owner, uint64_t token)
{
    assert (self && fire);
    timer_entry_t *entry = must (malloc (sizeof *entry));
    *entry = (timer_entry_t){
      .number = ++self->numbers, .mono_ms = mono_ms, .fire = fire, .owner = owner, .token = token};
    ordered_add (self->by_number, &entry->number, entry);
    ordered_add (self->by_time, entry, entry);
    return entry->number;
}

void timers_cancel (timers_t *self, uint64_t timer)
{
    timer_entry_t *entry = ordered_remove (self->by_number, &timer);
    if (!entry)
        return;
    ordered_remove (self->by_time, entry);
    free (entry);
}

static const timer_entry_t *timers_first (const timers_t *self)
{
    return ordered_after (self->by_time, NULL);
}

void timers_move (timers_t *self, uint64_t *timer, int64_t mono_ms, timer_fn *fire, void *owner,
                  uint64_t token)
{
    timers_cancel (self, *timer);
    *timer = timers_set (self, mono_ms, fire, owner, token);
}

void timers_run (timers_t *self, const moment_t *now)
{
    for (const timer_entry_t *first;
         (first = timers_first (self)) && first->mono_ms <= now->mono_ms;) {
        timer_entry_t due = *first;
        timers_cancel (self, due.number);
        due.fire (due.owner, now, due.token);
    }
}

int64_t timers_due (const timers_t *self)
{
    const timer_entry_t *first = timers_first (self);
    return first ? first->mono_ms : INT64_MAX;
}
