/*  sim_late - keeps which participants have voted, how long each is cut off, and what is taken from
 *  it. */
#include "sim_late.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

#define RING          64
#define CHANCE        25 /* percent of the votes for something new, while any is left */
#define AFTER_EDGE_US INT64_C (150000)
#define AFTER_MOST_US 1500000
#define GREED_US      INT64_C (3000000) /* the thief tries so long after the edge */
#define TAKEN_MS      1500              /* what is taken is held for so long */

/*  The thief wants all that the participant has, and then a little less each time, until it gets
 *  some. */
static bool prey (void *owner, sim_prey_t *prey)
{
    sim_late_t *self = owner;
    for (size_t i = 0; i < self->victims_count; i++) {
        sim_victim_t *victim = &self->victims [i];
        const sim_command_t *command = &victim->asked.command;
        int64_t since_us = sim_now_us (self->sim) - (victim->asked.edge_ms - SIM_EPOCH_MS) * 1000;
        if (!victim->passed || since_us > GREED_US)
            continue;
        victim->attempts++;
        *prey = (sim_prey_t){.process = victim->process};
        if (command->circuits_count > 0) {
            const sim_circuit_t *circuit = &command->circuits [0];
            prey->party.network = true;
            prey->party.unit = (uint32_t) (1000 - 100 * (victim->attempts % 10));
            sim_text (prey->party.resource, sizeof prey->party.resource, circuit->links [0]);
            prey->from_ms = circuit->from_ms;
            prey->until_ms = circuit->until_ms;
        } else {
            const compute_booking_t *booking = &command->bookings [0];
            prey->party.unit = (uint32_t) (16 - victim->attempts % 16);
            sim_text (prey->party.resource, sizeof prey->party.resource, booking->class_name);
            prey->from_ms = booking->from_ms;
            prey->until_ms = booking->until_ms;
        }
        return true;
    }
    return false;
}

void sim_late_begin (sim_late_t *self)
{
    self->holds = must (calloc (RING, sizeof *self->holds));
    self->to = must (calloc (RING, sizeof *self->to));
    self->thief = (sim_thief_t){.sim = self->sim, .prey = prey, .owner = self, .ttl_ms = TAKEN_MS};
}

void sim_late_end (sim_late_t *self)
{
    free (self->holds);
    free (self->to);
    *self = (sim_late_t){0};
}

static bool votes (const sim_message_t *message, txid_t *txid)
{
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    return message->kind == MESSAGE_ANSWER && message->status == CALL_OK &&
           strcmp (message->service, "Participant") == 0 && strcmp (message->method, "Hold") == 0 &&
           sim_wire_command_answer (sim_message_body (message), txid, &state, &ttl_ms, &refused) &&
           state == COMMAND_PREPARED && refused == REFUSAL_NONE;
}

/*  Cuts it off from all participants that know the outcome. */
static void cut (sim_late_t *self, int victim, int coordinator, int64_t edge_ms)
{
    int64_t from_us = sim_now_us (self->sim) + 1;
    int64_t until_us = (edge_ms - SIM_EPOCH_MS) * 1000 + AFTER_EDGE_US +
                       (int64_t) prng_below (&self->prng, AFTER_MOST_US);
    if (until_us <= from_us)
        return;
    sim_net_t *net = sim_net (self->sim);
    sim_net_cut (net, victim, coordinator, false, from_us, until_us);
    for (size_t i = 0; i < self->check->participants_count; i++)
        if (self->check->participants [i].process != victim)
            sim_net_cut (net, victim, self->check->participants [i].process, false, from_us,
                         until_us);
    sim_trace (self->sim, victim, "hears no decision until its edge has passed");
}

static bool is_home (const sim_late_t *self, int process)
{
    for (size_t i = 0; i < self->check->participants_count; i++)
        if (self->check->participants [i].process == process)
            return self->check->participants [i].home;
    return true;
}

void sim_late_left (sim_late_t *self, const sim_message_t *message)
{
    txid_t txid;
    if (!self->on)
        return;
    if (message->kind == MESSAGE_REQUEST && strcmp (message->method, "Hold") == 0 &&
        message->to != SIM_NOBODY && !is_home (self, message->to)) {
        size_t at = self->holds_count++ % RING;
        self->to [at] = message->to;
        if (!sim_wire_hold_read (message, &self->holds [at]))
            self->to [at] = SIM_NOBODY;
        return;
    }
    if (self->left == 0 || self->victims_count == SIM_LATE_MOST || !votes (message, &txid))
        return;
    for (size_t i = 0; i < RING && i < self->holds_count; i++) {
        const sim_asked_t *asked = &self->holds [i];
        const sim_command_t *command = &asked->command;
        bool asks = *command->request_id || command->repairs.start > 0;
        if (self->to [i] != message->from || txid_compare (&command->txid, &txid) != 0 || !asks ||
            command->bookings_count + command->circuits_count == 0)
            continue;
        if (command->operation == OPERATION_RESERVE && prng_below (&self->prng, 100) >= CHANCE)
            return;
        self->left--;
        self->victims [self->victims_count++] =
          (sim_victim_t){.asked = *asked, .process = message->from};
        cut (self, message->from, message->to, asked->edge_ms);
        return;
    }
}

void sim_late_logged (sim_late_t *self, int process, const char *line)
{
    char words [TXID_TEXT_BYTES];
    if (!self->on || strncmp (line, "hold ", 5) != 0 || !strstr (line, "->edge "))
        return;
    for (size_t i = 0; i < self->victims_count; i++) {
        sim_victim_t *victim = &self->victims [i];
        if (victim->process == process &&
            strstr (line, txid_text (&victim->asked.command.txid, words)))
            victim->passed = true;
    }
}
