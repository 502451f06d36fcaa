/*  provider - makes and ends its parts, in order. */
#include "provider.h"

#include "access.h"
#include "member.h"

#include <assert.h>
#include <stdlib.h>

static const setting_t provider_rows [] = {
  SET_RESTORE_GUARD_WAIT (provider_settings_t, restore_guard_wait_ms),
  SET_INSIDE (provider_settings_t, participant, "", participant_limits_t, &participant_table),
  SET_COUNT (provider_settings_t, limits.bookings.bookings_max, "limits/bookings_max", 4000000, 8,
             TIMETABLE_BOOKINGS_MOST,
             "bookings in the calendars of all that is offered; a quarter of them in one actor's "
             "name"),
  SET_MERGED (provider_settings_t, limits.bookings.bookings_per_actor_max,
              "limits/bookings_per_actor_max", "a quarter of limits/bookings_max"),
  SET_COUNT (provider_settings_t, limits.bookings.hold_quota.share, "limits/uncommitted_share", 90,
             1, 100,
             "percent of a resource that all uncommitted holds together may take at any instant, "
             "those of one planner or actor five sixths of that; a single hold may take all"),
  SET_MERGED (provider_settings_t, limits.bookings.hold_quota.share_per_planner,
              "limits/uncommitted_share_per_planner", "five sixths of limits/uncommitted_share"),
  SET_MERGED (provider_settings_t, limits.bookings.hold_quota.share_per_actor,
              "limits/uncommitted_share_per_actor", "five sixths of limits/uncommitted_share"),
  SET_FIXED (provider_settings_t, limits.questions.spans_max, "limits/spans_max", 1024),
};

static const void *provider_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    timetable_limits_t *bookings = &((provider_settings_t *) settings)->limits.bookings;
    hold_quota_limits_t *quota = &bookings->hold_quota;
    bookings->bookings_per_actor_max = bookings->bookings_max / 4;
    quota->share_per_planner = quota->share_per_actor = (5 * quota->share + 5) / 6;
    return NULL;
}

const setting_table_t provider_table =
  SETTING_TABLE (provider_settings_t, provider_rows, provider_rule);

void provider_begin (provider_t *self, const provider_settings_t *settings)
{
    uint32_t fresh_steps_max = settings->limits.bookings.fresh_steps_max;
    assert (fresh_steps_max >= settings->limits.questions.resources_max &&
            fresh_steps_max <= CALENDAR_SERVICE_STEPS_MOST);
    access_copy (&self->access, &settings->access);
    self->service = member_new (settings->name, settings->gis_endpoints, settings->gis_count);
    restore_guard_wait (restore_guard_of (self->service), settings->restore_guard_wait_ms);
}

void provider_book (provider_t *self, const provider_settings_t *settings,
                    const part_reader_t *reader)
{
    self->timetable = timetable_new (self->room, reader, &settings->limits.bookings);
    timetable_resource (self->timetable, &self->resource);
}

void provider_vote (provider_t *self, const provider_settings_t *settings)
{
    self->participant =
      participant_new (self->service, &self->resource, &settings->participant, &self->access);
}

void provider_answer (provider_t *self, const provider_settings_t *settings,
                      readmission_part_fn *part, start_fn *announce, void *owner)
{
    self->readmission = readmission_new (self->service, self->participant, part, owner);
    calendar_service_parts_t parts = {.service = self->service,
                                      .room = self->room,
                                      .timetable = self->timetable,
                                      .participant = self->participant,
                                      .access = &self->access,
                                      .changed = announce,
                                      .owner = owner};
    self->questions = calendar_service_new (&parts, &settings->limits.questions);
}

/*  Made anew when a calendar has changed; and from time to time, because the present comes into
 *  ever longer spans. Who discloses windows only tells none. */
static packed_t provider_summary (void *owner, const moment_t *now)
{
    provider_t *self = owner;
    uint64_t version = free_capacity_version (self->room);
    bool old = llabs (now->wall_ms - self->summary_ms) >= FREE_SUMMARY_SPAN_MS;
    if (free_capacity_terms (self->room)->disclosure == DISCLOSE_WINDOWS ||
        (!old && self->summary_version == version))
        return self->summary;
    self->summary_ms = old ? now->wall_ms : self->summary_ms;
    self->summary_version = version;
    free_summary_t summary;
    free_capacity_summary (self->room, self->summary_ms, &summary);
    free (self->summary.data);
    self->summary = codec_encode (&free_summary_codec, &summary);
    codec_clear (&free_summary_codec, &summary);
    return self->summary;
}

static void provider_step (void *owner, const moment_t *now, const event_t *event)
{
    provider_t *self = owner;
    if (directory_of (self->service))
        free_capacity_set_skew (self->room, directory_skew_ms (directory_of (self->service)));
    service_step (self->service, now, event);
}

void provider_open (provider_t *self, const provider_settings_t *settings, start_fn *announce,
                    core_t *core, void (*destroy) (void *self))
{
    timetable_limits_show (self->service, &settings->limits.bookings);
    service_at_start (self->service, announce, self);
    if (directory_of (self->service))
        directory_summarise (directory_of (self->service), provider_summary, self);
    *core = service_core (self, destroy);
    core->step = provider_step;
}

void provider_close (provider_t *self)
{
    calendar_service_destroy (&self->questions);
    readmission_destroy (&self->readmission);
    participant_destroy (&self->participant);
}

void provider_end (provider_t *self)
{
    timetable_destroy (&self->timetable);
    free_capacity_destroy (&self->room);
    service_destroy (&self->service);
    free (self->summary.data);
    access_clear (&self->access);
}
