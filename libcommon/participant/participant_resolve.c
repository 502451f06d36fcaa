/*  participant_resolve - questions about a txid from others than its coordinator: Resolve asks how
 *  it stands here (T7), Fence asks to settle it in the coordinator's place (T8).
 *
 *  Both first make sure that a command that has not voted never will. A fence also makes a command
 *  that has voted refuse every decision of a lower epoch. So a planner that has fenced everybody,
 *  and has found nobody committed, knows that nobody ever will be.
 */
#include "participant_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool participant_is_planner (const char *name)
{
    return strncmp (name, "planner/", strlen ("planner/")) == 0;
}

bool participant_is_home (const char *name)
{
    return strncmp (name, "gis/", strlen ("gis/")) == 0;
}

/*  Of a plan that is known here, only planners and the plan's own participants may ask. */
static bool may_resolve (const request_t *request, const command_t *command)
{
    if (!command || command->plan.size == 0 || participant_is_planner (request->actor))
        return true;
    plan_t plan = command_plan (command);
    bool among = parties_find (plan.participants, plan.participants_count, request->actor);
    codec_clear (&plan_codec, &plan);
    return among;
}

static int64_t tombstone_until (const moment_t *now, int64_t decide_by_ms)
{
    if (decide_by_ms < now->wall_ms)
        return now->wall_ms;
    int64_t most_ms = now->wall_ms + TOMBSTONE_AHEAD_MS_MAX;
    return decide_by_ms < most_ms ? decide_by_ms : most_ms;
}

static void answer_asked (const command_t *command, const moment_t *now, const request_t *request)
{
    command_answer_t answer = command_answer (command, now);
    if (answer.state == COMMAND_EXPIRED)
        answer.state = COMMAND_ABORTED; /* it never voted and never will */
    participant_answer (command->participant, request, &answer);
}

void participant_on_resolve (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const resolve_request_t *asked = body;
    command_t *command;
    if (!participant_begin (self, now, request, VERB_RESOLVE, &asked->txid, &command))
        return;
    if (!may_resolve (request, command)) {
        participant_answer_may_not (self, request, &asked->txid);
        return;
    }
    if (!command)
        command =
          participant_tombstone_asked (self, now, request, &asked->txid,
                                       tombstone_until (now, asked->decide_by_ms), EVENT_RESOLVE);
    else if (command->state == COMMAND_HELD)
        command_move (command, now, COMMAND_ABORTED, EVENT_RESOLVE);
    if (command)
        answer_asked (command, now, request);
}

/*  --- fence (T8) --- */

static void answer_fenced (const command_t *command, const moment_t *now, const request_t *request)
{
    command_answer_t answer = command_answer (command, now);
    refuse_with (&answer.refusal, REFUSAL_FENCED,
                 "the transaction is fenced with epoch %" PRIu32
                 " by %s: no lower epoch may decide it",
                 command->epoch, command->fenced_by);
    participant_answer (command->participant, request, &answer);
}

static bool fenced_by (const command_t *command, uint32_t epoch, const char *caller)
{
    return command->epoch == epoch && strcmp (command->fenced_by, caller) == 0;
}

bool participant_epoch_valid (participant_t *self, const moment_t *now, const request_t *request,
                              const txid_t *txid, const command_t *command, uint32_t epoch)
{
    if (!command || command_finished (command))
        return true; /* nothing moves any more: it is answered how it ended */
    bool his =
      epoch == 0 || (participant_is_planner (request->actor) &&
                     (epoch < command->epoch || fenced_by (command, epoch, request->actor)));
    if (!his)
        participant_answer_may_not (self, request, txid);
    else if (epoch < command->epoch)
        answer_fenced (command, now, request);
    return his && epoch == command->epoch;
}

/*  Put in the same write as the answer: from then on no lower epoch decides, and a command that has
 *  not voted never will. */
static void fence (command_t *command, const moment_t *now, uint32_t epoch, const char *by)
{
    char text [TXID_TEXT_BYTES];
    command->epoch = epoch;
    snprintf (command->fenced_by, sizeof command->fenced_by, "%s", by);
    outbox_log (command->participant->service->outbox, LEVEL_WARNING,
                "hold %s fenced state=%s epoch=%" PRIu32 " by=%s", txid_text (&command->txid, text),
                command_state_word (command->state), epoch, by);
    service_count (command->participant->service, "fences", 1);
    if (command->state == COMMAND_HELD)
        command_move (command, now, COMMAND_ABORTED, EVENT_FENCE);
    else
        command_put (command, &(change_t){.from = command->state,
                                          .event = command_states.events [EVENT_FENCE]});
}

static void fence_step (participant_t *self, const moment_t *now, const request_t *request,
                        const fence_request_t *asked, command_t *command)
{
    bool tombstoned = !command;
    uint32_t epoch = asked->epoch;
    if (tombstoned)
        command =
          participant_tombstone_asked (self, now, request, &asked->txid,
                                       tombstone_until (now, asked->decide_by_ms), EVENT_FENCE);
    if (!command)
        return;
    bool open = tombstoned || !command_finished (command);
    if (open && epoch <= command->epoch && !fenced_by (command, epoch, request->actor)) {
        answer_fenced (command, now, request);
        return;
    }
    if (open && epoch > command->epoch)
        fence (command, now, epoch, request->actor);
    answer_asked (command, now, request);
}

void participant_on_fence (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const fence_request_t *asked = body;
    command_t *command;
    if (participant_begin (self, now, request, VERB_FENCE, &asked->txid, &command))
        fence_step (self, now, request, asked, command);
}

/*  --- outcome --- */

static outcome_t participant_resolve_outcome_of (const command_t *command)
{
    if (!command)
        return OUTCOME_LOST;
    switch (command->state) {
    case COMMAND_HELD:
    case COMMAND_PREPARED:
        return OUTCOME_PENDING;
    case COMMAND_COMMITTED:
        return OUTCOME_COMMITTED;
    case COMMAND_ABORTED:
    case COMMAND_EXPIRED:
        return OUTCOME_ABORTED;
    default:
        return OUTCOME_LOST; /* T7: edge is no information */
    }
}

void participant_on_outcome (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const decision_request_t *asked = body;
    (void) now;
    if (!reads_ready (self, request, &asked->txid, 1))
        return;
    const command_t *command = command_find (self, &asked->txid); /* only reads: not even its age */
    if (!participant_may (self, VERB_OUTCOME, request, &asked->txid, command)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "%.63s may not ask for the outcome of this transaction", request->actor);
        return;
    }
    service_reply (
      self->service, request,
      codec_encode (&outcome_answer_codec,
                    &(outcome_answer_t){asked->txid, participant_resolve_outcome_of (command),
                                        command && command->done}));
}
