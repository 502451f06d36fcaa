/*  participant_hold - HOLD: may it be asked, is it news, can it be had, then take it.
 *
 *  Checks come in the order a person would make them; the first that fails is the answer, and it
 *  teaches: which limit, which change is in the way, what is free instead (T3). A refusal leaves
 *  nothing behind but the plans that this one replaces, which their planner has dropped (T1).
 */
#include "access.h"
#include "ledger.h"
#include "must.h"
#include "participant_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  A hold that is being checked, and its part. */
typedef struct {
    hold_t *hold;
    part_body_t part; /* the hold's */
    uint32_t ttl_ms;
} hold_check_t;

/*  --- form --- */

static bool names_us (const participant_t *self, const plan_t *plan)
{
    for (size_t i = 0; i < plan->participants_count; i++)
        if (strcmp (plan->participants [i].name, self->service->name) == 0 &&
            memcmp (plan->participants [i].store, self->service->store.id, STORE_ID_BYTES) == 0)
            return true;
    return false;
}

/*  Is the hold meant for this participant? If not, it is refused as not understood. */
static bool well_formed (const participant_t *self, hold_t *hold, char why [WHY_BYTES])
{
    const resource_t *resource = &self->resource;
    bool release = hold->plan.operation == OPERATION_RELEASE;
    char planner [NAME_BYTES_MAX + 1];
    if (strcmp (hold->plan.coordinator.name, txid_planner (&hold->plan.txid, planner)) != 0)
        return wrong (
          why, "plan.coordinator.name: must be %s, the planner whose store made the txid", planner);
    if (!names_us (self, &hold->plan))
        return wrong (why, "plan.participants: must name %s with its present store",
                      self->service->name);
    if (hold->part_kind == PART_NONE && release && !resource->claims)
        hold->part_kind = resource->part_kind; /* a release needs no part: it leaves nothing */
    if (hold->part_kind != resource->part_kind)
        return wrong (why, "part: %s books no parts of this kind", self->service->name);
    if (release && !resource->claims && hold->part_size > 0)
        return wrong (why, "part: must be empty in a release");
    return true;
}

/*  --- checks --- */

static bool check_caller (const participant_t *self, const request_t *request, const plan_t *plan,
                          refusal_t *refusal)
{
    if (strcmp (request->actor, plan->coordinator.name) != 0)
        return refuse_with (refusal, REFUSAL_MAY_NOT, "%.63s may not hold for a plan of %s",
                            request->actor, plan->coordinator.name);
    if (plan->operation != OPERATION_RELEASE &&
        !may (self->access, VERB_HOLD, request->actor, plan->actor, plan->coordinator.name))
        return refuse_with (refusal, REFUSAL_MAY_NOT,
                            "%.63s may not hold here, or %s has no account here", request->actor,
                            plan->actor);
    return true;
}

/*  R11: a release is accepted whatever the clock here says, so that a wrong clock never keeps
 *  anybody from giving back; its planner decides in time (T4). But it is accepted only as long as a
 *  tombstone of its txid would still be kept: later, a txid that was promised never to be held
 *  could be held (T7). */
static bool release_in_time (const participant_t *self, const moment_t *now, const plan_t *plan)
{
    return plan->operation == OPERATION_RELEASE &&
           now->wall_ms - (int64_t) self->limits.retention_ms < plan->decide_by_ms;
}

static bool participant_hold_check_time (const participant_t *self, const moment_t *now,
                                         const plan_t *plan, refusal_t *refusal)
{
    int64_t at_ms = now->wall_ms; /* T15: from here on the monotonic clock counts too */
    if (release_in_time (self, now, plan))
        return true;
    if (at_ms >= plan->decide_by_ms) {
        refusal->until_ms = plan->decide_by_ms;
        refusal->free = plan->decide_by_ms - at_ms;
        return refuse_with (refusal, REFUSAL_LATE, "too late: the plan had to be decided %g s ago",
                            (double) (at_ms - plan->decide_by_ms) / 1e3);
    }
    if (!self->resource.claims && at_ms >= plan->edge_ms) {
        refusal->until_ms = plan->edge_ms;
        return refuse_with (refusal, REFUSAL_LATE,
                            "too late: the edge of its window passed %g s ago",
                            (double) (at_ms - plan->edge_ms) / 1e3);
    }
    if (plan->decide_by_ms - now->wall_ms > DECIDE_AHEAD_MS_MAX) {
        snprintf (refusal->resource, sizeof refusal->resource, "decide_ahead_ms_max");
        refusal->wanted = plan->decide_by_ms - now->wall_ms;
        refusal->free = DECIDE_AHEAD_MS_MAX;
        return refuse_with (refusal, REFUSAL_LIMIT, "plan.decide_by_ms: must be at most %g s ahead",
                            DECIDE_AHEAD_MS_MAX / 1e3);
    }
    return true;
}

/*  T13: the last of the store's room is for decisions and releases: a tenth, or more when the
 *  ledger rows of all open commands may need more. A release begins something, too, so it needs
 *  what it will store: tried again and again, it would fill the disk. */
static bool participant_hold_check_room (const participant_t *self, const moment_t *now,
                                         const plan_t *plan, size_t size, refusal_t *refusal)
{
    uint64_t reserve = now->store_bytes / STORE_RESERVE_PARTS;
    uint64_t rows = (uint64_t) self->open_count * LEDGER_ROOM_BYTES;
    if (reserve < rows)
        reserve = rows;
    if (moment_room (now, plan->operation == OPERATION_RELEASE ? 0 : reserve, size))
        return true;
    refusal->free = (int64_t) (now->store_free_bytes >> 10);
    return refuse_with (refusal, REFUSAL_STORE_FULL,
                        "only %" PRIu64
                        " KiB are left in the store, and they are kept for decisions",
                        now->store_free_bytes >> 10);
}

/*  Does it book something in this interval? An empty interval meets every command. */
static bool meets (const command_t *command, int64_t from_ms, int64_t until_ms)
{
    const span_t *span = &command->span;
    return from_ms >= until_ms ||
           (span->set && span->from_ms < until_ms && from_ms < span->until_ms);
}

/*  When the limit will allow more: the first end among the oldest commands that count against it
 *  and meet the interval. A hold ends when it expires; a vote is decided by its decide_by, and
 *  after that has no end of its own. 0 when no end is known. */
static int64_t limit_frees_ms (const participant_t *self, const moment_t *now, const tally_t *actor,
                               const tally_t *planner, const refusal_t *refusal)
{
    const command_t *command;
    int64_t frees_ms = 0;
    int looked = 0;
    TAILQ_FOREACH (command, &self->open, open_link)
    {
        if (looked++ == PRUNE_STEP)
            break;
        int64_t ends_ms =
          command->state == COMMAND_HELD ? command->expires_ms : command->decide_by_ms;
        if (ends_ms <= now->wall_ms || (frees_ms != 0 && frees_ms <= ends_ms) ||
            (actor && command->actor != actor) || (planner && command->planner != planner) ||
            !meets (command, refusal->from_ms, refusal->until_ms))
            continue;
        frees_ms = ends_ms;
    }
    return frees_ms;
}

static bool participant_hold_check_limit (const participant_t *self, const moment_t *now,
                                          const char *limit, uint32_t most, const tally_t *actor,
                                          const tally_t *planner, refusal_t *refusal)
{
    size_t open = actor ? actor->open : planner ? planner->open : self->open_count;
    if (open < most)
        return true;
    snprintf (refusal->resource, sizeof refusal->resource, "%s", limit);
    refusal->wanted = (int64_t) open + 1;
    refusal->free = (int64_t) most - (int64_t) open;
    refusal->frees_ms = limit_frees_ms (self, now, actor, planner, refusal);
    return refuse_with (refusal, REFUSAL_LIMIT, "%zu holds are open, which is all that %s allows",
                        open, limit);
}

/*  Adds when a limit that the resource checks itself will allow more, because the resource does not
 *  know when holds end. When the limit is the actor's and the actor has no open hold, only
 *  committed bookings count, and no time is told. */
static void tell_frees (const participant_t *self, const moment_t *now, const plan_t *plan,
                        refusal_t *refusal)
{
    const tally_t *actor = NULL;
    const tally_t *planner = NULL;
    const char *limit = refusal->resource;
    if (refusal->reason != REFUSAL_LIMIT)
        return;
    if (strcmp (limit, HOLD_QUOTA_SHARE_PER_ACTOR) == 0 ||
        strcmp (limit, BOOKINGS_PER_ACTOR) == 0) {
        actor = ordered_find (self->actors, plan->actor);
        if (!actor)
            return;
    }
    if (strcmp (limit, HOLD_QUOTA_SHARE_PER_PLANNER) == 0)
        planner = ordered_find (self->planners, plan->coordinator.name);
    refusal->frees_ms = limit_frees_ms (self, now, actor, planner, refusal);
}

static bool check_limits (const participant_t *self, const moment_t *now, const plan_t *plan,
                          refusal_t *refusal)
{
    const tally_t *actor = ordered_find (self->actors, plan->actor);
    const tally_t *planner = ordered_find (self->planners, plan->coordinator.name);
    return participant_hold_check_limit (self, now, "holds_max", self->limits.holds_max, NULL, NULL,
                                         refusal) &&
           (!actor || participant_hold_check_limit (self, now, "holds_per_actor_max",
                                                    self->limits.holds_per_actor_max, actor, NULL,
                                                    refusal)) &&
           (!planner || participant_hold_check_limit (self, now, "holds_per_planner_max",
                                                      self->limits.holds_per_planner_max, NULL,
                                                      planner, refusal));
}

/*  --- the reservation --- */

static bool participant_hold_refuse_busy (const command_t *pending, refusal_t *refusal)
{
    char text [TXID_TEXT_BYTES];
    refusal->blocker_set = true;
    refusal->blocker = pending->txid;
    if (pending->state == COMMAND_HELD)
        refusal->frees_ms = pending->expires_ms;
    return refuse_with (refusal, REFUSAL_BUSY_CHANGE,
                        "another change of the reservation, %s, is %s",
                        txid_text (&pending->txid, text), command_state_word (pending->state));
}

static bool check_owner (const participant_t *self, const request_t *request, const plan_t *plan,
                         const char *owner, refusal_t *refusal)
{
    verb_t verb = plan->operation == OPERATION_RELEASE ? VERB_RELEASE : VERB_MODIFY;
    if (may (self->access, verb, request->actor, plan->actor, owner))
        return true;
    return refuse_with (refusal, REFUSAL_MAY_NOT, "%s may not change reservation %s", plan->actor,
                        plan->reservation);
}

/*  T11: the base version must be the current one. Where the reservation books nothing any more,
 *  versions made by others since then are not known, so any newer base is accepted too. */
static bool version_current (const reservation_t *reservation, uint32_t base)
{
    return base == reservation->version || (!reservation->span.set && base > reservation->version);
}

/*  A change that brings the reservation here for the first time. It will stand in the owner's name,
 *  whoever asks for it, so the owner needs an account here, as for a reserve. */
static bool check_join (const participant_t *self, const request_t *request, const hold_t *hold,
                        refusal_t *refusal)
{
    const plan_t *plan = &hold->plan;
    if (plan->operation == OPERATION_RESERVE)
        return true;
    if (plan->operation == OPERATION_RELEASE || hold->part_size == 0)
        return refuse_with (refusal, REFUSAL_NO_RESERVATION, "reservation %s is not known here",
                            plan->reservation);
    if (!check_owner (self, request, plan, plan->owner, refusal))
        return false;
    if (may (self->access, VERB_HOLD, request->actor, plan->owner, plan->coordinator.name))
        return true;
    return refuse_with (refusal, REFUSAL_MAY_NOT, "its owner %s has no account here", plan->owner);
}

static bool check_reservation (participant_t *self, const moment_t *now, const request_t *request,
                               const hold_t *hold, refusal_t *refusal)
{
    const plan_t *plan = &hold->plan;
    reservation_t *reservation = reservation_find (self, plan->reservation);
    bool release = plan->operation == OPERATION_RELEASE;
    if (reservation && reservation->pending) {
        command_age (reservation->pending, now);
        reservation = reservation_find (self, plan->reservation); /* it may have ended with it */
    }
    snprintf (refusal->resource, sizeof refusal->resource, "%s", plan->reservation);
    if (!reservation)
        return check_join (self, request, hold, refusal);
    if (plan->operation != OPERATION_RESERVE &&
        !check_owner (self, request, plan, reservation->owner, refusal))
        return false;
    if (reservation->pending) {
        if (release)
            reservation->release_wait_mono_ms = now->mono_ms + RELEASE_WAIT_MS;
        return participant_hold_refuse_busy (reservation->pending, refusal);
    }
    if (plan->operation != OPERATION_RESERVE && reservation->released)
        return refuse_with (refusal, REFUSAL_NO_RESERVATION, "reservation %s has been released",
                            plan->reservation);
    if (plan->operation == OPERATION_RESERVE || !version_current (reservation, plan->base_version))
        return refuse_with (refusal, REFUSAL_STALE_VERSION,
                            "reservation %s is at version %" PRIu32 ", not %" PRIu32,
                            plan->reservation, reservation->version, plan->base_version);
    if (!release && now->mono_ms < reservation->release_wait_mono_ms) {
        refusal->frees_ms = now->wall_ms + (reservation->release_wait_mono_ms - now->mono_ms);
        return refuse_with (refusal, REFUSAL_BUSY_CHANGE,
                            "a release of reservation %s is waiting, and goes first",
                            plan->reservation);
    }
    refusal->resource [0] = '\0';
    return true;
}

/*  --- the deed --- */

/*  T1: aborts the plans that this one replaces. Their planner has dropped them, so they stay
 *  aborted whatever becomes of this one. */
static bool drop_replaced (participant_t *self, const moment_t *now, const request_t *request,
                           const hold_t *hold, refusal_t *refusal)
{
    for (size_t i = 0; i < hold->replaces_count; i++) {
        const txid_t *old = &hold->replaces [i];
        command_t *command = command_find (self, old);
        if (!command) {
            if (!records_unreadable (self, old) && /* that one is never held again anyway */
                !command_make_tombstone (self, now, old, hold->plan.decide_by_ms, EVENT_REPLACED,
                                         refusal))
                return false;
            continue;
        }
        if (strcmp (command->planner->name, request->actor) != 0)
            return refuse_with (refusal, REFUSAL_MAY_NOT,
                                "replaces: names a plan of another coordinator");
        if (!command_finished (command))
            command_move (command, now, COMMAND_ABORTED, EVENT_REPLACED);
        else if (command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED)
            return refuse_with (refusal, REFUSAL_CONFLICT,
                                "replaces: names a plan that was committed");
    }
    return true;
}

static uint32_t ttl_granted (const participant_t *self, uint32_t wanted_ms)
{
    uint32_t ttl_ms = wanted_ms ? wanted_ms : self->limits.hold_ttl_ms;
    if (ttl_ms > self->limits.hold_ttl_ms_max)
        ttl_ms = self->limits.hold_ttl_ms_max;
    return ttl_ms < self->limits.hold_age_ms_max ? ttl_ms : self->limits.hold_age_ms_max;
}

/*  Until when the command's record is needed: until the end of what it books or gives up, and of
 *  the whole plan's last window, because as long as the others' parts stand it is asked about the
 *  reservation (T6, T11). A home sees only the windows of the answer, and a release's answer has
 *  none: where the plan does not tell its end, the edge is the old end (T2, T9). */
static int64_t window_end (const participant_t *self, const command_t *command, const plan_t *plan)
{
    const reservation_t *reservation = command->reservation;
    int64_t until_ms = plan->decide_by_ms;
    if (plan->end_ms > until_ms)
        until_ms = plan->end_ms;
    if (self->resource.claims && plan->edge_ms > until_ms)
        until_ms = plan->edge_ms;
    if (command->span.set && command->span.until_ms > until_ms)
        until_ms = command->span.until_ms;
    if (reservation && reservation->span.set && reservation->span.until_ms > until_ms)
        until_ms = reservation->span.until_ms;
    return until_ms;
}

static command_t *record_hold (participant_t *self, const moment_t *now, const hold_check_t *wanted,
                               void *taken)
{
    hold_t *hold = wanted->hold;
    const plan_t *plan = &hold->plan;
    command_t *command = command_new (self, &plan->txid, plan);
    command->part_kind = hold->part_kind;
    command->part = (packed_t){.data = hold->part, .size = hold->part_size};
    hold->part = NULL;
    hold->part_size = 0;
    command->held_ms = now->wall_ms;
    command->held_mono_ms = now->mono_ms;
    command->expires_ms = now->wall_ms + wanted->ttl_ms;
    command->expires_mono_ms = now->mono_ms + wanted->ttl_ms;
    command_clock (command, now);
    command->taken = taken;
    command->span = self->resource.span (self->resource.owner, &wanted->part);
    if (!self->resource.claims) {
        reservation_t *reservation = reservation_find (self, plan->reservation);
        if (!reservation)
            reservation = reservation_new (self, plan->reservation, plan->owner);
        reservation->pending = command;
        if (plan->operation == OPERATION_RELEASE)
            reservation->release_wait_mono_ms = 0;
        command->reservation = reservation;
    }
    command->until_ms = window_end (self, command, plan);
    command_move (command, now, hold->prepare ? COMMAND_PREPARED : COMMAND_HELD,
                  hold->prepare ? EVENT_PREPARE : EVENT_HOLD);
    return command;
}

static bool bytes_same (packed_t kept, const uint8_t *data, size_t size)
{
    return kept.size == size && (size == 0 || memcmp (kept.data, data, size) == 0);
}

static bool hold_same (const command_t *command, const hold_t *hold)
{
    packed_t plan = codec_encode (&plan_codec, &hold->plan);
    bool same = bytes_same (command->plan, plan.data, plan.size);
    free (plan.data);
    /*  A claim may have got its answer with PREPARE since then; it stays a claim of the same
     *  request. */
    return same && (bytes_same (command->part, hold->part, hold->part_size) ||
                    (command->participant->resource.claims && command->state != COMMAND_HELD &&
                     claims_match (command->part, (bytes_t){hold->part, hold->part_size})));
}

/*  The txid was held before: the same hold again is answered from the record. */
static void answer_again (command_t *command, const moment_t *now, const request_t *request,
                          const hold_t *hold)
{
    participant_t *self = command->participant;
    command_age (command, now);
    if (command->plan.size > 0 && !hold_same (command, hold)) {
        command_answer_t answer = {.txid = command->txid, .state = COMMAND_REJECTED};
        refuse_with (&answer.refusal, REFUSAL_CONFLICT,
                     "this transaction was held before with another plan or part");
        participant_answer (self, request, &answer);
        return;
    }
    if (command->state == COMMAND_HELD && hold->prepare) {
        participant_vote (command, now, request);
        return;
    }
    command_answer_t answer = command_answer (command, now);
    if (command->state != COMMAND_HELD && command->state != COMMAND_PREPARED &&
        command->state != COMMAND_COMMITTED)
        refuse_with (&answer.refusal, REFUSAL_ENDED, "the transaction is %s here",
                     command_state_word (command->state));
    participant_answer (self, request, &answer);
}

/*  T2: a home that has lost its store may let a request begin again; this site still has the record
 *  of what the request made. */
static bool check_request (participant_t *self, const plan_t *plan, refusal_t *refusal)
{
    if (self->resource.claims || !*plan->home || !*plan->request_id)
        return true;
    const command_t *before = command_of_request (self, plan);
    if (!before)
        return true;
    plan_t made = command_plan (before);
    refusal->blocker_set = true;
    refusal->blocker = before->txid;
    refuse_with (refusal, REFUSAL_CLAIM_ANSWERED,
                 "this request was carried out before: it made version %" PRIu32
                 " of reservation %s, which its home %.63s has lost",
                 made.base_version + 1, made.reservation, plan->home);
    codec_clear (&plan_codec, &made);
    return false;
}

const char *participant_unfit (const participant_t *self, const char *actor)
{
    const usage_t *usage = &self->resource.usage;
    return usage->unfit ? usage->unfit (usage->owner, actor) : "";
}

const char *participant_unknown (const participant_t *self)
{
    const usage_t *usage = &self->resource.usage;
    return usage->unknown ? usage->unknown (usage->owner) : "";
}

static bool check_known (const participant_t *self, refusal_t *refusal)
{
    const char *unknown = participant_unknown (self);
    return !*unknown ||
           refuse_with (refusal, REFUSAL_LIMIT, "no holds are granted yet: %s", unknown);
}

static bool check_fit (const participant_t *self, const plan_t *plan, refusal_t *refusal)
{
    const char *unfit =
      plan->operation == OPERATION_RELEASE ? "" : participant_unfit (self, plan->owner);
    return !*unfit || refuse_with (refusal, REFUSAL_MAY_NOT, "%s may have nothing new here: %s",
                                   plan->owner, unfit);
}

/*  Takes the hold for wanted's time to live, or says in *refusal why not. */
static command_t *hold_take (participant_t *self, const moment_t *now, const request_t *request,
                             const hold_check_t *wanted, refusal_t *refusal)
{
    const hold_t *hold = wanted->hold;
    const plan_t *plan = &hold->plan;
    if (!readmit_over (self, refusal) || !check_known (self, refusal) ||
        !check_request (self, plan, refusal) ||
        !drop_replaced (self, now, request, hold, refusal) || !check_fit (self, plan, refusal) ||
        !participant_hold_check_time (self, now, plan, refusal) ||
        !check_limits (self, now, plan, refusal) ||
        !participant_hold_check_room (self, now, plan, request->body.size, refusal) ||
        (!self->resource.claims && !check_reservation (self, now, request, hold, refusal)))
        return NULL;
    const resource_t *resource = &self->resource;
    const void *current = resource->claims ? NULL : participant_current (self, plan->reservation);
    void *taken =
      resource->take (resource->owner, now, plan, current, &wanted->part, false, refusal);
    assert (taken || refusal->reason != REFUSAL_NONE);
    if (!taken)
        tell_frees (self, now, plan, refusal);
    return taken ? record_hold (self, now, wanted, taken) : NULL;
}

/*  False with *refusal, or why when it is not understood. */
static bool part_valid (const participant_t *self, hold_check_t *wanted, refusal_t *refusal,
                        char why [WHY_BYTES])
{
    const hold_t *hold = wanted->hold;
    bytes_t part = {.data = hold->part, .size = hold->part_size};
    return part_decode (&wanted->part, hold->part_kind, part, why) &&
           self->resource.valid (self->resource.owner, &hold->plan, &wanted->part, refusal, why);
}

/*  Is all in memory that is known of its txid, of those that it replaces, and of its request? */
static bool hold_ready (participant_t *self, const request_t *request, const hold_t *hold)
{
    const plan_t *plan = &hold->plan;
    size_t count = 1 + hold->replaces_count;
    txid_t *txids = must (malloc ((count + shelf_requested (self, plan, NULL)) * sizeof *txids));
    txids [0] = plan->txid;
    if (hold->replaces_count > 0)
        memcpy (txids + 1, hold->replaces, hold->replaces_count * sizeof *txids);
    count += shelf_requested (self, plan, txids + count);
    bool ready = reads_ready (self, request, txids, count);
    free (txids);
    return ready;
}

static void hold_step (participant_t *self, const moment_t *now, const request_t *request,
                       hold_t *hold)
{
    char why [WHY_BYTES] = "";
    command_answer_t answer = {.txid = hold->plan.txid, .state = COMMAND_REJECTED};
    if (!well_formed (self, hold, why)) {
        service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (!check_caller (self, request, &hold->plan, &answer.refusal)) {
        participant_answer (self, request, &answer);
        return;
    }
    if (!hold_ready (self, request, hold))
        return;
    command_t *known = command_find (self, &hold->plan.txid);
    if (known) {
        answer_again (known, now, request, hold);
        return;
    }
    if (records_unreadable (self, &hold->plan.txid)) {
        refuse_with (
          &answer.refusal, REFUSAL_ENDED,
          "the record of this transaction here can't be read, so nothing is known of it");
        participant_answer (self, request, &answer);
        return;
    }
    hold_check_t wanted = {.hold = hold, .ttl_ms = ttl_granted (self, hold->ttl_ms)};
    if (part_valid (self, &wanted, &answer.refusal, why)) {
        command_t *command = hold_take (self, now, request, &wanted, &answer.refusal);
        if (command)
            answer = command_answer (command, now);
        participant_answer (self, request, &answer);
    } else {
        participant_answer_or_refuse (self, request, &answer, why);
    }
    part_clear (&wanted.part);
}

void participant_on_hold (void *owner, const moment_t *now, const request_t *request, void *body)
{
    hold_step (owner, now, request, body);
}

bool participant_local_hold (participant_t *self, const moment_t *now, hold_t *hold,
                             uint32_t ttl_ms, command_answer_t *answer, char why [WHY_BYTES])
{
    const plan_t *plan = &hold->plan;
    assert (plan->participants_count == 1 && !command_known (self, &plan->txid));
    assert (memcmp (plan->txid.store, self->service->store.id, STORE_ID_BYTES) == 0);
    request_t request = {.service = "Participant",
                         .method = "Hold",
                         .actor = plan->coordinator.name,
                         .request_id = ""};
    hold_check_t wanted = {.hold = hold, .ttl_ms = ttl_ms};
    *answer = (command_answer_t){.txid = plan->txid, .state = COMMAND_REJECTED};
    if (!well_formed (self, hold, why))
        return false;
    command_t *command = NULL;
    if (check_caller (self, &request, plan, &answer->refusal) &&
        part_valid (self, &wanted, &answer->refusal, why))
        command = hold_take (self, now, &request, &wanted, &answer->refusal);
    part_clear (&wanted.part);
    if (command)
        *answer = command_answer (command, now);
    else if (answer->refusal.reason != REFUSAL_NONE)
        participant_count_refusal (self, &request, answer);
    return command || answer->refusal.reason != REFUSAL_NONE;
}
