/*  finish - when to look for dead planners' stores, and when a finisher may end. */
#include "finish.h"

#define LOOK_MS 1000 /* a finisher looks so often whether it may end */

static void on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    planner_t *planner = owner;
    service_t *service = planner->service;
    bool quiet = coordinator_unsettled (planner->coordinator) == 0 &&
                 now->mono_ms - coordinator_active_ms (planner->coordinator) >=
                   planner->settings.finish_linger_ms;
    if (quiet) {
        coordinator_rest (planner->coordinator);
        outbox_log (service->outbox, LEVEL_INFO, "finisher done store=%s", service->name);
        outbox_stop (service->outbox, "everything in this store is settled");
        return;
    }
    timers_set (service->timers, now->mono_ms + LOOK_MS, on_look, planner, 0);
}

static void on_interval (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    planner_t *planner = owner;
    service_t *service = planner->service;
    if (planner->work == 0) {
        planner->work = ++planner->works;
        outbox_work (service->outbox, planner->work, "finish-stores", (bytes_t){0});
    }
    timers_set (service->timers, now->mono_ms + planner->settings.finish_interval_ms, on_interval,
                planner, 0);
}

void finish_start (planner_t *planner, const moment_t *now)
{
    const planner_settings_t *settings = &planner->settings;
    if (settings->finishing)
        timers_set (planner->service->timers, now->mono_ms + LOOK_MS, on_look, planner, 0);
    else if (settings->finish_interval_ms > 0)
        timers_set (planner->service->timers, now->mono_ms + settings->finish_interval_ms,
                    on_interval, planner, 0);
}

void finish_work_ended (planner_t *planner, const event_t *event)
{
    if (event->work.work != planner->work)
        return;
    planner->work = 0;
    if (event->work.result.size > 0)
        outbox_log (planner->service->outbox, event->work.ok ? LEVEL_INFO : LEVEL_WARNING,
                    "finish-stores %.*s", (int) event->work.result.size,
                    (const char *) event->work.result.data);
}
