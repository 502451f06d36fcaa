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

static const service_membership_t membership;

static const member_t *member_of (const service_t *service)
{
    assert (service->membership == &membership);
    return (const member_t *) service;
}

directory_t *directory_of (const service_t *service)
{
    return member_of (service)->directory;
}

restore_guard_t *restore_guard_of (const service_t *service)
{
    return member_of (service)->restore_guard;
}

ledger_t *ledger_of (const service_t *service)
{
    return member_of (service)->ledger;
}

static void member_start (service_t *service, const moment_t *now, const event_t *event)
{
    restore_guard_start (restore_guard_of (service), now, event->start.adopted_from);
}

static void started (service_t *service, const moment_t *now)
{
    if (directory_of (service))
        directory_start (directory_of (service), now);
}

static void on_notice (service_t *service, const moment_t *now, const event_t *event)
{
    if (directory_of (service))
        directory_notice (directory_of (service), now, event);
}

static void member_on_rows (service_t *service, const moment_t *now, const event_t *event)
{
    ledger_rows (ledger_of (service), now, event);
}

static void member_ending (service_t *service, const moment_t *now)
{
    if (directory_of (service))
        directory_withdraw (directory_of (service), now);
}

static bool serves (service_t *service, const char *asked, const char *method, char why [WHY_BYTES])
{
    return restore_guard_serves (restore_guard_of (service), asked, method, why);
}

static const char *silence (service_t *service)
{
    return restore_guard_text (restore_guard_of (service));
}

static void member_end (service_t *service)
{
    member_t *self = (member_t *) service;
    ledger_destroy (&self->ledger);
    directory_destroy (&self->directory);
    restore_guard_destroy (&self->restore_guard);
}

static const service_membership_t membership = {member_start,  started, on_notice, member_on_rows,
                                                member_ending, serves,  silence,   member_end};

static const char *member_resolve (void *owner, const moment_t *now, const char *peer)
{
    return directory_address (owner, now, peer);
}

service_t *member_new (const char *name, const char *const *gis_endpoints, size_t gis_count)
{
    member_t *self = must (calloc (1, sizeof *self));
    service_t *service = &self->service;
    service_begin (service, name);
    service->membership = &membership;
    if (gis_count > 0) {
        self->directory = directory_new (service->calls, service->outbox, service->timers,
                                         &service->prng, gis_endpoints, gis_count);
        calls_resolver (service->calls, member_resolve, self->directory);
    }
    self->ledger = ledger_new (service);
    self->restore_guard = restore_guard_new (service, self->ledger);
    if (self->directory)
        directory_restore_guard (self->directory, self->restore_guard);
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
