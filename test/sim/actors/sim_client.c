/*  sim_client - actions, one after another. */
#include "sim_client.h"

#include "outbox.h"

#include <stdlib.h>

#define PATIENT_MS   8000
#define TRIES_MAX    200 /* BAD_REQUEST is tried again too: a planner may not know its homes yet */
#define GIVES_UP_AT  20
#define AGAIN_MS     40
#define AGAIN_MS_TOP 1200

static const char *method_of (const sim_action_t *action)
{
    static const char *const methods [] = {"Reserve", "Modify", "Release"};
    return action->show ? "Show" : methods [action->request->operation];
}

/*  Any planner; when faults are over, a planner that is listed, since a dead one no longer is. */
static int choose (sim_client_t *self)
{
    int planner = self->planners [prng_below (&self->prng, self->planners_count)];
    for (int draws = 0; self->patient && !sim_up (self->sim, planner) && draws < 20; draws++)
        planner = self->planners [prng_below (&self->prng, self->planners_count)];
    return planner;
}

static void ask (sim_client_t *self, sim_action_t *action)
{
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    if (!sim_book_compose (self->book, action->request, now_ms)) {
        action->ended = true; /* there is no reservation yet to change or release */
        return;
    }
    int planner = choose (self);
    packed_t shown = {0};
    if (action->show)
        shown = sim_wire_show (action->request->answer.reservation);
    packed_t body = action->show ? shown : action->request->body [action->variant];
    action->tries++;
    action->call = ++self->calls;
    outbox_push (
      self->outbox,
      &(effect_t){.kind = EFFECT_CALL,
                  .call = {.call = action->call,
                           .endpoint = sim_address (self->sim, planner),
                           .service = "Planner",
                           .method = method_of (action),
                           .actor = action->request->actor,
                           .request_id = action->show ? "" : action->request->request_id,
                           .body = {.data = body.data, .size = body.size},
                           .timeout_ms = self->patient ? PATIENT_MS : action->patience_ms}});
    free (shown.data);
}

static int64_t pause_ms (sim_client_t *self, const sim_action_t *action)
{
    int64_t most_ms = AGAIN_MS << (action->tries < 5 ? action->tries : 5);
    if (most_ms > AGAIN_MS_TOP)
        most_ms = AGAIN_MS_TOP;
    return 1 + (int64_t) prng_below (&self->prng, (uint64_t) most_ms);
}

/*  True when the action has its final answer. */
static bool answered (sim_client_t *self, sim_action_t *action, const event_t *event)
{
    call_status_t status = event->answer.status;
    if (action->show)
        return true;
    if (status == CALL_DENIED || status == CALL_NOT_FOUND ||
        (status == CALL_BAD_REQUEST && action->tries > 10)) {
        action->request->unfit [action->variant] = true;
        return true;
    }
    if (action->tries == TRIES_MAX)
        sim_fail (self->sim, "%s was asked %u times and never answered",
                  action->request->request_id, action->tries);
    if (status != CALL_OK)
        return false;
    sim_answer_t answer;
    if (!sim_wire_answer (event->answer.body, &answer)) {
        sim_fail (self->sim, "%s: an answer that can't be read", action->request->request_id);
        return true;
    }
    if (answer.status != ANSWER_COMMITTED && answer.status != ANSWER_REFUSED &&
        answer.status != ANSWER_CONFLICT)
        return false;
    char why [WHY_BYTES];
    if (!sim_book_told (action->request, action->variant, &answer, event->answer.body, why))
        sim_fail (self->sim, "%s", why);
    return true;
}

/*  So many answers in vain, over all actions of this client. The count spans actions because they
 *  come one after another, and a home that has no room for one answer has none for the next. */
static bool gives_up (sim_client_t *self)
{
    return self->gives_up && self->patient && ++self->vain >= GIVES_UP_AT;
}

static void on_answer (sim_client_t *self, int64_t mono_ms, const event_t *event)
{
    for (size_t i = 0; i < self->actions_count; i++) {
        sim_action_t *action = &self->actions [i];
        if (action->call != event->answer.call || action->ended)
            continue;
        action->call = 0;
        action->ended = answered (self, action, event) || gives_up (self);
        action->due_ms = mono_ms + pause_ms (self, action);
        return;
    }
}

/*  Begins what is next: the first action that has not ended, and those beside it. */
static void begin (sim_client_t *self, int64_t mono_ms)
{
    size_t at = 0;
    while (at < self->actions_count && self->actions [at].ended)
        at++;
    for (bool first = true; at < self->actions_count; at++, first = false) {
        sim_action_t *action = &self->actions [at];
        if (!first && !action->beside)
            return;
        if (action->begun)
            continue;
        action->begun = true;
        action->due_ms = mono_ms + action->think_ms;
    }
}

static void client_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_client_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        for (size_t i = 0; i < self->actions_count; i++) { /* a new life: calls are forgotten */
            self->actions [i].call = 0;
            self->actions [i].due_ms = now->mono_ms + pause_ms (self, &self->actions [i]);
        }
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now->mono_ms, event);
    int64_t due_ms = INT64_MAX;
    for (bool again = true; again;) {
        again = false;
        begin (self, now->mono_ms);
        due_ms = INT64_MAX;
        for (size_t i = 0; i < self->actions_count; i++) {
            sim_action_t *action = &self->actions [i];
            if (!action->begun || action->ended || action->call)
                continue;
            if (action->due_ms <= now->mono_ms)
                ask (self, action);
            else if (action->due_ms < due_ms)
                due_ms = action->due_ms;
            again = again || action->ended;
        }
    }
    outbox_timer (self->outbox, due_ms);
}

static bool client_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_client_t *) owner)->outbox, effect);
}

static void client_destroy (void *owner)
{
    outbox_destroy (&((sim_client_t *) owner)->outbox);
}

void sim_client_make (void *owner, core_t *core)
{
    sim_client_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = client_step, .next = client_next, .destroy = client_destroy};
}

bool sim_client_ended (const sim_client_t *self)
{
    for (size_t i = 0; i < self->actions_count; i++)
        if (!self->actions [i].ended)
            return false;
    return true;
}
