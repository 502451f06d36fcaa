/*  sim_auditor - page after page, one participant after another. */
#include "sim_auditor.h"

#include "outbox.h"

#include <stdlib.h>

#define TIMEOUT_MS 2000

static void ask (sim_auditor_t *self)
{
    if (sim_auditor_ended (self))
        return;
    sim_said_t *said = &self->said [self->at];
    bool commands = !said->commands_told;
    packed_t body;
    if (commands)
        body = sim_wire_commands (said->commands_begun ? &said->next_command : NULL);
    else
        body = sim_wire_list (said->next_part);
    outbox_call (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = ++self->call,
                                      .endpoint = sim_address (
                                        self->sim, self->check->participants [self->at].process),
                                      .service = "Participant",
                                      .method = commands ? "Commands" : "List",
                                      .actor = SIM_AUDITOR,
                                      .request_id = "",
                                      .body = {.data = body.data, .size = body.size},
                                      .timeout_ms = TIMEOUT_MS}});
    free (body.data);
}

static void on_answer (sim_auditor_t *self, const event_t *event)
{
    sim_said_t *said = &self->said [self->at];
    if (event->answer.status == CALL_TIMED_OUT)
        return;
    bool more = false;
    bool commands = !said->commands_told;
    bool read =
      event->answer.status == CALL_OK &&
      (commands ? sim_wire_commands_read (event->answer.body, &said->commands,
                                          &said->commands_count, &said->next_command, &more)
                : sim_wire_list_read (event->answer.body, &said->parts, &said->parts_count,
                                      said->next_part, &more));
    if (!read)
        sim_fail (self->sim, "the auditor is not told: %s", event->answer.reason);
    if (more) {
        said->commands_begun = true;
        return;
    }
    if (commands) {
        said->commands_told = true;
    } else {
        said->parts_told = true;
        self->at++;
    }
}

static void auditor_step (void *owner, const moment_t *now, const event_t *event)
{
    (void) now;
    sim_auditor_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_ANSWER)
        on_answer (self, event);
    if (event->kind == EVENT_ANSWER || event->kind == EVENT_START)
        ask (self);
}

static bool auditor_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_auditor_t *) owner)->outbox, effect);
}

static void auditor_destroy (void *owner)
{
    outbox_destroy (&((sim_auditor_t *) owner)->outbox);
}

void sim_auditor_make (void *owner, core_t *core)
{
    sim_auditor_t *self = owner;
    self->outbox = outbox_new ();
    *core = (core_t){
      .self = self, .step = auditor_step, .next = auditor_next, .destroy = auditor_destroy};
}

bool sim_auditor_ended (const sim_auditor_t *self)
{
    return self->at == self->check->participants_count;
}

void sim_auditor_report (sim_auditor_t *self)
{
    for (size_t i = 0; i < self->check->participants_count; i++)
        sim_check_said (self->check, i, self->said [i].commands, self->said [i].commands_count,
                        self->said [i].parts, self->said [i].parts_count);
}

void sim_auditor_clear (sim_auditor_t *self)
{
    for (size_t i = 0; i < SIM_SITES_MAX; i++) {
        free (self->said [i].commands);
        free (self->said [i].parts);
    }
}
