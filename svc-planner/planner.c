/*  planner - the parts of the core put together. */
#include "planner.h"

#include "errand.h"
#include "finish.h"
#include "inquiry.h"
#include "methods.h"
#include "must.h"
#include "repair.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_TOLD_MS 2000 /* the load in our directory entry is so fresh */

const planner_settings_t planner_settings_default = {
  .in_progress_max = 4096,
  .request_limit_ms = 30000,
  .margin_ms = 15000,
  .guard_ms = 1000,
  .decide_ms = 10000,
  .hold_ttl_ms = 60000,
  .try_ms = 1000,
  .try_ms_max = CALL_PATIENCE_MS_MAX,
  .tries_max = 3,
  .attempts_max = 32,
  .backoff_ms = 20,
  .repair_tries_max = 8,
  .repair_limit_ms = 30000,
  .candidates_max = CANDIDATES_MAX,
  .asked_max = 1024,
  .search_steps_max = 2000000,
  .search_slice_steps = 50000,
  .backtrack_wait_ms = 20000,
  .ip = {.windows = 10, .steps_max = 20000, .time_ms_max = 5000, .visible = 100},
  .frame_ms = INT64_C (86400000),
  .frame_ms_max = INT64_C (31) * 86400000,
  .retention_ms = INT64_C (86400000),
  .ledger_retention_ms = LEDGER_RETENTION_MS,
  .done_ms = 50,
  .finish_interval_ms = 30000,
  .finish_linger_ms = 45000,
};

static char **copy_texts (const char *const *texts, size_t count)
{
    char **copies = must (calloc (count + 1, sizeof *copies));
    for (size_t i = 0; i < count; i++)
        copies [i] = must (strdup (texts [i]));
    return copies;
}

static named_number_t *copy_numbers (const named_number_t *numbers, size_t count)
{
    named_number_t *copies = must (calloc (count + 1, sizeof *copies));
    if (count > 0)
        memcpy (copies, numbers, count * sizeof *copies);
    return copies;
}

static void free_texts (char **texts)
{
    for (size_t i = 0; texts [i]; i++)
        free (texts [i]);
    free (texts);
}

/*  By who asks and what for; dry runs have no request id and are told apart by number. */
static int compare_errand (const void *key, const void *thing)
{
    const errand_t *first = key, *second = thing;
    int order = strcmp (first->actor, second->actor);
    if (order == 0)
        order = strcmp (first->name.full, second->name.full);
    if (order != 0 || *first->name.full)
        return order;
    return (first->number > second->number) - (first->number < second->number);
}

static int compare_inquiry (const void *key, const void *thing)
{
    uint64_t first = ((const inquiry_t *) key)->number;
    uint64_t second = ((const inquiry_t *) thing)->number;
    return (first > second) - (first < second);
}

static void announce (planner_t *self, const moment_t *now)
{
    self->told_load = (uint32_t) ordered_count (self->errands);
    service_announce (
      self->service, now,
      &(directory_entry_t){.finishing = self->settings.finishing, .in_progress = self->told_load});
}

static void on_load_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    planner_t *self = owner;
    if (self->told_load != ordered_count (self->errands))
        announce (self, now);
    timers_set (self->service->timers, now->mono_ms + LOAD_TOLD_MS, on_load_due, self, 0);
}

/*  First of all starts: the others sign with this name. */
static void on_named (void *owner, const moment_t *now)
{
    (void) now;
    planner_t *self = owner;
    service_t *service = self->service;
    int at = snprintf (service->name, sizeof service->name, "planner/");
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        at += snprintf (service->name + at, sizeof service->name - (size_t) at, "%02x",
                        service->store.id [i]);
}

static void on_start (void *owner, const moment_t *now)
{
    planner_t *self = owner;
    announce (self, now);
    timers_set (self->service->timers, now->mono_ms + LOAD_TOLD_MS, on_load_due, self, 0);
    finish_start (self, now);
    outbox_log (self->service->outbox, LEVEL_INFO, "planner %s started start=%u finishing=%d",
                self->service->name, self->service->store.start, self->settings.finishing);
}

static bool on_work (void *owner, const moment_t *now, const event_t *event)
{
    planner_t *self = owner;
    if (!solvers_ended (self->solvers, now, event))
        finish_work_ended (self, event);
    return true;
}

static void planner_step (void *owner, const moment_t *now, const event_t *event)
{
    planner_t *self = owner;
    service_step (self->service, now, event);
}

static bool planner_next (void *owner, effect_t *effect)
{
    return service_next (((planner_t *) owner)->service, effect);
}

static void planner_destroy (void *owner)
{
    planner_t *self = owner;
    errand_t *errand;
    repairs_clear (self); /* with their errands */
    while ((errand = ordered_after (self->errands, NULL)))
        errand_destroy (errand);
    planner_inquiries_clear (self);
    solvers_destroy (&self->solvers);
    coordinator_destroy (&self->coordinator);
    ordered_destroy (&self->errands);
    ordered_destroy (&self->inquiries);
    ordered_destroy (&self->repairs);
    service_destroy (&self->service);
    free_texts (self->gis_endpoints);
    free_texts (self->administrators);
    free (self->weights);
    free (self->visible_to);
    free (self->conflicts);
    free (self);
}

static void copy_settings (planner_t *self, const planner_settings_t *settings)
{
    self->settings = *settings;
    self->gis_endpoints = copy_texts (settings->gis_endpoints, settings->gis_count);
    self->administrators = copy_texts (settings->administrators, settings->administrators_count);
    self->settings.gis_endpoints = (const char *const *) self->gis_endpoints;
    self->settings.administrators = (const char *const *) self->administrators;
    self->weights = copy_numbers (settings->ip.weights, settings->ip.weights_count);
    self->visible_to = copy_numbers (settings->ip.visible_to, settings->ip.visible_to_count);
    self->settings.ip.weights = self->weights;
    self->settings.ip.visible_to = self->visible_to;
    if (self->settings.try_ms_max < settings->try_ms)
        self->settings.try_ms_max = settings->try_ms;
    if (self->settings.candidates_max > CANDIDATES_MAX)
        self->settings.candidates_max = CANDIDATES_MAX;
}

void planner_core (const planner_settings_t *settings, core_t *core)
{
    assert (settings->gis_count > 0);
    planner_t *self = must (calloc (1, sizeof *self));
    copy_settings (self, settings);
    self->errands = ordered_new (compare_errand);
    self->inquiries = ordered_new (compare_inquiry);
    self->repairs = ordered_new (repair_compare);
    self->service = service_new ("planner", self->settings.gis_endpoints, self->settings.gis_count);
    calls_patience (self->service->calls, self->settings.try_ms_max);
    standing_wait (self->service->standing, self->settings.standing_wait_ms);
    service_at_start (self->service, on_named, self);
    service_on_work (self->service, on_work, self);
    self->solvers = solvers_new (self->service, self->settings.ip.workers, &self->works);
    self->coordinator = coordinator_new (self->service, &self->settings);
    self->access = (access_t){.administrators = self->settings.administrators,
                              .administrators_count = self->settings.administrators_count};
    ledger_access (self->service->ledger, &self->access);
    ledger_retention (self->service->ledger, self->settings.ledger_retention_ms);
    coordinator_repairer (self->coordinator, repair_begin, self);
    coordinator_settler (self->coordinator, planner_on_barred, self);
    service_serve (self->service, "Planner", "Reserve", planner_on_reserve, self);
    service_serve (self->service, "Planner", "Modify", planner_on_modify, self);
    service_serve (self->service, "Planner", "Release", planner_on_release, self);
    service_serve (self->service, "Planner", "Show", planner_on_show, self);
    service_serve (self->service, "Planner", "List", planner_on_list, self);
    service_serve (self->service, "Planner", "Settle", planner_on_settle, self);
    service_at_start (self->service, on_start, self);
    *core = (core_t){
      .self = self, .step = planner_step, .next = planner_next, .destroy = planner_destroy};
}
