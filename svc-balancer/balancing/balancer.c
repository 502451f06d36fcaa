/*  balancer - the parts of the core, and its life. */
#include "balancer_state.h"
#include "member.h"
#include "message.h"

#include <assert.h>
#include <string.h>

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
    assert (limits->members_max > 1 && limits->members_max <= BALANCER_MEMBERS_MOST);
    assert (limits->jobs_max > 0 && limits->jobs_max <= BALANCER_JOBS_MOST);
    assert (limits->orders_max > 0 && limits->orders_max <= BALANCER_ORDERS_MOST);
    assert (limits->silent_max > 0 && limits->delivered_work_steps > 0 && limits->timeout_ms > 0);
    assert (limits->work_least >= 0 && limits->work_least < 1);
}

static void show_limits (balancer_t *self)
{
    const balancer_limits_t *limits = &self->settings.limits;
    service_limit (self->service, "members_max", limits->members_max);
    service_limit (self->service, "jobs_max", limits->jobs_max);
    service_limit (self->service, "orders_max", limits->orders_max);
    service_limit (self->service, "kept_max", limits->kept_max);
    service_limit (self->service, "history_max", limits->history_max);
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
    show_limits (self);
    balancer_load (self);
    measuring_serve (self);
    orders_serve (self);
    balancer_view_serve (self);
    service_at_start (self->service, balancer_on_start, self);
    *core = service_core (self, balancer_end);
}
