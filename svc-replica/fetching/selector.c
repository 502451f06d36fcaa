/*  selector - what is known of each site, by name. */
#include "selector.h"

#include "must.h"
#include "ordered.h"
#include "timers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char site [NAME_BYTES_MAX + 1];
    int64_t rtt_us;           /* smoothed; -1 = not measured */
    int64_t bytes_per_second; /* smoothed; 0 = not measured */
    uint32_t sending;         /* transfers that it feeds, as it last said */
    uint32_t ours;            /* of these, to this site */
    uint32_t asking;          /* transfers that it is being asked for */
    uint32_t failures;        /* in a row */
    int64_t barred_ms;        /* not to be asked until then, monotonic */
} selected_source_t;

struct selector {
    selector_cost_t cost;
    uint32_t pair_max;
    ordered_t *sources;
};

selector_t *selector_new (selector_cost_t cost, uint32_t pair_max)
{
    assert (pair_max > 0);
    selector_t *self = must (calloc (1, sizeof *self));
    *self = (selector_t){.cost = cost,
                         .pair_max = pair_max,
                         .sources = ordered_by_text (offsetof (selected_source_t, site))};
    return self;
}

void selector_destroy (selector_t **self_p)
{
    selector_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->sources, free);
    free (self);
    *self_p = NULL;
}

static selected_source_t *selector_source_of (selector_t *self, const char *site)
{
    selected_source_t *source = ordered_find (self->sources, site);
    if (source)
        return source;
    assert (strlen (site) <= NAME_BYTES_MAX);
    source = must (calloc (1, sizeof *source));
    memcpy (source->site, site, strlen (site) + 1);
    source->rtt_us = -1;
    ordered_add (self->sources, source->site, source);
    return source;
}

/*  A quarter of the new value, three quarters of the old one. */
static int64_t smoothed (int64_t old, int64_t new)
{
    return old + (new - old) / 4;
}

void selector_heard (selector_t *self, const char *site, int64_t rtt_us)
{
    selected_source_t *source = selector_source_of (self, site);
    source->rtt_us = source->rtt_us < 0 ? rtt_us : smoothed (source->rtt_us, rtt_us);
}

void selector_load (selector_t *self, const char *site, uint32_t sending)
{
    selected_source_t *source = selector_source_of (self, site);
    source->sending = sending > source->ours ? sending : source->ours;
}

void selector_asks (selector_t *self, const char *site)
{
    selector_source_of (self, site)->asking++;
}

void selector_asked (selector_t *self, const char *site)
{
    selected_source_t *source = selector_source_of (self, site);
    assert (source->asking > 0);
    source->asking--;
}

void selector_begun (selector_t *self, const char *site)
{
    selected_source_t *source = selector_source_of (self, site);
    source->ours++;
    source->sending++;
}

void selector_ended (selector_t *self, const char *site, uint64_t bytes, int64_t ms)
{
    selected_source_t *source = selector_source_of (self, site);
    assert (source->ours > 0);
    source->ours--;
    source->sending -= source->sending > 0;
    if (bytes > 0) {
        source->failures = 0;
        source->barred_ms = 0;
    }
    if (bytes < SELECTOR_LEARN_BYTES)
        return;
    /* The rate that it would have had if it had fed no other transfer. */
    int64_t rate = (int64_t) (bytes / (uint64_t) (ms > 0 ? ms : 1)) * 1000;
    rate *= 1 + (int64_t) source->sending;
    source->bytes_per_second =
      source->bytes_per_second == 0 ? rate : smoothed (source->bytes_per_second, rate);
}

void selector_busy (selector_t *self, int64_t mono_ms, const char *site)
{
    selector_source_of (self, site)->barred_ms = mono_ms + SELECTOR_BUSY_MS;
}

static bool full (const selector_t *self, const selected_source_t *source)
{
    return source && source->ours + source->asking >= self->pair_max;
}

bool selector_full (const selector_t *self, const char *site)
{
    return full (self, ordered_find (self->sources, site));
}

void selector_failed (selector_t *self, int64_t mono_ms, const char *site)
{
    selected_source_t *source = selector_source_of (self, site);
    source->barred_ms =
      mono_ms + pause_doubled (SELECTOR_BACKOFF_MS, SELECTOR_BACKOFF_MS_MAX, source->failures++);
}

/*  What it would cost now to fetch size bytes from there, in microseconds. */
static int64_t selector_cost_of (const selector_t *self, const selected_source_t *source,
                                 uint64_t size)
{
    int64_t rtt_us = source && source->rtt_us >= 0 ? source->rtt_us : 0;
    if (self->cost == SELECT_RTT)
        return rtt_us;
    int64_t rate =
      source && source->bytes_per_second > 0 ? source->bytes_per_second : SELECTOR_ASSUMED_BYTES;
    double shared = (double) rate / (1 + (source ? source->sending : 0));
    double us = (double) size / shared * 1e6;
    return rtt_us + (us < 1e17 ? (int64_t) us : (int64_t) 1e17);
}

uint64_t selector_rate (const selector_t *self, const char *site)
{
    const selected_source_t *source = ordered_find (self->sources, site);
    return source ? (uint64_t) source->bytes_per_second / (1 + source->sending) : 0;
}

size_t selector_choose (const selector_t *self, int64_t mono_ms, const char *const *sites,
                        size_t count, uint64_t size, int64_t *again_ms)
{
    size_t best = count;
    int64_t least = INT64_MAX;
    *again_ms = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const selected_source_t *source = ordered_find (self->sources, sites [i]);
        if (full (self, source))
            continue;
        if (source && source->barred_ms > mono_ms) {
            *again_ms = source->barred_ms < *again_ms ? source->barred_ms : *again_ms;
            continue;
        }
        int64_t cost = selector_cost_of (self, source, size);
        if (best == count || cost < least ||
            (cost == least && strcmp (sites [i], sites [best]) < 0)) {
            best = i;
            least = cost;
        }
    }
    return best;
}
