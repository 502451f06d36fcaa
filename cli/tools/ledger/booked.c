/*  booked - spans cut at all instants at which anything changes; a sorted array of levels. */
#include "booked.h"

#include "must.h"

#include <assert.h>

/*  --- what a part books --- */

void booked_span_add (booked_spans_t *self, booked_span_t span)
{
    self->list = must_grow (self->list, self->count, &self->room, sizeof *self->list);
    self->list [self->count++] = span;
}

static void span_take (booked_spans_t *self, const booked_resources_t *resources, const char *name,
                       bool is_link, booked_span_t span)
{
    span.resource = resources->number (resources->owner, name, is_link);
    if (span.resource != SIZE_MAX)
        booked_span_add (self, span);
}

/*  A need that was changed while it lasts is booked anew where its booking ends: as much as goes on
 *  is not cleaned in between. No booking takes over more than it has. How much of each is kept so;
 *  malloc'ed. */
static int64_t *bookings_kept (compute_part_t part)
{
    int64_t *kept = must (calloc (part.bookings_count + 1, sizeof *kept));
    int64_t *begun = must (calloc (part.bookings_count + 1, sizeof *begun));
    for (size_t i = 0; i < part.bookings_count; i++) {
        const compute_booking_t *one = &part.bookings [i];
        for (size_t k = 0; k < part.bookings_count; k++) {
            const compute_booking_t *next = &part.bookings [k];
            int64_t rest = one->nodes - kept [i], left = next->nodes - begun [k];
            if (next->from_ms != one->until_ms || strcmp (next->need, one->need) != 0 ||
                strcmp (next->class_name, one->class_name) != 0)
                continue;
            kept [i] += rest < left ? rest : left;
            begun [k] += rest < left ? rest : left;
        }
    }
    free (begun);
    return kept;
}

void booked_take (booked_spans_t *self, const booked_resources_t *resources, compute_part_t compute,
                  network_part_t network, space_part_t space)
{
    int64_t *kept = bookings_kept (compute);
    for (size_t i = 0; i < compute.bookings_count; i++) {
        const compute_booking_t *one = &compute.bookings [i];
        booked_span_t span = {0, one->from_ms, one->until_ms, one->nodes, kept [i]};
        span_take (self, resources, one->class_name, false, span);
    }
    free (kept);
    for (size_t i = 0; i < network.circuits_count; i++) {
        const circuit_t *one = &network.circuits [i];
        booked_span_t span = {0, one->from_ms, one->until_ms, one->mbps, 0};
        for (size_t l = 0; l < one->links_count; l++)
            span_take (self, resources, one->links [l], true, span);
    }
    for (size_t i = 0; i < space.bookings_count; i++) {
        const space_booking_t *one = &space.bookings [i];
        booked_span_t span = {0, one->from_ms, one->until_ms, space_mib (one->bytes), 0};
        span_take (self, resources, one->node, false, span);
    }
}

/*  --- the sums of two --- */

/*  From at_ms on, so much more is taken by the first list, and by the second. */
typedef struct {
    size_t resource;
    int64_t at_ms;
    int64_t change [2];
} edge_t;

static int by_resource_and_time (const void *a, const void *b)
{
    const edge_t *one = a;
    const edge_t *other = b;
    if (one->resource != other->resource)
        return one->resource < other->resource ? -1 : 1;
    return (one->at_ms > other->at_ms) - (one->at_ms < other->at_ms);
}

static size_t booked_add_edges (edge_t *edges, size_t count, const booked_spans_t *spans, int which,
                                const booked_resources_t *gaps)
{
    for (size_t i = 0; i < spans->count; i++) {
        const booked_span_t *span = &spans->list [i];
        int64_t gap_ms = gaps ? gaps->gap_ms (gaps->owner, span->resource) : 0;
        edge_t edge = {.resource = span->resource, .at_ms = span->from_ms};
        edge.change [which] = span->quantity;
        edges [count++] = edge;
        edge.at_ms = span->until_ms;
        edge.change [which] = -span->kept;
        edges [count++] = edge;
        edge.at_ms = span->until_ms + gap_ms;
        edge.change [which] = span->kept - span->quantity;
        edges [count++] = edge;
    }
    return count;
}

void booked_pair (const booked_spans_t *first, const booked_spans_t *second,
                  const booked_resources_t *resources, booked_visit_fn *visit, void *owner)
{
    memory_auto edge_t *edges =
      must (calloc (3 * (first->count + second->count) + 1, sizeof *edges));
    size_t count = booked_add_edges (edges, 0, first, 0, resources);
    count = booked_add_edges (edges, count, second, 1, resources);
    qsort (edges, count, sizeof *edges, by_resource_and_time);
    int64_t sums [2] = {0};
    for (size_t i = 0; i < count; i++) {
        sums [0] += edges [i].change [0];
        sums [1] += edges [i].change [1];
        bool stretch = i + 1 < count && edges [i + 1].resource == edges [i].resource &&
                       edges [i + 1].at_ms > edges [i].at_ms;
        if (stretch && (sums [0] != 0 || sums [1] != 0))
            visit (owner, edges [i].resource, edges [i].at_ms, edges [i + 1].at_ms, sums);
    }
}

static void take_larger (void *owner, size_t resource, int64_t from_ms, int64_t until_ms,
                         const int64_t sums [2])
{
    booked_span_add (owner, (booked_span_t){.resource = resource,
                                            .from_ms = from_ms,
                                            .until_ms = until_ms,
                                            .quantity = sums [0] > sums [1] ? sums [0] : sums [1]});
}

void booked_larger (booked_spans_t *self, const booked_spans_t *first, const booked_spans_t *second,
                    const booked_resources_t *resources)
{
    booked_pair (first, second, resources, take_larger, self);
}

/*  --- levels --- */

void levels_clear (levels_t *self)
{
    free (self->list);
    *self = (levels_t){0};
}

/*  Index of the first instant that is after at_ms. */
static size_t behind (const levels_t *self, int64_t at_ms)
{
    size_t low = 0;
    size_t high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->list [middle].from_ms <= at_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t levels_at (const levels_t *self, int64_t at_ms)
{
    size_t next = behind (self, at_ms);
    return next > 0 ? self->list [next - 1].sum : 0;
}

int64_t levels_next (const levels_t *self, int64_t after_ms)
{
    size_t next = behind (self, after_ms);
    return next < self->count ? self->list [next].from_ms : INT64_MAX;
}

int64_t levels_greatest (const levels_t *self, int64_t from_ms, int64_t until_ms, int64_t *at_ms)
{
    size_t i = behind (self, from_ms);
    int64_t greatest = i > 0 ? self->list [i - 1].sum : 0;
    *at_ms = from_ms;
    for (; i < self->count && self->list [i].from_ms < until_ms; i++) {
        if (self->list [i].sum > greatest) {
            greatest = self->list [i].sum;
            *at_ms = self->list [i].from_ms;
        }
    }
    return greatest;
}

/*  An entry that begins exactly there; returns its index. */
static size_t cut_at (levels_t *self, int64_t at_ms)
{
    size_t next = behind (self, at_ms);
    if (next > 0 && self->list [next - 1].from_ms == at_ms)
        return next - 1;
    self->list = must_grow (self->list, self->count, &self->room, sizeof *self->list);
    int64_t sum = next > 0 ? self->list [next - 1].sum : 0;
    memmove (&self->list [next + 1], &self->list [next], (self->count - next) * sizeof *self->list);
    self->list [next] = (level_t){.from_ms = at_ms, .sum = sum};
    self->count++;
    return next;
}

/*  Takes the entry out when it says what the one before says. */
static void join_at (levels_t *self, size_t i)
{
    int64_t before = i > 0 ? self->list [i - 1].sum : 0;
    if (i >= self->count || self->list [i].sum != before)
        return;
    memmove (&self->list [i], &self->list [i + 1], (self->count - i - 1) * sizeof *self->list);
    self->count--;
}

void levels_add (levels_t *self, int64_t from_ms, int64_t until_ms, int64_t change)
{
    assert (from_ms < until_ms);
    if (change == 0)
        return;
    size_t first = cut_at (self, from_ms);
    size_t last = cut_at (self, until_ms);
    for (size_t i = first; i < last; i++)
        self->list [i].sum += change;
    join_at (self, last);
    join_at (self, first);
}
