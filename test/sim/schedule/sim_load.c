/*  sim_load - sums. */
#include "sim_load.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t resource_named (const sim_resource_t *resources, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (resources [i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static void taking_add (sim_load_t *self, sim_taking_t taking)
{
    if (self->takings_count == self->takings_room) {
        self->takings_room = self->takings_room ? 2 * self->takings_room : 64;
        self->takings = must (realloc (self->takings, self->takings_room * sizeof (sim_taking_t)));
    }
    self->takings [self->takings_count++] = taking;
}

const sim_command_t *sim_current (const sim_command_t *commands, size_t count,
                                  const char *reservation)
{
    const sim_command_t *current = NULL;
    for (size_t i = 0; i < count; i++) {
        const sim_command_t *command = &commands [i];
        bool counts = command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
        if (counts && strcmp (command->reservation, reservation) == 0 &&
            (!current || command->base_version >= current->base_version))
            current = command;
    }
    return current && current->state == COMMAND_COMMITTED ? current : NULL;
}

static void families (sim_load_t *self)
{
    for (size_t i = 0; i < self->commands_count; i++) {
        command_state_t state = self->commands [i].state;
        size_t first = 0;
        while (strcmp (self->commands [first].reservation, self->commands [i].reservation) != 0)
            first++;
        self->first [i] = first;
        self->holds [i] = state == COMMAND_HELD || state == COMMAND_PREPARED;
    }
    for (size_t i = 0; i < self->commands_count; i++) {
        const sim_command_t *current = NULL;
        if (self->first [i] == i)
            current =
              sim_current (self->commands, self->commands_count, self->commands [i].reservation);
        if (current)
            self->holds [current - self->commands] = true;
    }
}

/*  How many nodes of a booking stay with its need when that goes on as this booking ends: between
 *  the two no node is cleaned. */
static int64_t nodes_kept (const sim_command_t *command, const compute_booking_t *booking)
{
    for (size_t i = 0; i < command->bookings_count; i++) {
        const compute_booking_t *next = &command->bookings [i];
        if (next->from_ms == booking->until_ms && strcmp (next->need, booking->need) == 0 &&
            strcmp (next->class_name, booking->class_name) == 0)
            return next->nodes < booking->nodes ? next->nodes : booking->nodes;
    }
    return 0;
}

static void take_booking (sim_load_t *self, size_t c, const compute_booking_t *booking,
                          size_t resource, int64_t gap_ms)
{
    int64_t kept = nodes_kept (&self->commands [c], booking);
    sim_taking_t taking = {.command = c,
                           .resource = resource,
                           .from_ms = booking->from_ms,
                           .until_ms = booking->until_ms,
                           .quantity = kept};
    if (kept > 0)
        taking_add (self, taking);
    taking.until_ms += gap_ms;
    taking.quantity = booking->nodes - kept;
    if (taking.quantity > 0)
        taking_add (self, taking);
}

bool sim_load_build (sim_load_t *self, const sim_command_t *commands, size_t commands_count,
                     const sim_resource_t *resources, size_t resources_count, int64_t gap_ms,
                     const char **unknown)
{
    assert (commands || commands_count == 0);
    *self = (sim_load_t){.commands = commands,
                         .commands_count = commands_count,
                         .first = must (malloc ((commands_count + 1) * sizeof (size_t))),
                         .holds = must (malloc ((commands_count + 1) * sizeof (bool))),
                         .scratch = must (malloc ((2 * commands_count + 1) * sizeof (int64_t)))};
    families (self);
    *unknown = NULL;
    for (size_t c = 0; c < commands_count; c++) {
        const sim_command_t *command = &commands [c];
        if (!self->holds [c] && command->state != COMMAND_COMMITTED)
            continue;
        for (size_t b = 0; b < command->bookings_count; b++) {
            const compute_booking_t *booking = &command->bookings [b];
            size_t at = resource_named (resources, resources_count, booking->class_name);
            if (at == SIZE_MAX)
                *unknown = booking->class_name;
            else
                take_booking (self, c, booking, at, gap_ms);
        }
        for (size_t k = 0; k < command->circuits_count; k++)
            for (size_t l = 0; l < command->circuits [k].links_count; l++) {
                const sim_circuit_t *circuit = &command->circuits [k];
                size_t at = resource_named (resources, resources_count, circuit->links [l]);
                if (at == SIZE_MAX)
                    *unknown = circuit->links [l];
                else
                    taking_add (self, (sim_taking_t){.command = c,
                                                     .resource = at,
                                                     .from_ms = circuit->from_ms,
                                                     .until_ms = circuit->until_ms,
                                                     .quantity = circuit->mbps});
            }
    }
    return !*unknown;
}

void sim_load_clear (sim_load_t *self)
{
    free (self->first);
    free (self->holds);
    free (self->scratch);
    free (self->takings);
    *self = (sim_load_t){0};
}

static bool takes (const sim_taking_t *taking, size_t resource, int64_t at_ms)
{
    return taking->resource == resource && taking->from_ms <= at_ms && at_ms < taking->until_ms;
}

int64_t sim_load_command (const sim_load_t *self, size_t command, size_t resource, int64_t at_ms)
{
    int64_t sum = 0;
    for (size_t t = 0; t < self->takings_count; t++)
        if (self->takings [t].command == command && takes (&self->takings [t], resource, at_ms))
            sum += self->takings [t].quantity;
    return sum;
}

int64_t sim_load_at (const sim_load_t *self, size_t resource, int64_t at_ms)
{
    int64_t *sums = self->scratch;
    int64_t *most = self->scratch + self->commands_count;
    memset (self->scratch, 0, 2 * self->commands_count * sizeof (int64_t));
    for (size_t t = 0; t < self->takings_count; t++)
        if (takes (&self->takings [t], resource, at_ms))
            sums [self->takings [t].command] += self->takings [t].quantity;
    for (size_t c = 0; c < self->commands_count; c++)
        if (self->holds [c] && sums [c] > most [self->first [c]])
            most [self->first [c]] = sums [c];
    int64_t sum = 0;
    for (size_t c = 0; c < self->commands_count; c++)
        sum += most [c];
    return sum;
}

size_t sim_load_before (const sim_load_t *self, size_t command)
{
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < self->commands_count; i++) {
        const sim_command_t *other = &self->commands [i];
        if (self->first [i] == self->first [command] && other->state == COMMAND_COMMITTED &&
            other->base_version < self->commands [command].base_version &&
            (before == SIZE_MAX || other->base_version > self->commands [before].base_version))
            before = i;
    }
    return before;
}

int64_t sim_load_kept_at (const sim_load_t *self, size_t resource, int64_t at_ms)
{
    int64_t sum = 0;
    for (size_t c = 0; c < self->commands_count; c++) {
        if (self->commands [c].state != COMMAND_EDGE_REFUSED)
            continue;
        size_t before = sim_load_before (self, c);
        if (before != SIZE_MAX && !self->holds [before])
            sum += sim_load_command (self, before, resource, at_ms);
    }
    return sum;
}
