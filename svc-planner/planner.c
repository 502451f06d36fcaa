/*  planner - the parts of the core put together. */
#include "planner.h"

#include "access.h"
#include "coordinator.h"
#include "member.h"
#include "must.h"
#include "pendings.h"
#include "planner_limits.h"
#include "planner_wire.h"
#include "read_request.h"
#include "repair.h"
#include "settle.h"
#include "settle_wire.h"
#include "solvers.h"
#include "summaries.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    service_t *service;
    planner_settings_t settings;
    access_t access; /* its administrators; the settings point into this and the next two */
    named_number_t *weights;
    named_number_t *visible_to;
    coordinator_t *coordinator;
    solvers_t *solvers;
    unresponsive_t unresponsive; /* sites and domains that were silent lately */
    pendings_t pendings;
    read_requests_t read_requests;
    repairs_t repairs;
    summaries_t summaries;
    uint32_t told_load; /* as last announced */
    uint64_t works;     /* number of the last order for work */
    uint64_t takeover;  /* the order to look for stores of dead planners; 0 = none is open */
} planner_t;

#define LOAD_TOLD_MS 2000 /* how often a changed load is announced */
#define LOOK_MS      1000 /* how often a finisher checks whether it may end */

static void planner_announce (planner_t *self, const moment_t *now)
{
    self->told_load = (uint32_t) ordered_count (self->pendings.open);
    member_announce (
      self->service, now,
      &(directory_entry_t){.finishing = self->settings.finishing, .in_progress = self->told_load});
}

static void on_load_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    planner_t *self = owner;
    if (self->told_load != ordered_count (self->pendings.open))
        planner_announce (self, now);
    timers_set (self->service->timers, now->mono_ms + LOAD_TOLD_MS, on_load_due, self, 0);
}

/*  Runs first at start: the other parts sign with this name. */
static void on_named (void *owner, const moment_t *now)
{
    (void) now;
    planner_t *self = owner;
    txid_t txid = {0};
    memcpy (txid.store, self->service->store.id, sizeof txid.store);
    txid_planner (&txid, self->service->name);
}

/*  --- stores of dead planners (T8) ---
 *
 *  From time to time a planner has its host search for unlocked stores with unfinished business and
 *  start a finisher for each. A finisher is a planner that serves such a store under the dead
 *  planner's name: it drives the decisions to their end and answers that all else is aborted. When
 *  nothing is left, and nobody has asked for a while, it marks the store as at rest and ends. */

static void takeover_on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    planner_t *self = owner;
    service_t *service = self->service;
    if (coordinator_quiet (self->coordinator, now, self->settings.finish_linger_ms)) {
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
    planner_t *self = owner;
    if (self->takeover == 0) {
        self->takeover = ++self->works;
        outbox_work (self->service->outbox, self->takeover, "finish-stores", (bytes_t){0});
    }
    timers_set (self->service->timers, now->mono_ms + self->settings.finish_interval_ms,
                on_interval, self, 0);
}

static void takeover_start (planner_t *self, const moment_t *now)
{
    if (self->settings.finishing)
        timers_set (self->service->timers, now->mono_ms + LOOK_MS, takeover_on_look, self, 0);
    else if (self->settings.finish_interval_ms > 0)
        timers_set (self->service->timers, now->mono_ms + self->settings.finish_interval_ms,
                    on_interval, self, 0);
}

static void takeover_work_ended (planner_t *self, const event_t *event)
{
    if (event->work.work != self->takeover)
        return;
    self->takeover = 0;
    if (event->work.result.size > 0)
        outbox_log (self->service->outbox, event->work.ok ? LEVEL_INFO : LEVEL_WARNING,
                    "finish-stores %.*s", (int) event->work.result.size,
                    (const char *) event->work.result.data);
}

/*  --- its life --- */

static void planner_on_start (void *owner, const moment_t *now)
{
    planner_t *self = owner;
    planner_announce (self, now);
    timers_set (self->service->timers, now->mono_ms + LOAD_TOLD_MS, on_load_due, self, 0);
    takeover_start (self, now);
    self->summaries.service = self->service;
    if (!self->settings.finishing)
        summaries_begin (&self->summaries, now);
    outbox_log (self->service->outbox, LEVEL_INFO, "planner %s started start=%u finishing=%d",
                self->service->name, self->service->store.start, self->settings.finishing);
}

static bool planner_busy (const void *owner)
{
    const planner_t *self = owner;
    return ordered_count (self->pendings.open) > 0;
}

static bool planner_on_work (void *owner, const moment_t *now, const event_t *event)
{
    planner_t *self = owner;
    if (!solvers_ended (self->solvers, now, event))
        takeover_work_ended (self, event);
    return true;
}

static void planner_destroy (void *owner)
{
    planner_t *self = owner;
    repairs_close (&self->repairs); /* with their pending requests */
    pendings_close (&self->pendings);
    read_requests_close (&self->read_requests);
    solvers_destroy (&self->solvers);
    coordinator_destroy (&self->coordinator);
    service_destroy (&self->service);
    access_clear (&self->access);
    free (self->weights);
    free (self->visible_to);
    free (self);
}

static void planner_copy_settings (planner_t *self, const planner_settings_t *settings)
{
    self->settings = *settings;
    access_copy (&self->access,
                 &(access_t){.administrators = settings->administrators,
                             .administrators_count = settings->administrators_count});
    self->settings.administrators = self->access.administrators;
    const ip_settings_t *ip = &settings->ip;
    self->weights = must_copy (ip->weights, ip->weights_count * sizeof *ip->weights);
    self->visible_to = must_copy (ip->visible_to, ip->visible_to_count * sizeof *ip->visible_to);
    self->settings.ip.weights = self->weights;
    self->settings.ip.visible_to = self->visible_to;
    if (self->settings.try_ms_max < settings->try_ms)
        self->settings.try_ms_max = settings->try_ms;
    if (self->settings.candidates_max > CANDIDATES_MAX)
        self->settings.candidates_max = CANDIDATES_MAX;
}

static void open_parts (planner_t *self)
{
    self->pendings = (pendings_t){.service = self->service,
                                  .settings = &self->settings,
                                  .coordinator = self->coordinator,
                                  .unresponsive = &self->unresponsive,
                                  .solvers = self->solvers};
    self->read_requests = (read_requests_t){.service = self->service,
                                            .settings = &self->settings,
                                            .coordinator = self->coordinator,
                                            .unresponsive = &self->unresponsive,
                                            .access = &self->access};
    self->repairs = (repairs_t){.pendings = &self->pendings};
    pendings_open (&self->pendings);
    read_requests_open (&self->read_requests);
    repairs_open (&self->repairs);
}

void planner_core (const planner_settings_t *settings, core_t *core)
{
    assert (settings->gis_count > 0);
    planner_t *self = must (calloc (1, sizeof *self));
    planner_copy_settings (self, settings);
    self->service = member_new ("planner", settings->gis_endpoints, settings->gis_count);
    calls_patience (self->service->calls, self->settings.try_ms_max);
    restore_guard_wait (restore_guard_of (self->service), self->settings.restore_guard_wait_ms);
    service_at_start (self->service, on_named, self);
    service_on_work (self->service, planner_on_work, self);
    service_on_end (self->service, planner_busy, self);
    self->solvers = solvers_new (self->service, self->settings.ip.workers, &self->works);
    self->coordinator = coordinator_new (self->service, &self->settings);
    ledger_access (ledger_of (self->service), &self->access);
    ledger_limit (ledger_of (self->service), &self->settings.ledger);
    open_parts (self);
    coordinator_repairer (self->coordinator, repair_begin, &self->repairs);
    coordinator_settler (self->coordinator, planner_on_barred, &self->read_requests);
    service_serve (self->service, "Planner", "Reserve", &reserve_codec, BEGINS, planner_on_reserve,
                   &self->pendings);
    service_serve (self->service, "Planner", "Modify", &request_patch_codec, BEGINS,
                   planner_on_modify, &self->pendings);
    service_serve (self->service, "Planner", "Release", &reservation_id_codec, UNTIL_END,
                   planner_on_release, &self->pendings);
    service_serve (self->service, "Planner", "Show", &reservation_id_codec, ALWAYS, planner_on_show,
                   &self->read_requests);
    service_serve (self->service, "Planner", "List", &list_request_codec, ALWAYS, planner_on_list,
                   &self->read_requests);
    service_serve (self->service, "Planner", "Settle", &settle_order_codec, ALWAYS,
                   planner_on_settle, &self->read_requests);
    service_at_start (self->service, planner_on_start, self);
    *core = service_core (self, planner_destroy);
}
