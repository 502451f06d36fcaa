/*  timetable - the resource that a site plugs into its participant: bookings over calendars.
 *
 *  What a reservation has is kept as stretches of nodes. A hold books only what it needs beyond
 *  that, so that the calendars carry the larger of old and new at every instant while the change is
 *  pending, and the new may use what the old has (T11). Settling then switches to exactly the new,
 *  dropping gives the extra back; neither can fail. Pure.
 */
#ifndef MUSUBI_TIMETABLE_H
#define MUSUBI_TIMETABLE_H

#include "lis.h"
#include "room.h"

typedef struct timetable timetable_t;

/*  The room has the calendars and is borrowed for life. */
timetable_t *timetable_new (room_t *room, const lis_limits_t *limits);
void timetable_destroy (timetable_t **self_p);

/*  Fill in what participant_new wants; owner is this timetable. What the participant calls current
 *  and taken are holdings of it. */
void timetable_resource (timetable_t *self, resource_t *resource);

/*  Called when nodes have become free in the time to come; for hints. */
typedef void timetable_freed_fn (void *owner);
void timetable_on_freed (timetable_t *self, timetable_freed_fn *freed, void *owner);

/*  What a holding has in the calendars, and in whose name it was made. */
const stretches_t *timetable_held (const void *holding);
const char *timetable_owner (const void *holding);

/*  Reservations with bookings, from now on, at instants at which more is booked than there is:
 *  ascending, each once. Writes at most names_max, returns how many there are in all. Borrowed
 * until the next change. Walks all bookings when there are any such instants. */
size_t timetable_overbooked (const timetable_t *self, int64_t from_ms, const char **names,
                             size_t names_max);

/*  Walk the invariants; aborts on a broken one. For tests. */
void timetable_check (const timetable_t *self);

#endif
