/*  sim_patron - one action at each turn: first what was not answered, then something new. */
#include "sim_patron.h"

#include "outbox.h"
#include "sim_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER        "alice"
#define TURN_MS      120
#define TIMEOUT_MS   900
#define LEAD_MS      2000 /* more than the site's */
#define SITE_LEAD_MS 1000
#define DECIDE_MS    20000

static int64_t below (sim_patron_t *self, int64_t bound)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) bound);
}

static bool chance (sim_patron_t *self, int64_t of)
{
    return below (self, of) == 0;
}

/*  --- calls --- */

static bool under_way (const sim_patron_t *self, patron_action_t action, size_t at)
{
    for (size_t i = 0; i < PATRON_CALLS_MAX; i++)
        if (self->calls [i].call != 0 && self->calls [i].action == action &&
            self->calls [i].at == at)
            return true;
    return false;
}

typedef struct {
    const char *service;
    const char *method;
    const char *actor;
    const char *request_id;
} sim_patron_asking_t;

/*  Sends body, and frees it. */
static void ask (sim_patron_t *self, patron_action_t action, size_t at,
                 const sim_patron_asking_t *asking, packed_t body)
{
    size_t slot = 0;
    while (slot < PATRON_CALLS_MAX && self->calls [slot].call != 0)
        slot++;
    if (slot < PATRON_CALLS_MAX) {
        self->calls [slot].call = ++self->calls_made;
        self->calls [slot].action = action;
        self->calls [slot].at = at;
        outbox_push (self->outbox,
                     &(effect_t){.kind = EFFECT_CALL,
                                 .call = {.call = self->calls_made,
                                          .endpoint = sim_address (self->sim, self->site),
                                          .service = asking->service,
                                          .method = asking->method,
                                          .actor = asking->actor,
                                          .request_id = asking->request_id,
                                          .body = {.data = body.data, .size = body.size},
                                          .timeout_ms = TIMEOUT_MS}});
    }
    free (body.data);
}

/*  --- bags --- */

static void submit (sim_patron_t *self, size_t at)
{
    char id [16];
    snprintf (id, sizeof id, "bag-%zu", at);
    ask (self, ACTION_SUBMIT, at, &(sim_patron_asking_t){"Queue", "Submit", OWNER, id},
         sim_wire_submit (&self->bags [at].asked));
}

static void ask_tasks (sim_patron_t *self, size_t at)
{
    ask (self, ACTION_TASKS, at, &(sim_patron_asking_t){"Queue", "Tasks", OWNER, ""},
         sim_wire_tasks (self->bags [at].number));
}

static void cancel (sim_patron_t *self, size_t at)
{
    patron_bag_t *bag = &self->bags [at];
    int index = chance (self, 2) ? -1 : (int) below (self, bag->asked.count);
    bag->cancelled = true;
    ask (self, ACTION_CANCEL, at, &(sim_patron_asking_t){"Queue", "Cancel", OWNER, ""},
         sim_wire_cancel (bag->number, index));
}

static const char *some_reservation (sim_patron_t *self)
{
    if (self->reservations_count == 0 || chance (self, 2))
        return "";
    const patron_reservation_t *one =
      &self->reservations [below (self, (int64_t) self->reservations_count)];
    return one->commands [STEP_MAKE].state == COMMAND_DONE ? one->name : "";
}

/*  A file that is there from the beginning; seldom one that an earlier bag makes, or nobody. */
static const char *some_input (sim_patron_t *self, uint32_t count)
{
    static const char *const there [] = {"in-0", "in-1", "in-2", "in-3"};
    size_t bag = self->bags_count > 0 ? (size_t) below (self, (int64_t) self->bags_count) : 0;
    if (chance (self, 30))
        return "nobody-has-it";
    bool made = chance (self, 6) && self->bags_count > 0 && self->bags [bag].asked.output &&
                self->bags [bag].asked.count >= count;
    return made ? self->bags [bag].asked.output : there [below (self, (int64_t) self->files)];
}

static void files_draw (sim_patron_t *self, sim_bag_t *asked)
{
    char *output = self->names [self->bags_count];
    snprintf (output, sizeof self->names [0], "o%zu-%%i", self->bags_count);
    asked->output = chance (self, 3) ? output : NULL;
    asked->limit_ms *= 1 + below (self, 4);
    if (chance (self, 2))
        return;
    asked->inputs_count = 1 + (size_t) chance (self, 4);
    for (size_t i = 0; i < asked->inputs_count; i++)
        asked->inputs [i] = some_input (self, asked->count);
    if (asked->inputs_count == 2 && strcmp (asked->inputs [0], asked->inputs [1]) == 0)
        asked->inputs_count = 1;
}

static void bag_new (sim_patron_t *self)
{
    const char *reservation = some_reservation (self);
    bool fat = chance (self, 4);
    sim_bag_t asked = {.count = 1 + (uint32_t) below (self, SIM_BAG_TASKS_MAX),
                       .cpus = 1 + (uint32_t) below (self, fat ? self->fat_cpus : self->thin_cpus),
                       .limit_ms = 1000 + below (self, chance (self, 3) ? 30000 : 7000),
                       .priority = (int32_t) below (self, 3),
                       .class_name = *reservation || chance (self, 3) ? ""
                                     : fat                            ? "fat"
                                                                      : "thin",
                       .reservation = reservation,
                       .preemptible = *reservation == '\0' && chance (self, 3),
                       .requeue = chance (self, 2)};
    if (self->files > 0)
        files_draw (self, &asked);
    self->bags [self->bags_count] = (patron_bag_t){.asked = asked};
    submit (self, self->bags_count++);
}

/*  --- reservations --- */

static void command_new (sim_patron_t *self, const moment_t *now, patron_command_t *command)
{
    *command = (patron_command_t){.state = COMMAND_ASKED,
                                  .txid = {.start = self->store.start, .counter = ++self->txids},
                                  .decide_by_ms = now->wall_ms + DECIDE_MS};
    memcpy (command->txid.store, self->store.id, STORE_ID_BYTES);
}

/*  The first instant at which the reservation needs more than it had, less the site's lead. */
static int64_t edge_of (const patron_reservation_t *reservation, patron_step_t step)
{
    if (step == STEP_LEAVE)
        return reservation->commands [step].decide_by_ms + DECIDE_MS;
    bool longer = step == STEP_CHANGE && reservation->changed_nodes == reservation->nodes;
    return (longer ? reservation->until_ms : reservation->from_ms) - SITE_LEAD_MS;
}

static packed_t part_of (const patron_reservation_t *reservation, patron_step_t step)
{
    bool changed = step == STEP_CHANGE;
    uint32_t nodes = changed ? reservation->changed_nodes : reservation->nodes;
    compute_booking_t booking = {.need = "ocean",
                                 .cpus = nodes * reservation->cpus,
                                 .nodes = nodes,
                                 .from_ms = reservation->from_ms,
                                 .until_ms =
                                   changed ? reservation->changed_until_ms : reservation->until_ms};
    snprintf (booking.class_name, sizeof booking.class_name, "%s", reservation->class_name);
    return compute_part_encode (&booking, 1);
}

static packed_t hold_of (const sim_patron_t *self, const patron_reservation_t *reservation,
                         patron_step_t step)
{
    static const operation_t operations [STEPS] = {OPERATION_RESERVE, OPERATION_MODIFY,
                                                   OPERATION_RELEASE};
    const patron_command_t *command = &reservation->commands [step];
    bool changed = reservation->commands [STEP_CHANGE].state == COMMAND_DONE;
    participant_ref_t participant = {.name = "lis/ams"};
    snprintf (participant.endpoint, sizeof participant.endpoint, "%s",
              sim_address (self->sim, self->site));
    memcpy (participant.store, sim_identity (self->sim, self->site)->id, STORE_ID_BYTES);
    hold_t hold = {.plan = {.txid = command->txid,
                            .operation = operations [step],
                            .base_version = step == STEP_MAKE ? 0 : 1 + changed,
                            .participants = &participant,
                            .participants_count = 1,
                            .decide_by_ms = command->decide_by_ms,
                            .edge_ms = edge_of (reservation, step),
                            .end_ms = reservation->until_ms},
                   .part_kind = PART_COMPUTE,
                   .prepare = true};
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "%s", reservation->name);
    snprintf (hold.plan.actor, sizeof hold.plan.actor, OWNER);
    snprintf (hold.plan.coordinator.name, sizeof hold.plan.coordinator.name, "%s", self->name);
    snprintf (hold.plan.coordinator.endpoint, sizeof hold.plan.coordinator.endpoint, "%s",
              self->address);
    memcpy (hold.plan.coordinator.store, self->store.id, STORE_ID_BYTES);
    packed_t part = step == STEP_LEAVE ? (packed_t){0} : part_of (reservation, step);
    hold.part = part.data;
    hold.part_size = part.size;
    packed_t body = codec_encode (&hold_codec, &hold);
    free (part.data);
    return body;
}

static void pursue (sim_patron_t *self, size_t at, patron_step_t step)
{
    const patron_reservation_t *reservation = &self->reservations [at];
    const patron_command_t *command = &reservation->commands [step];
    if (command->state == COMMAND_ASKED)
        ask (self, ACTION_STEP + step, at,
             &(sim_patron_asking_t){"Participant", "Hold", self->name, ""},
             hold_of (self, reservation, step));
    else
        ask (self, ACTION_STEP + step, at,
             &(sim_patron_asking_t){"Participant", "Commit", self->name, ""},
             codec_encode (&decision_request_codec, &(decision_request_t){command->txid, 0}));
}

static void step_begin (sim_patron_t *self, const moment_t *now, size_t at, patron_step_t step)
{
    command_new (self, now, &self->reservations [at].commands [step]);
    pursue (self, at, step);
}

static void reservation_new (sim_patron_t *self, const moment_t *now)
{
    size_t at = self->reservations_count++;
    patron_reservation_t *reservation = &self->reservations [at];
    bool fat = chance (self, 4);
    *reservation = (patron_reservation_t){.class_name = fat ? "fat" : "thin",
                                          .nodes = fat ? 1 : 1 + (uint32_t) below (self, 3),
                                          .cpus = fat ? self->fat_cpus : self->thin_cpus,
                                          .from_ms = now->wall_ms + LEAD_MS + below (self, 8000)};
    reservation->until_ms = reservation->from_ms + 4000 + below (self, 9000);
    snprintf (reservation->name, sizeof reservation->name, "r%zu", at);
    step_begin (self, now, at, STEP_MAKE);
}

/*  Changes a reservation: longer, shorter, or with other nodes. A change that no longer fits is
 *  refused. */
static void change_one (sim_patron_t *self, const moment_t *now, size_t at)
{
    patron_reservation_t *one = &self->reservations [at];
    if (one->commands [STEP_CHANGE].state != COMMAND_UNUSED)
        return;
    bool fat = strcmp (one->class_name, "fat") == 0;
    one->changed_nodes = fat || chance (self, 2) ? one->nodes : 1 + (uint32_t) below (self, 3);
    one->changed_until_ms = one->until_ms - 3000 + below (self, 9000);
    step_begin (self, now, at, STEP_CHANGE);
}

static void change_or_leave_one (sim_patron_t *self, const moment_t *now)
{
    size_t at = (size_t) below (self, (int64_t) self->reservations_count);
    const patron_reservation_t *one = &self->reservations [at];
    if (one->commands [STEP_MAKE].state != COMMAND_DONE ||
        one->commands [STEP_LEAVE].state != COMMAND_UNUSED ||
        one->until_ms < now->wall_ms + LEAD_MS ||
        patron_command_open (&one->commands [STEP_CHANGE]))
        return;
    if (chance (self, 3))
        step_begin (self, now, at, STEP_LEAVE);
    else
        change_one (self, now, at);
}

/*  --- nodes --- */

static void drain (sim_patron_t *self, size_t node)
{
    ask (self, ACTION_DRAIN, node, &(sim_patron_asking_t){"Nodes", "Drain", "root", ""},
         sim_wire_drain (self->nodes [node], self->drained [node]));
}

static void drain_or_resume (sim_patron_t *self, size_t node)
{
    self->drained [node] = !self->drained [node];
    drain (self, node);
}

/*  --- his turns --- */

static bool ask_again_commands (sim_patron_t *self)
{
    for (size_t i = 0; i < self->reservations_count; i++) {
        for (patron_step_t step = STEP_MAKE; step < STEPS; step++) {
            if (!patron_command_open (&self->reservations [i].commands [step]) ||
                under_way (self, ACTION_STEP + step, i))
                continue;
            pursue (self, i, step);
            return true;
        }
    }
    return false;
}

/*  Asks again for something that was not answered yet; false when all was answered. */
static bool ask_again (sim_patron_t *self)
{
    if (ask_again_commands (self))
        return true;
    for (size_t i = 0; i < self->bags_count; i++) {
        const patron_bag_t *bag = &self->bags [i];
        if (bag->number == 0 && !bag->refused && !under_way (self, ACTION_SUBMIT, i)) {
            submit (self, i);
            return true;
        }
    }
    for (size_t i = 0; i < self->nodes_count; i++) {
        if (self->quiet && self->drained [i] && !under_way (self, ACTION_DRAIN, i)) {
            drain_or_resume (self, i);
            return true;
        }
        if (self->drained [i] != self->drain_told [i] && !under_way (self, ACTION_DRAIN, i)) {
            drain (self, i);
            return true;
        }
    }
    return false;
}

static void ask_about (sim_patron_t *self)
{
    size_t at = (size_t) below (self, (int64_t) self->bags_count);
    if (self->bags [at].number > 0 && !under_way (self, ACTION_TASKS, at))
        ask_tasks (self, at);
}

static void something_new (sim_patron_t *self, const moment_t *now)
{
    int64_t what = below (self, 16);
    if (what < 4 && self->bags_count < PATRON_BAGS_MAX)
        bag_new (self);
    else if (what == 4 && self->reservations_count < PATRON_RESERVATIONS_MAX)
        reservation_new (self, now);
    else if (what == 5 && self->reservations_count > 0 && chance (self, 2))
        change_or_leave_one (self, now);
    else if (what == 6 && self->bags_count > 0) {
        size_t at = (size_t) below (self, (int64_t) self->bags_count);
        if (self->bags [at].number > 0 && chance (self, 2))
            cancel (self, at);
    } else if (what == 7 && chance (self, 3)) {
        size_t node = (size_t) below (self, (int64_t) self->nodes_count);
        if (!under_way (self, ACTION_DRAIN, node))
            drain_or_resume (self, node);
    } else if (self->bags_count > 0)
        ask_about (self);
}

static void resume_again (sim_patron_t *self)
{
    size_t node = (size_t) below (self, (int64_t) self->nodes_count);
    if (!under_way (self, ACTION_DRAIN, node))
        drain (self, node);
}

static void turn (sim_patron_t *self, const moment_t *now)
{
    if (ask_again (self))
        return;
    if (!self->quiet)
        something_new (self, now);
    else if (chance (self, 8)) /* an earlier answer may have come late */
        resume_again (self);
    else if (self->bags_count > 0)
        ask_about (self);
}

/*  --- what he is told --- */

static void told_bag (sim_patron_t *self, size_t at, const event_t *event)
{
    patron_bag_t *bag = &self->bags [at];
    uint64_t number;
    bool refused = event->answer.status == CALL_BAD_REQUEST ||
                   event->answer.status == CALL_NOT_FOUND || event->answer.status == CALL_DENIED;
    if (refused && bag->number == 0)
        bag->refused = true;
    if (event->answer.status != CALL_OK)
        return;
    if (!sim_wire_submit_read (event->answer.body, &number) || number == 0 || bag->refused ||
        (bag->number != 0 && bag->number != number)) {
        sim_fail (self->sim, "the same submission was answered twice, differently");
        return;
    }
    for (size_t i = 0; i < self->bags_count; i++)
        if (i != at && self->bags [i].number == number)
            sim_fail (self->sim, "two submissions are one bag %" PRIu64, number);
    bag->number = number;
}

/*  No state goes back, and a task that is over stays as it is. */
static bool follows (const sim_told_task_t *before, const sim_told_task_t *now)
{
    if (sim_task_over (before->state))
        return before->state == now->state && before->tries == now->tries &&
               before->exit_code == now->exit_code && before->signal == now->signal;
    return now->tries >= before->tries;
}

static void told_tasks (sim_patron_t *self, size_t at, const event_t *event)
{
    patron_bag_t *bag = &self->bags [at];
    sim_told_task_t tasks [SIM_BAG_TASKS_MAX];
    size_t count;
    if (event->answer.status != CALL_OK)
        return;
    if (!sim_wire_tasks_read (event->answer.body, tasks, &count) || count != bag->asked.count) {
        sim_fail (self->sim, "the tasks of bag %" PRIu64 " are not those that were submitted",
                  bag->number);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        task_id_t task = {bag->number, (uint32_t) i};
        /*  A task whose inputs come may leave its node before it is begun. */
        bool again = bag->asked.inputs_count == 0 &&
                     tasks [i].tries > 1 + sim_machines_unfit (self->machines, &task);
        const char *none = tasks [i].state == TOLD_LOST && !tasks [i].why ? "lost without a why"
                           : !follows (&bag->tasks [i], &tasks [i])       ? "told otherwise before"
                           : again && !bag->asked.requeue                 ? "run again unasked"
                                                                          : NULL;
        if (none)
            sim_fail (self->sim, "task %" PRIu64 ".%zu: %s", bag->number, i, none);
        bag->tasks [i] = tasks [i];
    }
}

static void command_done (patron_reservation_t *reservation, patron_step_t step)
{
    reservation->commands [step].state = COMMAND_DONE;
    if (step != STEP_CHANGE)
        return;
    reservation->nodes = reservation->changed_nodes;
    reservation->until_ms = reservation->changed_until_ms;
}

static void told_command (sim_patron_t *self, size_t at, patron_step_t step, const event_t *event)
{
    patron_reservation_t *reservation = &self->reservations [at];
    patron_command_t *command = &reservation->commands [step];
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    if (event->answer.status != CALL_OK ||
        !sim_wire_command_answer (event->answer.body, &txid, &state, &ttl_ms, &refused))
        return; /* again */
    if (command->state == COMMAND_ASKED && state == COMMAND_PREPARED)
        command->state = COMMAND_KEPT;
    else if (command->state == COMMAND_ASKED && state != COMMAND_COMMITTED)
        command->state = COMMAND_GONE;
    else if (command->state == COMMAND_KEPT && state == COMMAND_COMMITTED)
        command_done (reservation, step);
    else if (command->state == COMMAND_KEPT && state == COMMAND_EDGE_REFUSED)
        command->state = COMMAND_GONE; /* too late: its capacity was given away */
    else if (command->state == COMMAND_KEPT && state != COMMAND_PREPARED && state != COMMAND_EDGE)
        sim_fail (self->sim, "what was prepared of %s is in state %d", reservation->name, state);
}

static void on_answer (sim_patron_t *self, const event_t *event)
{
    size_t slot = 0;
    while (slot < PATRON_CALLS_MAX && self->calls [slot].call != event->answer.call)
        slot++;
    if (slot == PATRON_CALLS_MAX)
        return;
    size_t at = self->calls [slot].at;
    self->calls [slot].call = 0;
    switch (self->calls [slot].action) {
    case ACTION_SUBMIT:
        told_bag (self, at, event);
        break;
    case ACTION_TASKS:
        told_tasks (self, at, event);
        break;
    case ACTION_CANCEL:
        break; /* it is asked again another time, or not */
    case ACTION_DRAIN:
        if (event->answer.status == CALL_OK)
            self->drain_told [at] = self->drained [at];
        break;
    default:
        told_command (self, at, self->calls [slot].action - ACTION_STEP, event);
    }
}

/*  --- as a coordinator --- */

static void on_request (sim_patron_t *self, const request_t *request)
{
    txid_t txid = {0};
    sim_message_t *message = sim_message_new (MESSAGE_REQUEST, request->body);
    bool named =
      strcmp (request->service, "Coordinator") == 0 && sim_wire_names_txid (message, &txid);
    free (message);
    if (!named) {
        outbox_refuse (self->outbox, request->reply_to, CALL_UNKNOWN_METHOD, "a patron");
        return;
    }
    packed_t answer = sim_wire_outcome (&txid, sim_patron_outcome (self, &txid));
    outbox_reply (self->outbox, request->reply_to,
                  (bytes_t){.data = answer.data, .size = answer.size});
    free (answer.data);
}

/*  --- life --- */

static void on_start (sim_patron_t *self, const event_t *event)
{
    self->store = event->start.store;
    sim_text (self->address, sizeof self->address, event->start.endpoint);
    size_t at = (size_t) snprintf (self->name, sizeof self->name, "planner/");
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        at +=
          (size_t) snprintf (self->name + at, sizeof self->name - at, "%02x", self->store.id [i]);
    memset (self->calls, 0, sizeof self->calls);
}

static void patron_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_patron_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        on_start (self, event);
    if (event->kind == EVENT_REQUEST)
        on_request (self, &event->request);
    if (event->kind == EVENT_ANSWER)
        on_answer (self, event);
    if (event->kind == EVENT_TIMER)
        turn (self, now);
    if (event->kind == EVENT_TIMER || event->kind == EVENT_START)
        outbox_timer (self->outbox, now->mono_ms + TURN_MS / 2 + below (self, TURN_MS));
}

static bool patron_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_patron_t *) owner)->outbox, effect);
}

static void patron_destroy (void *owner)
{
    outbox_destroy (&((sim_patron_t *) owner)->outbox);
}

void sim_patron_make (void *owner, core_t *core)
{
    sim_patron_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = patron_step, .next = patron_next, .destroy = patron_destroy};
}
