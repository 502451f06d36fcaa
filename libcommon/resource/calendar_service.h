/*  calendar_service - what a site and a network domain answer alike: the five methods of
 *  proto/calendar.proto over a room, and the word to the federation that something has changed.
 *
 *  Quantities are told to those who may know them: where only windows are disclosed, to
 *  administrators. There is as much of a resource as is configured, or as an administrator has set
 *  by Capacity (kept in TABLE_CAPACITIES), unless less of it is there. Publishes
 *  the topic "calendar", without a body, when something becomes free in the time to come, and
 *  "reservation" when one has been made, changed or left; each at most ten times a second. Pure.
 */
#ifndef MUSUBI_CALENDAR_SERVICE_H
#define MUSUBI_CALENDAR_SERVICE_H

#include "timetable.h"

typedef struct {
    uint32_t profile_steps_max; /* in one answer, over all its resources; at least one for each */
    uint32_t spans_max;         /* in one answer to Free */
    uint32_t windows_max;       /* in one question */
    uint32_t resources_max;     /* named in one question */
    uint32_t quantity_max;      /* that Capacity may set */
} calendar_service_limits_t;

/*  Whatever is configured. */
#define CALENDAR_SERVICE_STEPS_MOST 32768 /* some 20 bytes each: fits BODY_BYTES_MAX */
#define CALENDAR_SERVICE_SPANS_MOST 4096  /* some 80 bytes each */

/*  Everything is borrowed for life. */
typedef struct {
    service_t *service;
    free_capacity_t *room;
    timetable_t *timetable;
    participant_t *participant;
    const access_t *access;

    /*  An administrator has set a quantity: what is announced is no longer so. */
    void (*changed) (void *owner, const moment_t *now);
    void *owner;
} calendar_service_parts_t;

typedef struct questions calendar_service_t;

/*  Registers its methods, table and start with the service. limits are copied. */
calendar_service_t *calendar_service_new (const calendar_service_parts_t *parts,
                                          const calendar_service_limits_t *limits);
void calendar_service_destroy (calendar_service_t **self_p);

/*  For other questions of the same kind. What a reservation ("" = none) holds here, to be counted
 *  as free; false, and the request is refused, when the asker may not know. */
bool calendar_service_counted (calendar_service_t *self, const request_t *request,
                               const char *reservation, const interval_list_t **counted);

/*  Who puts work that is not reserved into the calendars tells what of it is there now, in shortest
 *  form: the asker clears it. Asked by Profile without_work; else there is none. */
typedef interval_list_t calendar_service_work_fn (void *owner);
void calendar_service_work (calendar_service_t *self, calendar_service_work_fn *work, void *owner);

/*  No more than so many of a resource are there now, whatever is configured or was set: the rest
 *  are lost, or drained. Told at once to whom it concerns and to the ledger; not stored, so it is
 *  said again after each start. UINT32_MAX: as many as there may be. */
void calendar_service_there (calendar_service_t *self, const moment_t *now, size_t resource,
                             uint32_t there);

/*  Tell the log which reservations have too little; returns how many. Borrowed names, at most
 *  names_max, until the next change. */
size_t calendar_service_overbooked (const calendar_service_t *self, const moment_t *now,
                                    const char **names, size_t names_max);

/*  May quantities be told to whoever asks? */
bool calendar_service_disclosed (const calendar_service_t *self, const request_t *request);

#endif
