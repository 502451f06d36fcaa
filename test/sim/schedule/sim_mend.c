/*  sim_mend - finds the command that took another one's place. */
#include "sim_mend.h"

#include <string.h>

static bool same (const char *a, const char *b)
{
    return strcmp (a, b) == 0;
}

static bool complete (sim_check_t *self, const sim_command_t *command)
{
    for (size_t p = 0; p < command->parties_count; p++) {
        const sim_participant_t *party = sim_check_named (self, command->parties [p]);
        const sim_command_t *there = party ? sim_check_command (party, &command->txid) : NULL;
        if (!there || there->state != COMMAND_COMMITTED)
            return false;
    }
    return true;
}

/*  The first command in its line, since a repair may need a repair itself. */
static txid_t mended (const sim_command_t *command)
{
    return command->repairs.start > 0 ? command->repairs : command->txid;
}

/*  The latest complete command after this one; only its repairs, or any command. */
static const sim_command_t *later (sim_check_t *self, const sim_command_t *command, bool repair)
{
    const sim_command_t *found = NULL;
    txid_t first = mended (command);
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count && !participant->home; c++) {
            const sim_command_t *other = &participant->commands [c];
            if (other->state != COMMAND_COMMITTED ||
                !same (other->reservation, command->reservation) ||
                other->base_version <= command->base_version ||
                (repair && txid_compare (&other->repairs, &first) != 0) ||
                (found && found->base_version >= other->base_version) || !complete (self, other))
                continue;
            found = other;
        }
    }
    return found;
}

const sim_command_t *sim_mend_of (sim_check_t *self, const sim_command_t *command)
{
    const sim_command_t *found = later (self, command, true);
    return found && found->operation != OPERATION_RELEASE ? found : NULL;
}

bool sim_mend_refused (sim_check_t *self, const sim_command_t *command)
{
    for (size_t p = 0; p < command->parties_count; p++) {
        const sim_participant_t *party = sim_check_named (self, command->parties [p]);
        const sim_command_t *there = party ? sim_check_command (party, &command->txid) : NULL;
        if (there && there->state == COMMAND_EDGE_REFUSED)
            return true;
    }
    return false;
}

bool sim_mend_overtaken (sim_check_t *self, const sim_command_t *command)
{
    return sim_mend_refused (self, command) && later (self, command, false);
}

static bool same_bookings (const sim_command_t *a, const sim_command_t *b)
{
    size_t count = a ? a->bookings_count : 0, others = b ? b->bookings_count : 0;
    if (count != others)
        return false;
    for (size_t i = 0; i < count; i++) {
        const compute_booking_t *first = &a->bookings [i], *second = &b->bookings [i];
        if (!same (first->need, second->need) || !same (first->class_name, second->class_name) ||
            first->nodes != second->nodes || first->from_ms != second->from_ms ||
            first->until_ms != second->until_ms)
            return false;
    }
    return true;
}

static bool same_circuits (const sim_command_t *a, const sim_command_t *b)
{
    size_t count = a ? a->circuits_count : 0, others = b ? b->circuits_count : 0;
    if (count != others)
        return false;
    for (size_t i = 0; i < count; i++) {
        const sim_circuit_t *first = &a->circuits [i], *second = &b->circuits [i];
        if (!same (first->need, second->need) || first->mbps != second->mbps ||
            first->from_ms != second->from_ms || first->until_ms != second->until_ms ||
            first->links_count != second->links_count)
            return false;
        for (size_t l = 0; l < first->links_count; l++)
            if (!same (first->links [l], second->links [l]))
                return false;
    }
    return true;
}

/*  The command that made a version here; NULL when this participant had nothing of that version. */
static const sim_command_t *made (const sim_participant_t *participant, const char *reservation,
                                  uint32_t version)
{
    for (size_t c = 0; c < participant->commands_count; c++) {
        const sim_command_t *command = &participant->commands [c];
        if (command->state == COMMAND_COMMITTED && same (command->reservation, reservation) &&
            command->base_version + 1 == version)
            return command;
    }
    return NULL;
}

bool sim_mend_went_back (sim_check_t *self, const sim_command_t *command)
{
    const sim_command_t *mend = sim_mend_of (self, command);
    if (!mend || command->operation != OPERATION_MODIFY)
        return false;
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        if (participant->home)
            continue;
        const sim_command_t *before =
          made (participant, command->reservation, command->base_version);
        const sim_command_t *after = sim_check_command (participant, &mend->txid);
        if (!same_bookings (before, after) || !same_circuits (before, after))
            return false;
    }
    return true;
}
