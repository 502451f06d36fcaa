/*  sim_client - errands, one after another. */
#include "sim_client.h"

#include "outbox.h"

#include <stdlib.h>

#define PATIENT_MS   8000
#define TRIES_MAX    200 /* BAD_REQUEST is tried again too: a planner may not know its homes yet */
#define GIVES_UP_AT  20
#define AGAIN_MS     40
#define AGAIN_MS_TOP 1200

static const char *method_of (const sim_action_t *errand)
{
    static const char *const methods [] = {"Reserve", "Modify", "Release"};
    return errand->show ? "Show" : methods [errand->request->operation];
}

/*  Any planner; when faults are over, a planner that is listed, since a dead one no longer is. */
static int choose (sim_client_t *self)
{
    int planner = self->planners [prng_below (&self->prng, self->planners_count)];
    for (int draws = 0; self->patient && !sim_up (self->sim, planner) && draws < 20; draws++)
        planner = self->planners [prng_below (&self->prng, self->planners_count)];
    return planner;
}

static void ask (sim_client_t *self, sim_action_t *errand)
{
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    if (!sim_book_compose (self->book, errand->request, now_ms)) {
        errand->ended = true; /* there is no reservation yet to change or release */
        return;
    }
    int planner = choose (self);
    packed_t shown = {0};
    if (errand->show)
        shown = sim_wire_show (errand->request->answer.reservation);
    packed_t body = errand->show ? shown : errand->request->body [errand->variant];
    errand->tries++;
    errand->call = ++self->calls;
    outbox_push (
      self->outbox,
      &(effect_t){.kind = EFFECT_CALL,
                  .call = {.call = errand->call,
                           .endpoint = sim_address (self->sim, planner),
                           .service = "Planner",
                           .method = method_of (errand),
                           .actor = errand->request->actor,
                           .request_id = errand->show ? "" : errand->request->request_id,
                           .body = {.data = body.data, .size = body.size},
                           .timeout_ms = self->patient ? PATIENT_MS : errand->patience_ms}});
    free (shown.data);
}

static int64_t pause_ms (sim_client_t *self, const sim_action_t *errand)
{
    int64_t most_ms = AGAIN_MS << (errand->tries < 5 ? errand->tries : 5);
    if (most_ms > AGAIN_MS_TOP)
        most_ms = AGAIN_MS_TOP;
    return 1 + (int64_t) prng_below (&self->prng, (uint64_t) most_ms);
}

/*  True when the errand has its final answer. */
static bool answered (sim_client_t *self, sim_action_t *errand, const event_t *event)
{
    call_status_t status = event->answer.status;
    if (errand->show)
        return true;
    if (status == CALL_DENIED || status == CALL_NOT_FOUND ||
        (status == CALL_BAD_REQUEST && errand->tries > 10)) {
        errand->request->unfit [errand->variant] = true;
        return true;
    }
    if (errand->tries == TRIES_MAX)
        sim_fail (self->sim, "%s was asked %u times and never answered",
                  errand->request->request_id, errand->tries);
    if (status != CALL_OK)
        return false;
    sim_answer_t answer;
    if (!sim_wire_answer (event->answer.body, &answer)) {
        sim_fail (self->sim, "%s: an answer that can't be read", errand->request->request_id);
        return true;
    }
    if (answer.status != ANSWER_COMMITTED && answer.status != ANSWER_REFUSED &&
        answer.status != ANSWER_CONFLICT)
        return false;
    char why [WHY_BYTES];
    if (!sim_book_told (errand->request, errand->variant, &answer, event->answer.body, why))
        sim_fail (self->sim, "%s", why);
    return true;
}

/*  So many answers in vain, over all errands of this client. The count spans errands because they
 *  come one after another, and a home that has no room for one answer has none for the next. */
static bool gives_up (sim_client_t *self)
{
    return self->gives_up && self->patient && ++self->vain >= GIVES_UP_AT;
}

static void on_answer (sim_client_t *self, int64_t mono_ms, const event_t *event)
{
    for (size_t i = 0; i < self->actions_count; i++) {
        sim_action_t *errand = &self->actions [i];
        if (errand->call != event->answer.call || errand->ended)
            continue;
        errand->call = 0;
        errand->ended = answered (self, errand, event) || gives_up (self);
        errand->due_ms = mono_ms + pause_ms (self, errand);
        return;
    }
}

/*  Begins what is next: the first errand that has not ended, and those beside it. */
static void begin (sim_client_t *self, int64_t mono_ms)
{
    size_t at = 0;
    while (at < self->actions_count && self->actions [at].ended)
        at++;
    for (bool first = true; at < self->actions_count; at++, first = false) {
        sim_action_t *errand = &self->actions [at];
        if (!first && !errand->beside)
            return;
        if (errand->begun)
            continue;
        errand->begun = true;
        errand->due_ms = mono_ms + errand->think_ms;
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
            sim_action_t *errand = &self->actions [i];
            if (!errand->begun || errand->ended || errand->call)
                continue;
            if (errand->due_ms <= now->mono_ms)
                ask (self, errand);
            else if (errand->due_ms < due_ms)
                due_ms = errand->due_ms;
            again = again || errand->ended;
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
