/*  participant_local - commands that this store itself coordinates: decided in the step that votes.
 *
 *  Vote and decision are in one write, so a crash leaves the command held or committed, and nobody
 *  is ever in doubt. participant_hold.c takes their holds, as it takes all others.
 */
#include "participant_state.h"

#include <stdio.h>

static command_t *own_command (participant_t *self, const moment_t *now, const txid_t *txid)
{
    command_t *command = command_find (self, txid);
    if (command)
        command_age (command, now);
    return command;
}

void participant_local_commit (participant_t *self, const moment_t *now, const txid_t *txid,
                               command_answer_t *answer)
{
    command_t *command = own_command (self, now, txid);
    if (command && command->state == COMMAND_COMMITTED) {
        *answer = command_answer (command, now);
        return;
    }
    if (!command || command->state != COMMAND_HELD) {
        *answer = participant_ended (now, txid, command);
        return;
    }
    bool late = command_edge_near (command, now);
    if (late && command->operation != OPERATION_RELEASE) { /* R11 */
        *answer = command_answer (command, now);
        answer->refusal.until_ms = command->edge_ms;
        refuse_with (&answer->refusal, REFUSAL_LATE, "too late to commit: its window has begun");
        return;
    }
    command_move (command, now, COMMAND_PREPARED, EVENT_PREPARE);
    command->done = true; /* there is nobody else to acknowledge it (T6) */
    command_move (command, now, COMMAND_COMMITTED, EVENT_COMMIT);
    *answer = command_answer (command, now);
}

void participant_local_abort (participant_t *self, const moment_t *now, const txid_t *txid,
                              command_answer_t *answer)
{
    command_t *command = own_command (self, now, txid);
    if (command && command->state == COMMAND_HELD)
        command_move (command, now, COMMAND_ABORTED, EVENT_ABORT);
    bool over = command && (command->state == COMMAND_ABORTED || command->state == COMMAND_EXPIRED);
    *answer = over ? command_answer (command, now) : participant_ended (now, txid, command);
}

command_answer_t participant_local_state (participant_t *self, const moment_t *now,
                                          const txid_t *txid, char *actor, int64_t *expires_ms)
{
    const command_t *command = own_command (self, now, txid);
    command_answer_t answer = {.txid = *txid, .state = COMMAND_UNKNOWN};
    *actor = '\0';
    *expires_ms = 0;
    if (!command)
        return answer;
    if (command->actor)
        snprintf (actor, NAME_BYTES_MAX + 1, "%s", command->actor->name);
    if (command->state == COMMAND_HELD)
        *expires_ms = command->expires_ms;
    return command_answer (command, now);
}

bool participant_made_by (participant_t *self, const char *reservation, plan_t *plan)
{
    const reservation_t *found = reservation_find (self, reservation);
    if (!found || found->version == 0)
        return false;
    const command_t *command = command_find (self, &found->made_by);
    packed_t packed = command && command->plan.size > 0 ? command->plan : found->plan;
    char why [WHY_BYTES];
    return packed.size > 0 && codec_decode (&plan_codec, plan, packed_bytes (packed), why);
}

bool participant_pending (const participant_t *self, const char *reservation, txid_t *txid,
                          bytes_t *part)
{
    const reservation_t *found = reservation_find (self, reservation);
    if (!found || !found->pending)
        return false;
    *txid = found->pending->txid;
    *part = packed_bytes (found->pending->part);
    return true;
}
