/*  repair - look who still books something, release it there, look again; until nobody does.
 *
 *  The looking makes it repeatable: after a restart it begins again and finds what is left to do.
 */
#include "repair.h"

#include "shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 1000 /* pause before another look, jittered */

typedef struct {
    planner_t *planner;
    txid_t txid; /* of the decision */
    plan_t plan; /* that was decided */
    bool spoilt [PARTICIPANTS_MAX];
    int64_t end_ms;
    uint64_t timer;
    locate_t *locate;
    attempt_t *attempt;
    trail_t trail;
    bool releasing; /* a release is decided and on its way */
    txid_t release;
    int64_t release_end_ms;
} repair_t;

static void look (repair_t *self, const moment_t *now);

static void repair_free (repair_t *self)
{
    planner_t *planner = self->planner;
    ordered_remove (planner->repairs, &self->txid);
    timers_cancel (planner->service->timers, self->timer);
    attempt_destroy (&self->attempt);
    if (self->releasing)
        coordinator_disown (planner->coordinator, &self->release);
    locate_destroy (&self->locate);
    trail_clear (&self->trail);
    plan_clear (&self->plan);
    free (self);
}

static void on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    repair_t *self = owner;
    self->timer = 0;
    look (self, now);
}

static void again (repair_t *self, const moment_t *now)
{
    service_t *service = self->planner->service;
    int64_t pause_ms = AGAIN_MS / 2 + (int64_t) prng_below (&service->prng, AGAIN_MS);
    timers_cancel (service->timers, self->timer);
    self->timer = timers_set (service->timers, now->mono_ms + pause_ms, on_again, self, 0);
}

static void finish (repair_t *self, const moment_t *now)
{
    planner_t *planner = self->planner;
    txid_t txid = self->txid;
    trail_abort (&self->trail, planner->coordinator, now, NULL, "");
    repair_free (self);
    coordinator_repaired (planner->coordinator, now, &txid);
}

/*  --- the release --- */

static void on_released (void *owner, const moment_t *now, decision_end_t end, const char *text)
{
    (void) end; /* whatever it says, we look again */
    (void) text;
    repair_t *self = owner;
    self->releasing = false;
    look (self, now);
}

static void on_voted (void *owner, const moment_t *now, bool prepared)
{
    repair_t *self = owner;
    planner_t *planner = self->planner;
    plan_t *plan = attempt_plan (self->attempt);
    self->release = plan->txid;
    self->releasing = prepared && coordinator_decide (planner->coordinator, now, plan,
                                                      attempt_mono_by_ms (self->attempt),
                                                      self->release_end_ms, on_released, self);
    attempt_destroy (&self->attempt);
    if (!self->releasing)
        again (self, now);
}

static bool books (const located_part_t *part)
{
    return part->known && part->record.bookings_count + part->record.circuits_count > 0 &&
           (part->record.state == RECORD_RESERVED || part->record.state == RECORD_ACTIVATED);
}

static void fill_release (repair_t *self, plan_t *plan)
{
    const service_t *service = self->planner->service;
    plan->participants = calloc (locate_count (self->locate) + 1, sizeof *plan->participants);
    if (!plan->participants)
        abort ();
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        const located_part_t *part = locate_part (self->locate, i);
        if (!books (part) || plan->participants_count == PARTICIPANTS_MAX)
            continue;
        party_t *party = &plan->participants [plan->participants_count++];
        *party = part->party;
        memcpy (party->store, part->store, STORE_ID_BYTES);
        snprintf (plan->actor, sizeof plan->actor, "%s", part->record.owner);
        snprintf (plan->owner, sizeof plan->owner, "%s", part->record.owner);
        plan->base_version = part->record.version;
        int64_t end_ms = part_record_end (&part->record);
        plan->edge_ms = end_ms > plan->edge_ms ? end_ms : plan->edge_ms;
    }
    snprintf (plan->reservation, sizeof plan->reservation, "%s", self->plan.reservation);
    snprintf (plan->coordinator.name, sizeof plan->coordinator.name, "%s", service->name);
    snprintf (plan->coordinator.endpoint, sizeof plan->coordinator.endpoint, "%s",
              service->endpoint);
    memcpy (plan->coordinator.store, service->store.id, STORE_ID_BYTES);
}

/*  Put the release of everything that is still booked to the vote. */
static void release (repair_t *self, const moment_t *now)
{
    planner_t *planner = self->planner;
    const planner_settings_t *settings = &planner->settings;
    plan_t plan = {.operation = OPERATION_RELEASE, .end_ms = self->end_ms};
    fill_release (self, &plan);
    int64_t wall_ms = timekeeper_most (&planner->service->timekeeper, now);
    plan.decide_by_ms = wall_ms + settings->decide_ms;
    if (plan.decide_by_ms > plan.edge_ms - settings->guard_ms)
        plan.decide_by_ms = plan.edge_ms - settings->guard_ms;
    if (plan.decide_by_ms <= wall_ms) { /* its end is that near: wait for it */
        plan_clear (&plan);
        again (self, now);
        return;
    }
    plan.txid = coordinator_begin (planner->coordinator);
    self->release_end_ms = plan.edge_ms;
    attempt_part_t parts [PARTICIPANTS_MAX];
    for (size_t i = 0; i < plan.participants_count; i++)
        parts [i] = part_of_nothing (plan.participants [i].name);
    trail_abort (&self->trail, planner->coordinator, now, &plan, "");
    service_count (planner->service, "repair_releases", 1);
    self->attempt = attempt_new (planner->service, planner->coordinator, settings, now, &plan,
                                 parts, &self->trail, on_voted, self);
}

/*  --- the look --- */

static bool all_heard (const repair_t *self)
{
    for (size_t i = 0; i < self->plan.participants_count; i++) {
        const party_t *party = &self->plan.participants [i];
        bool heard = self->spoilt [i] || strcmp (party->name, self->plan.home) == 0;
        for (size_t p = 0; !heard && p < locate_count (self->locate); p++) {
            const located_part_t *part = locate_part (self->locate, p);
            heard = part->answered && strcmp (part->party.name, party->name) == 0;
        }
        if (!heard)
            return false;
    }
    return true;
}

/*  Has a later version been committed since? It went to all who take part, and what it books is no
 *  longer ours to give back. */
static bool superseded (const repair_t *self)
{
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        const located_part_t *part = locate_part (self->locate, i);
        if (books (part) && part->record.version > self->plan.base_version + 1)
            return true;
    }
    return false;
}

static void on_located (void *owner, const moment_t *now)
{
    repair_t *self = owner;
    size_t booked = 0, pending = 0;
    if (superseded (self)) {
        finish (self, now);
        return;
    }
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        const located_part_t *part = locate_part (self->locate, i);
        booked += books (part);
        pending += part->known && part->record.pending_set;
    }
    if (booked > 0 && pending == 0)
        release (self, now);
    else if (booked == 0 && pending == 0 && all_heard (self))
        finish (self, now);
    else
        again (self, now);
}

static void look (repair_t *self, const moment_t *now)
{
    planner_t *planner = self->planner;
    if (timekeeper_least (&planner->service->timekeeper, now) >= self->end_ms) {
        finish (self, now); /* the window has passed: nothing is booked any more */
        return;
    }
    locate_destroy (&self->locate);
    self->locate = locate_new (planner->service, &planner->settings, NULL, now,
                               self->plan.reservation, &self->plan, on_located, self);
}

void repair_begin (void *owner, const moment_t *now, const decision_record_t *record)
{
    planner_t *planner = owner;
    repair_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->planner = planner;
    self->txid = record->plan.txid;
    plan_copy (&self->plan, &record->plan);
    memcpy (self->spoilt, record->spoilt, sizeof self->spoilt);
    self->end_ms = record->end_ms;
    ordered_add (planner->repairs, &self->txid, self);
    /* Not at once: the coordinator is in the midst of it. */
    self->timer = timers_set (planner->service->timers, now->mono_ms + planner->settings.done_ms,
                              on_again, self, 0);
}

int repair_compare (const void *key, const void *thing)
{
    return txid_compare (key, &((const repair_t *) thing)->txid);
}

void repairs_clear (planner_t *planner)
{
    repair_t *repair;
    while ((repair = ordered_after (planner->repairs, NULL)))
        repair_free (repair);
}
