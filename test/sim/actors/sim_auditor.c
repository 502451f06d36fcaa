/*  sim_auditor - page after page, one participant after another. */
#include "sim_auditor.h"

#include "outbox.h"

#include <stdlib.h>

#define TIMEOUT_MS 2000
#define ASKED_MS   INT64_C (3600000) /* before and after second 0: all that is ever booked */

static void ask (sim_auditor_t *self)
{
    if (sim_auditor_ended (self))
        return;
    sim_heard_t *heard = &self->heard [self->at];
    const char *method = !heard->commands_told ? "Commands"
                         : !heard->parts_told  ? "List"
                                               : "Profile";
    packed_t body;
    if (!heard->commands_told)
        body = sim_wire_commands (heard->commands_begun ? &heard->next_command : NULL);
    else if (!heard->parts_told)
        body = sim_wire_list (heard->next_part);
    else
        body = sim_wire_profile (SIM_EPOCH_MS - ASKED_MS, SIM_EPOCH_MS + ASKED_MS);
    outbox_push (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = ++self->call,
                                      .endpoint = sim_address (
                                        self->sim, self->check->participants [self->at].process),
                                      .service = heard->parts_told ? "Calendar" : "Participant",
                                      .method = method,
                                      .actor = SIM_AUDITOR,
                                      .request_id = "",
                                      .body = {.data = body.data, .size = body.size},
                                      .timeout_ms = TIMEOUT_MS}});
    free (body.data);
}

static bool read_answer (sim_heard_t *heard, bytes_t body, bool *more)
{
    sim_said_t *said = &heard->said;
    if (!heard->commands_told)
        return sim_wire_commands_read (body, &said->commands, &said->commands_count,
                                       &heard->next_command, more);
    if (!heard->parts_told)
        return sim_wire_list_read (body, &said->parts, &said->parts_count, heard->next_part, more);
    return sim_wire_profile_read (body, said->profiles, &said->profiles_count);
}

static void on_answer (sim_auditor_t *self, const event_t *event)
{
    sim_heard_t *heard = &self->heard [self->at];
    bool home = self->check->participants [self->at].home;
    if (event->answer.status == CALL_TIMED_OUT)
        return;
    bool more = false;
    if (event->answer.status != CALL_OK || !read_answer (heard, event->answer.body, &more))
        sim_fail (self->sim, "the auditor is not told: %s", event->answer.reason);
    if (more) {
        heard->commands_begun = true;
    } else if (!heard->commands_told) {
        heard->commands_told = true;
    } else if (!heard->parts_told && !home) {
        heard->parts_told = true;
    } else {
        self->at++; /* a home has nothing that could be free */
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
        sim_check_said (self->check, i, &self->heard [i].said);
}

void sim_auditor_clear (sim_auditor_t *self)
{
    for (size_t i = 0; i < SIM_SITES_MAX; i++) {
        sim_said_t *said = &self->heard [i].said;
        free (said->commands);
        free (said->parts);
        for (size_t p = 0; p < said->profiles_count; p++)
            free (said->profiles [p].steps);
    }
}
