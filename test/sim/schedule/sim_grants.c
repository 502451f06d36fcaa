/*  sim_grants - sums against what there is. */
#include "sim_grants.h"

#include "must.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool took_before (const sim_participant_t *self, const txid_t *txid)
{
    for (size_t i = 0; i < self->taken_count; i++)
        if (txid_compare (&self->taken [i], txid) == 0)
            return true;
    return false;
}

/*  Has something been granted since the last flush that goes beyond the capacity in force? */
static void check_granted (sim_check_t *self, const sim_participant_t *participant,
                           const sim_load_t *load, size_t resource, int64_t at_ms)
{
    for (size_t c = 0; c < load->commands_count; c++) {
        const sim_command_t *command = &load->commands [c];
        char words [TXID_TEXT_BYTES];
        if (!load->holds [c] || took_before (participant, &command->txid))
            continue;
        size_t before = sim_load_before (load, c);
        int64_t old = before == SIZE_MAX ? 0 : sim_load_command (load, before, resource, at_ms);
        if (sim_load_command (load, c, resource, at_ms) > old)
            sim_fail (self->sim, "%s/%s: %s is granted at %" PRId64 " beyond what is left",
                      sim_check_name (self, participant), participant->resources [resource].name,
                      txid_text (&command->txid, words), at_ms);
    }
}

static void note_taken (sim_participant_t *self, const sim_load_t *load)
{
    self->taken = must (realloc (self->taken, (load->commands_count + 1) * sizeof (txid_t)));
    self->taken_count = 0;
    for (size_t c = 0; c < load->commands_count; c++)
        if (load->holds [c])
            self->taken [self->taken_count++] = load->commands [c].txid;
}

void sim_grants_flushed (sim_check_t *self, sim_participant_t *participant)
{
    sim_load_t load;
    const char *unknown;
    if (!sim_load_build (&load, participant->commands, participant->commands_count,
                         participant->resources, participant->resources_count, participant->gap_ms,
                         &unknown))
        sim_fail (self->sim, "%s has granted %s, which it does not have",
                  sim_check_name (self, participant), unknown);
    for (size_t t = 0; t < load.takings_count; t++) {
        const sim_taking_t *taking = &load.takings [t];
        const sim_resource_t *resource = &participant->resources [taking->resource];
        int64_t taken = sim_load_at (&load, taking->resource, taking->from_ms);
        if (taken > resource->quantity)
            sim_fail (self->sim, "%s/%s is overbooked at %" PRId64 ": %" PRId64 " of %" PRId64,
                      sim_check_name (self, participant), resource->name, taking->from_ms, taken,
                      resource->quantity);
        if (taken > resource->in_force)
            check_granted (self, participant, &load, taking->resource, taking->from_ms);
    }
    note_taken (participant, &load);
    sim_load_clear (&load);
}

/*  The first instant at which a command needs more of some resource than its reservation has;
 *  INT64_MAX when there is none. */
static int64_t first_lack (const sim_participant_t *participant, const sim_command_t *asked,
                           const sim_command_t *old)
{
    sim_command_t pair [2] = {*asked};
    pair [0].state = COMMAND_PREPARED;
    if (old)
        pair [1] = *old;
    sim_load_t load;
    const char *unknown;
    (void) sim_load_build (&load, pair, old ? 2 : 1, participant->resources,
                           participant->resources_count, participant->gap_ms, &unknown);
    int64_t first_ms = INT64_MAX;
    for (size_t t = 0; t < load.takings_count; t++) {
        const sim_taking_t *taking = &load.takings [t]; /* of the new version, or the old */
        int64_t at_ms = taking->command == 0 ? taking->from_ms : taking->until_ms;
        int64_t had = old ? sim_load_command (&load, 1, taking->resource, at_ms) : 0;
        if (at_ms < first_ms && sim_load_command (&load, 0, taking->resource, at_ms) > had)
            first_ms = at_ms;
    }
    sim_load_clear (&load);
    return first_ms;
}

/*  What a reservation still has when its last change was refused at its edge (T10). */
static const sim_command_t *kept (const sim_participant_t *participant, const char *reservation)
{
    const sim_command_t *last = NULL;
    for (size_t i = 0; i < participant->commands_count; i++) {
        const sim_command_t *command = &participant->commands [i];
        if (command->state == COMMAND_COMMITTED &&
            strcmp (command->reservation, reservation) == 0 &&
            (!last || command->base_version > last->base_version))
            last = command;
    }
    return last;
}

void sim_grants_asked (sim_check_t *self, const sim_participant_t *participant,
                       const sim_asked_t *asked)
{
    const sim_command_t *old =
      sim_current (participant->commands, participant->commands_count, asked->command.reservation);
    char words [TXID_TEXT_BYTES];
    if (old && old->base_version + 1 != asked->command.base_version)
        return; /* it will be refused, so its edge does not matter */
    if (!old)
        old = kept (participant, asked->command.reservation);
    int64_t first_ms = first_lack (participant, &asked->command, old);
    if (first_ms != INT64_MAX && asked->edge_ms > first_ms - participant->lead_ms)
        sim_fail (self->sim,
                  "%s: its edge is %" PRId64 ", %s needs %" PRId64 " less %" PRId64 " ms",
                  txid_text (&asked->command.txid, words), asked->edge_ms,
                  sim_check_name (self, participant), first_ms, participant->lead_ms);
}
