/*  provider - what a site and a network domain have in common: the free capacity of what they
 *  offer, the timetable in their participant, the calendar service, and readmission after a store
 *  was lost.
 *
 *  It is the first member of a core's own struct, so that the core's steps are the provider's. Its
 *  parts are there to be used directly. They are made in the order of the functions here, with the
 *  core's own parts between them, and their starts come in that order. Pure.
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
    int64_t restore_guard_wait_ms; /* for a directory, at the start; 0 = it serves at once (T14) */
} provider_settings_t;

/*  Rows of its numbers. */
extern const setting_table_t provider_table;

typedef struct {
    service_t *service;
    access_t access;
    free_capacity_t *room;
    timetable_t *timetable;
    resource_t resource; /* its usage may be set until provider_vote */
    participant_t *participant;
    readmission_t *readmission;
    calendar_service_t *questions;
    packed_t summary; /* of what is free, as it was told last */
    int64_t summary_ms;
    uint64_t summary_version; /* of the room */
} provider_t;

/*  The service. */
void provider_begin (provider_t *self, const provider_settings_t *settings);

/*  The timetable, over room, which the core has set and the provider ends. */
void provider_book (provider_t *self, const provider_settings_t *settings,
                    const part_reader_t *reader);

/*  The participant. */
void provider_vote (provider_t *self, const provider_settings_t *settings);

/*  Readmission and the calendar service. announce is called when what is announced is out of date.
 */
void provider_answer (provider_t *self, const provider_settings_t *settings,
                      readmission_part_fn *part, start_fn *announce, void *owner);

/*  Shows its limits in Service.Status, announces itself at the start, and fills in the core. */
void provider_open (provider_t *self, const provider_settings_t *settings, start_fn *announce,
                    core_t *core, void (*destroy) (void *self));

/*  provider_close ends what provider_vote and provider_answer made; provider_end, once the core's
 *  own parts are gone, the rest. */
void provider_close (provider_t *self);
void provider_end (provider_t *self);

#endif
