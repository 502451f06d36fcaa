/*  ledger_replay_booked - sums of what is taken.
 *
 *  A reservation adds to its resources the larger, at every instant, of what it has and of what a
 *  pending change wants, each with the gap behind it. When either becomes another, the difference
 *  to what it added before is added; where that is more and a command takes it, the sum must not go
 *  beyond what there is.
 */
#include "ledger_replay_state.h"
#include "must.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static replay_resource_t *replay_resource (ledger_replay_t *self, const char *name)
{
    replay_resource_t *resource = ledger_replay_named (self, name);
    if (resource)
        return resource;
    self->resources = must_grow (self->resources, self->resources_count, &self->resources_room,
                                 sizeof *self->resources);
    resource = &self->resources [self->resources_count++];
    *resource = (replay_resource_t){0};
    memcpy (resource->name, name, strlen (name) + 1);
    return resource;
}

/*  --- parts --- */

static void booked_add_span (replay_spans_t *spans, replay_span_t span)
{
    spans->list = must_grow (spans->list, spans->count, &spans->room, sizeof *spans->list);
    spans->list [spans->count++] = span;
}

static void add_booking (ledger_replay_t *self, replay_spans_t *spans, const char *name,
                         int64_t from_ms, int64_t until_ms, int64_t quantity, int64_t *end_ms)
{
    replay_resource_t *resource = replay_resource (self, name);
    booked_add_span (spans, (replay_span_t){.resource = (size_t) (resource - self->resources),
                                            .from_ms = from_ms,
                                            .until_ms = until_ms,
                                            .quantity = quantity});
    if (until_ms + resource->gap_ms > *end_ms)
        *end_ms = until_ms + resource->gap_ms;
}

/*  A need that was changed while it lasts is booked anew where its booking ends: as much as goes on
 *  is not cleaned in between. No booking takes over more than it has. */
static void find_kept (const compute_booking_t *bookings, size_t count, replay_span_t *spans)
{
    int64_t *begun = must (calloc (count + 1, sizeof *begun));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            int64_t rest = spans [i].quantity - spans [i].kept;
            int64_t left = spans [k].quantity - begun [k];
            if (bookings [k].from_ms != bookings [i].until_ms ||
                strcmp (bookings [k].need, bookings [i].need) != 0 ||
                strcmp (bookings [k].class_name, bookings [i].class_name) != 0)
                continue;
            spans [i].kept += rest < left ? rest : left;
            begun [k] += rest < left ? rest : left;
        }
    }
    free (begun);
}

bool replay_part_spans (ledger_replay_t *self, part_kind_t kind, packed_t packed,
                        replay_spans_t *spans, int64_t *until_ms)
{
    bytes_t part = packed_bytes (packed);
    char why [WHY_BYTES];
    compute_booking_t *bookings;
    circuit_t *circuits;
    size_t count;
    spans->count = 0;
    *until_ms = 0;
    if (part.size == 0 || kind == PART_CLAIM)
        return true;
    if (kind == PART_COMPUTE && compute_part_decode (part, &bookings, &count, why)) {
        for (size_t i = 0; i < count; i++)
            add_booking (self, spans, bookings [i].class_name, bookings [i].from_ms,
                         bookings [i].until_ms, bookings [i].nodes, until_ms);
        find_kept (bookings, count, spans->list);
        free (bookings);
        return true;
    }
    if (kind == PART_NETWORK && network_part_decode (part, &circuits, &count, why)) {
        for (size_t i = 0; i < count; i++)
            for (size_t l = 0; l < circuits [i].links_count; l++)
                add_booking (self, spans, circuits [i].links [l], circuits [i].from_ms,
                             circuits [i].until_ms, circuits [i].mbps, until_ms);
        circuits_free (circuits, count);
        return true;
    }
    part_body_t body;
    if (kind != PART_SPACE || !part_decode (&body, kind, part, why))
        return false;
    for (size_t i = 0; i < body.space.bookings_count; i++) {
        const space_booking_t *booking = &body.space.bookings [i];
        add_booking (self, spans, booking->node, booking->from_ms, booking->until_ms,
                     space_mib (booking->bytes), until_ms);
    }
    part_clear (&body);
    return true;
}

/*  --- the larger of two, the difference of two --- */

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

static size_t booked_add_edges (edge_t *edges, size_t count, const replay_spans_t *spans, int which,
                                const ledger_replay_t *gaps)
{
    for (size_t i = 0; i < spans->count; i++) {
        const replay_span_t *span = &spans->list [i];
        int64_t gap_ms = gaps ? gaps->resources [span->resource].gap_ms : 0;
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

typedef void pair_fn (void *owner, size_t resource, int64_t from_ms, int64_t until_ms,
                      const int64_t sums [2]);

/*  Visits every interval over which both sums stay the same, unless both are zero. */
static void pair_up (const replay_spans_t *first, const replay_spans_t *second,
                     const ledger_replay_t *gaps, pair_fn *visit, void *owner)
{
    memory_auto edge_t *edges =
      must (calloc (3 * (first->count + second->count) + 1, sizeof *edges));
    size_t count = booked_add_edges (edges, 0, first, 0, gaps);
    count = booked_add_edges (edges, count, second, 1, gaps);
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
    booked_add_span (owner, (replay_span_t){.resource = resource,
                                            .from_ms = from_ms,
                                            .until_ms = until_ms,
                                            .quantity = sums [0] > sums [1] ? sums [0] : sums [1]});
}

typedef struct {
    ledger_replay_t *replay;
    const char *reservation;
    bool takes;
    bool told;
} counting_t;

static void add_difference (void *owner, size_t index, int64_t from_ms, int64_t until_ms,
                            const int64_t sums [2])
{
    counting_t *counting = owner;
    replay_resource_t *resource = &counting->replay->resources [index];
    int64_t more = sums [1] - sums [0];
    levels_add (&resource->booked, from_ms, until_ms, more);
    if (more <= 0 || !counting->takes || counting->told || !resource->known)
        return;
    int64_t at_ms;
    char at [TIMETEXT_BYTES];
    int64_t booked = levels_greatest (&resource->booked, from_ms, until_ms, &at_ms);
    if (booked <= resource->quantity)
        return;
    counting->told = true;
    replay_violation (counting->replay,
                      "%s books more of %s than there is: %" PRId64 " of %" PRId64 " at %s",
                      counting->reservation, resource->name, booked, resource->quantity,
                      timetext_format (at_ms, at));
}

void replay_count (ledger_replay_t *self, replay_standing_t *standing, bool takes)
{
    static const replay_spans_t nothing = {0};
    replay_spans_t before = standing->counted;
    standing->counted = (replay_spans_t){0};
    pair_up (&standing->current, standing->taken ? &standing->wanted : &nothing, self, take_larger,
             &standing->counted);
    counting_t counting = {.replay = self, .reservation = standing->shown.id, .takes = takes};
    pair_up (&before, &standing->counted, NULL, add_difference, &counting);
    free (before.list);
}

/*  --- what there is --- */

void replay_quantities (ledger_replay_t *self, ledger_row_t *row)
{
    bool all = row->kind == LEDGER_STARTED;
    bool gaps_changed = false;
    for (size_t i = 0; all && i < self->resources_count; i++) {
        self->resources [i].known = true;
        self->resources [i].quantity = 0; /* unless the row names it */
    }
    for (size_t i = 0; i < row->quantities_count; i++) {
        const ledger_quantity_t *told = &row->quantities [i];
        replay_resource_t *resource = replay_resource (self, told->resource);
        gaps_changed = gaps_changed || resource->gap_ms != told->gap_ms;
        resource->known = true;
        resource->quantity = told->quantity;
        resource->missing = told->missing;
        resource->gap_ms = told->gap_ms;
    }
    const char *at = NULL;
    for (replay_standing_t *standing;
         gaps_changed && (standing = ordered_after (self->reservations, at));
         at = standing->shown.id)
        replay_count (self, standing, false);
}
