/*  runner - made in the order in which their starts come: participant, nodes, openings, capacity.
 */
#include "runner.h"

#include "capacity.h"
#include "must.h"

#include <stdlib.h>

struct runner {
    service_t *service;
    const site_t *site;
    room_t *room;
    timetable_t *timetable;
    nodes_t *nodes;
    back_end_t *back_end;
    openings_t *openings;
    capacity_t *capacity;
    queue_t *queue;
    queue_limits_t queue_limits;
    sharing_t *sharing;
    sharing_limits_t sharing_limits;
    account_t *accounts;
    size_t accounts_count;
    const access_t *access;
};

/*  For whoever drains a node. */
static const char *reservation_of (void *owner, size_t node)
{
    const runner_t *self = owner;
    return openings_of_node (self->openings, node);
}

static size_t overbooked (void *owner, const moment_t *now, const char **names, size_t most)
{
    const runner_t *self = owner;
    size_t count =
      timetable_overbooked (self->timetable, room_now_ms (self->room, now), names, most);
    return count < most ? count : most;
}

static stretches_t work_here (void *owner)
{
    const runner_t *self = owner;
    return queue_booked (self->queue);
}

static const char *account_here (void *owner, const char *actor)
{
    const runner_t *self = owner;
    return account_of (self->accounts, self->accounts_count, actor);
}

runner_t *runner_new (service_t *service, const site_t *site, room_t *room, const access_t *access,
                      const runner_settings_t *settings)
{
    runner_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->site = site;
    self->room = room;
    self->access = access;
    self->queue_limits = settings->queue;
    self->sharing_limits = settings->sharing;
    self->accounts = accounts_copy (settings->accounts, settings->accounts_count);
    self->accounts_count = settings->accounts_count;
    self->nodes =
      nodes_new (service, site, access, settings->places, settings->places_count, &settings->nodes);
    self->back_end = back_end_new (service, &back_end_runner, &settings->back_end);
    openings_parts_t parts = {.service = service,
                              .site = site,
                              .room = room,
                              .nodes = self->nodes,
                              .back_end = self->back_end,
                              .access = access};
    self->openings = openings_new (&parts, &settings->openings);
    nodes_binder (
      self->nodes,
      &(nodes_binder_t){.owner = self, .reservation = reservation_of, .overbooked = overbooked});
    return self;
}

void runner_usage (runner_t *self, usage_t *usage)
{
    openings_usage (self->openings, usage);
}

void runner_attach (runner_t *self, const participant_t *participant, timetable_t *timetable,
                    questions_t *questions)
{
    self->timetable = timetable;
    openings_attach (self->openings, participant);
    self->capacity = capacity_new (self->service, self->site, self->room, self->nodes, questions);
    queue_parts_t parts = {.service = self->service,
                           .site = self->site,
                           .room = self->room,
                           .timetable = timetable,
                           .participant = participant,
                           .nodes = self->nodes,
                           .openings = self->openings,
                           .access = self->access,
                           .account = account_here,
                           .account_owner = self};
    self->queue = queue_new (&parts, &self->queue_limits);
    self->sharing = sharing_new (self->queue, &self->sharing_limits);
    questions_work (questions, work_here, self);
}

void runner_destroy (runner_t **self_p)
{
    runner_t *self = *self_p;
    if (!self)
        return;
    sharing_destroy (&self->sharing);
    queue_destroy (&self->queue);
    capacity_destroy (&self->capacity);
    openings_destroy (&self->openings);
    back_end_destroy (&self->back_end);
    nodes_destroy (&self->nodes);
    free (self->accounts);
    free (self);
    *self_p = NULL;
}

nodes_t *runner_nodes (runner_t *self)
{
    return self->nodes;
}

openings_t *runner_openings (runner_t *self)
{
    return self->openings;
}

void runner_check (const runner_t *self)
{
    queue_check (self->queue);
    sharing_check (self->sharing);
}
