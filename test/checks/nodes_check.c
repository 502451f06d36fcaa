/*  nodes_check - the runs agree with what the nodes count of them. */
#include "checks.h"
#include "nodes_state.h"

#include <assert.h>

void nodes_check (const nodes_t *self)
{
    size_t open = 0, over = 0, unplaced = 0;
    for (const node_run_t *entry = ordered_after (self->runs, NULL); entry;
         entry = ordered_after (self->runs, &entry->kept.run.id)) {
        bool is_over = run_over (entry->kept.run.state);
        assert (is_over == (entry->kept.over_ms > 0));
        assert ((entry->kept.run.state == RUN_PLACED) == (entry->kept.order != NULL));
        assert (!entry->orphan || !is_over);
        over += is_over;
        open += !is_over;
        unplaced += !is_over && entry->node == NODE_NONE;
        if (!is_over && entry->node != NODE_NONE)
            assert (ordered_find (self->places [entry->node].runs, &entry->kept.run.id) == entry);
    }
    assert (ordered_count (self->kept) == over);
    size_t placed = 0;
    for (size_t i = 0; i < self->places_count; i++) {
        const node_state_t *place = &self->places [i];
        uint64_t cpus = 0;
        for (const node_run_t *entry = ordered_after (place->runs, NULL); entry;
             entry = ordered_after (place->runs, &entry->kept.run.id)) {
            assert (entry->node == i && !run_over (entry->kept.run.state));
            cpus += entry->kept.run.cpus;
        }
        assert (cpus == place->cpus_used);
        placed += ordered_count (place->runs);
    }
    assert (placed + unplaced == open);
}
