/*  sim_ambush - waiting for a vote, or a decision. */
#include "sim_ambush.h"

#include "sim_wire.h"

#include <string.h>

#define CUT_US_LEAST  INT64_C (50000)
#define CUT_US_MOST   INT64_C (4000000)
#define KILL_US_MOST  20000
#define PAUSE_MS_MOST 3000

static bool hits (sim_ambush_t *self, int process)
{
    for (size_t i = 0; i < self->victims_count; i++)
        if (self->victims [i] == process)
            return prng_below (&self->prng, 100) < self->chance;
    return false;
}

/*  True when this answer gives a vote. */
static bool votes (const sim_message_t *message)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    return message->kind == MESSAGE_ANSWER && message->status == CALL_OK &&
           strcmp (message->service, "Participant") == 0 &&
           (strcmp (message->method, "Hold") == 0 || strcmp (message->method, "Prepare") == 0) &&
           sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms, &refused) &&
           state == COMMAND_PREPARED && refused == REFUSAL_NONE;
}

static bool decides (const sim_message_t *message)
{
    return message->kind == MESSAGE_REQUEST && strcmp (message->service, "Participant") == 0 &&
           strcmp (message->method, "Commit") == 0 && message->to != SIM_NOBODY;
}

/*  Cuts the participant off; the message that is just leaving still passes. */
static void cut (sim_ambush_t *self, int victim, int other)
{
    sim_net_t *net = sim_net (self->sim);
    int64_t from_us = sim_now_us (self->sim) + 1;
    int64_t until_us =
      from_us + CUT_US_LEAST + (int64_t) prng_below (&self->prng, CUT_US_MOST - CUT_US_LEAST);
    switch (prng_below (&self->prng, 4)) {
    case 0: /* it hears no more from the coordinator */
        sim_net_cut (net, other, victim, true, from_us, until_us);
        break;
    case 1: /* its messages to the coordinator are lost */
        sim_net_cut (net, victim, other, true, from_us, until_us);
        break;
    case 2:
        sim_net_cut (net, victim, other, false, from_us, until_us);
        break;
    default: /* it hears nobody and nobody hears it */
        for (size_t p = 0; p < sim_processes (self->sim); p++)
            if ((int) p != victim)
                sim_net_cut (net, victim, (int) p, false, from_us, until_us);
    }
}

void sim_ambush_left (sim_ambush_t *self, const sim_message_t *message)
{
    if (self->left == 0)
        return;
    bool vote = votes (message);
    if (!vote && !decides (message))
        return;
    int victim = vote ? message->from : message->to;
    int other = vote ? message->to : message->from;
    if (!hits (self, victim))
        return;
    self->left--;
    self->tally->counts [COUNT_AMBUSHED]++;
    if (prng_below (&self->prng, 3) > 0) {
        sim_trace (self->sim, victim, "is cut off %s", vote ? "after its vote" : "at the decision");
        cut (self, victim, other);
        return;
    }
    sim_kill (self->sim, victim,
              sim_now_us (self->sim) + 1 + (int64_t) prng_below (&self->prng, KILL_US_MOST),
              (int64_t) prng_below (&self->prng, PAUSE_MS_MOST));
}
