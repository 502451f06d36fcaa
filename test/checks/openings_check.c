/*  openings_check - the reservations agree with the nodes that are bound to them. */
#include "checks.h"
#include "openings_state.h"

#include <assert.h>

/*  Is nothing lost, drained, others', late to close, or more than the calendar has? */
static bool all_is_there (const openings_t *self)
{
    const nodes_t *nodes = self->parts.nodes;
    const batch_picture_t *picture = nodes_picture (nodes);
    bool there = self->names_timer == 0 && picture && picture->bookings_count == 0;
    for (size_t i = 0; i < nodes_count (nodes); i++)
        there = there && nodes_at (nodes, i).state != AGENT_LOST && !nodes_at (nodes, i).drained;
    const opening_entry_t *entry = NULL;
    while (there && (entry = ordered_next (self->by_reservation, entry))) {
        there = opening_overbooked (entry, self->now_ms) == 0;
        for (size_t i = 0; i < entry->kept.nodes_count; i++)
            there = there && bound_kept (&entry->kept.nodes [i]);
    }
    return there;
}

/*  What the calendar has granted has names. */
static void names_check (const openings_t *self)
{
    const opening_entry_t *entry = NULL;
    if (self->limits.ahead > 0 && all_is_there (self))
        while ((entry = ordered_next (self->by_reservation, entry)))
            assert (entry->kept.phase != OPENING_WAITING || entry->unnamed == 0);
}

void openings_check (const openings_t *self)
{
    names_check (self);
    size_t turns = 0, active = 0, held = 0, bound = 0;
    const opening_entry_t *at = NULL;
    for (const opening_entry_t *entry;
         (entry = ordered_after (self->by_reservation, at ? at->reservation : NULL)); at = entry) {
        turns += entry->turn_ms < INT64_MAX;
        active += opening_is_active (entry->kept.phase);
        bound += entry->kept.nodes_count;
        assert (entry->kept.nodes_count == 0 || opening_is_active (entry->kept.phase));
        for (size_t i = 0; i < entry->kept.nodes_count; i++) {
            assert (self->holders [entry->kept.nodes [i].node] == entry);
            assert (i == 0 || entry->kept.nodes [i - 1].node < entry->kept.nodes [i].node);
        }
    }
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++)
        held += self->holders [i] != NULL;
    assert (held == bound);
    assert (turns == ordered_count (self->turns));
    assert (active == ordered_count (self->active));
}
