/*  sim_said - checks that what a settled participant says of itself is what its store says, and
 *  that what no command has is free.
 */
#include "sim_check.h"

#include <inttypes.h>
#include <string.h>

static bool same (const char *a, const char *b)
{
    return strcmp (a, b) == 0;
}

static bool same_circuits (const sim_part_t *part, const sim_command_t *command)
{
    bool alike = part->circuits_count == command->circuits_count;
    for (size_t i = 0; i < part->circuits_count && alike; i++) {
        const sim_circuit_t *a = &part->circuits [i];
        const sim_circuit_t *b = &command->circuits [i];
        alike = same (a->need, b->need) && a->mbps == b->mbps && a->from_ms == b->from_ms &&
                a->until_ms == b->until_ms && a->hop == b->hop && a->links_count == b->links_count;
        for (size_t l = 0; l < a->links_count && alike; l++)
            alike = same (a->links [l], b->links [l]);
    }
    return alike;
}

/*  True when the reservation was absent from this participant in between: then its use was
 *  forgotten. */
static bool has_left (const sim_participant_t *from, const char *reservation)
{
    for (size_t i = 0; i < from->commands_count; i++)
        if (from->commands [i].state == COMMAND_COMMITTED &&
            from->commands [i].circuits_count == 0 &&
            same (from->commands [i].reservation, reservation))
            return true;
    return false;
}

/*  True when the list shows what the last committed command has booked. */
static void check_part (sim_check_t *self, const sim_participant_t *from, const sim_part_t *part)
{
    const sim_command_t *current =
      sim_current (from->commands, from->commands_count, part->reservation);
    if (!current)
        return; /* never committed here, or broken at its edge */
    if (part->pending)
        sim_fail (self->sim, "%s lists %s with a change that is over", sim_check_name (self, from),
                  part->reservation);
    bool same_bookings = part->bookings_count == current->bookings_count;
    for (size_t i = 0; same_bookings && i < part->bookings_count; i++) {
        const compute_booking_t *a = &part->bookings [i];
        const compute_booking_t *b = &current->bookings [i];
        same_bookings = same (a->need, b->need) && same (a->class_name, b->class_name) &&
                        a->nodes == b->nodes && a->from_ms == b->from_ms &&
                        a->until_ms == b->until_ms;
    }
    if (!same_bookings || !same_circuits (part, current) ||
        part->version != current->base_version + 1)
        sim_fail (self->sim, "%s lists %s otherwise than its last commit made it",
                  sim_check_name (self, from), part->reservation);
    if (part->circuits_count == 0 && part->provisioned)
        sim_fail (self->sim, "%s lists %s to be used, of which it has nothing",
                  sim_check_name (self, from), part->reservation);
    for (size_t i = 0; i < self->used_count; i++)
        if (self->used [i].process == from->process &&
            same (self->used [i].reservation, part->reservation) && !part->ended &&
            part->circuits_count > 0 && !part->provisioned && !has_left (from, part->reservation))
            sim_fail (self->sim, "%s has forgotten that %s may be used",
                      sim_check_name (self, from), part->reservation);
}

/*  What no command has must be free: checked at the beginning of every step, and wherever a booking
 *  begins or ends. */
static void check_free_at (sim_check_t *self, const sim_participant_t *from, const sim_load_t *load,
                           size_t resource, const sim_profile_t *profile, int64_t at_ms)
{
    size_t step = profile->steps_count;
    while (step > 0 && profile->steps [step - 1].from_ms > at_ms)
        step--;
    if (step == 0)
        return; /* before the time that was asked for */
    int64_t left = from->resources [resource].in_force - sim_load_at (load, resource, at_ms);
    int64_t free = profile->steps [step - 1].free;
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    int64_t kept = 0; /* a repair leaves parts alone that are over */
    if (at_ms < now_ms + SIM_CLOCKS_OFF_MS)
        kept = sim_load_kept_at (load, resource, at_ms);
    if (free > left || free < left - kept)
        sim_fail (self->sim,
                  "%s/%s: %" PRId64 " are said to be free at %" PRId64 ", nobody has %" PRId64,
                  sim_check_name (self, from), profile->resource, free, at_ms, left);
}

static void check_free (sim_check_t *self, const sim_participant_t *from, const sim_said_t *said)
{
    sim_load_t load;
    const char *unknown;
    (void) sim_load_build (&load, from->commands, from->commands_count, from->resources,
                           from->resources_count, from->gap_ms, &unknown);
    if (said->profiles_count != from->resources_count)
        sim_fail (self->sim, "%s tells of %zu resources, it has %zu", sim_check_name (self, from),
                  said->profiles_count, from->resources_count);
    for (size_t r = 0; r < said->profiles_count && r < from->resources_count; r++) {
        const sim_profile_t *profile = &said->profiles [r];
        if (!same (profile->resource, from->resources [r].name))
            sim_fail (self->sim, "%s tells of %s in the place of %s", sim_check_name (self, from),
                      profile->resource, from->resources [r].name);
        for (size_t i = 0; i < profile->steps_count; i++)
            check_free_at (self, from, &load, r, profile, profile->steps [i].from_ms);
        for (size_t t = 0; t < load.takings_count; t++) {
            if (load.takings [t].resource != r)
                continue;
            check_free_at (self, from, &load, r, profile, load.takings [t].from_ms);
            check_free_at (self, from, &load, r, profile, load.takings [t].until_ms);
        }
    }
    sim_load_clear (&load);
}

void sim_check_said (sim_check_t *self, size_t participant, const sim_said_t *said)
{
    self->participants [participant].stale = true;
    const sim_participant_t *stored = sim_check_records (self, participant);
    if (stored->commands_count != said->commands_count)
        sim_fail (self->sim, "%s says it has %zu commands, its store has %zu",
                  sim_check_name (self, stored), said->commands_count, stored->commands_count);
    for (size_t i = 0; i < said->commands_count && i < stored->commands_count; i++) {
        const sim_command_t *kept = &stored->commands [i];
        const sim_command_t *told = &said->commands [i];
        char words [TXID_TEXT_BYTES];
        if (txid_compare (&kept->txid, &told->txid) != 0 || kept->state != told->state)
            sim_fail (self->sim, "%s says %s is %s, its store says %s",
                      sim_check_name (self, stored), txid_text (&told->txid, words),
                      command_state_word (told->state), command_state_word (kept->state));
    }
    if (stored->home)
        return;
    for (size_t i = 0; i < said->parts_count; i++)
        check_part (self, stored, &said->parts [i]);
    check_free (self, stored, said);
}
