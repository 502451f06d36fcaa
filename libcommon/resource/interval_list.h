/*  interval_list - how much of each resource somebody has, over time.
 *
 *  An element is a constant quantity of one resource over an interval. A list in shortest form is
 *  ascending by resource and time, disjoint within a resource, and touching neighbours differ; it
 *  says the same as any heap of overlapping bookings. What a change needs beyond what was there, or
 *  gives back, is found by walking two lists at once. Plain values, pure.
 */
#ifndef MUSUBI_INTERVAL_LIST_H
#define MUSUBI_INTERVAL_LIST_H

#include "calendar.h"

typedef struct {
    size_t resource; /* index in its room */
    interval_t over;
    int64_t quantity;
    bool in_calendar; /* of the resource */
} resource_interval_t;

/*  The caller owns list: interval_list_clear. */
typedef struct {
    resource_interval_t *list;
    size_t count;
} interval_list_t;

void interval_list_clear (interval_list_t *self);

/*  The part of an ascending list that is about one resource; borrowed. NULL: of nothing. */
interval_list_t interval_list_of_resource (const interval_list_t *self, size_t resource);

/*  Where before and after differ, or both have something: maximal intervals over which both are
 *  constant. */
typedef struct {
    size_t resource;
    interval_t over;
    int64_t before;
    int64_t after;
} interval_change_t;

/*  The caller owns list: interval_changes_clear. Ascending by resource and time. */
typedef struct {
    interval_change_t *list;
    size_t count;
} interval_changes_t;

void interval_changes_clear (interval_changes_t *self);

/*  The changes from one list to another. Either may be in any order; overlapping elements add up.
 */
interval_changes_t interval_list_changes (const interval_list_t *before,
                                          const interval_list_t *after);

/*  What the changes lead to; and what they need beyond what was there: max (before, after) -
 *  before. Both in shortest form. */
interval_list_t interval_changes_after (const interval_changes_t *self);
interval_list_t interval_changes_extra (const interval_changes_t *self);

/*  Is something given back later than then_ms? */
bool interval_changes_free_after (const interval_changes_t *self, int64_t then_ms);

#endif
