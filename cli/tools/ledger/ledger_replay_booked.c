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

static size_t resource_number (void *owner, const char *name, bool is_link)
{
    (void) is_link;
    return (size_t) (replay_resource (owner, name) - ((ledger_replay_t *) owner)->resources);
}

static int64_t resource_gap_ms (void *owner, size_t resource)
{
    return ((const ledger_replay_t *) owner)->resources [resource].gap_ms;
}

static booked_resources_t resources_of (ledger_replay_t *self)
{
    return (booked_resources_t){
      .number = resource_number, .gap_ms = resource_gap_ms, .owner = self};
}

bool replay_part_spans (ledger_replay_t *self, part_kind_t kind, packed_t part,
                        booked_spans_t *spans, int64_t *until_ms)
{
    booked_resources_t resources = resources_of (self);
    char why [WHY_BYTES];
    part_body_t body;
    spans->count = 0;
    *until_ms = 0;
    if (part.size == 0 || kind == PART_CLAIM)
        return true;
    if ((kind != PART_COMPUTE && kind != PART_NETWORK && kind != PART_SPACE) ||
        !part_decode (&body, kind, packed_bytes (part), why))
        return false;
    booked_take (spans, &resources, kind == PART_COMPUTE ? body.compute : (compute_part_t){0},
                 kind == PART_NETWORK ? body.network : (network_part_t){0},
                 kind == PART_SPACE ? body.space : (space_part_t){0});
    part_clear (&body);
    for (size_t i = 0; i < spans->count; i++) {
        int64_t end_ms =
          spans->list [i].until_ms + resource_gap_ms (self, spans->list [i].resource);
        *until_ms = end_ms > *until_ms ? end_ms : *until_ms;
    }
    return true;
}

/*  --- the difference of two --- */

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
    static const booked_spans_t nothing = {0};
    booked_resources_t resources = resources_of (self);
    booked_spans_t before = standing->counted;
    standing->counted = (booked_spans_t){0};
    booked_larger (&standing->counted, &standing->current,
                   standing->taken ? &standing->wanted : &nothing, &resources);
    counting_t counting = {.replay = self, .reservation = standing->shown.id, .takes = takes};
    booked_pair (&before, &standing->counted, NULL, add_difference, &counting);
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
