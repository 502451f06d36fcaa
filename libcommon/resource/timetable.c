/*  timetable - holdings: made by take, ended by drop, settle or end. */
#include "timetable.h"

#include "calendar_wire.h"
#include "must.h"
#include "ordered.h"
#include "owner_counts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/*  What one reservation has, or one command asks for. A settled holding has its bookings and wants
 *  nothing; a taken one has booked the extra, and wants what settling will book instead. */
typedef struct holding {
    TAILQ_ENTRY (holding) link;
    interval_list_t booked;
    interval_list_t wanted;
    holder_t *holder;    /* while it is uncommitted */
    char reservation []; /* then the owner: there are many holdings, and most names are short */
} timetable_holding_t;

struct timetable {
    free_capacity_t *room;
    part_reader_t reader;
    timetable_limits_t limits;
    hold_quota_t *hold_quota;
    TAILQ_HEAD (, holding) holdings;
    size_t promised;        /* bookings that all holdings have or will have */
    owner_counts_t *owners; /* in whose names */
    int64_t seen_ms;        /* the latest time we were told of */
    struct {
        timetable_freed_fn *freed;
        void *owner;
    } listeners [TIMETABLE_LISTENERS_MAX];
    size_t listeners_count;
    timetable_settled_fn *settled;
    void *settled_owner;
};

void timetable_limits_show (service_t *service, const timetable_limits_t *limits)
{
    service_limit (service, BOOKINGS_IN_ALL, limits->bookings_max);
    service_limit (service, BOOKINGS_PER_ACTOR, limits->bookings_per_actor_max);
    service_limit (service, HOLD_QUOTA_SHARE, limits->hold_quota.share);
    service_limit (service, HOLD_QUOTA_SHARE_PER_PLANNER, limits->hold_quota.share_per_planner);
    service_limit (service, HOLD_QUOTA_SHARE_PER_ACTOR, limits->hold_quota.share_per_actor);
}

timetable_t *timetable_new (free_capacity_t *room, const part_reader_t *reader,
                            const timetable_limits_t *limits)
{
    assert (room && reader->read);
    assert (limits->fresh_steps_max >= free_capacity_offers (room));
    timetable_t *self = must (calloc (1, sizeof *self));
    self->room = room;
    self->reader = *reader;
    self->limits = *limits;
    TAILQ_INIT (&self->holdings);
    self->owners = owner_counts_new ();
    self->hold_quota = hold_quota_new (room, &limits->hold_quota);
    return self;
}

const char *timetable_owner (const void *holding)
{
    const timetable_holding_t *self = holding;
    return self->reservation + strlen (self->reservation) + 1;
}

/*  A settled holding never has both; while it is pending it may need room for both. */
static size_t holding_promised (const timetable_holding_t *holding)
{
    return holding->booked.count + holding->wanted.count;
}

static void holding_add (timetable_t *self, timetable_holding_t *holding)
{
    TAILQ_INSERT_TAIL (&self->holdings, holding, link);
    self->promised += holding_promised (holding);
    owner_counts_add (self->owners, timetable_owner (holding), holding_promised (holding));
}

static void holding_remove (timetable_t *self, timetable_holding_t *holding)
{
    TAILQ_REMOVE (&self->holdings, holding, link);
    self->promised -= holding_promised (holding);
    owner_counts_take_off (self->owners, timetable_owner (holding), holding_promised (holding));
}

static void holding_destroy (timetable_holding_t *holding)
{
    interval_list_clear (&holding->booked);
    interval_list_clear (&holding->wanted);
    free (holding->holder);
    free (holding);
}

void timetable_destroy (timetable_t **self_p)
{
    timetable_t *self = *self_p;
    if (!self)
        return;
    for (timetable_holding_t *holding; (holding = TAILQ_FIRST (&self->holdings));) {
        TAILQ_REMOVE (&self->holdings, holding, link);
        free_capacity_release (self->room, &holding->booked);
        holding_destroy (holding);
    }
    hold_quota_destroy (&self->hold_quota);
    owner_counts_destroy (&self->owners);
    free (self);
    *self_p = NULL;
}

/*  Counts it as held for a planner's plan; and ends that, when the hold has ended by commit or
 *  otherwise. */
static void holding_hold (timetable_t *self, timetable_holding_t *holding, const holder_t *holder)
{
    holding->holder = must (malloc (sizeof *holding->holder));
    *holding->holder = *holder;
    hold_quota_add (self->hold_quota, holder, &holding->booked);
}

static void holding_unhold (timetable_t *self, timetable_holding_t *holding)
{
    if (!holding->holder)
        return;
    hold_quota_take_off (self->hold_quota, holding->holder, &holding->booked);
    free (holding->holder);
    holding->holder = NULL;
}

static void tell_freed (const timetable_t *self, const interval_list_t *before,
                        const interval_list_t *after)
{
    interval_changes_t changes = interval_list_changes (before, after);
    bool freed = self->listeners_count > 0 && interval_changes_free_after (&changes, self->seen_ms);
    for (size_t i = 0; freed && i < self->listeners_count; i++)
        self->listeners [i].freed (self->listeners [i].owner);
    interval_changes_clear (&changes);
}

/*  --- a part's form and meaning --- */

static bool timetable_sound (const admission_want_t *wish)
{
    return wish->from_ms >= 0 && wish->from_ms < wish->until_ms &&
           wish->until_ms <= FREE_CAPACITY_TIME_MS_MAX && wish->quantity > 0;
}

/*  How much of a wish continues, where it ends, as another wish of the same need: nothing is
 *  cleaned in between. begun says of each wish how much of it continues an earlier one already. */
static uint32_t wish_goes_on (const admission_want_t *wishes, size_t count,
                              const admission_want_t *wish, uint32_t *begun)
{
    uint32_t rest = wish->quantity;
    for (size_t i = 0; i < count && rest > 0; i++) {
        if (wishes [i].from_ms != wish->until_ms || !timetable_sound (&wishes [i]) ||
            strcmp (wishes [i].need, wish->need) != 0 ||
            strcmp (wishes [i].resource, wish->resource) != 0)
            continue;
        uint32_t left = wishes [i].quantity - begun [i];
        uint32_t taken = left < rest ? left : rest;
        begun [i] += taken;
        rest -= taken;
    }
    return wish->quantity - rest;
}

static void wish_add (free_capacity_t *room, const admission_want_t *wish, uint32_t goes_on,
                      interval_list_t *stretches)
{
    resource_interval_t stretch = {.resource = free_capacity_find_recorded (room, wish->resource),
                                   .over = {wish->from_ms, wish->until_ms},
                                   .quantity = goes_on};
    if (goes_on > 0)
        stretches->list [stretches->count++] = stretch;
    stretch.over.until += free_capacity_terms (room)->gap_ms;
    stretch.quantity = wish->quantity - goes_on;
    if (stretch.quantity > 0)
        stretches->list [stretches->count++] = stretch;
}

/*  A part was checked when it came, but a record may have been damaged since, or be of a time when
 *  other resources were offered: it counts as far as it makes sense. */
static interval_list_t wishes_stretches (free_capacity_t *room, const admission_want_t *wishes,
                                         size_t count)
{
    if (count == 0)
        return (interval_list_t){0};
    interval_list_t stretches = {.list = must (calloc (2 * count, sizeof *stretches.list))};
    bool gaps = free_capacity_terms (room)->gap_ms > 0;
    uint32_t *begun = gaps ? must (calloc (count, sizeof *begun)) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!timetable_sound (&wishes [i]))
            continue;
        uint32_t goes_on = gaps ? wish_goes_on (wishes, count, &wishes [i], begun) : 0;
        wish_add (room, &wishes [i], goes_on, &stretches);
    }
    free (begun);
    return stretches;
}

static bool refuse_wish (refusal_t *refusal, const free_capacity_t *room,
                         const admission_want_t *wish, refusal_reason_t reason)
{
    *refusal = (refusal_t){.reason = reason,
                           .from_ms = wish->from_ms,
                           .until_ms = wish->until_ms,
                           .wanted = wish->quantity};
    snprintf (refusal->resource, sizeof refusal->resource, "%s/%s", free_capacity_name (room),
              wish->resource);
    memcpy (refusal->need, wish->need, sizeof refusal->need);
    return false;
}

static bool wish_valid (const free_capacity_t *room, const admission_want_t *wish,
                        refusal_t *refusal)
{
    const free_capacity_words_t *words = free_capacity_words (room);
    size_t resource;
    if (!free_capacity_find (room, wish->resource, &resource)) {
        refuse_wish (refusal, room, wish, REFUSAL_UNKNOWN_RESOURCE);
        snprintf (refusal->text, sizeof refusal->text, "%.63s has no %s %.63s",
                  free_capacity_name (room), words->resource, wish->resource);
        return false;
    }
    if (wish->from_ms < 0 || wish->from_ms >= wish->until_ms ||
        wish->until_ms > FREE_CAPACITY_TIME_MS_MAX) {
        refuse_wish (refusal, room, wish, REFUSAL_OUTSIDE);
        snprintf (refusal->text, sizeof refusal->text, "need %.63s: until_ms must be after from_ms",
                  wish->need);
        return false;
    }
    uint32_t quantity = free_capacity_quantity_for (room, resource, wish->amount);
    if (wish->amount == 0 || wish->quantity != quantity) {
        refuse_wish (refusal, room, wish, REFUSAL_OUTSIDE);
        snprintf (refusal->text, sizeof refusal->text,
                  "need %.63s: %u %s of %.63s take %u %s of %u each, not %u", wish->need,
                  wish->amount, words->amount, wish->resource, quantity, words->quantity,
                  free_capacity_offer (room, resource)->unit, wish->quantity);
        return false;
    }
    return true;
}

static bool timetable_valid (void *owner, const plan_t *plan, const part_body_t *part,
                             refusal_t *refusal, char why [WHY_BYTES])
{
    const timetable_t *self = owner;
    (void) plan;
    (void) why;
    size_t count;
    memory_auto admission_want_t *wishes = self->reader.read (part, &count);
    bool valid = true;
    for (size_t i = 0; i < count && valid; i++)
        valid = wish_valid (self->room, &wishes [i], refusal);
    if (valid && self->reader.valid)
        valid = self->reader.valid (self->reader.owner, part, refusal);
    return valid;
}

static span_t timetable_span (void *owner, const part_body_t *part)
{
    const timetable_t *self = owner;
    size_t count;
    memory_auto admission_want_t *wishes = self->reader.read (part, &count);
    span_t span = {.set = count > 0};
    for (size_t i = 0; i < count; i++) {
        int64_t until_ms = wishes [i].until_ms + free_capacity_terms (self->room)->gap_ms;
        span.from_ms =
          i == 0 || wishes [i].from_ms < span.from_ms ? wishes [i].from_ms : span.from_ms;
        span.until_ms = until_ms > span.until_ms ? until_ms : span.until_ms;
    }
    return span;
}

/*  --- the life of a holding --- */

static bool timetable_exceeds (const timetable_t *self, const char *limit, size_t most, size_t had,
                               size_t wanted, refusal_t *refusal)
{
    size_t left = had < most ? most - had : 0;
    if (wanted <= left)
        return false;
    *refusal =
      (refusal_t){.reason = REFUSAL_LIMIT, .wanted = (int64_t) wanted, .free = (int64_t) left};
    snprintf (refusal->resource, sizeof refusal->resource, "%s", limit);
    snprintf (refusal->text, sizeof refusal->text,
              "%.63s keeps at most %zu bookings: see the limit %s", free_capacity_name (self->room),
              most, limit);
    return true;
}

static bool refuse_full (const timetable_t *self, const timetable_holding_t *taken,
                         refusal_t *refusal)
{
    const timetable_limits_t *limits = &self->limits;
    size_t wanted = holding_promised (taken);
    return (limits->bookings_per_actor_max > 0 &&
            timetable_exceeds (self, BOOKINGS_PER_ACTOR, limits->bookings_per_actor_max,
                               owner_counts_of (self->owners, timetable_owner (taken)), wanted,
                               refusal)) ||
           timetable_exceeds (self, BOOKINGS_IN_ALL, limits->bookings_max, self->promised, wanted,
                              refusal);
}

/*  A prepared command past its edge has given back what it took; its commit takes it again, and
 *  then only free capacity counts (T9). */
static bool past_edge (const timetable_t *self, const moment_t *now, const plan_t *plan)
{
    return plan->edge_ms > 0 && free_capacity_now_ms (self->room, now) >= plan->edge_ms;
}

static holder_t holder_of (const plan_t *plan)
{
    holder_t holder;
    memcpy (holder.planner, plan->coordinator.name, sizeof holder.planner);
    memcpy (holder.actor, plan->actor, sizeof holder.actor);
    return holder;
}

/*  A decided commit (late) is no longer uncommitted, so no share applies. */
static bool excess_refused (const timetable_t *self, const plan_t *plan,
                            const interval_changes_t *changes, const admission_request_t *asked,
                            bool late, refusal_t *refusal)
{
    excess_t excess;
    holder_t holder = holder_of (plan);
    if (late || !hold_quota_excess (self->hold_quota, &holder, changes, &excess))
        return false;
    admission_refuse_excess (self->room, &excess, asked, refusal);
    return true;
}

static bool take_refused (const timetable_t *self, const moment_t *now, const plan_t *plan,
                          const char *owner, const interval_changes_t *changes,
                          const admission_request_t *asked, refusal_t *refusal)
{
    bool late = past_edge (self, now, plan);
    judged_as_t as = late                                  ? JUDGED_LATE
                     : plan->operation == OPERATION_MODIFY ? JUDGED_MODIFY
                                                           : JUDGED_PLAINLY;
    free_capacity_as (self->room, owner);
    verdict_t verdict = admission_judge (self->room, now, changes, as);
    if (verdict.reason != REFUSAL_NONE) {
        admission_request_t framed = *asked;
        bytes_t request = {.data = plan->request, .size = plan->request_size};
        request_frame_decode (request, free_capacity_now_ms (self->room, now), &framed.frame);
        admission_refuse (self->room, now, &verdict, &framed, self->limits.fresh_steps_max,
                          refusal);
    }
    free_capacity_as_all (self->room);
    return verdict.reason != REFUSAL_NONE ||
           excess_refused (self, plan, changes, asked, late, refusal);
}

static timetable_holding_t *holding_new (const plan_t *plan, const timetable_holding_t *current)
{
    const char *owner = current ? timetable_owner (current) : plan->owner;
    size_t size = strlen (plan->reservation) + 1;
    timetable_holding_t *holding = must (calloc (1, sizeof *holding + size + strlen (owner) + 1));
    memcpy (holding->reservation, plan->reservation, size);
    strcpy (holding->reservation + size, owner);
    return holding;
}

static void *timetable_take (void *owner, const moment_t *now, const plan_t *plan,
                             const void *current, const part_body_t *part, bool forced,
                             refusal_t *refusal)
{
    timetable_t *self = owner;
    const timetable_holding_t *old = current;
    size_t count;
    memory_auto admission_want_t *wishes = self->reader.read (part, &count);
    static const interval_list_t nothing = {0};
    const interval_list_t *held = old ? &old->booked : &nothing;
    interval_list_t asked = wishes_stretches (self->room, wishes, count);
    interval_changes_t changes = interval_list_changes (held, &asked);
    timetable_holding_t *taken = holding_new (plan, old);
    taken->wanted = interval_changes_after (&changes);
    taken->booked = interval_changes_extra (&changes);
    int64_t now_ms = free_capacity_now_ms (self->room, now);
    self->seen_ms = now_ms > self->seen_ms ? now_ms : self->seen_ms;

    if (!forced && (refuse_full (self, taken, refusal) ||
                    take_refused (
                      self, now, plan, timetable_owner (taken), &changes,
                      &(admission_request_t){.wishes = wishes, .wishes_count = count, .held = held},
                      refusal))) {
        holding_destroy (taken);
        taken = NULL;
    } else {
        holder_t holder = holder_of (plan);
        free_capacity_book (self->room, &taken->booked);
        holding_add (self, taken);
        if (*holder.planner) /* else it was committed before this start */
            holding_hold (self, taken, &holder);
    }
    interval_changes_clear (&changes);
    interval_list_clear (&asked);
    return taken;
}

static void timetable_drop (void *owner, void *taken)
{
    timetable_t *self = owner;
    timetable_holding_t *holding = taken;
    static const interval_list_t nothing = {0};
    holding_remove (self, holding);
    holding_unhold (self, holding);
    free_capacity_release (self->room, &holding->booked);
    tell_freed (self, &holding->booked, &nothing);
    holding_destroy (holding);
}

/*  Is everything that it wants booked for it already? */
static bool holding_complete (const timetable_holding_t *holding)
{
    bool same = holding->booked.count == holding->wanted.count;
    for (size_t i = 0; i < holding->booked.count && same; i++) {
        const resource_interval_t *booked = &holding->booked.list [i];
        const resource_interval_t *wanted = &holding->wanted.list [i];
        same = booked->resource == wanted->resource && booked->quantity == wanted->quantity &&
               booked->over.from == wanted->over.from && booked->over.until == wanted->over.until;
    }
    return same;
}

static void *timetable_settle (void *owner, void *current, void *taken)
{
    timetable_t *self = owner;
    timetable_holding_t *old = current;
    timetable_holding_t *new = taken;

    /*  Release first: the new never takes more than old and extra together had. */
    holding_remove (self, new);
    holding_unhold (self, new);
    bool complete = !old && holding_complete (new);
    if (!complete)
        free_capacity_release (self->room, &new->booked);
    if (old) {
        holding_remove (self, old);
        free_capacity_release (self->room, &old->booked);
        tell_freed (self, &old->booked, &new->wanted);
        holding_destroy (old);
    }
    interval_list_t *ended = complete ? &new->wanted : &new->booked;
    interval_list_clear (ended);
    if (!complete)
        new->booked = new->wanted;
    new->wanted = (interval_list_t){0};
    if (self->settled)
        self->settled (self->settled_owner);
    if (new->booked.count == 0) {
        holding_destroy (new);
        return NULL;
    }
    if (!complete)
        free_capacity_book (self->room, &new->booked);
    holding_add (self, new);
    return new;
}

/*  The first of its intervals in which more is booked than there is; NULL = none. */
static const resource_interval_t *holding_hit (const timetable_t *self,
                                               const timetable_holding_t *holding, int64_t from_ms)
{
    for (size_t i = 0; i < holding->booked.count; i++) {
        const resource_interval_t *stretch = &holding->booked.list [i];
        interval_t ahead = stretch->over;
        ahead.from = ahead.from > from_ms ? ahead.from : from_ms;
        if (ahead.from < ahead.until &&
            calendar_least (free_capacity_calendar (self->room, stretch->resource), ahead) < 0)
            return stretch;
    }
    return NULL;
}

static bool timetable_lacks (void *owner, const moment_t *now, const void *current)
{
    const timetable_t *self = owner;
    return current && holding_hit (self, current, free_capacity_now_ms (self->room, now));
}

static void timetable_starting (void *owner, bool on)
{
    const timetable_t *self = owner;
    free_capacity_starting (self->room, on);
}

void timetable_resource (timetable_t *self, resource_t *resource)
{
    *resource = (resource_t){
      .owner = self,
      .part_kind = self->reader.part_kind,
      .claims = false,
      .starting = timetable_starting,
      .take = timetable_take,
      .drop = timetable_drop,
      .settle = timetable_settle,
      .end = timetable_drop, /* gives back all that it has booked, as drop does */
      .span = timetable_span,
      .valid = timetable_valid,
      .lacks = timetable_lacks,
    };
}

void timetable_on_freed (timetable_t *self, timetable_freed_fn *freed, void *owner)
{
    assert (self->listeners_count < TIMETABLE_LISTENERS_MAX);
    self->listeners [self->listeners_count].freed = freed;
    self->listeners [self->listeners_count++].owner = owner;
}

void timetable_off_freed (timetable_t *self, void *owner)
{
    for (size_t i = 0; i < self->listeners_count; i++)
        if (self->listeners [i].owner == owner)
            self->listeners [i--] = self->listeners [--self->listeners_count];
}

void timetable_on_settled (timetable_t *self, timetable_settled_fn *settled, void *owner)
{
    self->settled = settled;
    self->settled_owner = owner;
}

/*  --- questions --- */

const interval_list_t *timetable_held (const void *holding)
{
    static const interval_list_t nothing = {0};
    const timetable_holding_t *self = holding;
    return self ? &self->booked : &nothing;
}

size_t timetable_overbooked (const timetable_t *self, int64_t from_ms, const char **names,
                             size_t names_max)
{
    if (!free_capacity_overbooked (self->room, from_ms))
        return 0;
    /*  A reservation may be there twice, as it is and with its pending change. */
    ordered_t *hit = ordered_by_text (offsetof (timetable_holding_t, reservation));
    size_t count = 0;
    timetable_holding_t *holding;
    TAILQ_FOREACH (holding, &self->holdings, link)
    {
        if (holding_hit (self, holding, from_ms) && !ordered_find (hit, holding->reservation))
            ordered_add (hit, holding->reservation, holding);
    }
    const char *at = NULL;
    for (; (holding = ordered_after (hit, at)); at = holding->reservation)
        if (count++ < names_max)
            names [count - 1] = holding->reservation;
    ordered_destroy (&hit);
    return count;
}

const char *timetable_overbooked_on (const timetable_t *self, int64_t from_ms,
                                     const char *reservation)
{
    const timetable_holding_t *holding;
    TAILQ_FOREACH (holding, &self->holdings, link)
    {
        const resource_interval_t *hit = strcmp (holding->reservation, reservation) == 0
                                           ? holding_hit (self, holding, from_ms)
                                           : NULL;
        if (hit)
            return free_capacity_resource_name (self->room, hit->resource);
    }
    return "";
}
