/*  batch_bookings - sorts nodes into groups that are in the same bookings, and books each group at its
 *  times: what recurs each hour on a thousand nodes is booked once.
 */
#include "batch_bookings.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>

static_assert (BATCH_FOREVER_MS < CALENDAR_HORIZON_MS, "calendars end later");

/*  The first groups are the classes, with what is in no booking. */
typedef struct {
    size_t class;
    size_t parent;  /* it is in the bookings of that, too */
    size_t booking; /* NODES_NONE: a class */
    size_t part;    /* of it, that is in the booking which was looked at last; 0 = none */
    int64_t nodes;
} booked_group_t;

typedef struct {
    booked_group_t *list;
    size_t count;
    size_t room;
    size_t *of; /* each node: its group */
} booked_groups_t;

static void group_split (booked_groups_t *self, size_t node, size_t booking)
{
    size_t whole = self->of [node], part = self->list [whole].part;
    if (self->list [whole].booking == booking)
        return; /* it stands there twice */
    if (part == 0 || self->list [part].booking != booking) {
        self->list = must_grow (self->list, self->count, &self->room, sizeof *self->list);
        part = self->list [whole].part = self->count++;
        self->list [part] =
          (booked_group_t){.class = self->list [whole].class, .parent = whole, .booking = booking};
    }
    self->list [whole].nodes--;
    self->list [part].nodes++;
    self->of [node] = part;
}

static booked_groups_t booked_groups (const nodes_t *nodes, const batch_picture_t *picture,
                                      bool jobs)
{
    booked_groups_t self = {.list = must (calloc (SITE_CLASSES_MAX, sizeof *self.list)),
                            .count = SITE_CLASSES_MAX,
                            .room = SITE_CLASSES_MAX,
                            .of = must (calloc (nodes_count (nodes) + 1, sizeof *self.of))};
    for (size_t i = 0; i < SITE_CLASSES_MAX; i++)
        self.list [i] = (booked_group_t){.class = i, .booking = NODES_NONE};
    for (size_t i = 0; i < nodes_count (nodes); i++)
        self.of [i] = nodes_at (nodes, i).class;
    for (size_t i = 0; picture && i < picture->bookings_count; i++)
        for (size_t k = 0; k < picture->bookings [i].nodes_count; k++) {
            size_t node;
            if ((jobs || !picture->bookings [i].jobs) &&
                nodes_find (nodes, picture->bookings [i].nodes [k], &node) &&
                node != nodes_batch (nodes) && nodes_at (nodes, node).state != AGENT_LOST &&
                !nodes_at (nodes, node).drained)
                group_split (&self, node, i);
        }
    return self;
}

/*  All the times of a group, which may overlap. */
static interval_list_t times_of (const booked_groups_t *groups, const booked_group_t *group,
                                 const batch_picture_t *picture)
{
    interval_list_t times = {0};
    size_t room = 0, time;
    for (; group->booking != NODES_NONE; group = &groups->list [group->parent]) {
        resource_interval_t one = {.resource = group->class, .quantity = 1};
        const batch_booking_t *booking = &picture->bookings [group->booking];
        for (time = 0; batch_booking_next (booking, &time, &one.over.from, &one.over.until);) {
            if (one.over.until > BATCH_FOREVER_MS)
                one.over.until = BATCH_FOREVER_MS;
            times.list = must_grow (times.list, times.count, &room, sizeof one);
            times.list [times.count] = one;
            times.count += one.over.from < one.over.until;
        }
    }
    return times;
}

static interval_list_t bookings_of (const nodes_t *nodes, const batch_picture_t *picture, bool jobs)
{
    interval_list_t all = {0};
    size_t room = 0;
    booked_groups_t groups = booked_groups (nodes, picture, jobs);
    for (size_t i = SITE_CLASSES_MAX; i < groups.count; i++) {
        if (groups.list [i].nodes == 0)
            continue;
        interval_list_t times = times_of (&groups, &groups.list [i], picture);
        interval_changes_t apart = interval_list_changes (&(interval_list_t){0}, &times);
        for (size_t k = 0; k < apart.count; k++) {
            all.list = must_grow (all.list, all.count, &room, sizeof *all.list);
            all.list [all.count++] = (resource_interval_t){.resource = groups.list [i].class,
                                                           .over = apart.list [k].over,
                                                           .quantity = groups.list [i].nodes};
        }
        interval_changes_clear (&apart);
        interval_list_clear (&times);
    }
    free (groups.list);
    free (groups.of);
    return all;
}

static void jobs_follow (batch_bookings_t *self, const nodes_t *nodes,
                         const interval_list_t *others)
{
    interval_list_t all = bookings_of (nodes, nodes_picture (nodes), true);
    interval_changes_t changes = interval_list_changes (others, &all);
    interval_list_clear (&self->jobs);
    self->jobs = interval_changes_extra (&changes);
    interval_changes_clear (&changes);
    interval_list_clear (&all);
}

static void booked_end (batch_bookings_t *self)
{
    if (self->booked.list)
        free_capacity_release (self->room, &self->booked);
    interval_list_clear (&self->booked);
}

bool batch_bookings_follow (batch_bookings_t *self, const nodes_t *nodes)
{
    interval_list_t wanted = bookings_of (nodes, nodes_picture (nodes), !self->apart);
    if (self->apart)
        jobs_follow (self, nodes, &wanted);
    interval_changes_t changes = interval_list_changes (&self->booked, &wanted);
    bool changed = false;
    for (size_t i = 0; i < changes.count; i++)
        changed = changed || changes.list [i].before != changes.list [i].after;
    interval_changes_clear (&changes);
    if (!changed) {
        interval_list_clear (&wanted);
        return false;
    }
    booked_end (self);
    self->booked = wanted;
    free_capacity_book (self->room, &self->booked);
    return true;
}

void batch_bookings_end (batch_bookings_t *self)
{
    booked_end (self);
    interval_list_clear (&self->jobs);
}
