/*  nis - a domain: its room of links, the timetable in its participant, the questions that sites
 *  and domains answer alike; what is its own is its graph, told to whoever asks and to the
 *  directories, paths through it, and the use of its circuits.
 */
#include "nis.h"

#include "access.h"
#include "circuits.h"
#include "member.h"
#include "must.h"
#include "nis_wire.h"
#include "paths.h"
#include "questions.h"
#include "readmission.h"
#include "readmission_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const nis_limits_t nis_limits_default = {
  .bookings_max = 4000000,
  .bookings_per_actor_max = TIMETABLE_BOOKINGS_PER_ACTOR_DEFAULT,
  .uncommitted = UNCOMMITTED_LIMITS_DEFAULT,
  .profile_steps_max = 32768,
  .fresh_steps_max = 8192,
  .spans_max = 1024,
  .windows_max = 4096,
  .paths_max = 256,
};

static_assert (NIS_STEPS_MOST <= QUESTIONS_STEPS_MOST, "within what fits a body");
static_assert (NIS_SPANS_MOST <= QUESTIONS_SPANS_MOST, "within what fits a body");

typedef struct {
    service_t *service;
    domain_t domain; /* with the present capacities */
    room_t *room;
    circuits_t *circuits;
    timetable_t *timetable;
    resource_t resource;
    uses_t *uses;
    participant_t *participant;
    questions_t *questions;
    readmission_t *readmission;
    paths_t *paths;
    access_t access;
} nis_t;

/*  What is offered, with the capacities there are now. */
static const domain_t *domain_now (nis_t *self)
{
    for (size_t i = 0; i < self->domain.links_count; i++)
        self->domain.links [i].mbps = room_offer (self->room, i)->quantity;
    return &self->domain;
}

static void announce (void *owner, const moment_t *now)
{
    nis_t *self = owner;
    domain_t domain = *domain_now (self);
    paths_changed (self->paths);
    member_announce (self->service, now, &(directory_entry_t){.domain = &domain});
}

static void on_domain (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    (void) now;
    nis_t *self = owner;
    service_reply (self->service, request,
                   domain_answer_encode (self->service->name, domain_now (self)));
}

/*  For readmission: what an answer books here. */
static bool part_told (void *owner, bytes_t answer, packed_t *part, char why [WHY_BYTES])
{
    const nis_t *self = owner;
    return allocated_in_domain (answer, self->service->name + strlen ("nis/"), &self->domain, part,
                                why);
}

/*  --- the life of the core --- */

static void nis_step (void *owner, const moment_t *now, const event_t *event)
{
    nis_t *self = owner;
    if (self->service->directory)
        room_set_skew (self->room, directory_skew_ms (self->service->directory));
    service_step (self->service, now, event);
}

static bool nis_next (void *owner, effect_t *effect)
{
    nis_t *self = owner;
    return service_next (self->service, effect);
}

static void nis_destroy (void *owner)
{
    nis_t *self = owner;
    paths_destroy (&self->paths);
    questions_destroy (&self->questions);
    readmission_destroy (&self->readmission);
    participant_destroy (&self->participant);
    uses_destroy (&self->uses);
    timetable_destroy (&self->timetable);
    circuits_destroy (&self->circuits);
    room_destroy (&self->room);
    service_destroy (&self->service);
    access_clear (&self->access);
    domain_clear (&self->domain);
    free (self);
}

static void settings_check (const nis_settings_t *settings)
{
    const nis_limits_t *limits = &settings->limits;
    char why [160];
    assert (strncmp (settings->name, "nis/", 4) == 0);
    assert (domain_check (&settings->domain, settings->name + 4, why));
    assert (limits->profile_steps_max >= NIS_STEPS_LEAST &&
            limits->profile_steps_max <= NIS_STEPS_MOST);
    assert (limits->fresh_steps_max >= NIS_STEPS_LEAST &&
            limits->fresh_steps_max <= NIS_STEPS_MOST);
    assert (limits->windows_max > 0 && limits->windows_max <= NIS_WINDOWS_MOST);
    assert (limits->paths_max > 0 && limits->paths_max <= NIS_PATHS_MOST);
}

timetable_limits_t nis_timetable_limits (const nis_limits_t *limits)
{
    return (timetable_limits_t){.bookings_max = limits->bookings_max,
                                .bookings_per_actor_max = limits->bookings_per_actor_max,
                                .fresh_steps_max = limits->fresh_steps_max,
                                .uncommitted = limits->uncommitted};
}

static timetable_t *timetable_make (nis_t *self, const nis_limits_t *limits)
{
    part_reader_t reader;
    circuits_reader (self->circuits, &reader);
    timetable_limits_t bookings = nis_timetable_limits (limits);
    return timetable_new (self->room, &reader, &bookings);
}

static questions_t *questions_make (nis_t *self, const nis_limits_t *limits)
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
                                 .windows_max = limits->windows_max,
                                 .resources_max = DOMAIN_LINKS_MAX,
                                 .quantity_max = LINK_MBPS_MAX};
    return questions_new (&parts, &bounds);
}

void nis_core (const nis_settings_t *settings, core_t *core)
{
    settings_check (settings);
    nis_t *self = must (calloc (1, sizeof *self));
    domain_copy (&self->domain, &settings->domain);
    access_copy (&self->access, &settings->access);
    self->service = member_new (settings->name, settings->gis_endpoints, settings->gis_count);
    standing_wait (self->service->standing, settings->standing_wait_ms);
    self->circuits = circuits_new (settings->name + strlen ("nis/"), &self->domain,
                                   &self->service->timekeeper, &self->room);
    self->timetable = timetable_make (self, &settings->limits);
    timetable_resource (self->timetable, &self->resource);
    self->uses = uses_new (self->service, &self->access, settings->use);
    uses_usage (self->uses, &self->resource.usage);
    self->participant =
      participant_new (self->service, &self->resource, &settings->participant, &self->access);
    uses_attach (self->uses, self->participant);
    self->readmission = readmission_new (self->service, self->participant, part_told, self);
    self->questions = questions_make (self, &settings->limits);
    self->paths = paths_new (self->service, &self->domain, self->room, self->questions,
                             settings->limits.paths_max);
    service_serve (self->service, "Nis", "Domain", &domain_question_codec, on_domain, self);
    timetable_limits_t bookings = nis_timetable_limits (&settings->limits);
    timetable_limits_show (self->service, &bookings);
    service_at_start (self->service, announce, self);
    *core = (core_t){.self = self, .step = nis_step, .next = nis_next, .destroy = nis_destroy};
}

void nis_check (const core_t *core)
{
    const nis_t *self = core->self;
    timetable_check (self->timetable);
    participant_check (self->participant);
    uses_check (self->uses);
}
