/*  balancer - the parts of the core, and its life. */
#include "balancer_state.h"
#include "member.h"
#include "message.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const setting_t balancer_rows [] = {
  SET_DURATION (balancer_settings_t, coalition_ms, "coalition", MS_HOUR, MS_SECOND, MS_YEAR,
                "how often a coalition is formed and automatic levels are adapted (T of S1)"),
  SET_DURATION (balancer_settings_t, step_ms, "step", 10 * MS_SECOND, 100, MS_DAY,
                "how often the members' queues are balanced (t of S1)"),
  SET_FLAG (balancer_settings_t, reschedule, "reschedule", false,
            "also try S1's rebuilt schedule, and use it where it completes the jobs earlier; it "
            "trusts the speeds that sites report"),
  SET_FIXED_DURATION (balancer_settings_t, limits.timeout_ms, "timeout", 2 * MS_SECOND),
  SET_FIXED (balancer_settings_t, limits.members_max, "limits/members_max", 256),
  SET_FIXED (balancer_settings_t, limits.jobs_max, "limits/jobs_max", 10000),
  SET_FIXED (balancer_settings_t, limits.orders_max, "limits/orders_max", 1000),
  SET_FIXED (balancer_settings_t, limits.kept_max, "limits/kept_max", 100000),
  SET_FIXED (balancer_settings_t, limits.history_max, "limits/history_max", 1000),
  SET_FIXED (balancer_settings_t, limits.silent_steps, "limits/silent_max", 3),
  SET_FIXED (balancer_settings_t, limits.delivered_work_steps, "limits/diligence_steps", 6),
  SET_REAL (balancer_settings_t, limits.work_least, "limits/work_least", 100, 50, 0, 99,
            "a member that did a smaller share of what its CPUs could do is set aside until the "
            "next coalition; 0 = never"),
};

static const void *balancer_rule (void *settings, char why [WHY_BYTES])
{
    const balancer_settings_t *balancer = settings;
    if (balancer->coalition_ms >= balancer->step_ms)
        return NULL;
    snprintf (why, WHY_BYTES, "must not be shorter than step");
    return &balancer->coalition_ms;
}

const setting_table_t balancer_table =
  SETTING_TABLE (balancer_settings_t, balancer_rows, balancer_rule);

static void balancer_on_start (void *owner, const moment_t *now)
{
    balancer_t *self = owner;
    member_announce (self->service, now, &(directory_entry_t){.in_progress = 0});
    orders_start (self, now);
    balancer_step_start (self, now);
}

static void balancer_end (void *owner)
{
    balancer_t *self = owner;
    hearing_end (self);
    free (self->open_orders);
    for (size_t i = 0; i < self->history_count; i++)
        message_free (&self->history [i]->base);
    free (self->history);
    rebalance_destroy (&self->weighing);
    coalition_clear (&self->coalition);
    service_destroy (&self->service);
    free ((char *) self->settings.name);
    free (self);
}

static void balancer_check_settings (const balancer_settings_t *settings)
{
    const balancer_limits_t *limits = &settings->limits;
    assert (settings->name && strncmp (settings->name, "balancer/", 9) == 0);
    assert (settings->step_ms > 1 && settings->coalition_ms >= settings->step_ms);
    assert (limits->members_max > 1 && limits->jobs_max > 0 && limits->orders_max > 0);
    assert (limits->silent_steps > 0 && limits->delivered_work_steps > 0 && limits->timeout_ms > 0);
    assert (limits->work_least >= 0 && limits->work_least < 1);
}

void balancer_core (const balancer_settings_t *settings, core_t *core)
{
    assert (settings && core);
    balancer_check_settings (settings);
    balancer_t *self = must (calloc (1, sizeof *self));
    self->settings = *settings;
    self->settings.name = must (strdup (settings->name));
    self->service = member_new (self->settings.name, settings->gis_endpoints, settings->gis_count);
    coalition_init (&self->coalition);
    self->weighing = rebalance_new ();
    service_limits (self->service, &balancer_table, &self->settings);
    balancer_load (self);
    measuring_serve (self);
    orders_serve (self);
    balancer_view_serve (self);
    service_at_start (self->service, balancer_on_start, self);
    *core = service_core (self, balancer_end);
}
