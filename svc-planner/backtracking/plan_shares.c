/*  plan_shares - bookings, rooms and circuits of a plan. */
#include "plan_shares.h"

#include "connections.h"
#include "must.h"
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>

static share_t *plan_shares_of (const plan_shares_t *self, size_t at)
{
    const source_t *source = &self->snapshot->sources [at];
    share_t *share = shares_of (self->shares, &source->party);
    int64_t lead_ms = source->lead_ms - source->ahead_ms;
    if (share && lead_ms > share->lead_ms)
        share->lead_ms = lead_ms;
    if (share && source->gap_ms > share->gap_ms)
        share->gap_ms = source->gap_ms;
    return share;
}

static void book_phases (const plan_shares_t *self, size_t at, const site_class_t *place,
                         share_t *share)
{
    const compute_need_t *need = &self->snapshot->request->compute [at];
    phase_t phases [PHASES_MAX];
    size_t count = compute_phases (self->snapshot->request, at, phases);
    for (size_t i = 0; i < count; i++) {
        compute_booking_t booking = {.cpus = phases [i].amount,
                                     .nodes = place_nodes (place, phases [i].amount),
                                     .from_ms = self->start_ms + phases [i].from_ms,
                                     .until_ms = self->start_ms + phases [i].until_ms};
        snprintf (booking.need, sizeof booking.need, "%s", need->id);
        snprintf (booking.class_name, sizeof booking.class_name, "%s", place->class_name);
        share_book (share, &booking);
    }
}

void plan_shares_need (const plan_shares_t *self, size_t need, const option_t *option,
                       const char *source)
{
    const site_class_t *place = &self->snapshot->places [option->place];
    share_t *share = plan_shares_of (self, place->source);
    if (!share)
        return;
    if (self->snapshot->request->compute [need].derived.kind == DERIVED_NOT) {
        book_phases (self, need, place, share);
        return;
    }
    for (uint32_t k = 0; k < option->spread; k++) {
        space_booking_t booking =
          snapshot_space_booking (self->snapshot, need, option, k, self->start_ms, source);
        share_store (share, &booking);
    }
}

/*  count links of the path from the first-th on, all of one domain: one circuit. */
static void book_stretch (const plan_shares_t *self, const network_need_t *need,
                          const phase_t *phase, const path_t *path, size_t first, size_t count)
{
    const snapshot_t *snapshot = self->snapshot;
    share_t *share = plan_shares_of (self, snapshot->links [path->links [first]].source);
    if (!share)
        return;
    circuit_t circuit = {.mbps = phase->amount,
                         .from_ms = self->start_ms + phase->from_ms,
                         .until_ms = self->start_ms + phase->until_ms,
                         .hop = (uint32_t) first,
                         .links_count = count};
    snprintf (circuit.need, sizeof circuit.need, "%s", need->id);
    circuit.links = must (calloc (count, sizeof *circuit.links));
    for (size_t i = 0; i < count; i++)
        snprintf (circuit.links [i], sizeof circuit.links [i], "%s",
                  graph_link (snapshot->graph, path->links [first + i])->link->name);
    share_connect (share, &circuit);
}

void plan_shares_path (const plan_shares_t *self, size_t network_need, const path_t *path)
{
    const user_request_t *request = self->snapshot->request;
    phase_t phases [PHASES_MAX];
    size_t phases_count = network_phases (request, network_need, phases);
    for (size_t first = 0, count; first < path->links_count; first += count) {
        count = path_stretch (self->snapshot->graph, path, first);
        for (size_t p = 0; p < phases_count; p++)
            book_stretch (self, &request->network [network_need], &phases [p], path, first, count);
    }
}
