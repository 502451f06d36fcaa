/*  timers - many timers over the one alarm that a host gives a core.
 *
 *  Times are monotonic milliseconds. A timer fires once, in order of its time and then of its
 *  setting, never before its time. Setting and cancelling cost the logarithm of the timers set.
 */
#ifndef MUSUBI_TIMERS_H
#define MUSUBI_TIMERS_H

#include "core.h"

typedef struct timers timers_t;

/*  Called when a timer's time has come; owner and token are as given to timers_set. It may set and
 *  cancel timers. */
typedef void timer_fn (void *owner, const moment_t *now, uint64_t token);

timers_t *timers_new (void);
void timers_destroy (timers_t **self_p);

/*  Returns the timer's number, never 0. */
uint64_t timers_set (timers_t *self, int64_t mono_ms, timer_fn *fire, void *owner, uint64_t token);

/*  Harmless for 0 and for a timer that has fired or was cancelled. */
void timers_cancel (timers_t *self, uint64_t timer);

/*  Sets *timer anew, in place of the one that it names. */
void timers_move (timers_t *self, uint64_t *timer, int64_t mono_ms, timer_fn *fire, void *owner,
                  uint64_t token);

/*  A pause, doubled so many times, but no longer than the longest. */
static inline int64_t pause_doubled (int64_t ms, int64_t ms_max, uint32_t times)
{
    while (times-- > 0 && ms < ms_max)
        ms *= 2;
    return ms < ms_max ? ms : ms_max;
}

/*  Fire all that are due. */
void timers_run (timers_t *self, const moment_t *now);

/*  When the next one is due; INT64_MAX when none is set. */
int64_t timers_due (const timers_t *self);

#endif
