/*  sim_wire - reads what services say. */
#include "message.h"
#include "sim_wire_own.h"

#include "bus.pb-c.h"
#include "calendar.pb-c.h"
#include "gis.pb-c.h"
#include "must.h"
#include "nis.pb-c.h"
#include "planner.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_txid_read (const Musubi__Txid *message, txid_t *txid)
{
    if (!message || message->store.len != STORE_ID_BYTES)
        return false;
    memcpy (txid->store, message->store.data, STORE_ID_BYTES);
    txid->start = message->start;
    txid->counter = message->counter;
    return true;
}

/*  Reads a name of the network; false when it is longer than the names that schedules draw. */
static bool point_read (char *to, size_t room, const char *from)
{
    sim_text (to, room, from);
    return strlen (from) < room;
}

static bool connection_read (const Musubi__Connection *from, sim_connection_t *to)
{
    if (from->n_links > SIM_HOPS_MAX || from->n_path > SIM_HOPS_MAX + 1)
        return false;
    sim_text (to->need, sizeof to->need, from->need);
    to->mbps = from->mbps;
    to->latency_us = (int64_t) (from->latency_ms * 1000 + 0.5);
    to->from_ms = from->from_ms;
    to->until_ms = from->until_ms;
    to->path_count = from->n_path;
    to->links_count = from->n_links;
    bool fits = true;
    for (size_t i = 0; i < from->n_path; i++)
        fits = point_read (to->path [i], sizeof to->path [i], from->path [i]) && fits;
    for (size_t i = 0; i < from->n_links; i++)
        fits = point_read (to->links [i], sizeof to->links [i], from->links [i]) && fits;
    return fits;
}

bool sim_wire_answer (bytes_t body, sim_answer_t *answer)
{
    *answer = (sim_answer_t){0};
    Musubi__Answer *message = (Musubi__Answer *) message_unpack (&musubi__answer__descriptor, body);
    if (!message)
        return false;
    answer->status = (sim_answer_status_t) message->status;
    sim_text (answer->reservation, sizeof answer->reservation, message->reservation);
    answer->version = message->version;
    answer->rounds = message->rounds;
    answer->start_ms = message->start_ms;
    answer->end_ms = message->end_ms;
    for (size_t i = 0; i < message->n_compute && i < SIM_BOOKINGS_MAX; i++) {
        const Musubi__Placement *from = message->compute [i];
        sim_placement_t *to = &answer->placements [answer->placements_count++];
        sim_text (to->need, sizeof to->need, from->need);
        sim_text (to->site, sizeof to->site, from->site);
        sim_text (to->class_name, sizeof to->class_name, from->class_name);
        to->cpus = from->cpus;
        to->from_ms = from->from_ms;
        to->until_ms = from->until_ms;
    }
    bool fits = message->n_network <= SIM_TOLD_MAX;
    for (size_t i = 0; i < message->n_network && fits; i++)
        fits = connection_read (message->network [i],
                                &answer->connections [answer->connections_count++]);
    sim_text (answer->request_id, sizeof answer->request_id, message->request_id);
    if (message->n_reasons > 0)
        snprintf (answer->reason, sizeof answer->reason, "%s %s", message->reasons [0]->resource,
                  message->reasons [0]->text);
    message_free (&message->base);
    return fits;
}

static bool bookings_read (size_t count, Musubi__ComputeBooking **from,
                           compute_booking_t to [SIM_BOOKINGS_MAX], size_t *read)
{
    *read = count <= SIM_BOOKINGS_MAX ? count : SIM_BOOKINGS_MAX;
    for (size_t i = 0; i < *read; i++) {
        to [i] = (compute_booking_t){.cpus = from [i]->cpus,
                                     .nodes = from [i]->nodes,
                                     .from_ms = from [i]->from_ms,
                                     .until_ms = from [i]->until_ms};
        sim_text (to [i].need, sizeof to [i].need, from [i]->need);
        sim_text (to [i].class_name, sizeof to [i].class_name, from [i]->class_name);
    }
    return count <= SIM_BOOKINGS_MAX;
}

/*  Adds what is booked at a storage: MiB of its nodes, of which 1 is counted at least. As CPUs what
 *  was asked for: 0 of a file that is kept there. */
static bool rooms_read (size_t count, Musubi__SpaceBooking **from,
                        compute_booking_t to [SIM_BOOKINGS_MAX], size_t *read)
{
    for (size_t i = 0; i < count && *read < SIM_BOOKINGS_MAX; i++) {
        compute_booking_t *booking = &to [(*read)++];
        uint64_t mib = (from [i]->bytes + (1 << 20) - 1) >> 20;
        *booking = (compute_booking_t){.cpus = (uint32_t) mib,
                                       .nodes = (uint32_t) (mib > 0 ? mib : 1),
                                       .from_ms = from [i]->from_ms,
                                       .until_ms = from [i]->until_ms};
        sim_text (booking->need, sizeof booking->need, from [i]->need);
        sim_text (booking->class_name, sizeof booking->class_name, from [i]->node);
    }
    return count <= SIM_BOOKINGS_MAX;
}

static bool circuits_read (size_t count, Musubi__Circuit **from,
                           sim_circuit_t to [SIM_CIRCUITS_MAX], size_t *read)
{
    bool fits = count <= SIM_CIRCUITS_MAX;
    *read = fits ? count : 0;
    for (size_t i = 0; i < *read && fits; i++) {
        fits = from [i]->n_links <= SIM_HOPS_MAX;
        sim_text (to [i].need, sizeof to [i].need, from [i]->need);
        to [i].links_count = fits ? from [i]->n_links : 0;
        for (size_t l = 0; l < to [i].links_count; l++)
            fits =
              point_read (to [i].links [l], sizeof to [i].links [l], from [i]->links [l]) && fits;
        to [i].mbps = from [i]->mbps;
        to [i].from_ms = from [i]->from_ms;
        to [i].until_ms = from [i]->until_ms;
        to [i].hop = from [i]->hop;
    }
    return fits;
}

/*  False when the plan has no id, or holds more than a schedule draws. */
static bool plan_read (const Musubi__Plan *plan, sim_command_t *to)
{
    to->operation = (operation_t) plan->operation;
    to->base_version = plan->base_version;
    sim_text (to->reservation, sizeof to->reservation, plan->reservation);
    sim_text (to->actor, sizeof to->actor, plan->actor);
    sim_text (to->request_id, sizeof to->request_id, plan->request_id);
    to->repairs = (txid_t){0};
    if (plan->repairs && !sim_txid_read (plan->repairs, &to->repairs))
        return false;
    to->parties_count = 0;
    for (size_t i = 0; i < plan->n_participants && i < SIM_PARTIES_MAX; i++)
        sim_text (to->parties [to->parties_count++], sizeof to->parties [0],
                  plan->participants [i]->name);
    return sim_txid_read (plan->txid, &to->txid) && plan->n_participants <= SIM_PARTIES_MAX;
}

static bool command_read (const Musubi__CommandRecord *from, sim_command_t *to)
{
    bool sound = plan_read (from->plan, to);
    to->state = (command_state_t) from->state;
    to->done = from->done;
    to->epoch = from->epoch;
    to->held_ms = from->held_ms;
    sound =
      bookings_read (from->n_bookings, from->bookings, to->bookings, &to->bookings_count) && sound;
    sound = rooms_read (from->n_space, from->space, to->bookings, &to->bookings_count) && sound;
    return circuits_read (from->n_circuits, from->circuits, to->circuits, &to->circuits_count) &&
           sound;
}

bool sim_wire_commands_read (bytes_t body, sim_command_t **list, size_t *count, txid_t *next,
                             bool *more)
{
    Musubi__CommandsAnswer *message =
      (Musubi__CommandsAnswer *) message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return false;
    *more = message->more;
    bool good = !*more || sim_txid_read (message->next, next);
    if (message->n_commands > 0) {
        *list = realloc (*list, (*count + message->n_commands) * sizeof (sim_command_t));
        if (!*list)
            abort ();
    }
    for (size_t i = 0; i < message->n_commands; i++)
        if (message->commands [i]->plan)
            good = command_read (message->commands [i], &(*list) [(*count)++]) && good;
    message_free (&message->base);
    return good;
}

bool sim_wire_list_read (bytes_t body, sim_part_t **list, size_t *count,
                         char next [NAME_BYTES_MAX + 1], bool *more)
{
    Musubi__ListAnswer *message =
      (Musubi__ListAnswer *) message_unpack (&musubi__list_answer__descriptor, body);
    if (!message)
        return false;
    *more = message->more;
    bool good = !*more || *message->next;
    sim_text (next, NAME_BYTES_MAX + 1, message->next);
    if (message->n_records > 0) {
        *list = realloc (*list, (*count + message->n_records) * sizeof (sim_part_t));
        if (!*list)
            abort ();
    }
    for (size_t i = 0; i < message->n_records; i++) {
        const Musubi__PartRecord *from = message->records [i];
        sim_part_t *to = &(*list) [(*count)++];
        to->version = from->version;
        to->pending = from->pending != NULL;
        to->provisioned = from->provisioned;
        to->lacking = from->lacking;
        to->ended = from->state == MUSUBI__RESERVATION_STATE__RELEASED ||
                    from->state == MUSUBI__RESERVATION_STATE__FAILED;
        sim_text (to->reservation, sizeof to->reservation, from->reservation);
        sim_text (to->owner, sizeof to->owner, from->owner);
        good =
          bookings_read (from->n_bookings, from->bookings, to->bookings, &to->bookings_count) &&
          rooms_read (from->n_space, from->space, to->bookings, &to->bookings_count) &&
          circuits_read (from->n_circuits, from->circuits, to->circuits, &to->circuits_count) &&
          good;
    }
    message_free (&message->base);
    return good;
}

bool sim_wire_profile_read (bytes_t body, sim_profile_t profiles [SIM_RESOURCES_MAX], size_t *count)
{
    Musubi__ProfileAnswer *message =
      (Musubi__ProfileAnswer *) message_unpack (&musubi__profile_answer__descriptor, body);
    if (!message)
        return false;
    bool fits = message->n_profiles <= SIM_RESOURCES_MAX;
    *count = fits ? message->n_profiles : 0;
    for (size_t i = 0; i < *count; i++) {
        const Musubi__Profile *from = message->profiles [i];
        sim_text (profiles [i].resource, sizeof profiles [i].resource, from->resource);
        profiles [i].steps = must (malloc ((from->n_steps + 1) * sizeof (profile_step_t)));
        profiles [i].steps_count = from->n_steps;
        for (size_t s = 0; s < from->n_steps; s++)
            profiles [i].steps [s] =
              (profile_step_t){.from_ms = from->steps [s]->from_ms, .free = from->steps [s]->free};
    }
    message_free (&message->base);
    return fits;
}

bool sim_wire_use_read (bytes_t body, bool *provisioned)
{
    Musubi__UseAnswer *message =
      (Musubi__UseAnswer *) message_unpack (&musubi__use_answer__descriptor, body);
    if (!message)
        return false;
    *provisioned = message->provisioned;
    message_free (&message->base);
    return true;
}

bool sim_wire_shortage_read (bytes_t body, uint32_t *reservations)
{
    Musubi__StatusAnswer *message =
      (Musubi__StatusAnswer *) message_unpack (&musubi__status_answer__descriptor, body);
    if (!message)
        return false;
    *reservations = message->shortage ? message->shortage->reservations : 0;
    message_free (&message->base);
    return true;
}

bool sim_wire_look_read (bytes_t body, sim_claim_t *claim, bool *done)
{
    Musubi__LookAnswer *message =
      (Musubi__LookAnswer *) message_unpack (&musubi__look_answer__descriptor, body);
    if (!message)
        return false;
    *claim = (sim_claim_t) message->state;
    *done = message->done;
    message_free (&message->base);
    return true;
}

bool sim_wire_command_answer (bytes_t body, txid_t *txid, command_state_t *state, uint32_t *ttl_ms,
                              refusal_reason_t *refused)
{
    Musubi__CommandAnswer *message =
      (Musubi__CommandAnswer *) message_unpack (&musubi__command_answer__descriptor, body);
    if (!message)
        return false;
    bool sound = sim_txid_read (message->txid, txid);
    *state = (command_state_t) message->state;
    *ttl_ms = message->ttl_ms;
    *refused = message->refusal ? (refusal_reason_t) message->refusal->reason : REFUSAL_NONE;
    message_free (&message->base);
    return sound;
}

bool sim_wire_blocker (bytes_t body, txid_t *blocker, int64_t *frees_ms)
{
    Musubi__CommandAnswer *message =
      (Musubi__CommandAnswer *) message_unpack (&musubi__command_answer__descriptor, body);
    bool named = message && message->refusal && message->refusal->blocker &&
                 sim_txid_read (message->refusal->blocker, blocker);
    *frees_ms = message && message->refusal ? message->refusal->frees_ms : 0;
    if (message)
        message_free (&message->base);
    return named;
}

bool sim_wire_epoch_read (bytes_t body, uint32_t *epoch)
{
    Musubi__CommandAnswer *message =
      (Musubi__CommandAnswer *) message_unpack (&musubi__command_answer__descriptor, body);
    if (!message)
        return false;
    *epoch = message->epoch;
    message_free (&message->base);
    return true;
}

bool sim_wire_settled_read (bytes_t body, outcome_t *outcome)
{
    Musubi__SettleAnswer *message =
      (Musubi__SettleAnswer *) message_unpack (&musubi__settle_answer__descriptor, body);
    if (!message)
        return false;
    *outcome = (outcome_t) message->outcome;
    message_free (&message->base);
    return true;
}

bool sim_wire_names_txid (const sim_message_t *message, txid_t *txid)
{
    bytes_t body = sim_message_body (message);
    bool hold = message->kind == MESSAGE_REQUEST && strcmp (message->method, "Hold") == 0;
    bool found = false;
    if (hold) {
        Musubi__HoldRequest *request =
          (Musubi__HoldRequest *) message_unpack (&musubi__hold_request__descriptor, body);
        found = request && request->plan && sim_txid_read (request->plan->txid, txid);
        if (request)
            message_free (&request->base);
        return found;
    }
    /* in every other message it is field 1 */
    Musubi__CommitRequest *request =
      (Musubi__CommitRequest *) message_unpack (&musubi__commit_request__descriptor, body);
    found = request && sim_txid_read (request->txid, txid);
    if (request)
        message_free (&request->base);
    return found;
}

bool sim_wire_hold_read (const sim_message_t *hold, sim_asked_t *asked)
{
    Musubi__HoldRequest *request = (Musubi__HoldRequest *) message_unpack (
      &musubi__hold_request__descriptor, sim_message_body (hold));
    bool sound = request && request->plan && plan_read (request->plan, &asked->command);
    if (sound) {
        sim_command_t *command = &asked->command;
        command->state = COMMAND_UNKNOWN;
        command->done = false;
        command->bookings_count = command->circuits_count = 0;
        asked->edge_ms = request->plan->edge_ms;
        asked->replaces_count = 0;
        for (size_t i = 0; i < request->n_replaces && i < REPLACES_MAX; i++)
            asked->replaces_count +=
              sim_txid_read (request->replaces [i], &asked->replaces [asked->replaces_count]);
        if (request->part_case == MUSUBI__HOLD_REQUEST__PART_COMPUTE)
            sound = bookings_read (request->compute->n_bookings, request->compute->bookings,
                                   command->bookings, &command->bookings_count);
        if (request->part_case == MUSUBI__HOLD_REQUEST__PART_SPACE)
            sound = rooms_read (request->space->n_bookings, request->space->bookings,
                                command->bookings, &command->bookings_count);
        if (request->part_case == MUSUBI__HOLD_REQUEST__PART_NETWORK)
            sound = circuits_read (request->network->n_circuits, request->network->circuits,
                                   command->circuits, &command->circuits_count);
    }
    message_free (request ? &request->base : NULL);
    return sound;
}

bool sim_wire_outcome_read (bytes_t body, outcome_t *outcome)
{
    Musubi__OutcomeAnswer *message =
      (Musubi__OutcomeAnswer *) message_unpack (&musubi__outcome_answer__descriptor, body);
    if (!message)
        return false;
    *outcome = (outcome_t) message->outcome;
    message_free (&message->base);
    return true;
}

bool sim_wire_show_read (bytes_t body, sim_shown_t *shown, char reservation [NAME_BYTES_MAX + 1],
                         uint32_t *version)
{
    Musubi__ShowReservationAnswer *message = (Musubi__ShowReservationAnswer *) message_unpack (
      &musubi__show_reservation_answer__descriptor, body);
    if (!message)
        return false;
    bool there = message->view != NULL;
    if (there) {
        *shown = (sim_shown_t) message->view->status;
        *version = message->view->version;
        sim_text (reservation, NAME_BYTES_MAX + 1, message->view->reservation);
    }
    message_free (&message->base);
    return there;
}
