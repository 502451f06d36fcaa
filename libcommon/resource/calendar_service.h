/*  calendar_service - what a site and a network domain answer alike: the five methods of
 *  proto/calendar.proto about their free capacity, and change notices for the federation.
 *
 *  Where only windows are disclosed, quantities are told to administrators alone. There is as much
 *  of a resource as is configured, or as an administrator has set by Capacity (kept in
 *  TABLE_CAPACITIES), unless less of it is there. It publishes the topic "calendar", without a
 *  body, when something becomes free in the future, and "reservation" when a reservation was made,
 *  changed or given back; each at most ten times a second. Pure.
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

/*  The most that any configuration may allow. */
#define CALENDAR_SERVICE_STEPS_MOST 32768 /* some 20 bytes each: fits BODY_BYTES_MAX */
#define CALENDAR_SERVICE_SPANS_MOST 4096  /* some 80 bytes each */

/*  Everything is borrowed for life. */
typedef struct {
    service_t *service;
    free_capacity_t *room;
    timetable_t *timetable;
    participant_t *participant;
    const access_t *access;

    /*  An administrator has set a quantity, so what is announced is out of date. */
    void (*changed) (void *owner, const moment_t *now);
    void *owner;
} calendar_service_parts_t;

typedef struct questions calendar_service_t;

/*  Registers its methods, table and start with the service. limits are copied. */
calendar_service_t *calendar_service_new (const calendar_service_parts_t *parts,
                                          const calendar_service_limits_t *limits);
void calendar_service_destroy (calendar_service_t **self_p);

/*  For other questions of this kind: what a reservation ("" = none) holds here, to be counted as
 *  free. False when the caller may not know; then the request has been refused. */
bool calendar_service_counted (calendar_service_t *self, const request_t *request,
                               const char *reservation, const interval_list_t **counted);

/*  A module that puts unreserved work into the calendars tells how much of it is there now, in
 *  shortest form; the caller clears it. Asked for Profile's without_work; without it there is no
 *  such work. */
typedef interval_list_t calendar_service_work_fn (void *owner);
void calendar_service_work (calendar_service_t *self, calendar_service_work_fn *work, void *owner);

/*  Only so many of a resource are there now, whatever was configured or set: the rest are lost or
 *  drained. Those concerned and the ledger are told at once. It is not stored, so it must be called
 *  again after each start. UINT32_MAX: no such bound. */
void calendar_service_there (calendar_service_t *self, const moment_t *now, size_t resource,
                             uint32_t there);

/*  To be called after each change of what there is: logs which reservations have too little, and
 *  keeps since when there are any; returns how many. Names are borrowed until the next
 *  change, at most names_max. */
size_t calendar_service_overbooked (calendar_service_t *self, const moment_t *now,
                                    const char **names, size_t names_max);

/*  May this caller be told quantities? */
bool calendar_service_disclosed (const calendar_service_t *self, const request_t *request);

#endif
