/*  stretches - how much of each resource somebody has, over time.
 *
 *  A stretch is a constant quantity of one resource over an interval. A list of them that is
 *  ascending by resource and time, disjoint within a resource, and whose touching neighbours
 *  differ, says the same as any heap of overlapping bookings, in as few words as possible. What a
 *  modify needs beyond what it has, or gives back, is read off by walking two lists at once. Plain
 *  values, pure.
 */
#ifndef MUSUBI_STRETCHES_H
#define MUSUBI_STRETCHES_H

#include "calendar.h"

typedef struct {
    size_t resource; /* index in its room */
    interval_t over;
    int64_t quantity;
    bool in_calendar; /* of the resource */
} stretch_t;

/*  The caller owns list: stretches_clear. */
typedef struct {
    stretch_t *list;
    size_t count;
} stretches_t;

void stretches_clear (stretches_t *self);

/*  The part of an ascending list that is about one resource; borrowed. NULL: of nothing. */
stretches_t stretches_of_resource (const stretches_t *self, size_t resource);

/*  Where before and after differ, or both have something: maximal intervals over which both are
 *  constant. */
typedef struct {
    size_t resource;
    interval_t over;
    int64_t before;
    int64_t after;
} change_t;

/*  The caller owns list: changes_clear. Ascending by resource and time. */
typedef struct {
    change_t *list;
    size_t count;
} changes_t;

void changes_clear (changes_t *self);

/*  From one list to another; either may be in any order and overlap itself, where it overlaps it
 *  adds up. */
changes_t stretches_changes (const stretches_t *before, const stretches_t *after);

/*  What the changes lead to, and what they need beyond what was there: max (before, after) -
 *  before. Both in shortest form. */
stretches_t changes_after (const changes_t *self);
stretches_t changes_extra (const changes_t *self);

/*  Is something given back later than then_ms? */
bool changes_free_after (const changes_t *self, int64_t then_ms);

#endif
