/*  member - the callbacks by which a service reaches its ledger, its restore guard and its
 *  directory.
 */
#include "member.h"

#include <assert.h>
#include <string.h>

static void member_start (void *owner, const moment_t *now, const event_t *event)
{
    restore_guard_start (((service_t *) owner)->restore_guard, now, event->start.adopted_from);
}

static void started (void *owner, const moment_t *now)
{
    service_t *self = owner;
    if (self->directory)
        directory_start (self->directory, now);
}

static void on_notice (void *owner, const moment_t *now, const event_t *event)
{
    service_t *self = owner;
    if (self->directory)
        directory_notice (self->directory, now, event);
}

static void member_on_rows (void *owner, const moment_t *now, const event_t *event)
{
    ledger_rows (((service_t *) owner)->ledger, now, event);
}

static void member_ending (void *owner, const moment_t *now)
{
    service_t *self = owner;
    if (self->directory)
        directory_withdraw (self->directory, now);
}

static bool serves (void *owner, const char *service, const char *method, char why [WHY_BYTES])
{
    return restore_guard_serves (((service_t *) owner)->restore_guard, service, method, why);
}

static const char *text (void *owner)
{
    return restore_guard_text (((service_t *) owner)->restore_guard);
}

static void member_end (void *owner)
{
    service_t *self = owner;
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
    service_t *self = service_new (name);
    if (gis_count > 0) {
        self->directory = directory_new (self->calls, self->outbox, self->timers, &self->prng,
                                         gis_endpoints, gis_count);
        calls_resolver (self->calls, member_resolve, self->directory);
    }
    self->restore_guard = restore_guard_new (self);
    if (self->directory)
        directory_restore_guard (self->directory, self->restore_guard);
    self->ledger = ledger_new (self);
    service_join (self, &(service_membership_t){.owner = self,
                                                .start = member_start,
                                                .started = started,
                                                .notice = on_notice,
                                                .rows = member_on_rows,
                                                .ending = member_ending,
                                                .serves = serves,
                                                .restore_guard_text = text,
                                                .end = member_end});
    return self;
}

void member_follow_none (service_t *self)
{
    if (self->directory)
        directory_follow_none (self->directory);
}

void member_announce (service_t *self, const moment_t *now, directory_entry_t *entry)
{
    assert (self->store.start > 0);
    if (!self->directory)
        return;
    entry->start = self->store.start;
    memcpy (entry->name, self->name, sizeof entry->name);
    entry->planner = strncmp (self->name, "planner/", 8) == 0;
    memcpy (entry->store, self->store.id, sizeof entry->store);
    static_assert (sizeof entry->name == sizeof self->name &&
                     sizeof entry->endpoint == sizeof self->endpoint &&
                     sizeof entry->events == sizeof self->events,
                   "same bounds");
    memcpy (entry->endpoint, self->endpoint, sizeof entry->endpoint);
    memcpy (entry->events, self->events, sizeof entry->events);
    directory_announce (self->directory, now, entry);
}
