/*  sim_wire_text - a line for the trace. */
#include "message.h"
#include "sim_wire_own.h"

#include "planner.pb-c.h"

#include <stdio.h>
#include <string.h>

static const char *answer_word (Musubi__AnswerStatus status)
{
    static const char *const words [] = {"unknown", "committed",   "refused",
                                         "planned", "in progress", "conflict"};
    return (size_t) status < sizeof words / sizeof words [0] ? words [status] : "?";
}

static size_t bookings_text (char *text, size_t room, size_t count, Musubi__ComputeBooking **list)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t) snprintf (text + used, room - used, " %s:%s/%u[%lld,%lld)", list [i]->need,
                                   list [i]->class_name, list [i]->nodes,
                                   (long long) list [i]->from_ms, (long long) list [i]->until_ms);
    return used < room ? used : room - 1;
}

static size_t circuits_text (char *text, size_t room, size_t count, Musubi__Circuit **list)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < room; i++) {
        const Musubi__Circuit *circuit = list [i];
        used +=
          (size_t) snprintf (text + used, room - used, " %s:%u:", circuit->need, circuit->mbps);
        for (size_t l = 0; l < circuit->n_links && used < room; l++)
            used += (size_t) snprintf (text + used, room - used, "%s%s", l > 0 ? "," : "",
                                       circuit->links [l]);
        if (used < room)
            used += (size_t) snprintf (text + used, room - used, "@%u[%lld,%lld)", circuit->hop,
                                       (long long) circuit->from_ms, (long long) circuit->until_ms);
    }
    return used < room ? used : room - 1;
}

static size_t rooms_text (char *text, size_t room, size_t count, Musubi__SpaceBooking **list)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < room; i++)
        used +=
          (size_t) snprintf (text + used, room - used, " %s:%s/%lluB[%lld,%lld)", list [i]->need,
                             list [i]->node, (unsigned long long) list [i]->bytes,
                             (long long) list [i]->from_ms, (long long) list [i]->until_ms);
    return used < room ? used : room - 1;
}

static void hold_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    Musubi__HoldRequest *hold = (Musubi__HoldRequest *) message_unpack (
      &musubi__hold_request__descriptor, sim_message_body (message));
    if (!hold || !hold->plan) {
        snprintf (text, SIM_TEXT_BYTES, "Participant.Hold that can't be read");
        message_free (hold ? &hold->base : NULL);
        return;
    }
    static const char *const operations [] = {"reserve", "modify", "release"};
    const Musubi__Plan *plan = hold->plan;
    txid_t txid = {0};
    char words [TXID_TEXT_BYTES];
    (void) sim_txid_read (plan->txid, &txid);
    int used =
      snprintf (text, SIM_TEXT_BYTES, "Hold%s %s %s %s base=%u request=%s decide_by=%lld edge=%lld",
                hold->prepare ? "+Prepare" : "", txid_text (&txid, words),
                (size_t) plan->operation < 3 ? operations [plan->operation] : "?",
                plan->reservation, plan->base_version, plan->request_id,
                (long long) plan->decide_by_ms, (long long) plan->edge_ms);
    size_t at = used < SIM_TEXT_BYTES ? (size_t) used : SIM_TEXT_BYTES - 1;
    for (size_t i = 0; i < hold->n_replaces && at < SIM_TEXT_BYTES - 64; i++) {
        (void) sim_txid_read (hold->replaces [i], &txid);
        at += (size_t) snprintf (text + at, SIM_TEXT_BYTES - at, " replaces=%s",
                                 txid_text (&txid, words));
    }
    if (hold->part_case == MUSUBI__HOLD_REQUEST__PART_COMPUTE)
        (void) bookings_text (text + at, SIM_TEXT_BYTES - at, hold->compute->n_bookings,
                              hold->compute->bookings);
    if (hold->part_case == MUSUBI__HOLD_REQUEST__PART_NETWORK)
        (void) circuits_text (text + at, SIM_TEXT_BYTES - at, hold->network->n_circuits,
                              hold->network->circuits);
    if (hold->part_case == MUSUBI__HOLD_REQUEST__PART_SPACE)
        (void) rooms_text (text + at, SIM_TEXT_BYTES - at, hold->space->n_bookings,
                           hold->space->bookings);
    message_free (&hold->base);
}

static void command_answer_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    Musubi__CommandAnswer *answer = (Musubi__CommandAnswer *) message_unpack (
      &musubi__command_answer__descriptor, sim_message_body (message));
    txid_t txid = {0};
    if (!answer || !sim_txid_read (answer->txid, &txid)) {
        snprintf (text, SIM_TEXT_BYTES, "%s that can't be read", message->method);
        message_free (answer ? &answer->base : NULL);
        return;
    }
    char words [TXID_TEXT_BYTES];
    const Musubi__Refusal *refusal = answer->refusal;
    snprintf (text, SIM_TEXT_BYTES, "%s %s %s%s%s%s%s%s", message->method, txid_text (&txid, words),
              command_state_word ((command_state_t) answer->state), answer->late ? " late" : "",
              refusal ? " refused: " : "",
              refusal ? refusal_reason_word ((refusal_reason_t) refusal->reason) : "",
              refusal && *refusal->text ? ", " : "", refusal ? refusal->text : "");
    message_free (&answer->base);
}

static void planner_answer_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    Musubi__Answer *answer =
      (Musubi__Answer *) message_unpack (&musubi__answer__descriptor, sim_message_body (message));
    if (!answer) {
        snprintf (text, SIM_TEXT_BYTES, "%s that can't be read", message->method);
        return;
    }
    int used = snprintf (text, SIM_TEXT_BYTES, "%s %s: %s %s version=%u", message->method,
                         message->request_id, answer_word (answer->status), answer->reservation,
                         answer->version);
    size_t at = used < SIM_TEXT_BYTES ? (size_t) used : SIM_TEXT_BYTES - 1;
    for (size_t i = 0; i < answer->n_compute && at < SIM_TEXT_BYTES - 1; i++) {
        const Musubi__Placement *placed = answer->compute [i];
        int more = snprintf (text + at, SIM_TEXT_BYTES - at, " %s@%s/%s:%u[%lld,%lld)",
                             placed->need, placed->site, placed->class_name, placed->cpus,
                             (long long) placed->from_ms, (long long) placed->until_ms);
        at += (size_t) more < SIM_TEXT_BYTES - at ? (size_t) more : SIM_TEXT_BYTES - 1 - at;
    }
    for (size_t i = 0; i < answer->n_network && at < SIM_TEXT_BYTES - 1; i++) {
        const Musubi__Connection *got = answer->network [i];
        at += (size_t) snprintf (text + at, SIM_TEXT_BYTES - at, " %s:%u", got->need, got->mbps);
        for (size_t v = 0; v < got->n_path && at < SIM_TEXT_BYTES; v++)
            at += (size_t) snprintf (text + at, SIM_TEXT_BYTES - at, "%s%s", v > 0 ? "-" : "=",
                                     got->path [v]);
    }
    if (answer->n_reasons > 0 && at < SIM_TEXT_BYTES)
        snprintf (text + at, SIM_TEXT_BYTES - at, " because %s", answer->reasons [0]->text);
    message_free (&answer->base);
}

static void outcome_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    static const char *const words [] = {"lost", "pending", "committed", "aborted"};
    outcome_t outcome = OUTCOME_LOST;
    txid_t txid = {0};
    char name [TXID_TEXT_BYTES];
    (void) sim_wire_outcome_read (sim_message_body (message), &outcome);
    (void) sim_wire_names_txid (message, &txid);
    snprintf (text, SIM_TEXT_BYTES, "%s.Outcome %s %s", message->service, txid_text (&txid, name),
              (size_t) outcome < 4 ? words [outcome] : "?");
}

void sim_wire_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    bool participant = strcmp (message->service, "Participant") == 0;
    bool answer = message->kind == MESSAGE_ANSWER;
    txid_t txid;
    char name [TXID_TEXT_BYTES];
    if (answer && message->status != CALL_OK)
        snprintf (text, SIM_TEXT_BYTES, "%s.%s status=%d %s", message->service, message->method,
                  (int) message->status, message->reason);
    else if (participant && !answer && strcmp (message->method, "Hold") == 0)
        hold_text (message, text);
    else if (answer && strcmp (message->method, "Outcome") == 0)
        outcome_text (message, text);
    else if (participant && answer && strcmp (message->method, "Done") != 0 &&
             strcmp (message->method, "Show") != 0 && strcmp (message->method, "List") != 0 &&
             strcmp (message->method, "Commands") != 0)
        command_answer_text (message, text);
    else if (answer && strcmp (message->service, "Planner") == 0 &&
             strcmp (message->method, "Show") != 0 && strcmp (message->method, "List") != 0 &&
             strcmp (message->method, "Settle") != 0)
        planner_answer_text (message, text);
    else if (sim_message_transacts (message) && !answer &&
             (participant || strcmp (message->service, "Coordinator") == 0) &&
             sim_wire_names_txid (message, &txid))
        snprintf (text, SIM_TEXT_BYTES, "%s.%s %s", message->service, message->method,
                  txid_text (&txid, name));
    else
        snprintf (text, SIM_TEXT_BYTES, "%s.%s%s%s bytes=%zu", message->service, message->method,
                  *message->request_id ? " " : "", message->request_id, message->size);
}
