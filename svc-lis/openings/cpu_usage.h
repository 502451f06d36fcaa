/*  cpu_usage - processor time that a reservation has used and was offered, over its window, in at
 *  most CPU_USAGE_STEPS equal parts. When the window grows the parts become twice as wide, as often
 *  as needed. Sums are exact. Plain values, pure.
 */
#ifndef MUSUBI_CPU_USAGE_H
#define MUSUBI_CPU_USAGE_H

#include "calendar.h"

#define CPU_USAGE_STEPS        64
#define CPU_USAGE_WIDTH_MS_MIN 1000

typedef struct {
    int64_t from_ms;
    int64_t width_ms; /* of each part */
    int64_t cpu_ms [CPU_USAGE_STEPS];
    int64_t offered_ms [CPU_USAGE_STEPS];
    size_t parts; /* of both: CPU_USAGE_STEPS */
} cpu_usage_t;

/*  A part of the window. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    int64_t cpu_ms;     /* used */
    int64_t offered_ms; /* CPUs bound × time */
} use_step_t;

/*  Starts with nothing used. over must not be empty. */
void cpu_usage_init (cpu_usage_t *self, interval_t over);

/*  Adds use, spread evenly over an interval; what lies before the window counts in its first part.
 *  Neither number may be negative. */
void cpu_usage_add (cpu_usage_t *self, interval_t over, int64_t cpu_ms, int64_t offered_ms);

int64_t cpu_usage_used (const cpu_usage_t *self);
int64_t cpu_usage_offered (const cpu_usage_t *self);

/*  Fills at most steps_max (> 0) equal parts, the last one cut off at until_ms. Returns how
 *  many. */
size_t cpu_usage_steps (const cpu_usage_t *self, int64_t until_ms, use_step_t *steps,
                        size_t steps_max);

#endif
