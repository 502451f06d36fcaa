/*  takeover - when to search for stores of dead planners, and when a finisher may end. */
#include "takeover.h"

#define LOOK_MS 1000 /* how often a finisher checks whether it may end */

static void takeover_on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    takeover_t *self = owner;
    service_t *service = self->service;
    if (coordinator_quiet (self->coordinator, now, self->settings->finish_linger_ms)) {
        coordinator_rest (self->coordinator);
        outbox_log (service->outbox, LEVEL_INFO, "finisher done store=%s", service->name);
        outbox_stop (service->outbox, "everything in this store is settled");
        return;
    }
    timers_set (service->timers, now->mono_ms + LOOK_MS, takeover_on_look, self, 0);
}

static void on_interval (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    takeover_t *self = owner;
    service_t *service = self->service;
    if (self->work == 0) {
        self->work = ++*self->works;
        outbox_work (service->outbox, self->work, "finish-stores", (bytes_t){0});
    }
    timers_set (service->timers, now->mono_ms + self->settings->finish_interval_ms, on_interval,
                self, 0);
}

void takeover_start (takeover_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->settings;
    if (settings->finishing)
        timers_set (self->service->timers, now->mono_ms + LOOK_MS, takeover_on_look, self, 0);
    else if (settings->finish_interval_ms > 0)
        timers_set (self->service->timers, now->mono_ms + settings->finish_interval_ms, on_interval,
                    self, 0);
}

void takeover_work_ended (takeover_t *self, const event_t *event)
{
    if (event->work.work != self->work)
        return;
    self->work = 0;
    if (event->work.result.size > 0)
        outbox_log (self->service->outbox, event->work.ok ? LEVEL_INFO : LEVEL_WARNING,
                    "finish-stores %.*s", (int) event->work.result.size,
                    (const char *) event->work.result.data);
}
