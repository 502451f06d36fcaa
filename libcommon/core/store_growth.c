/*  store_growth - two notes and the time between them. */
#include "store_growth.h"

static size_t growth_oldest (const store_growth_t *self)
{
    return self->count > GROWTH_NOTES ? self->count % GROWTH_NOTES : 0;
}

static size_t growth_last (const store_growth_t *self)
{
    return self->count > 0 ? (self->count - 1) % GROWTH_NOTES : 0;
}

bool store_growth_see (store_growth_t *self, int64_t now_ms, uint64_t bytes)
{
    if (self->count > 0 && now_ms - self->notes [growth_last (self)].at_ms < GROWTH_EVERY_MS)
        return false;
    self->count++;
    self->notes [growth_last (self)].at_ms = now_ms;
    self->notes [growth_last (self)].bytes = bytes;
    return true;
}

int64_t store_growth_span_ms (const store_growth_t *self)
{
    return self->notes [growth_last (self)].at_ms - self->notes [growth_oldest (self)].at_ms;
}

int64_t store_growth_a_day (const store_growth_t *self)
{
    int64_t span_ms = store_growth_span_ms (self);
    double bytes = (double) self->notes [growth_last (self)].bytes -
                   (double) self->notes [growth_oldest (self)].bytes;
    return span_ms > 0 ? (int64_t) (bytes * GROWTH_DAY_MS / (double) span_ms) : 0;
}
