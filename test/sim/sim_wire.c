/*  sim_wire - protobuf of the simulation. */
#include "sim_wire.h"

#include "gis.pb-c.h"
#include "message.h"
#include "planner.pb-c.h"
#include "transaction.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

/*  A txid as a message that borrows it. */
static Musubi__Txid txid_of (const txid_t *txid)
{
    Musubi__Txid message = MUSUBI__TXID__INIT;
    message.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) txid->store};
    message.start = txid->start;
    message.counter = txid->counter;
    return message;
}

static bool txid_read (const Musubi__Txid *message, txid_t *txid)
{
    if (!message || message->store.len != STORE_ID_BYTES)
        return false;
    memcpy (txid->store, message->store.data, STORE_ID_BYTES);
    txid->start = message->start;
    txid->counter = message->counter;
    return true;
}

/*  --- what users say --- */

packed_t sim_wire_reserve (const sim_wish_t *wish)
{
    Musubi__ComputeNeed needs [SIM_NEEDS_MAX];
    Musubi__ComputeNeed *list [SIM_NEEDS_MAX];
    for (size_t i = 0; i < wish->needs_count; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = (char *) wish->needs [i].id;
        needs [i].site = (char *) wish->needs [i].site;
        needs [i].cpus = wish->needs [i].cpus;
        needs [i].offset_ms = wish->needs [i].offset_ms;
        needs [i].duration_ms = wish->needs [i].duration_ms;
        list [i] = &needs [i];
    }
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT;
    earliest.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    earliest.at_ms = wish->earliest_ms;
    Musubi__Instant latest = MUSUBI__INSTANT__INIT;
    latest.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    latest.at_ms = wish->latest_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    if (wish->fixed) {
        frame.start = &earliest;
    } else {
        frame.earliest = &earliest;
        frame.latest = &latest;
    }
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    request.name = "sim";
    request.window = &frame;
    request.duration_ms = wish->duration_ms;
    request.n_compute = wish->needs_count;
    request.compute = list;
    request.distinct_sites = wish->distinct_sites;
    Musubi__ReserveRequest message = MUSUBI__RESERVE_REQUEST__INIT;
    message.request = &request;
    return pack (&message.base);
}

packed_t sim_wire_modify (const char *reservation, const char *need, uint32_t cpus,
                          int64_t duration_ms, int64_t start_ms)
{
    Musubi__ModifyRequest message = MUSUBI__MODIFY_REQUEST__INIT;
    message.reservation = (char *) reservation;
    message.duration_ms = duration_ms;
    Musubi__NeedPatch patch = MUSUBI__NEED_PATCH__INIT;
    Musubi__NeedPatch *patches [] = {&patch};
    if (cpus > 0) {
        patch.id = (char *) need;
        patch.cpus = cpus;
        message.n_compute = 1;
        message.compute = patches;
    }
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = start_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.start = &start;
    if (start_ms > 0)
        message.window = &frame;
    return pack (&message.base);
}

packed_t sim_wire_release (const char *reservation)
{
    Musubi__ReleaseRequest message = MUSUBI__RELEASE_REQUEST__INIT;
    message.reservation = (char *) reservation;
    return pack (&message.base);
}

packed_t sim_wire_show (const char *reservation)
{
    Musubi__ShowReservationRequest message = MUSUBI__SHOW_RESERVATION_REQUEST__INIT;
    message.reservation = (char *) reservation;
    return pack (&message.base);
}

packed_t sim_wire_look (const char *actor, const char *request_id)
{
    Musubi__LookRequest message = MUSUBI__LOOK_REQUEST__INIT;
    message.actor = (char *) actor;
    message.request_id = (char *) request_id;
    return pack (&message.base);
}

packed_t sim_wire_commands (const txid_t *after)
{
    Musubi__CommandsRequest message = MUSUBI__COMMANDS_REQUEST__INIT;
    Musubi__Txid txid;
    if (after) {
        txid = txid_of (after);
        message.after = &txid;
    }
    return pack (&message.base);
}

packed_t sim_wire_hold (const sim_hold_t *hold)
{
    Musubi__Txid txid = txid_of (&hold->txid);
    Musubi__Party sites [2];
    Musubi__Party *parties [2];
    for (size_t i = 0; i < hold->sites_count; i++) {
        const sim_party_t *site = &hold->sites [i];
        musubi__party__init (&sites [i]);
        sites [i].name = (char *) site->name;
        sites [i].endpoint = (char *) site->address;
        sites [i].store =
          (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) site->store};
        parties [i] = &sites [i];
    }
    Musubi__Party coordinator = MUSUBI__PARTY__INIT;
    coordinator.name = (char *) hold->coordinator;
    coordinator.endpoint = (char *) hold->coordinator_address;
    coordinator.store =
      (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) hold->txid.store};
    Musubi__Plan plan = MUSUBI__PLAN__INIT;
    char reservation [NAME_BYTES_MAX + 1];
    snprintf (reservation, sizeof reservation, "try-%02x%02x%02x%02x-%u-%llu", hold->txid.store [0],
              hold->txid.store [1], hold->txid.store [2], hold->txid.store [3], hold->txid.start,
              (unsigned long long) hold->txid.counter);
    plan.txid = &txid;
    plan.operation = MUSUBI__OPERATION__RESERVE;
    plan.reservation = reservation;
    plan.n_participants = hold->sites_count;
    plan.participants = parties;
    plan.coordinator = &coordinator;
    plan.decide_by_ms = hold->decide_by_ms;
    plan.edge_ms = hold->from_ms;
    plan.actor = (char *) hold->actor;
    Musubi__ComputeBooking booking = MUSUBI__COMPUTE_BOOKING__INIT;
    booking.need = "try";
    booking.class_name = (char *) hold->class_name;
    booking.cpus = hold->cpus;
    booking.nodes = hold->nodes;
    booking.from_ms = hold->from_ms;
    booking.until_ms = hold->until_ms;
    Musubi__ComputeBooking *bookings [] = {&booking};
    Musubi__ComputePart part = MUSUBI__COMPUTE_PART__INIT;
    part.n_bookings = 1;
    part.bookings = bookings;
    Musubi__HoldRequest message = MUSUBI__HOLD_REQUEST__INIT;
    message.plan = &plan;
    message.part_case = MUSUBI__HOLD_REQUEST__PART_COMPUTE;
    message.compute = &part;
    message.ttl_ms = hold->ttl_ms;
    return pack (&message.base);
}

packed_t sim_wire_txid (const txid_t *txid)
{
    Musubi__Txid message = txid_of (txid);
    Musubi__CommitRequest request = MUSUBI__COMMIT_REQUEST__INIT;
    request.txid = &message;
    return pack (&request.base);
}

packed_t sim_wire_renew (const txid_t *txid, uint32_t ttl_ms)
{
    Musubi__Txid message = txid_of (txid);
    Musubi__RenewRequest request = MUSUBI__RENEW_REQUEST__INIT;
    request.txid = &message;
    request.ttl_ms = ttl_ms;
    return pack (&request.base);
}

packed_t sim_wire_outcome (const txid_t *txid, outcome_t outcome)
{
    Musubi__Txid message = txid_of (txid);
    Musubi__OutcomeAnswer answer = MUSUBI__OUTCOME_ANSWER__INIT;
    answer.txid = &message;
    answer.outcome = (Musubi__Outcome) outcome;
    return pack (&answer.base);
}

/*  --- what services say --- */

bool sim_wire_answer (bytes_t body, sim_answer_t *answer)
{
    *answer = (sim_answer_t){0};
    Musubi__Answer *message = (Musubi__Answer *) message_unpack (&musubi__answer__descriptor, body);
    if (!message)
        return false;
    answer->status = (sim_answer_status_t) message->status;
    sim_text (answer->reservation, sizeof answer->reservation, message->reservation);
    answer->version = message->version;
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
    sim_text (answer->request_id, sizeof answer->request_id, message->request_id);
    if (message->n_reasons > 0)
        snprintf (answer->reason, sizeof answer->reason, "%s %s", message->reasons [0]->resource,
                  message->reasons [0]->text);
    message_free (&message->base);
    return true;
}

static size_t bookings_read (size_t count, Musubi__ComputeBooking **from,
                             compute_booking_t to [SIM_BOOKINGS_MAX])
{
    if (count > SIM_BOOKINGS_MAX)
        count = SIM_BOOKINGS_MAX;
    for (size_t i = 0; i < count; i++) {
        to [i] = (compute_booking_t){.cpus = from [i]->cpus,
                                     .nodes = from [i]->nodes,
                                     .from_ms = from [i]->from_ms,
                                     .until_ms = from [i]->until_ms};
        sim_text (to [i].need, sizeof to [i].need, from [i]->need);
        sim_text (to [i].class_name, sizeof to [i].class_name, from [i]->class_name);
    }
    return count;
}

static void command_read (const Musubi__CommandRecord *from, sim_command_t *to)
{
    const Musubi__Plan *plan = from->plan;
    *to = (sim_command_t){.state = (command_state_t) from->state,
                          .operation = (operation_t) plan->operation,
                          .base_version = plan->base_version,
                          .done = from->done};
    (void) txid_read (plan->txid, &to->txid);
    sim_text (to->reservation, sizeof to->reservation, plan->reservation);
    sim_text (to->actor, sizeof to->actor, plan->actor);
    sim_text (to->request_id, sizeof to->request_id, plan->request_id);
    for (size_t i = 0; i < plan->n_participants && i < SIM_PARTIES_MAX; i++)
        sim_text (to->parties [to->parties_count++], sizeof to->parties [0],
                  plan->participants [i]->name);
    to->bookings_count = bookings_read (from->n_bookings, from->bookings, to->bookings);
}

bool sim_wire_commands_read (bytes_t body, sim_command_t **list, size_t *count, txid_t *next,
                             bool *more)
{
    Musubi__CommandsAnswer *message =
      (Musubi__CommandsAnswer *) message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return false;
    *more = message->more;
    bool good = !*more || txid_read (message->next, next);
    if (message->n_commands > 0) {
        *list = realloc (*list, (*count + message->n_commands) * sizeof (sim_command_t));
        if (!*list)
            abort ();
    }
    for (size_t i = 0; i < message->n_commands; i++)
        if (message->commands [i]->plan)
            command_read (message->commands [i], &(*list) [(*count)++]);
    message_free (&message->base);
    return good;
}

packed_t sim_wire_list (const char *after)
{
    Musubi__ListRequest message = MUSUBI__LIST_REQUEST__INIT;
    message.after = (char *) after;
    return pack (&message.base);
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
        *to = (sim_part_t){.version = from->version, .pending = from->pending != NULL};
        sim_text (to->reservation, sizeof to->reservation, from->reservation);
        sim_text (to->owner, sizeof to->owner, from->owner);
        to->bookings_count = bookings_read (from->n_bookings, from->bookings, to->bookings);
    }
    message_free (&message->base);
    return good;
}

bool sim_wire_look_read (bytes_t body, sim_claim_t *claim)
{
    Musubi__LookAnswer *message =
      (Musubi__LookAnswer *) message_unpack (&musubi__look_answer__descriptor, body);
    if (!message)
        return false;
    *claim = (sim_claim_t) message->state;
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
    bool sound = txid_read (message->txid, txid);
    *state = (command_state_t) message->state;
    *ttl_ms = message->ttl_ms;
    *refused = message->refusal ? (refusal_reason_t) message->refusal->reason : REFUSAL_NONE;
    message_free (&message->base);
    return sound;
}

bool sim_wire_names_txid (const sim_message_t *message, txid_t *txid)
{
    bytes_t body = sim_message_body (message);
    bool hold = message->kind == MESSAGE_REQUEST && strcmp (message->method, "Hold") == 0;
    bool found = false;
    if (hold) {
        Musubi__HoldRequest *request =
          (Musubi__HoldRequest *) message_unpack (&musubi__hold_request__descriptor, body);
        found = request && request->plan && txid_read (request->plan->txid, txid);
        if (request)
            message_free (&request->base);
        return found;
    }
    /* in every other one it is field 1 */
    Musubi__CommitRequest *request =
      (Musubi__CommitRequest *) message_unpack (&musubi__commit_request__descriptor, body);
    found = request && txid_read (request->txid, txid);
    if (request)
        message_free (&request->base);
    return found;
}

size_t sim_wire_replaces (const sim_message_t *hold, txid_t *txid, txid_t replaces [REPLACES_MAX])
{
    Musubi__HoldRequest *request = (Musubi__HoldRequest *) message_unpack (
      &musubi__hold_request__descriptor, sim_message_body (hold));
    size_t count = 0;
    if (request && request->plan && txid_read (request->plan->txid, txid))
        for (size_t i = 0; i < request->n_replaces && i < REPLACES_MAX; i++)
            count += txid_read (request->replaces [i], &replaces [count]);
    message_free (request ? &request->base : NULL);
    return count;
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

/*  --- a line for the trace --- */

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
    (void) txid_read (plan->txid, &txid);
    int used =
      snprintf (text, SIM_TEXT_BYTES, "Hold%s %s %s %s base=%u request=%s decide_by=%lld edge=%lld",
                hold->prepare ? "+Prepare" : "", txid_text (&txid, words),
                (size_t) plan->operation < 3 ? operations [plan->operation] : "?",
                plan->reservation, plan->base_version, plan->request_id,
                (long long) plan->decide_by_ms, (long long) plan->edge_ms);
    size_t at = used < SIM_TEXT_BYTES ? (size_t) used : SIM_TEXT_BYTES - 1;
    for (size_t i = 0; i < hold->n_replaces && at < SIM_TEXT_BYTES - 64; i++) {
        (void) txid_read (hold->replaces [i], &txid);
        at += (size_t) snprintf (text + at, SIM_TEXT_BYTES - at, " replaces=%s",
                                 txid_text (&txid, words));
    }
    if (hold->part_case == MUSUBI__HOLD_REQUEST__PART_COMPUTE)
        (void) bookings_text (text + at, SIM_TEXT_BYTES - at, hold->compute->n_bookings,
                              hold->compute->bookings);
    message_free (&hold->base);
}

static void command_answer_text (const sim_message_t *message, char text [SIM_TEXT_BYTES])
{
    Musubi__CommandAnswer *answer = (Musubi__CommandAnswer *) message_unpack (
      &musubi__command_answer__descriptor, sim_message_body (message));
    txid_t txid = {0};
    if (!answer || !txid_read (answer->txid, &txid)) {
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
    if (answer->n_reasons > 0)
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
             strcmp (message->method, "Show") != 0 && strcmp (message->method, "List") != 0)
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
