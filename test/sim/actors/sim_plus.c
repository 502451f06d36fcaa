/*  sim_plus - actions at single sites, each a sequence of changes; all actions run side by side. */
#include "sim_plus.h"

#include "outbox.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS  400
#define PATIENT_MS  3000
#define AGAIN_MS    300 /* at most, until it asks or polls again */
#define TRIES_MAX   400
#define GIVES_UP_AT 40

static sim_plus_change_t *current (sim_plus_action_t *action)
{
    return action->at < action->changes_count ? &action->changes [action->at] : NULL;
}

/*  --- asking --- */

typedef struct {
    const char *service;
    const char *method;
    packed_t body;
    char request_id [REQUEST_ID_BYTES_MAX + 1];
} sim_plus_call_t;

/*  What the reservation is when the change is committed. The body is made once, since it is asked
 *  again. */
static void compose (const sim_plus_action_t *action, sim_plus_change_t *change, int64_t now_ms)
{
    sim_plus_booked_t *asked = &change->asked;
    const sim_plus_booked_t *has = &action->has;
    if (change->tries > 0)
        return;
    if (change->operation == OPERATION_RESERVE) {
        asked->from_ms = now_ms + change->start_ms;
        asked->until_ms = asked->from_ms + change->duration_ms;
        asked->nodes = change->nodes;
        change->next = *asked;
    }
    if (change->operation == OPERATION_MODIFY) {
        asked->from_ms = change->start_ms ? has->from_ms + change->start_ms : 0;
        asked->nodes = change->nodes;
        change->next = *has;
        if (asked->from_ms)
            change->next.from_ms = asked->from_ms;
        if (change->duration_ms)
            asked->until_ms = change->next.from_ms + change->duration_ms;
        if (asked->until_ms)
            change->next.until_ms = asked->until_ms;
        if (asked->nodes)
            change->next.nodes = asked->nodes;
    }
}

static void call_change (const sim_plus_action_t *action, const sim_plus_change_t *change,
                         sim_plus_call_t *call)
{
    call->service = "Reservation";
    snprintf (call->request_id, sizeof call->request_id, "%s-%zu", action->id, action->at);
    switch (change->operation) {
    case OPERATION_RESERVE:
        call->method = "Reserve";
        call->body = sim_wire_plus_reserve (action->reservation, &change->asked);
        break;
    case OPERATION_MODIFY:
        call->method = "Modify";
        call->body = sim_wire_plus_modify (action->reservation, &change->asked);
        break;
    default:
        call->method = "Release";
        call->body = sim_wire_plus_release (action->reservation);
        break;
    }
}

/*  Sends the next request of the action. */
static void next_call (sim_plus_action_t *action, const moment_t *now, sim_plus_call_t *call)
{
    sim_plus_change_t *change = current (action);
    *call = (sim_plus_call_t){.service = "Factory", .method = "Create"};
    if (!*action->reservation) {
        snprintf (call->request_id, sizeof call->request_id, "%s-create", action->id);
        call->body = sim_wire_plus_create ();
        return;
    }
    if (!change) {
        call->service = "Reservation";
        call->method = "Properties";
        call->body = sim_wire_plus_properties (action->reservation);
        return;
    }
    if (!change->granted) {
        compose (action, change, now->wall_ms);
        change->tries++;
        call_change (action, change, call);
        return;
    }
    bool ends = change->end != PLUS_END_NEGLECT && action->ends_ms <= now->mono_ms;
    call->service = "Command";
    call->method = !ends ? "State" : change->end == PLUS_END_COMMIT ? "Commit" : "Abort";
    call->body = sim_wire_plus_command (&change->command);
    change->tries += ends;
    change->polls += !ends;
}

static void ask (sim_plus_t *self, const moment_t *now, sim_plus_action_t *action)
{
    sim_plus_call_t call;
    next_call (action, now, &call);
    action->call = ++self->calls;
    action->spoken++;
    outbox_push (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = action->call,
                                      .endpoint = sim_address (self->sim, action->process),
                                      .service = call.service,
                                      .method = call.method,
                                      .actor = action->actor,
                                      .request_id = call.request_id,
                                      .body = {.data = call.body.data, .size = call.body.size},
                                      .timeout_ms = self->patient ? PATIENT_MS : TIMEOUT_MS}});
    free (call.body.data);
}

/*  --- answers --- */

static const char *word (sim_plus_says_t says)
{
    static const char *const words [] = {"initial", "prepared", "committed", "aborted"};
    return (size_t) says < sizeof words / sizeof words [0] ? words [says] : "something unknown";
}

static void end_change (sim_plus_t *self, const moment_t *now, sim_plus_action_t *action,
                        sim_plus_fate_t fate)
{
    sim_plus_change_t *change = current (action);
    change->fate = fate;
    if (fate == PLUS_DONE) {
        bool begun = action->version > 0 && action->has.from_ms <= now->wall_ms + SIM_CLOCKS_OFF_MS;
        action->turned = action->turned || (begun && change->next.nodes != action->has.nodes);
        action->has = change->next;
        action->version++;
        action->released = change->operation == OPERATION_RELEASE;
        self->tally->counts [COUNT_PLUS]++;
    }
    action->at++;
    bool lasts = action->version > 0 && !action->released; /* nothing else can be changed */
    if (!lasts)
        action->at = action->changes_count;
    if (current (action))
        action->due_ms = now->mono_ms + current (action)->think_ms;
}

static void told_granted (sim_plus_t *self, const moment_t *now, sim_plus_action_t *action,
                          const sim_plus_told_t *told)
{
    sim_plus_change_t *change = current (action);
    if (told->refused ==
        REFUSAL_BUSY_CHANGE) /* the change under way was asked for by this very id */
        sim_fail (self->sim, "%s: change %zu is in its own way", action->id, action->at);
    if (told->says == PLUS_SAYS_ABORTED && told->refused != REFUSAL_ENDED) {
        change->refused = true;
        if (change->again > 0) {
            change->again--;
            action->due_ms = now->mono_ms + change->again_ms;
            return;
        }
        end_change (self, now, action, PLUS_NOT_HAD);
        return;
    }
    if (change->refused)
        sim_fail (self->sim, "%s: change %zu was refused, and is granted under the same id",
                  action->id, action->at);
    change->granted = true; /* perhaps its answer was lost, and the reservation is over by now */
    change->command = told->command;
    action->ends_ms = now->mono_ms + change->wait_ms;
    if (told->says == PLUS_SAYS_ABORTED)
        end_change (self, now, action, PLUS_UNDONE);
    else if (told->says != PLUS_SAYS_PREPARED)
        sim_fail (self->sim, "%s: change %zu is told %s before its commit", action->id, action->at,
                  word (told->says));
}

static void told_state (sim_plus_t *self, const moment_t *now, sim_plus_action_t *action,
                        const sim_plus_told_t *told)
{
    sim_plus_change_t *change = current (action);
    if (txid_compare (&told->command, &change->command) != 0)
        sim_fail (self->sim, "%s: told of another command", action->id);
    if (told->says == PLUS_SAYS_PREPARED)
        change->withheld = change->withheld || told->refused == REFUSAL_LATE;
    else if (told->says == PLUS_SAYS_ABORTED)
        end_change (self, now, action, PLUS_UNDONE);
    else if (told->says == PLUS_SAYS_COMMITTED && change->end == PLUS_END_COMMIT)
        end_change (self, now, action, PLUS_DONE);
    else
        sim_fail (self->sim, "%s: change %zu is told %s, which nobody asked for", action->id,
                  action->at, word (told->says));
}

static bool seen_as_told (const sim_plus_action_t *action, const sim_plus_booked_t *seen)
{
    const sim_plus_booked_t *has = &action->has;
    return seen->from_ms == has->from_ms && seen->until_ms == has->until_ms &&
           (action->turned || seen->nodes == has->nodes);
}

/*  What any reader is shown at any time is what the user was told. */
static void told_properties (sim_plus_t *self, sim_plus_action_t *action, bytes_t body)
{
    sim_plus_seen_t seen;
    action->seen = true;
    if (!sim_wire_plus_seen (body, &seen) || seen.commands > 0 ||
        (action->version > 0 && !action->released && !seen_as_told (action, &seen.booked)))
        sim_fail (self->sim, "%s: its properties are not what was told", action->id);
}

static void told (sim_plus_t *self, const moment_t *now, sim_plus_action_t *action, bytes_t body)
{
    sim_plus_told_t answer;
    bool good = true;
    action->heard++;
    if (!*action->reservation)
        good = sim_wire_plus_created (body, action->reservation);
    else if (!current (action))
        told_properties (self, action, body);
    else if (!sim_wire_plus_told (body, &answer))
        good = false;
    else if (!current (action)->granted)
        told_granted (self, now, action, &answer);
    else
        told_state (self, now, action, &answer);
    if (!good)
        sim_fail (self->sim, "%s: an answer that can't be read", action->id);
}

/*  The request itself was refused: it changes a reservation that is over by now, or has begun. */
static void told_no (sim_plus_t *self, const moment_t *now, sim_plus_action_t *action,
                     const event_t *event)
{
    call_status_t status = event->answer.status;
    sim_plus_change_t *change = current (action);
    if (status == CALL_OVERLOADED && self->gives_up && self->patient &&
        action->spoken > GIVES_UP_AT && (!change || !change->granted)) {
        action->at = action->changes_count;
        action->seen = true;
        return;
    }
    if (status != CALL_BAD_REQUEST && status != CALL_NOT_FOUND && status != CALL_DENIED)
        return;
    if (!*action->reservation || (change && change->granted))
        sim_fail (self->sim, "%s: refused: %s", action->id, event->answer.reason);
    else if (change)
        end_change (self, now, action, PLUS_NOT_HAD);
    else
        action->seen = true; /* the reservation is gone, since none of its changes was committed */
    if (!change && action->version > 0)
        sim_fail (self->sim, "%s: it was committed, and is not shown", action->id);
}

static void on_answer (sim_plus_t *self, const moment_t *now, const event_t *event)
{
    for (size_t i = 0; i < self->actions_count; i++) {
        sim_plus_action_t *action = &self->actions [i];
        if (action->call != event->answer.call)
            continue;
        action->call = 0;
        action->due_ms = now->mono_ms + 1 + (int64_t) prng_below (&self->prng, AGAIN_MS);
        if (event->answer.status == CALL_OK)
            told (self, now, action, event->answer.body);
        else
            told_no (self, now, action, event);
        if (current (action) && current (action)->tries > TRIES_MAX)
            sim_fail (self->sim, "%s: asked %u times and never answered", action->id,
                      current (action)->tries);
    }
}

/*  --- its life --- */

static bool over (const sim_plus_action_t *action)
{
    return action->at >= action->changes_count && action->seen;
}

static void plus_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_plus_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        for (size_t i = 0; i < self->actions_count; i++) { /* a new life: calls are forgotten */
            sim_plus_action_t *action = &self->actions [i];
            action->call = 0;
            action->ends_ms = now->mono_ms;
            action->due_ms = now->mono_ms + (action->spoken ? 1 : action->changes [0].think_ms);
        }
    if (event->kind == EVENT_REQUEST || event->kind == EVENT_NOTICE)
        self->called++;
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now, event);
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < self->actions_count; i++) {
        sim_plus_action_t *action = &self->actions [i];
        if (over (action) || action->call)
            continue;
        if (action->due_ms <= now->mono_ms)
            ask (self, now, action);
        else if (action->due_ms < due_ms)
            due_ms = action->due_ms;
    }
    outbox_timer (self->outbox, due_ms);
}

static bool plus_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_plus_t *) owner)->outbox, effect);
}

static void plus_destroy (void *owner)
{
    outbox_destroy (&((sim_plus_t *) owner)->outbox);
}

void sim_plus_make (void *owner, core_t *core)
{
    sim_plus_t *self = owner;
    self->outbox = outbox_new ();
    *core = (core_t){.self = self, .step = plus_step, .next = plus_next, .destroy = plus_destroy};
}

bool sim_plus_ended (const sim_plus_t *self)
{
    for (size_t i = 0; i < self->actions_count; i++)
        if (!over (&self->actions [i]))
            return false;
    return true;
}

/*  --- checks --- */

/*  What was just created is there after a death, too. */
static void check_created (sim_check_t *check, const sim_message_t *message)
{
    char reservation [NAME_BYTES_MAX + 1];
    if (!sim_wire_plus_created (sim_message_body (message), reservation)) {
        sim_fail (check->sim, "an answer to Create that can't be read");
        return;
    }
    packed_t question = sim_wire_plus_properties (reservation);
    sim_message_t *answer =
      sim_recall (check->sim, message->from, "Reservation", "Properties", message->actor,
                  (bytes_t){.data = question.data, .size = question.size});
    free (question.data);
    if (!answer || answer->status != CALL_OK)
        sim_fail (check->sim, "%s tells that it created %s, its store does not",
                  sim_name (check->sim, message->from), reservation);
    free (answer);
}

void sim_plus_left (sim_check_t *check, const sim_message_t *message)
{
    bool reservation =
      strcmp (message->service, "Reservation") == 0 && strcmp (message->method, "Properties") != 0;
    sim_plus_told_t told;
    if (message->kind == MESSAGE_ANSWER && message->status == CALL_OK &&
        strcmp (message->service, "Factory") == 0)
        check_created (check, message);
    if (message->kind != MESSAGE_ANSWER || message->status != CALL_OK ||
        (!reservation && strcmp (message->service, "Command") != 0))
        return;
    if (!sim_wire_plus_told (sim_message_body (message), &told)) {
        sim_fail (check->sim, "an answer to %s that can't be read", message->method);
        return;
    }
    const sim_participant_t *site = sim_check_named (check, sim_name (check->sim, message->from));
    const sim_command_t *command = site ? sim_check_command (site, &told.command) : NULL;
    command_state_t kept = command ? command->state : COMMAND_UNKNOWN;
    bool open = kept == COMMAND_HELD || kept == COMMAND_PREPARED || kept == COMMAND_COMMITTED;
    bool sound = told.says == PLUS_SAYS_PREPARED    ? kept != COMMAND_UNKNOWN
                 : told.says == PLUS_SAYS_COMMITTED ? kept == COMMAND_COMMITTED
                                                    : !open;
    char words [TXID_TEXT_BYTES];
    if (!sound)
        sim_fail (check->sim, "%s answers %s with %s of %s, its store says %s",
                  sim_name (check->sim, message->from), message->method, word (told.says),
                  txid_text (&told.command, words), command_state_word (kept));
}

static const sim_command_t *version_of (const sim_participant_t *site, const char *reservation,
                                        uint32_t base_version)
{
    for (size_t c = 0; c < site->commands_count; c++) {
        const sim_command_t *command = &site->commands [c];
        if (command->state == COMMAND_COMMITTED && command->base_version == base_version &&
            strcmp (command->reservation, reservation) == 0)
            return command;
    }
    return NULL;
}

/*  What the reservation is if it ends at that time. */
static uint32_t nodes_until (const sim_command_t *command, int64_t until_ms)
{
    uint32_t nodes = 0;
    for (size_t b = 0; b < command->bookings_count; b++)
        if (command->bookings [b].from_ms < until_ms)
            nodes = command->bookings [b].nodes;
    return nodes;
}

/*  The reservation begins and ends as told, and ends with the nodes that were asked for. A change
 *  that asks for none keeps the nodes of before; if the reservation now ends before its nodes were
 *  to change, these are the nodes that it had until then. */
static bool booked_as (const sim_command_t *command, const sim_plus_change_t *change,
                       const sim_command_t *before)
{
    const sim_plus_booked_t *next = &change->next;
    if (change->operation == OPERATION_RELEASE)
        return command->bookings_count == 0;
    if (command->bookings_count == 0)
        return false;
    const compute_booking_t *last = &command->bookings [command->bookings_count - 1];
    uint32_t nodes = change->asked.nodes == 0 && before ? nodes_until (before, next->until_ms)
                                                        : change->asked.nodes;
    return command->bookings [0].from_ms == next->from_ms && last->until_ms == next->until_ms &&
           last->nodes == nodes;
}

static void check_action (const sim_plus_t *self, sim_check_t *check,
                          const sim_plus_action_t *action)
{
    const sim_participant_t *site = sim_check_named (check, sim_name (self->sim, action->process));
    const sim_command_t *before = NULL;
    uint32_t versions = 0;
    for (size_t c = 0; c < site->commands_count; c++)
        versions += site->commands [c].state == COMMAND_COMMITTED &&
                    strcmp (site->commands [c].reservation, action->reservation) == 0;
    if (versions != action->version)
        sim_fail (self->sim, "%s: %u changes were told committed, %u are", action->id,
                  action->version, versions);
    versions = 0;
    for (size_t i = 0; i < action->changes_count; i++) {
        if (action->changes [i].fate != PLUS_DONE)
            continue;
        const sim_command_t *now = version_of (site, action->reservation, versions++);
        if (!now || !booked_as (now, &action->changes [i], before))
            sim_fail (self->sim, "%s: version %u of %s is not what was told", action->id, versions,
                      action->reservation);
        before = now;
    }
}

void sim_plus_check (const sim_plus_t *self, sim_check_t *check)
{
    if (self->called > 0)
        sim_fail (self->sim, "somebody called a user of plus, who only polls");
    for (size_t i = 0; i < self->actions_count; i++)
        check_action (self, check, &self->actions [i]);
}
