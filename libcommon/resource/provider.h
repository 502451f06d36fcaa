/*  provider - what a site and a network domain are made of alike: a room of what they offer, the
 *  timetable in their participant, the questions that both answer, and what they book again when
 *  their store was lost.
 *
 *  The first member of a core's own struct, so that the core's steps are the provider's. Its parts
 *  are there to be used directly. They are made in the order of the functions here, with the core's
 *  own parts between them: starts come in that order. Pure.
 */
#ifndef MUSUBI_PROVIDER_H
#define MUSUBI_PROVIDER_H

#include "calendar_service.h"
#include "readmission.h"

typedef struct {
    timetable_limits_t bookings;
    calendar_service_limits_t questions;
} provider_limits_t;

/*  Everything is copied. */
typedef struct {
    const char *name; /* "lis/ams" */
    access_t access;  /* who has a local account here, and who administers it */
    participant_limits_t participant;
    provider_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
    int64_t restore_guard_wait_ms; /* for a directory, at start; 0 = it serves meanwhile (T14) */
} provider_settings_t;

typedef struct {
    service_t *service;
    access_t access;
    free_capacity_t *room;
    timetable_t *timetable;
    resource_t resource; /* its usage may be set until provider_vote */
    participant_t *participant;
    readmission_t *readmission;
    calendar_service_t *questions;
} provider_t;

/*  The service. */
void provider_begin (provider_t *self, const provider_settings_t *settings);

/*  The timetable, over the room that has been set and is the provider's. */
void provider_book (provider_t *self, const provider_settings_t *settings,
                    const part_reader_t *reader);

/*  The participant. */
void provider_vote (provider_t *self, const provider_settings_t *settings);

/*  Readmission and questions. announce: what is offered is not what was told. */
void provider_answer (provider_t *self, const provider_settings_t *settings,
                      readmission_part_fn *part, start_fn *announce, void *owner);

/*  Limits are shown, it announces itself at start, and is a core. */
void provider_open (provider_t *self, const provider_settings_t *settings, start_fn *announce,
                    core_t *core, void (*destroy) (void *self));

/*  What was made by provider_vote and behind it; then, once the core's own parts are gone, the rest.
 */
void provider_close (provider_t *self);
void provider_end (provider_t *self);

#endif
