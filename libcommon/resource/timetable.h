/*  timetable - the resource that a site or a network domain plugs into its participant: bookings
 *  over calendars.
 *
 *  What a reservation has is kept as a list of intervals. A hold books only what it needs beyond
 *  that: while the change is pending, the calendars carry the larger of old and new at every
 *  instant, and the new may use what the old has (T11). Settling then books exactly the new,
 *  dropping gives the extra back; neither can fail. A hold costs as much as it names, however many
 *  resources there are. Pure.
 */
#ifndef MUSUBI_TIMETABLE_H
#define MUSUBI_TIMETABLE_H

#include "admission.h"
#include "hold_quota.h"
#include "participant.h"

typedef struct timetable timetable_t;

/*  How the owner's kind of part is read. */
typedef struct {
    part_kind_t part_kind;

    /*  What a part asks for; the caller frees it. */
    admission_want_t *(*read) (const part_body_t *part, size_t *count);

    /*  Is a part valid beyond its wishes, which name what is offered? False with *refusal. May be
     *  NULL: always. */
    bool (*valid) (const void *owner, const part_body_t *part, refusal_t *refusal);
    const void *owner;
} part_reader_t;

/*  fresh_steps_max is at least the number of resources offered. A pending hold counts what it books
 *  and what it will book, so with a limit below two nothing can be held. */
typedef struct {
    uint32_t bookings_max; /* in the calendars of all resources */
    uint32_t
      bookings_per_actor_max; /* of those, in one actor's name; 0 = as many as there may be */
    uint32_t fresh_steps_max; /* in the fresh profiles of one refusal */
    hold_quota_limits_t hold_quota;
} timetable_limits_t;

#define TIMETABLE_BOOKINGS_MOST 1000000000

/*  What Service.Status shows of them. */
void timetable_limits_show (service_t *service, const timetable_limits_t *limits);

/*  room has the calendars; it and the reader's owner are borrowed for life. */
timetable_t *timetable_new (free_capacity_t *room, const part_reader_t *reader,
                            const timetable_limits_t *limits);
void timetable_destroy (timetable_t **self_p);

/*  Fill in what participant_new wants; owner is this timetable. What the participant calls current
 *  and taken are holdings of it. */
void timetable_resource (timetable_t *self, resource_t *resource);

/*  Called when something has become free in the future; for change notices. Each owner is called
 *  until timetable_off_freed; at most TIMETABLE_LISTENERS_MAX. */
#define TIMETABLE_LISTENERS_MAX 2
typedef void timetable_freed_fn (void *owner);
void timetable_on_freed (timetable_t *self, timetable_freed_fn *freed, void *owner);
void timetable_off_freed (timetable_t *self, void *owner);

/*  Called when a reservation has been made, changed or given back by a commit. */
typedef void timetable_settled_fn (void *owner);
void timetable_on_settled (timetable_t *self, timetable_settled_fn *settled, void *owner);

/*  What a holding has in the calendars, ascending by resource and time, and in whose name it was
 *  made. */
const interval_list_t *timetable_held (const void *holding);
const char *timetable_owner (const void *holding);

/*  Reservations with bookings at instants, from then on, at which more is booked than there is:
 *  ascending, each once. Writes at most names_max, returns how many there are in all. Borrowed
 *  until the next change. Walks all bookings if there are such instants. */
size_t timetable_overbooked (const timetable_t *self, int64_t from_ms, const char **names,
                             size_t names_max);

/*  The first resource of which this overbooked reservation has too much from then on. */
const char *timetable_overbooked_on (const timetable_t *self, int64_t from_ms,
                                     const char *reservation);

#endif
