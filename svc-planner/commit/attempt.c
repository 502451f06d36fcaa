/*  attempt - sends holds and collects votes. */
#include "attempt.h"
#include "must.h"
#include "participant_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_MS 10 /* to wait for other votes after the first no */

/*  --- trail --- */

static bool same_party (const participant_ref_t *a, const participant_ref_t *b)
{
    return strcmp (a->name, b->name) == 0 && memcmp (a->store, b->store, STORE_ID_BYTES) == 0;
}

void trail_add (trail_t *self, const participant_ref_t *party, const txid_t *txid)
{
    self->traces = must_grow (self->traces, self->count, &self->room, sizeof *self->traces);
    self->traces [self->count++] = (trace_t){.party = *party, .txid = *txid};
}

void trail_clear (trail_t *self)
{
    free (self->traces);
    *self = (trail_t){0};
}

bool trail_takes_remains (trail_t *self, const coordinator_t *coordinator, const plan_t *holder)
{
    if (!holder || !coordinator_aborted (coordinator, &holder->txid))
        return false;
    for (size_t i = 0; i < holder->participants_count; i++)
        trail_add (self, &holder->participants [i], &holder->txid);
    return true;
}

static void trail_remove (trail_t *self, const participant_ref_t *party, const txid_t *txid)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++)
        if (!same_party (&self->traces [i].party, party) ||
            txid_compare (&self->traces [i].txid, txid) != 0)
            self->traces [kept++] = self->traces [i];
    self->count = kept;
}

static bool attempt_takes_part (const plan_t *plan, const participant_ref_t *party)
{
    for (size_t i = 0; plan && i < plan->participants_count; i++)
        if (same_party (&plan->participants [i], party))
            return true;
    return false;
}

void trail_abort (trail_t *self, coordinator_t *coordinator, const moment_t *now,
                  const plan_t *keep, const char *except)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        const trace_t *trace = &self->traces [i];
        if (attempt_takes_part (keep, &trace->party) || strcmp (trace->party.name, except) == 0)
            self->traces [kept++] = *trace;
        else
            coordinator_abort (coordinator, now, &trace->party, &trace->txid, NULL, NULL);
    }
    self->count = kept;
}

/*  --- attempt --- */

static void attempt_end (attempt_t *self, const moment_t *now)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer = 0;
    for (size_t i = 0; i < self->count; i++) {
        calls_cancel (self->service->calls, self->voters [i].call);
        self->voters [i].call = 0;
    }
    self->on_end (self->owner, now, self->waiting == 0 && !self->refused);
}

static void attempt_on_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    attempt_t *self = owner;
    self->timer = 0;
    self->refused = true;
    attempt_end (self, now);
}

static void send_hold (attempt_t *self, const moment_t *now, size_t at, bytes_t body);

/*  All others have agreed: ask the network domains. */
static void send_kept (attempt_t *self, const moment_t *now)
{
    self->kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        packed_t *kept = &self->voters [i].kept;
        if (!kept->data)
            continue;
        send_hold (self, now, i, packed_bytes (*kept));
        free (kept->data);
        *kept = (packed_t){0};
    }
}

static void attempt_answered (attempt_t *self, const moment_t *now)
{
    self->waiting--;
    if (self->waiting == (self->refused ? self->kept : 0)) { /* after a no, domains are not asked */
        attempt_end (self, now);
        return;
    }
    if (!self->refused) {
        if (self->waiting == self->kept)
            send_kept (self, now);
        return;
    }
    int64_t grace_ms = now->mono_ms + GRACE_MS;
    if (grace_ms >= self->mono_by_ms)
        return; /* the plan's own end comes first */
    timers_cancel (self->service->timers, self->timer);
    self->mono_by_ms = grace_ms; /* later refusals don't move it */
    self->timer = timers_set (self->service->timers, grace_ms, attempt_on_time, self, 0);
}

static void read_answer (voter_t *voter, const call_result_t *result)
{
    command_answer_t answer;
    vote_t *vote = &voter->vote;
    if (!codec_decode (&command_answer_codec, &answer, result->body, vote->why)) {
        vote->kind = VOTE_WRONG;
        return;
    }
    if (answer.state == COMMAND_PREPARED && answer.refusal.reason == REFUSAL_NONE) {
        vote->kind = VOTE_YES;
    } else if (answer.refusal.reason != REFUSAL_NONE) {
        vote->kind = VOTE_REFUSED;
        vote->refusal = answer.refusal;
        answer.refusal = (refusal_t){0};
    } else {
        vote->kind = VOTE_WRONG;
        snprintf (vote->why, sizeof vote->why, "answered a hold with %s",
                  command_state_word (answer.state));
    }
    codec_clear (&command_answer_codec, &answer);
}

static void on_vote (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    attempt_t *self = owner;
    voter_t *voter = &self->voters [token];
    voter->call = 0;
    snprintf (voter->vote.why, sizeof voter->vote.why, "%s", result->reason);
    if (result->status == CALL_OK)
        read_answer (voter, result);
    else if (result->status == CALL_TIMED_OUT)
        voter->vote.kind = VOTE_SILENT;
    else if (result->status == CALL_WRONG_STORE)
        voter->vote.kind = VOTE_LOST;
    else
        voter->vote.kind = VOTE_WRONG;

    if (voter->vote.kind == VOTE_YES)
        for (size_t i = 0; i < voter->replaced_count; i++)
            trail_remove (self->trail, &voter->party, &voter->replaced [i]);
    else
        self->refused = true;
    attempt_answered (self, now);
}

static void send_hold (attempt_t *self, const moment_t *now, size_t at, bytes_t body)
{
    voter_t *voter = &self->voters [at];
    call_order_t order =
      participant_ref_order (&voter->party, self->settings, "Participant", "Hold");
    order.actor = self->service->name;
    order.body = body;
    voter->call = calls_start (self->service->calls, now, &order, on_vote, self, at);
}

static void make_hold (attempt_t *self, const moment_t *now, size_t at, const packed_t *plan,
                       const attempt_part_t *part, bool later)
{
    voter_t *voter = &self->voters [at];
    hold_t hold = {.part_kind = part->kind,
                   .part = part->part.data,
                   .part_size = part->part.size,
                   .ttl_ms = self->settings->hold_ttl_ms,
                   .prepare = true};
    for (size_t i = 0; i < self->trail->count && hold.replaces_count < REPLACES_MAX; i++)
        if (same_party (&self->trail->traces [i].party, &voter->party))
            hold.replaces [hold.replaces_count++] = self->trail->traces [i].txid;
    memcpy (voter->replaced, hold.replaces, sizeof voter->replaced);
    voter->replaced_count = hold.replaces_count;
    packed_t body = hold_with_plan (&hold, plan);
    if (later) {
        voter->kept = body;
        self->kept++;
        return;
    }
    send_hold (self, now, at, packed_bytes (body));
    free (body.data);
}

attempt_t *attempt_new (service_t *service, coordinator_t *coordinator,
                        const planner_settings_t *settings, const moment_t *now, plan_t *plan,
                        const attempt_part_t *parts, trail_t *trail, bool domains_last,
                        attempt_ended_fn *ended, void *owner)
{
    attempt_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->coordinator = coordinator;
    self->settings = settings;
    self->plan = *plan;
    *plan = (plan_t){0};
    self->txid = self->plan.txid;
    self->trail = trail;
    self->on_end = ended;
    self->owner = owner;
    self->count = self->waiting = self->plan.participants_count;
    self->voters = must (calloc (self->count, sizeof *self->voters));
    self->mono_by_ms =
      now->mono_ms + (self->plan.decide_by_ms - timekeeper_most (&service->timekeeper, now));
    self->timer = timers_set (service->timers, self->mono_by_ms, attempt_on_time, self, 0);
    packed_t packed = codec_encode (&plan_codec, &self->plan);
    for (size_t i = 0; i < self->count; i++) {
        self->voters [i].party = self->plan.participants [i];
        make_hold (self, now, i, &packed, &parts [i],
                   domains_last && parts [i].kind == PART_NETWORK);
        free (parts [i].part.data);
    }
    free (packed.data);
    if (self->waiting == self->kept)
        send_kept (self, now);
    return self;
}

/*  One that refused, or lost its store, holds nothing; any other may. */
static bool may_hold (const vote_t *vote)
{
    return vote->kind != VOTE_REFUSED && vote->kind != VOTE_LOST;
}

void attempt_destroy (attempt_t **self_p)
{
    attempt_t *self = *self_p;
    if (!self)
        return;
    bool taken = self->plan.participants_count == 0;
    for (size_t i = 0; i < self->count; i++) {
        calls_cancel (self->service->calls, self->voters [i].call);
        bool asked = !self->voters [i].kept.data;
        if (!taken && asked && may_hold (&self->voters [i].vote))
            trail_add (self->trail, &self->voters [i].party, &self->txid);
        codec_clear (&refusal_codec, &self->voters [i].vote.refusal);
        free (self->voters [i].kept.data);
    }
    if (!taken)
        coordinator_drop (self->coordinator, &self->txid);
    timers_cancel (self->service->timers, self->timer);
    codec_clear (&plan_codec, &self->plan);
    free (self->voters);
    free (self);
    *self_p = NULL;
}
