/*  cpu_usage - keeps sums in parts of equal width, which doubles when the window grows. */
#include "cpu_usage.h"

#include <assert.h>
#include <string.h>

void cpu_usage_init (cpu_usage_t *self, interval_t over)
{
    assert (over.from < over.until);
    int64_t width_ms = (over.until - over.from + CPU_USAGE_STEPS - 1) / CPU_USAGE_STEPS;
    *self = (cpu_usage_t){.from_ms = over.from,
                          .width_ms =
                            width_ms > CPU_USAGE_WIDTH_MS_MIN ? width_ms : CPU_USAGE_WIDTH_MS_MIN,
                          .parts = CPU_USAGE_STEPS};
}

static void halve (int64_t parts [CPU_USAGE_STEPS])
{
    for (size_t i = 0; i < CPU_USAGE_STEPS / 2; i++)
        parts [i] = parts [2 * i] + parts [2 * i + 1];
    memset (parts + CPU_USAGE_STEPS / 2, 0, CPU_USAGE_STEPS / 2 * sizeof *parts);
}

static int64_t end_ms (const cpu_usage_t *self)
{
    return self->from_ms + CPU_USAGE_STEPS * self->width_ms;
}

/*  The part of a total that belongs to so much of its length; all of it at the end. */
static int64_t cpu_usage_share (int64_t total, int64_t passed_ms, int64_t length_ms)
{
    if (passed_ms >= length_ms)
        return total;
    return (int64_t) ((double) total * ((double) passed_ms / (double) length_ms));
}

void cpu_usage_add (cpu_usage_t *self, interval_t over, int64_t cpu_ms, int64_t offered_ms)
{
    assert (cpu_ms >= 0 && offered_ms >= 0);
    over.from = over.from > self->from_ms ? over.from : self->from_ms;
    over.until = over.until > over.from ? over.until : over.from + 1;
    while (over.until > end_ms (self)) {
        halve (self->cpu_ms);
        halve (self->offered_ms);
        self->width_ms *= 2;
    }
    int64_t length_ms = over.until - over.from;
    int64_t passed_ms = 0;
    for (size_t i = (size_t) ((over.from - self->from_ms) / self->width_ms); passed_ms < length_ms;
         i++) {
        int64_t part_end_ms = self->from_ms + ((int64_t) i + 1) * self->width_ms;
        int64_t now_ms = part_end_ms < over.until ? part_end_ms - over.from : length_ms;
        self->cpu_ms [i] += cpu_usage_share (cpu_ms, now_ms, length_ms) -
                            cpu_usage_share (cpu_ms, passed_ms, length_ms);
        self->offered_ms [i] += cpu_usage_share (offered_ms, now_ms, length_ms) -
                                cpu_usage_share (offered_ms, passed_ms, length_ms);
        passed_ms = now_ms;
    }
}

static int64_t sum (const int64_t parts [CPU_USAGE_STEPS])
{
    int64_t sum = 0;
    for (size_t i = 0; i < CPU_USAGE_STEPS; i++)
        sum += parts [i];
    return sum;
}

int64_t cpu_usage_used (const cpu_usage_t *self)
{
    return sum (self->cpu_ms);
}

int64_t cpu_usage_offered (const cpu_usage_t *self)
{
    return sum (self->offered_ms);
}

size_t cpu_usage_steps (const cpu_usage_t *self, int64_t until_ms, use_step_t *steps,
                        size_t steps_max)
{
    assert (steps_max > 0);
    int64_t whole_ms = end_ms (self);
    until_ms = until_ms < whole_ms ? until_ms : whole_ms;
    if (until_ms <= self->from_ms)
        return 0;
    size_t parts = (size_t) ((until_ms - self->from_ms + self->width_ms - 1) / self->width_ms);
    size_t each = (parts + steps_max - 1) / steps_max;
    size_t count = 0;
    for (size_t i = 0; i < parts; i++) {
        if (i % each == 0)
            steps [count++] = (use_step_t){.from_ms = self->from_ms + (int64_t) i * self->width_ms};
        use_step_t *step = &steps [count - 1];
        step->until_ms = self->from_ms + ((int64_t) i + 1) * self->width_ms;
        step->cpu_ms += self->cpu_ms [i];
        step->offered_ms += self->offered_ms [i];
    }
    steps [count - 1].until_ms = until_ms;
    return count;
}
