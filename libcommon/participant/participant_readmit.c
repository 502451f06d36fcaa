/*  participant_readmit - what a lost store had promised, booked again from what homes keep of it
 *  (T14).
 *
 *  A version that was committed stands even if its edge has passed: it is booked if there is free
 *  capacity, and its class or link is still configured. Its plan is kept with it, because no
 *  command of this store made it.
 */
#include "member.h"
#include "participant_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void participant_readmitting (participant_t *self, bool readmitting)
{
    self->readmitting = readmitting;
}

bool readmit_over (const participant_t *self, refusal_t *refusal)
{
    if (!self->readmitting)
        return true;
    snprintf (refusal->resource, sizeof refusal->resource, "readmission");
    return refuse_with (refusal, REFUSAL_LIMIT,
                        "no holds are granted yet: the store was lost, and what it had promised is "
                        "being booked again");
}

void participant_told_committed (participant_t *self, const moment_t *now, const txid_t *txid)
{
    command_t *command = ordered_find (self->commands, txid); /* one that is shelved has ended */
    if (command && (command->state == COMMAND_PREPARED || command->state == COMMAND_EDGE))
        command_decide_commit (command, now, EVENT_RESOLVED);
}

/*  The resource is told that the edge has passed, so that only free capacity counts (T9). */
static void *participant_readmit_take (participant_t *self, const moment_t *now, const plan_t *made,
                                       const part_body_t *part, const void *current,
                                       char why [WHY_BYTES])
{
    const resource_t *resource = &self->resource;
    refusal_t refusal = {0};
    plan_t plan;
    void *taken = NULL;
    codec_copy (&plan_codec, &plan, made);
    plan.edge_ms = 1;
    why [0] = '\0';
    if (resource->valid (resource->owner, &plan, part, &refusal, why))
        taken = resource->take (resource->owner, now, &plan, current, part, false, &refusal);
    if (!taken && refusal.reason != REFUSAL_NONE)
        snprintf (why, WHY_BYTES, "%.90s: %.60s", refusal.resource, refusal.text);
    codec_clear (&plan_codec, &plan);
    codec_clear (&refusal_codec, &refusal);
    return taken;
}

static void participant_readmit_tell_row (participant_t *self, const reservation_t *reservation)
{
    packed_t record = reservation_record_encode (reservation);
    ledger_append (ledger_of (self->service),
                   &(ledger_entry_t){.kind = LEDGER_READMITTED,
                                     .caller = "",
                                     .reservation = reservation->id,
                                     .new_version = reservation->version,
                                     .readmitted = {.data = record.data, .size = record.size}});
    free (record.data);
}

static void participant_readmit_book (participant_t *self, reservation_t *reservation,
                                      const readmitted_t *readmitted, span_t span, void *taken)
{
    const resource_t *resource = &self->resource;
    const plan_t *plan = readmitted->plan;
    reservation->current = resource->settle (resource->owner, reservation->current, taken);
    reservation->version = readmitted->version;
    reservation->made_by = plan->txid;
    reservation->released = readmitted->over;
    reservation->failed = false;
    free (reservation->plan.data);
    reservation->plan = packed_copy (readmitted->packed_plan);
    if (reservation->keep_ms < plan->end_ms)
        reservation->keep_ms = plan->end_ms;
    reservation_part (reservation, resource->part_kind, readmitted->part, span);
    reservation_put (self, reservation);
    participant_readmit_tell_row (self, reservation);
}

/*  Aborts the pending change: it began from a version that is out of date, and did not make this
 *  one. */
static reservation_t *without_pending (participant_t *self, const moment_t *now, const char *id)
{
    reservation_t *reservation = reservation_find (self, id);
    command_t *pending = reservation ? reservation->pending : NULL;
    if (pending)
        command_move (pending, now, COMMAND_ABORTED,
                      pending->state == COMMAND_HELD ? EVENT_ABORT : EVENT_RESOLVED);
    return reservation_find (self, id); /* it may have ended with it */
}

/*  Replaces what is known here. */
static readmit_t participant_readmit_readmit (participant_t *self, const moment_t *now,
                                              const readmitted_t *readmitted,
                                              const part_body_t *part, char why [WHY_BYTES])
{
    const plan_t *plan = readmitted->plan;
    bool empty = readmitted->part.size == 0;
    span_t span = self->resource.span (self->resource.owner, part);
    if (span.set && timekeeper_least (&self->service->timekeeper, now) >= span.until_ms)
        return READMIT_KNOWN;
    reservation_t *reservation = without_pending (self, now, plan->reservation);
    if (!reservation && empty)
        return READMIT_KNOWN;
    void *taken = participant_readmit_take (self, now, plan, part,
                                            reservation ? reservation->current : NULL, why);
    if (!taken)
        return READMIT_REFUSED;
    if (!reservation)
        reservation = reservation_new (self, plan->reservation, plan->owner);
    participant_readmit_book (self, reservation, readmitted, span, taken);
    const usage_t *usage = &self->resource.usage;
    if (usage->changed)
        usage->changed (usage->owner, now, reservation->id);
    return empty ? READMIT_GIVEN_BACK : READMIT_BOOKED;
}

readmit_t participant_readmit (participant_t *self, const moment_t *now,
                               const readmitted_t *readmitted, char why [WHY_BYTES])
{
    const plan_t *plan = readmitted->plan;
    bool empty = readmitted->part.size == 0;
    assert (!self->resource.claims && readmitted->version > 0);
    assert (!readmitted->over || empty);
    const reservation_t *reservation = reservation_find (self, plan->reservation);
    if (reservation ? reservation->version >= readmitted->version : empty)
        return READMIT_KNOWN;
    part_body_t part;
    if (!part_decode (&part, self->resource.part_kind, readmitted->part, why))
        return READMIT_REFUSED;
    readmit_t end = participant_readmit_readmit (self, now, readmitted, &part, why);
    part_clear (&part);
    return end;
}
