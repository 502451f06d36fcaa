/*  timetable_fixture - a small site and its timetable, driven as the participant drives it: valid,
 *  take, then drop or settle, end.
 */
#ifndef MUSUBI_TIMETABLE_FIXTURE_H
#define MUSUBI_TIMETABLE_FIXTURE_H

#include "lis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EPOCH_MS INT64_C (1700000000000)
#define TICK_MS  INT64_C (60000)

/*  Minutes of the test's day, on the clock. */
static inline int64_t at (int64_t minute)
{
    return EPOCH_MS + minute * TICK_MS;
}

typedef struct {
    timekeeper_t timekeeper;
    moment_t now;
    site_t site;
    node_class_t classes [3];
    timetable_limits_t limits;
    free_capacity_t *room;
    timetable_t *timetable;
    resource_t resource;
    size_t freed;
} timetable_fixture_t;

static inline void count_freed (void *owner)
{
    timetable_fixture_t *self = owner;
    self->freed++;
}

static inline void set_now (timetable_fixture_t *self, int64_t minute)
{
    self->now.wall_ms = at (minute);
    self->now.mono_ms = at (minute) - EPOCH_MS + 12345;
    timekeeper_see (&self->timekeeper, &self->now);
}

static inline void open_site (timetable_fixture_t *self)
{
    part_reader_t reader;
    bookings_reader (&reader);
    self->room = bookings_room ("ams", &self->site, &self->timekeeper);
    self->timetable = timetable_new (self->room, &reader, &self->limits);
    timetable_on_freed (self->timetable, count_freed, self);
    timetable_resource (self->timetable, &self->resource);
}

/*  thin: 8 nodes of 1 CPU; fat: 4 nodes of 16. */
static inline void open_fixture (timetable_fixture_t *self)
{
    *self = (timetable_fixture_t){
      .classes = {{.name = "thin", .nodes = 8, .cpus_per_node = 1},
                  {.name = "fat", .nodes = 4, .cpus_per_node = 16},
                  {.name = "odd", .nodes = 5, .cpus_per_node = 3}},
      .limits = {.bookings_max = 4000000, .fresh_steps_max = 2048},
    };
    self->site = (site_t){.classes = self->classes,
                          .classes_count = 3,
                          .lead_ms = 2 * TICK_MS,
                          .horizon_ms = 1000 * TICK_MS};
    set_now (self, 0);
    open_site (self);
}

static inline void close_fixture (timetable_fixture_t *self)
{
    timetable_destroy (&self->timetable);
    assert_null (self->timetable);
    timetable_destroy (&self->timetable);
    free_capacity_destroy (&self->room);
    assert_null (self->room);
    free_capacity_destroy (&self->room);
}

static inline compute_booking_t booking (const char *need, const char *class_name, uint32_t cpus,
                                         uint32_t nodes, int64_t from, int64_t until)
{
    compute_booking_t made = {
      .cpus = cpus, .nodes = nodes, .from_ms = at (from), .until_ms = at (until)};
    snprintf (made.need, sizeof made.need, "%s", need);
    snprintf (made.class_name, sizeof made.class_name, "%s", class_name);
    return made;
}

static inline compute_booking_t thin (uint32_t cpus, int64_t from, int64_t until)
{
    return booking ("ocean", "thin", cpus, cpus, from, until);
}

static inline plan_t plan_for (const char *reservation, const char *actor)
{
    plan_t plan = {.operation = OPERATION_RESERVE, .edge_ms = at (1000000)};
    snprintf (plan.reservation, sizeof plan.reservation, "%s", reservation);
    snprintf (plan.actor, sizeof plan.actor, "%s", actor);
    snprintf (plan.owner, sizeof plan.owner, "%s", actor);
    return plan;
}

static inline void *take_plan (timetable_fixture_t *self, const plan_t *plan, const void *current,
                               const compute_booking_t *bookings, size_t count, bool forced,
                               refusal_t *refusal)
{
    part_body_t part = {.kind = PART_COMPUTE, .compute = {(compute_booking_t *) bookings, count}};
    char why [WHY_BYTES] = "";
    *refusal = (refusal_t){0};
    void *taken = NULL;
    if (forced || self->resource.valid (self->resource.owner, plan, &part, refusal, why))
        taken = self->resource.take (self->resource.owner, &self->now, plan, current, &part, forced,
                                     refusal);
    assert_true ((taken != NULL) == (refusal->reason == REFUSAL_NONE));
    return taken;
}

static inline void *take (timetable_fixture_t *self, const void *current,
                          const compute_booking_t *bookings, size_t count, refusal_t *refusal)
{
    plan_t plan = plan_for ("r1", "alice");
    return take_plan (self, &plan, current, bookings, count, false, refusal);
}

static inline void *settle (timetable_fixture_t *self, void *current, void *taken)
{
    return self->resource.settle (self->resource.owner, current, taken);
}

/*  A reservation that is committed. */
static inline void *reserve (timetable_fixture_t *self, const char *reservation,
                             compute_booking_t one)
{
    refusal_t refusal;
    plan_t plan = plan_for (reservation, "alice");
    void *taken = take_plan (self, &plan, NULL, &one, 1, false, &refusal);
    assert_non_null (taken);
    return settle (self, NULL, taken);
}

/*  Free nodes in one minute. */
static inline int64_t free_at (const timetable_fixture_t *self, size_t resource, int64_t minute)
{
    return calendar_least (free_capacity_calendar (self->room, resource),
                           (interval_t){at (minute), at (minute + 1)});
}

#endif
