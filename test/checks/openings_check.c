/*  openings_check - the reservations agree with the nodes that are bound to them. */
#include "checks.h"
#include "openings_state.h"

#include <assert.h>

void openings_check (const openings_t *self)
{
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
