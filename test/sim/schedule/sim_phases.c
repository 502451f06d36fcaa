/*  sim_phases - bookings and circuits put together. */
#include "sim_phases.h"

#include <string.h>

static void insert (sim_phases_t *self, sim_phase_t phase)
{
    if (self->count == SIM_PHASES_MAX) {
        self->broken = true;
        return;
    }
    size_t at = self->count++;
    for (; at > 0 && self->list [at - 1].from_ms > phase.from_ms; at--)
        self->list [at] = self->list [at - 1];
    self->list [at] = phase;
}

static void look_for_gaps (sim_phases_t *self)
{
    for (size_t i = 1; i < self->count; i++)
        if (self->list [i].from_ms != self->list [i - 1].until_ms)
            self->broken = true;
}

/*  What was refused at its edge is booked by nobody (T10). */
static const sim_command_t *kept (const sim_participant_t *participant, const txid_t *txid)
{
    const sim_command_t *command = sim_check_command (participant, txid);
    return command && command->state == COMMAND_EDGE_REFUSED ? NULL : command;
}

void sim_phases_compute (sim_check_t *check, const txid_t *txid, const char *need,
                         sim_phases_t *phases)
{
    int64_t last_ms = INT64_MIN;
    *phases = (sim_phases_t){0};
    for (size_t i = 0; i < check->participants_count; i++) {
        const sim_participant_t *site = sim_check_records (check, i);
        const sim_command_t *command = kept (site, txid);
        for (size_t b = 0; command && b < command->bookings_count; b++) {
            const compute_booking_t *booking = &command->bookings [b];
            if (strcmp (booking->need, need) != 0)
                continue;
            phases->broken = phases->broken || (phases->site && phases->site != site);
            phases->site = site;
            phases->held_ms = command->held_ms;
            insert (phases, (sim_phase_t){booking->from_ms, booking->until_ms, booking->cpus});
            if (booking->from_ms > last_ms)
                phases->nodes = booking->nodes;
            last_ms = booking->from_ms > last_ms ? booking->from_ms : last_ms;
        }
    }
    look_for_gaps (phases);
}

/*  Every circuit of a phase has the same time and bandwidth, so one of each is enough. */
static bool has_phase (sim_phases_t *self, const sim_circuit_t *circuit)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->list [i].from_ms != circuit->from_ms)
            continue;
        if (self->list [i].until_ms != circuit->until_ms || self->list [i].amount != circuit->mbps)
            self->broken = true;
        return true;
    }
    return false;
}

void sim_phases_network (sim_check_t *check, const txid_t *txid, const char *need,
                         sim_phases_t *phases)
{
    *phases = (sim_phases_t){.held_ms = INT64_MAX};
    for (size_t i = 0; i < check->participants_count; i++) {
        const sim_participant_t *domain = sim_check_records (check, i);
        const sim_command_t *command = kept (domain, txid);
        for (size_t c = 0; command && c < command->circuits_count; c++) {
            const sim_circuit_t *circuit = &command->circuits [c];
            if (strcmp (circuit->need, need) != 0)
                continue;
            if (command->held_ms < phases->held_ms)
                phases->held_ms = command->held_ms;
            if (!has_phase (phases, circuit))
                insert (phases, (sim_phase_t){circuit->from_ms, circuit->until_ms, circuit->mbps});
        }
    }
    look_for_gaps (phases);
}

/*  A phase that begins at that time; NULL when there is none. */
static const sim_phase_t *begun_at (const sim_phases_t *self, int64_t from_ms)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].from_ms == from_ms)
            return &self->list [i];
    return NULL;
}

static bool has_need (const sim_command_t *command, const char *need)
{
    for (size_t b = 0; b < command->bookings_count; b++)
        if (strcmp (command->bookings [b].need, need) == 0)
            return true;
    for (size_t c = 0; c < command->circuits_count; c++)
        if (strcmp (command->circuits [c].need, need) == 0)
            return true;
    return false;
}

int64_t sim_phases_left_ms (sim_check_t *check, const txid_t *base, const txid_t *change,
                            const char *need)
{
    int64_t left_ms = INT64_MAX;
    for (size_t i = 0; i < check->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (check, i);
        const sim_command_t *had = kept (participant, base);
        const sim_command_t *command = sim_check_command (participant, change);
        if (had && has_need (had, need) && command && command->held_ms < left_ms)
            left_ms = command->held_ms;
    }
    return left_ms == INT64_MAX ? INT64_MIN : left_ms;
}

bool sim_phases_follow (const sim_phases_t *self, const sim_phases_t *before, int64_t left_ms)
{
    const sim_phase_t *last = &self->list [self->count - 1];
    for (size_t i = 0; i + 1 < self->count; i++) {
        const sim_phase_t *was = begun_at (before, self->list [i].from_ms);
        if (!was || was->amount != self->list [i].amount)
            return false;
    }
    for (size_t i = 0; i < before->count; i++) {
        const sim_phase_t *was = &before->list [i];
        bool passed = was->from_ms < left_ms && was->from_ms < last->until_ms;
        const sim_phase_t *is = begun_at (self, was->from_ms);
        if (passed && (!is || (is->amount != was->amount)))
            return false;
    }
    if (self->count < 2 || begun_at (before, last->from_ms))
        return true;
    /* One whose clock is ahead may be told to give up something since a moment that is past for it:
     * that harms nobody. More it grants from then on only. */
    return last->from_ms >= self->held_ms || last->amount <= self->list [self->count - 2].amount;
}
