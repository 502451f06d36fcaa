/*  lis - a site: its room, the timetable in its participant, the questions that sites and domains
 *  answer alike; what is its own is its description, told to whoever asks and to the directories.
 */
#include "lis.h"

#include "access.h"
#include "bookings.h"
#include "lis_wire.h"
#include "member.h"
#include "must.h"
#include "questions.h"
#include "readmission.h"
#include "readmission_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const lis_limits_t lis_limits_default = {
  .bookings_max = 4000000,
  .bookings_per_actor_max = TIMETABLE_BOOKINGS_PER_ACTOR_DEFAULT,
  .uncommitted = UNCOMMITTED_LIMITS_DEFAULT,
  .profile_steps_max = 16384,
  .fresh_steps_max = 2048,
  .spans_max = 1024,
};

static_assert (LIS_STEPS_LEAST >= SITE_CLASSES_MAX, "a step for each class");
static_assert (LIS_STEPS_MOST <= QUESTIONS_STEPS_MOST, "within what fits a body");
static_assert (LIS_SPANS_MOST <= QUESTIONS_SPANS_MOST, "within what fits a body");

#define WINDOWS_MAX 64 /* in one question */

typedef struct {
    service_t *service;
    site_t site; /* with the present number of nodes */
    room_t *room;
    timetable_t *timetable;
    resource_t resource;
    runner_t *runner; /* NULL: back_end = none */
    participant_t *participant;
    questions_t *questions;
    readmission_t *readmission;
    plus_t *plus;
    access_t access;
} lis_t;

/*  What is offered, with the nodes there are now. */
static site_t *site_now (lis_t *self)
{
    for (size_t i = 0; i < self->site.classes_count; i++)
        self->site.classes [i].nodes = room_offer (self->room, i)->quantity;
    return &self->site;
}

static void announce (void *owner, const moment_t *now)
{
    lis_t *self = owner;
    site_t site = *site_now (self);
    member_announce (self->service, now, &(directory_entry_t){.site = &site});
}

static void on_site (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    (void) now;
    lis_t *self = owner;
    site_told_t told = {.name = self->service->name, .site = site_now (self)};
    service_reply (self->service, request, codec_encode (&site_told_codec, &told));
}

/*  For readmission: what an answer books here. */
static bool part_told (void *owner, bytes_t answer, packed_t *part, char why [WHY_BYTES])
{
    const lis_t *self = owner;
    return allocated_at_site (answer, self->service->name + strlen ("lis/"), &self->site, part,
                              why);
}

/*  --- the life of the core --- */

static void lis_step (void *owner, const moment_t *now, const event_t *event)
{
    lis_t *self = owner;
    if (self->service->directory)
        room_set_skew (self->room, directory_skew_ms (self->service->directory));
    service_step (self->service, now, event);
}

static bool lis_next (void *owner, effect_t *effect)
{
    lis_t *self = owner;
    return service_next (self->service, effect);
}

static void lis_destroy (void *owner)
{
    lis_t *self = owner;
    questions_destroy (&self->questions);
    plus_destroy (&self->plus);
    readmission_destroy (&self->readmission);
    participant_destroy (&self->participant);
    runner_destroy (&self->runner);
    timetable_destroy (&self->timetable);
    room_destroy (&self->room);
    service_destroy (&self->service);
    access_clear (&self->access);
    site_clear (&self->site);
    free (self);
}

static void limits_check (const lis_limits_t *limits)
{
    assert (limits->profile_steps_max >= LIS_STEPS_LEAST &&
            limits->profile_steps_max <= LIS_STEPS_MOST);
    assert (limits->fresh_steps_max >= LIS_STEPS_LEAST &&
            limits->fresh_steps_max <= LIS_STEPS_MOST);
}

timetable_limits_t lis_timetable_limits (const lis_limits_t *limits)
{
    return (timetable_limits_t){.bookings_max = limits->bookings_max,
                                .bookings_per_actor_max = limits->bookings_per_actor_max,
                                .fresh_steps_max = limits->fresh_steps_max,
                                .uncommitted = limits->uncommitted};
}

static timetable_t *timetable_make (room_t *room, const lis_limits_t *limits)
{
    part_reader_t reader;
    bookings_reader (&reader);
    timetable_limits_t bookings = lis_timetable_limits (limits);
    return timetable_new (room, &reader, &bookings);
}

static questions_t *questions_make (lis_t *self, const lis_limits_t *limits)
{
    questions_parts_t parts = {.service = self->service,
                               .room = self->room,
                               .timetable = self->timetable,
                               .participant = self->participant,
                               .access = &self->access,
                               .changed = announce,
                               .owner = self};
    questions_limits_t bounds = {.profile_steps_max = limits->profile_steps_max,
                                 .spans_max = limits->spans_max,
                                 .windows_max = WINDOWS_MAX,
                                 .resources_max = SITE_CLASSES_MAX,
                                 .quantity_max = NODES_MAX};
    return questions_new (&parts, &bounds);
}

runner_t *lis_runner (const core_t *core)
{
    return ((const lis_t *) core->self)->runner;
}

void lis_core (const lis_settings_t *settings, core_t *core)
{
    assert (strncmp (settings->name, "lis/", 4) == 0);
    assert (settings->site.classes_count <= SITE_CLASSES_MAX);
    limits_check (&settings->limits);
    lis_t *self = must (calloc (1, sizeof *self));
    site_copy (&self->site, &settings->site);
    access_copy (&self->access, &settings->access);
    self->service = member_new (settings->name, settings->gis_endpoints, settings->gis_count);
    standing_wait (self->service->standing, settings->standing_wait_ms);
    self->room =
      bookings_room (settings->name + strlen ("lis/"), &self->site, &self->service->timekeeper);
    self->timetable = timetable_make (self->room, &settings->limits);
    timetable_resource (self->timetable, &self->resource);
    if (settings->runner) {
        self->runner =
          runner_new (self->service, &self->site, self->room, &self->access, settings->runner);
        runner_usage (self->runner, &self->resource.usage);
    }
    self->participant =
      participant_new (self->service, &self->resource, &settings->participant, &self->access);
    self->readmission = readmission_new (self->service, self->participant, part_told, self);
    self->questions = questions_make (self, &settings->limits);
    self->plus = plus_new (&(plus_parts_t){.service = self->service,
                                           .site = &self->site,
                                           .room = self->room,
                                           .participant = self->participant,
                                           .access = &self->access},
                           &settings->plus);
    if (self->runner)
        runner_attach (self->runner, self->participant, self->timetable, self->questions);
    service_serve (self->service, "Lis", "Site", &site_question_codec, on_site, self);
    timetable_limits_t bookings = lis_timetable_limits (&settings->limits);
    timetable_limits_show (self->service, &bookings);
    service_at_start (self->service, announce, self);
    *core = (core_t){.self = self, .step = lis_step, .next = lis_next, .destroy = lis_destroy};
}
