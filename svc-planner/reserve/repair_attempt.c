/*  repair_attempt - a repair's request (T10): a plan in place of one that could not be kept, put to
 *  the vote as a change of the reservation.
 *
 *  It takes the steps of a user's change (change.c, planning.c, voting.c) with three differences:
 *  nobody waits for it, it has no home, and it starts from what is left. A participant that lost
 *  its part is at the new version with what it kept of the old one, perhaps nothing.
 */
#include "repair_attempt.h"

#include "proposal.h"
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pending_t *pending_repair (pendings_t *pendings, const moment_t *now,
                           const repair_order_t *repair_order)
{
    receipt_t receipt = {0};
    memcpy (receipt.actor, repair_order->plan->owner, sizeof receipt.actor);
    pending_t *self = pending_begin (pendings, now, OPERATION_MODIFY, &receipt);
    self->repair_order = repair_order;
    memcpy (self->reservation, repair_order->plan->reservation, sizeof self->reservation);
    pending_go (self, now, STEP_LOCATE);
    return self;
}

void repair_attempt_end (pending_t *self, const moment_t *now, repair_end_t end, const char *text)
{
    repair_order_t repair_order = *self->repair_order;
    char words [SENTENCE_BYTES];
    snprintf (words, sizeof words, "%s", text);
    attempt_destroy (&self->vote.attempt);
    trail_abort (&self->trail, self->pendings->coordinator, now, NULL, "");
    pending_destroy (self);
    repair_order.ended (repair_order.owner, now, end, words);
}

static bool took_part (const repair_order_t *repair_order, const char *name, bool lost_only)
{
    for (size_t i = 0; i < repair_order->plan->participants_count; i++)
        if (strcmp (repair_order->plan->participants [i].name, name) == 0)
            return repair_order->lost [i] || !lost_only;
    return false;
}

/*  The start of the version that could not be kept, from the bookings of the participants that did
 *  keep it. False: there are none. */
static bool start_that_stands (const repair_order_t *repair_order, const locate_t *locate,
                               const user_request_t *request, int64_t *start_ms)
{
    *start_ms = INT64_MAX;
    for (size_t i = 0; i < locate->count; i++) {
        const located_part_t *part = &locate->parts [i];
        for (size_t b = 0; b < part->record.bookings_count; b++) {
            size_t need = user_request_need (request, part->record.bookings [b].need);
            if (need == SIZE_MAX || took_part (repair_order, part->party.name, true))
                continue;
            int64_t start = part->record.bookings [b].from_ms - compute_first (request, need);
            *start_ms = start < *start_ms ? start : *start_ms;
        }
    }
    return *start_ms < INT64_MAX;
}

/*  A reservation of which anything has begun keeps its start. */
static bool repair_attempt_has_begun (const locate_t *locate, const moment_t *now)
{
    for (size_t i = 0; i < locate->count; i++) {
        const part_record_t *record = &locate->parts [i].record;
        for (size_t b = 0; b < record->bookings_count; b++)
            if (record->bookings [b].from_ms <= now->wall_ms)
                return true;
    }
    return false;
}

void repair_attempt_located (pending_t *self, const moment_t *now)
{
    const repair_order_t *repair_order = self->repair_order;
    char why [WHY_BYTES];
    if (repair_order->step == REPAIR_BACK) {
        pending_go (self, now, pending_propose (self, now, NULL) ? STEP_VOTE : STEP_GIVE_UP);
        return;
    }
    user_request_clear (&self->request);
    if (!plan_user_request (repair_order->plan, &self->request, why)) {
        repair_attempt_end (self, now, REPAIR_NO_PLAN,
                            "the request it was made for is not on record");
        return;
    }
    int64_t start_ms;
    bool known = start_that_stands (repair_order, self->base.locate, &self->request, &start_ms);
    self->patch.window_set =
      repair_order->step == REPAIR_ELSEWHERE && !repair_attempt_has_begun (self->base.locate, now);
    if (!self->patch.window_set && !known) {
        repair_attempt_end (self, now, REPAIR_NO_PLAN,
                            "no participant has any part of it any more");
        return;
    }
    self->plan.keeps_start = !self->patch.window_set;
    if (self->plan.keeps_start)
        self->plan.starts = (starts_t){start_ms, start_ms, INT64_MAX};
    else
        stages_forget (&self->request);
    pending_go (self, now, STEP_PLAN);
}

/*  A need that no participant has any more goes back, where it can, to one that lost its part. */
static present_t prefer_lost (const repair_order_t *repair_order, const snapshot_t *snapshot,
                              const need_options_t *options)
{
    for (size_t i = 0; i < options->options_count; i++) {
        size_t place = options->options [i].place;
        const source_t *source = &snapshot->sources [snapshot->places [place].source];
        if (took_part (repair_order, source->party.name, true))
            return (present_t){.set = true, .place = place};
    }
    return (present_t){.set = false};
}

void repair_attempt_narrow (const repair_order_t *repair_order, snapshot_t *snapshot,
                            present_t *present)
{
    const user_request_t *request = snapshot->request;
    for (size_t i = 0; i < snapshot->sources_count && repair_order->step == REPAIR_SAME; i++)
        if (!took_part (repair_order, snapshot->sources [i].party.name, false))
            snapshot_leave_out (snapshot, i, "took no part in the plan that is repaired");
    for (size_t i = 0; i < request->compute_count; i++)
        if (!present [i].set && request->compute [i].derived.kind != DERIVED_SOURCE)
            present [i] = prefer_lost (repair_order, snapshot, &snapshot->needs [i]);
}
