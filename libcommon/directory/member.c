/*  member - the callbacks by which a service reaches its ledger, its restore guard and its
 *  directory.
 */
#include "member.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    service_t service; /* first: service_destroy frees all of this */
    directory_t *directory;
    restore_guard_t *restore_guard;
    ledger_t *ledger;
} member_t;

directory_t *directory_of (const service_t *service)
{
    return ((const member_t *) service_member (service))->directory;
}

restore_guard_t *restore_guard_of (const service_t *service)
{
    return ((const member_t *) service_member (service))->restore_guard;
}

ledger_t *ledger_of (const service_t *service)
{
    return ((const member_t *) service_member (service))->ledger;
}

static void member_start (void *owner, const moment_t *now, const event_t *event)
{
    const member_t *self = owner;
    restore_guard_start (self->restore_guard, now, event->start.adopted_from);
}

static void started (void *owner, const moment_t *now)
{
    const member_t *self = owner;
    if (self->directory)
        directory_start (self->directory, now);
}

static void on_notice (void *owner, const moment_t *now, const event_t *event)
{
    const member_t *self = owner;
    if (self->directory)
        directory_notice (self->directory, now, event);
}

static void member_on_rows (void *owner, const moment_t *now, const event_t *event)
{
    const member_t *self = owner;
    ledger_rows (self->ledger, now, event);
}

static void member_ending (void *owner, const moment_t *now)
{
    const member_t *self = owner;
    if (self->directory)
        directory_withdraw (self->directory, now);
}

static bool serves (void *owner, const char *service, const char *method, char why [WHY_BYTES])
{
    const member_t *self = owner;
    return restore_guard_serves (self->restore_guard, service, method, why);
}

static const char *silence (void *owner)
{
    const member_t *self = owner;
    return restore_guard_text (self->restore_guard);
}

static void member_end (void *owner)
{
    member_t *self = owner;
    ledger_destroy (&self->ledger);
    directory_destroy (&self->directory);
    restore_guard_destroy (&self->restore_guard);
}

static const char *member_resolve (void *owner, const moment_t *now, const char *peer)
{
    return directory_address (owner, now, peer);
}

service_t *member_new (const char *name, const char *const *gis_endpoints, size_t gis_count)
{
    member_t *self = must (calloc (1, sizeof *self));
    service_t *service = &self->service;
    service_begin (service, name);
    if (gis_count > 0) {
        self->directory = directory_new (service->calls, service->outbox, service->timers,
                                         &service->prng, gis_endpoints, gis_count);
        calls_resolver (service->calls, member_resolve, self->directory);
    }
    self->ledger = ledger_new (service);
    self->restore_guard = restore_guard_new (service, self->ledger);
    if (self->directory)
        directory_restore_guard (self->directory, self->restore_guard);
    service_join (service, &(service_membership_t){.owner = self,
                                                   .start = member_start,
                                                   .started = started,
                                                   .notice = on_notice,
                                                   .rows = member_on_rows,
                                                   .ending = member_ending,
                                                   .serves = serves,
                                                   .silence = silence,
                                                   .end = member_end});
    return service;
}

void member_follow_none (service_t *service)
{
    if (directory_of (service))
        directory_follow_none (directory_of (service));
}

void member_announce (service_t *service, const moment_t *now, directory_entry_t *entry)
{
    directory_t *directory = directory_of (service);
    assert (service->store.start > 0);
    if (!directory)
        return;
    entry->start = service->store.start;
    memcpy (entry->name, service->name, sizeof entry->name);
    entry->planner = strncmp (service->name, "planner/", 8) == 0;
    memcpy (entry->store, service->store.id, sizeof entry->store);
    static_assert (sizeof entry->name == sizeof service->name &&
                     sizeof entry->endpoint == sizeof service->endpoint &&
                     sizeof entry->events == sizeof service->events,
                   "same bounds");
    memcpy (entry->endpoint, service->endpoint, sizeof entry->endpoint);
    memcpy (entry->events, service->events, sizeof entry->events);
    directory_announce (directory, now, entry);
}
