/*  hold_quota - one calendar for each resource and each scope (an actor, a planner, all), made with
 *  the first hold and gone with the last. The holds are booked in it; its capacity is 0.
 */
#include "hold_quota.h"

#include "must.h"
#include "ordered.h"
#include "participant.h"

#include <stdlib.h>
#include <string.h>

/*  Whose holds are counted together. The narrowest scope that refuses is told, because it says
 *  most. */
typedef enum { SCOPE_ACTOR, SCOPE_PLANNER, SCOPE_ALL, SCOPES } scope_t;

typedef struct {
    size_t resource;
    scope_t scope;
    const char *name; /* of the planner, of the actor */
} account_key_t;

typedef struct {
    account_key_t key; /* its name is the one below */
    char name [NAME_BYTES_MAX + 1];
    calendar_t *held;
} quota_account_t;

struct hold_quota {
    const free_capacity_t *room;
    struct {
        const char *name;
        uint32_t percent;
    } limits [SCOPES];
    ordered_t *accounts;
};

static int hold_quota_key_compare (const void *key, const void *thing)
{
    const account_key_t *a = key;
    const account_key_t *b = &((const quota_account_t *) thing)->key;
    if (a->resource != b->resource)
        return a->resource < b->resource ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return strcmp (a->name, b->name);
}

hold_quota_t *hold_quota_new (const free_capacity_t *room, const hold_quota_limits_t *limits)
{
    hold_quota_t *self = must (calloc (1, sizeof *self));
    self->room = room;
    self->limits [SCOPE_ALL].name = HOLD_QUOTA_SHARE;
    self->limits [SCOPE_ALL].percent = limits->share;
    self->limits [SCOPE_PLANNER].name = HOLD_QUOTA_SHARE_PER_PLANNER;
    self->limits [SCOPE_PLANNER].percent = limits->share_per_planner;
    self->limits [SCOPE_ACTOR].name = HOLD_QUOTA_SHARE_PER_ACTOR;
    self->limits [SCOPE_ACTOR].percent = limits->share_per_actor;
    self->accounts = ordered_new (hold_quota_key_compare);
    return self;
}

static void account_destroy (hold_quota_t *self, quota_account_t *account)
{
    ordered_remove (self->accounts, &account->key);
    calendar_destroy (&account->held);
    free (account);
}

void hold_quota_destroy (hold_quota_t **self_p)
{
    hold_quota_t *self = *self_p;
    if (!self)
        return;
    for (quota_account_t *account; (account = ordered_after (self->accounts, NULL));)
        account_destroy (self, account);
    ordered_destroy (&self->accounts);
    free (self);
    *self_p = NULL;
}

static bool limited (const hold_quota_t *self, scope_t scope)
{
    return self->limits [scope].percent > 0 && self->limits [scope].percent < 100;
}

static account_key_t hold_quota_key_of (const holder_t *holder, scope_t scope, size_t resource)
{
    const char *name = scope == SCOPE_PLANNER ? holder->planner
                       : scope == SCOPE_ACTOR ? holder->actor
                                              : "";
    return (account_key_t){.resource = resource, .scope = scope, .name = name};
}

/*  Rounded up: of three nodes, two thirds are two, and three quarters all. */
static int64_t share_of (const hold_quota_t *self, scope_t scope, size_t resource)
{
    int64_t quantity = calendar_capacity (free_capacity_calendar (self->room, resource));
    return (quantity * self->limits [scope].percent + 99) / 100;
}

static bool hold_quota_exceeds (const hold_quota_t *self, scope_t scope, const holder_t *holder,
                                const interval_change_t *change, excess_t *excess)
{
    int64_t wanted = change->after - change->before;
    account_key_t key = hold_quota_key_of (holder, scope, change->resource);
    const quota_account_t *account = ordered_find (self->accounts, &key);
    int64_t share = share_of (self, scope, change->resource);
    int64_t limit =
      wanted < share ? share - wanted : 0; /* no limit for a hold that is alone there */
    interval_t over;
    if (!account || !calendar_short (account->held, change->over, -limit, &over))
        return false;
    int64_t others = -calendar_least (account->held, over);
    *excess = (excess_t){.limit = self->limits [scope].name,
                         .resource = change->resource,
                         .over = over,
                         .wanted = wanted,
                         .free = others < share ? share - others : 0,
                         .before = change->before};
    return true;
}

bool hold_quota_excess (const hold_quota_t *self, const holder_t *holder,
                        const interval_changes_t *changes, excess_t *excess)
{
    for (size_t i = 0; i < changes->count; i++) {
        const interval_change_t *change = &changes->list [i];
        for (scope_t scope = 0; scope < SCOPES; scope++)
            if (change->after > change->before && limited (self, scope) &&
                hold_quota_exceeds (self, scope, holder, change, excess))
                return true;
    }
    return false;
}

static quota_account_t *account_join (hold_quota_t *self, const account_key_t *key)
{
    quota_account_t *account = ordered_find (self->accounts, key);
    if (account)
        return account;
    account = must (calloc (1, sizeof *account));
    account->key = *key;
    memcpy (account->name, key->name, strlen (key->name) + 1);
    account->key.name = account->name;
    account->held = calendar_new (0);
    ordered_add (self->accounts, &account->key, account);
    return account;
}

void hold_quota_add (hold_quota_t *self, const holder_t *holder, const interval_list_t *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        const resource_interval_t *stretch = &stretches->list [i];
        for (scope_t scope = 0; scope < SCOPES; scope++) {
            account_key_t key = hold_quota_key_of (holder, scope, stretch->resource);
            if (limited (self, scope))
                calendar_book (account_join (self, &key)->held, stretch->over, stretch->quantity);
        }
    }
}

void hold_quota_take_off (hold_quota_t *self, const holder_t *holder,
                          const interval_list_t *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        const resource_interval_t *stretch = &stretches->list [i];
        for (scope_t scope = 0; scope < SCOPES; scope++) {
            account_key_t key = hold_quota_key_of (holder, scope, stretch->resource);
            if (!limited (self, scope))
                continue;
            quota_account_t *account = account_join (self, &key);
            calendar_release (account->held, stretch->over, stretch->quantity);
            if (calendar_bookings (account->held) == 0)
                account_destroy (self, account);
        }
    }
}
