/*  timekeeper - the wall clock held against the monotonic one. */
#include "timekeeper.h"

static int64_t steady (const timekeeper_t *self, const moment_t *now)
{
    return now->mono_ms + self->offset_ms;
}

bool timekeeper_see (timekeeper_t *self, const moment_t *now)
{
    if (!self->started) {
        *self = (timekeeper_t){
          .started = true, .offset_ms = now->wall_ms - now->mono_ms, .wall_ms = now->wall_ms};
        return false;
    }
    int64_t step_ms = now->wall_ms - steady (self, now);
    int64_t moved_ms = step_ms - self->step_ms;
    bool stands = now->wall_ms == self->wall_ms;
    bool told = stands && self->stands;
    self->wall_ms = now->wall_ms;
    self->stands = told;
    if (moved_ms >= -STEP_ALARM_MS && moved_ms <= STEP_ALARM_MS)
        return false;
    self->step_ms = step_ms;
    self->stands = stands;
    return !told;
}

int64_t timekeeper_least (const timekeeper_t *self, const moment_t *now)
{
    int64_t steady_ms = steady (self, now);
    return now->wall_ms < steady_ms ? now->wall_ms : steady_ms;
}

int64_t timekeeper_most (const timekeeper_t *self, const moment_t *now)
{
    int64_t steady_ms = steady (self, now);
    return now->wall_ms > steady_ms ? now->wall_ms : steady_ms;
}

int64_t timekeeper_mono (const timekeeper_t *self, const moment_t *now, int64_t wall_ms)
{
    return now->mono_ms + (wall_ms - timekeeper_least (self, now));
}
