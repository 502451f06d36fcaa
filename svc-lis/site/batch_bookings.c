/*  batch_bookings - gathers, for each node that is there, when others have it. */
#include "batch_bookings.h"

#include "must.h"

#include <stdlib.h>

typedef struct {
    size_t node;
    interval_t over;
} node_time_t;

typedef struct {
    node_time_t *list;
    size_t count;
    size_t room;
} node_times_t;

static int node_time_compare (const void *one, const void *other)
{
    const node_time_t *a = one, *b = other;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->over.from > b->over.from) - (a->over.from < b->over.from);
}

static void times_of (node_times_t *times, const nodes_t *nodes, const batch_booking_t *booking)
{
    for (size_t i = 0; i < booking->nodes_count; i++) {
        node_time_t one = {.over = {booking->from_ms, booking->until_ms}};
        if (!nodes_find (nodes, booking->nodes [i], &one.node) || one.node == nodes_batch (nodes))
            continue;
        site_node_t node = nodes_at (nodes, one.node);
        if (node.state == AGENT_LOST || node.drained)
            continue;
        times->list = must_grow (times->list, times->count, &times->room, sizeof one);
        times->list [times->count++] = one;
    }
}

/*  Times of one node that meet are one, so that it counts once. */
static interval_list_t bookings_of (node_times_t *times, const nodes_t *nodes)
{
    interval_list_t all = {.list = must (calloc (times->count + 1, sizeof *all.list))};
    size_t last = NODES_NONE;
    if (times->count > 0)
        qsort (times->list, times->count, sizeof *times->list, node_time_compare);
    for (size_t i = 0; i < times->count; i++) {
        const node_time_t *one = &times->list [i];
        interval_t *before = all.count > 0 ? &all.list [all.count - 1].over : NULL;
        if (before && one->node == last && one->over.from <= before->until) {
            before->until = one->over.until > before->until ? one->over.until : before->until;
            continue;
        }
        last = one->node;
        all.list [all.count++] = (resource_interval_t){
          .resource = nodes_at (nodes, one->node).class, .over = one->over, .quantity = 1};
    }
    return all;
}

bool batch_bookings_follow (batch_bookings_t *self, const nodes_t *nodes)
{
    const batch_picture_t *picture = nodes_picture (nodes);
    node_times_t times = {0};
    for (size_t i = 0; picture && i < picture->bookings_count; i++)
        times_of (&times, nodes, &picture->bookings [i]);
    interval_list_t wanted = bookings_of (&times, nodes);
    interval_changes_t changes = interval_list_changes (&self->booked, &wanted);
    bool changed = false;
    for (size_t i = 0; i < changes.count; i++)
        changed = changed || changes.list [i].before != changes.list [i].after;
    interval_changes_clear (&changes);
    free (times.list);
    if (!changed) {
        interval_list_clear (&wanted);
        return false;
    }
    batch_bookings_end (self);
    self->booked = wanted;
    free_capacity_book (self->room, &self->booked);
    return true;
}

void batch_bookings_end (batch_bookings_t *self)
{
    if (self->booked.list)
        free_capacity_release (self->room, &self->booked);
    interval_list_clear (&self->booked);
}
