/*  record_wire - records of reservations, to and from proto/transaction.proto and
 *  proto/planner.proto.
 */
#include "record.h"

#include "connection_wire.h"
#include "message.h"
#include "part_wire.h"

#include "must.h"
#include "planner.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) RECORD_FAILED == MUSUBI__RESERVATION_STATE__FAILED, "same numbers");
static_assert ((int) SHOW_RELEASING == MUSUBI__SHOW_STATUS__SHOW_RELEASING, "same numbers");

void part_record_clear (part_record_t *self)
{
    free (self->bookings);
    circuits_free (self->circuits, self->circuits_count);
    free (self->opening.data);
    if (self->plan_set)
        plan_clear (&self->plan);
    *self = (part_record_t){0};
}

bool part_record_over (const part_record_t *self)
{
    return self->state == RECORD_RELEASED || self->state == RECORD_FAILED;
}

int64_t part_record_end (const part_record_t *self)
{
    int64_t end_ms = 0;
    for (size_t i = 0; i < self->bookings_count; i++)
        if (self->bookings [i].until_ms > end_ms)
            end_ms = self->bookings [i].until_ms;
    for (size_t i = 0; i < self->circuits_count; i++)
        if (self->circuits [i].until_ms > end_ms)
            end_ms = self->circuits [i].until_ms;
    return end_ms;
}

void view_clear (view_t *self)
{
    free (self->compute);
    connections_free (self->network, self->network_count);
    free (self->silent);
    free (self->parts);
    free (self->openings);
    *self = (view_t){0};
}

/*  --- what participants tell --- */

packed_t part_show_encode (const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    return packed_of (&request.base);
}

static bool bookings_take (part_record_t *to, const Musubi__PartRecord *from, char why [WHY_BYTES])
{
    if (from->n_bookings > BOOKINGS_MAX)
        return wrong (why, "record.bookings: more than %d", BOOKINGS_MAX);
    to->bookings = must (calloc (from->n_bookings + 1, sizeof *to->bookings));
    to->bookings_count = from->n_bookings;
    for (size_t i = 0; i < from->n_bookings; i++) {
        const Musubi__ComputeBooking *booking = from->bookings [i];
        compute_booking_t *into = &to->bookings [i];
        *into = (compute_booking_t){.cpus = booking->cpus,
                                    .nodes = booking->nodes,
                                    .from_ms = booking->from_ms,
                                    .until_ms = booking->until_ms};
        if (!text_take (into->need, NAME_BYTES_MAX, booking->need, TEXT_WORD_OR_NONE,
                        "record.bookings.need", why) ||
            !text_take (into->class_name, NAME_BYTES_MAX, booking->class_name, TEXT_WORD,
                        "record.bookings.class_name", why))
            return false;
        if (!time_valid (into->from_ms) || !time_valid (into->until_ms) ||
            into->from_ms >= into->until_ms)
            return wrong (why, "record.bookings: no interval [from, until)");
    }
    return true;
}

bool part_record_take (part_record_t *to, const Musubi__PartRecord *from, char why [WHY_BYTES])
{
    *to = (part_record_t){.version = from->version, .done = from->done};
    if (!text_take (to->participant, NAME_BYTES_MAX, from->participant, TEXT_WORD_OR_NONE,
                    "record.participant", why) ||
        !text_take (to->reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD,
                    "record.reservation", why) ||
        !text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "record.owner", why))
        return false;
    if (!enum_valid ((int) from->state, RECORD_FAILED))
        return wrong (why, "record.state: %d is none", (int) from->state);
    to->state = (record_state_t) from->state;
    to->provisioned = from->provisioned;
    if (from->opening)
        to->opening = packed_of (&from->opening->base);
    if (!bookings_take (to, from, why) ||
        !circuits_take (&to->circuits, &to->circuits_count, from->circuits, from->n_circuits, why))
        return false;
    if (from->plan) {
        if (!plan_take (&to->plan, from->plan, why))
            return false;
        to->plan_set = true;
    }
    if (from->pending) {
        if (!txid_take (&to->pending, from->pending, "record.pending", why))
            return false;
        to->pending_set = true;
        bool sound = enum_valid ((int) from->pending_state, COMMAND_STATES - 1) &&
                     enum_valid ((int) from->pending_operation, OPERATION_RELEASE);
        if (!sound)
            return wrong (why, "record.pending_state: is none");
        to->pending_state = (command_state_t) from->pending_state;
        to->pending_operation = (operation_t) from->pending_operation;
    }
    return true;
}

bool part_show_decode (bytes_t body, part_record_t *record, bool *known, char why [WHY_BYTES])
{
    *record = (part_record_t){0};
    *known = false;
    ProtobufCMessage *message = message_unpack (&musubi__show_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a ShowAnswer");
    const Musubi__ShowAnswer *answer = (Musubi__ShowAnswer *) message;
    bool good = true;
    if (answer->record) {
        *known = true;
        good = part_record_take (record, answer->record, why);
        if (!good)
            part_record_clear (record);
    }
    message_free (message);
    return good;
}

packed_t part_list_encode (const char *owner, int64_t from_ms, int64_t until_ms, const char *after,
                           uint32_t most)
{
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    request.owner = (char *) owner;
    request.from_ms = from_ms;
    request.until_ms = until_ms;
    request.after = (char *) after;
    request.most = most;
    return packed_of (&request.base);
}

/*  Where to go on, which is not before the last one told; older sites do not say. */
static bool next_take (char next [NAME_BYTES_MAX + 1], const Musubi__ListAnswer *from,
                       const part_record_t *last, char why [WHY_BYTES])
{
    const char *told = *from->next || !last ? from->next : last->reservation;
    *next = '\0';
    if (!from->more)
        return true;
    if (last && strcmp (told, last->reservation) < 0)
        return wrong (why, "next: before the last record");
    return text_take (next, NAME_BYTES_MAX, told, TEXT_WORD, "next", why);
}

bool part_list_decode (bytes_t body, part_record_t **records, size_t *count, bool *more,
                       char next [NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    *records = NULL;
    *count = 0;
    ProtobufCMessage *message = message_unpack (&musubi__list_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a ListAnswer");
    const Musubi__ListAnswer *answer = (Musubi__ListAnswer *) message;
    *records = must (calloc (answer->n_records + 1, sizeof **records));
    *more = answer->more;
    bool good = true;
    for (size_t i = 0; good && i < answer->n_records; i++) {
        good = part_record_take (&(*records) [i], answer->records [i], why);
        (*count)++;
    }
    good = good && next_take (next, answer, *count ? &(*records) [*count - 1] : NULL, why);
    if (!good) {
        for (size_t i = 0; i < *count; i++)
            part_record_clear (&(*records) [i]);
        free (*records);
        *records = NULL;
        *count = 0;
    }
    message_free (message);
    return good;
}

/*  --- what users are told --- */

typedef struct {
    Musubi__ReservationView view;
    connections_wire_t network;
    plan_wire_t *plans; /* one a part */
    Musubi__Txid *pendings;
} view_wire_t;

/*  The plan as it is told: without the request, which users sent themselves. */
static void part_put (Musubi__PartRecord *to, const part_record_t *from, plan_wire_t *plan,
                      Musubi__Txid *pending)
{
    to->participant = (char *) from->participant;
    to->reservation = (char *) from->reservation;
    to->owner = (char *) from->owner;
    to->version = from->version;
    to->state = (Musubi__ReservationState) from->state;
    to->done = from->done;
    to->n_bookings = from->bookings_count;
    to->bookings = bookings_put (from->bookings, from->bookings_count);
    to->n_circuits = from->circuits_count;
    to->circuits = circuits_put (from->circuits, from->circuits_count);
    to->provisioned = from->provisioned;
    if (from->plan_set) {
        plan_put (plan, &from->plan);
        plan->plan.request = (ProtobufCBinaryData){0};
        to->plan = &plan->plan;
    }
    if (from->pending_set) {
        txid_put (pending, &from->pending);
        to->pending = pending;
        to->pending_state = (Musubi__CommandState) from->pending_state;
        to->pending_operation = (Musubi__Operation) from->pending_operation;
    }
}

static void parts_put (view_wire_t *wire, const view_t *from)
{
    size_t count = from->parts_count;
    wire->plans = must (calloc (count + 1, sizeof *wire->plans));
    wire->pendings = must (calloc (count + 1, sizeof *wire->pendings));
    wire->view.n_parts = count;
    wire->view.parts = messages_new (&musubi__part_record__descriptor, count);
    for (size_t i = 0; i < count; i++)
        part_put (wire->view.parts [i], from->parts [i], &wire->plans [i], &wire->pendings [i]);
}

/*  As the site has told it; one that makes no sense is told as none. */
static void openings_put (view_wire_t *wire, const view_t *from)
{
    wire->view.n_openings = from->openings_count;
    wire->view.openings = messages_new (&musubi__site_opening__descriptor, from->openings_count);
    for (size_t i = 0; i < from->openings_count; i++) {
        const part_record_t *record = from->openings [i];
        Musubi__SiteOpening *into = wire->view.openings [i];
        const char *slash = strchr (record->participant, '/');
        into->site = (char *) (slash ? slash + 1 : record->participant);
        into->opening = (Musubi__OpeningRecord *) message_unpack (
          &musubi__opening_record__descriptor,
          (bytes_t){.data = record->opening.data, .size = record->opening.size});
    }
}

static void view_put (view_wire_t *wire, const view_t *from)
{
    *wire = (view_wire_t){.view = MUSUBI__RESERVATION_VIEW__INIT};
    Musubi__ReservationView *to = &wire->view;
    to->reservation = (char *) from->reservation;
    to->owner = (char *) from->owner;
    to->status = (Musubi__ShowStatus) from->status;
    to->state = (Musubi__ReservationState) from->state;
    to->version = from->version;
    to->start_ms = from->start_ms;
    to->end_ms = from->end_ms;
    to->name = (char *) from->name;
    to->n_silent = from->silent_count;
    to->silent = (char **) from->silent;
    to->n_compute = from->compute_count;
    to->compute = placements_put (from->compute, from->compute_count);
    connections_put (&wire->network, from->network, from->network_count);
    to->n_network = from->network_count;
    to->network = wire->network.list;
    parts_put (wire, from);
    openings_put (wire, from);
}

static void view_put_end (view_wire_t *wire)
{
    Musubi__ReservationView *view = &wire->view;
    for (size_t i = 0; i < view->n_parts; i++) {
        plan_put_end (&wire->plans [i]);
        free (view->parts [i]->bookings);
        circuits_put_end (view->parts [i]->circuits, view->parts [i]->n_circuits);
    }
    for (size_t i = 0; i < view->n_openings; i++)
        message_free ((ProtobufCMessage *) view->openings [i]->opening);
    free (view->openings);
    connections_put_end (&wire->network);
    free (view->compute);
    free (view->parts);
    free (wire->plans);
    free (wire->pendings);
}

static packed_t show_encode (const view_t *view, const char *const *silent, size_t silent_count)
{
    Musubi__ShowReservationAnswer answer = MUSUBI__SHOW_RESERVATION_ANSWER__INIT;
    view_wire_t wire = {0};
    if (view) {
        view_put (&wire, view);
        answer.view = &wire.view;
    }
    answer.n_silent = silent_count;
    answer.silent = (char **) silent;
    packed_t packed = packed_of (&answer.base);
    if (view)
        view_put_end (&wire);
    return packed;
}

/*  What participants say may be more than one message carries: then without their parts, then
 *  without paths. What our own plans make always fits. */
packed_t show_answer_encode (const view_t *view, const char *const *silent, size_t silent_count)
{
    packed_t packed = show_encode (view, silent, silent_count);
    if (packed.size <= BODY_BYTES_MAX || !view)
        return packed;
    view_t less = *view;
    for (int cut = 0; cut < 2 && packed.size > BODY_BYTES_MAX; cut++) {
        less.parts_count = 0;
        less.network_count = cut == 0 ? view->network_count : 0;
        free (packed.data);
        packed = show_encode (&less, silent, silent_count);
    }
    return packed;
}

bool list_question_decode (bytes_t body, list_question_t *question, char why [WHY_BYTES])
{
    ProtobufCMessage *message =
      message_unpack (&musubi__list_reservations_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ListReservationsRequest");
    const Musubi__ListReservationsRequest *from = (Musubi__ListReservationsRequest *) message;
    *question =
      (list_question_t){.from_ms = from->from_ms, .until_ms = from->until_ms, .most = from->most};
    bool good =
      text_take (question->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "owner", why) &&
      text_take (question->after, NAME_BYTES_MAX, from->after, TEXT_WORD_OR_NONE, "after", why);
    if (good && (!time_valid (from->from_ms) || !time_valid (from->until_ms) ||
                 from->from_ms > from->until_ms))
        good = wrong (why, "until_ms: must be a time after from_ms");
    message_free (message);
    return good;
}

packed_t list_answer_encode (const view_t *views, size_t views_count, const char *const *silent,
                             size_t silent_count, bool more)
{
    Musubi__ListReservationsAnswer answer = MUSUBI__LIST_RESERVATIONS_ANSWER__INIT;
    view_wire_t *wires = must (calloc (views_count + 1, sizeof *wires));
    Musubi__ReservationView **list = must (calloc (views_count + 1, sizeof *list));
    for (size_t i = 0; i < views_count; i++) {
        view_put (&wires [i], &views [i]);
        list [i] = &wires [i].view;
    }
    answer.n_views = views_count;
    answer.views = list;
    answer.n_silent = silent_count;
    answer.silent = (char **) silent;
    answer.more = more;
    packed_t packed = packed_of (&answer.base);
    for (size_t i = 0; i < views_count; i++)
        view_put_end (&wires [i]);
    free (wires);
    free (list);
    return packed;
}
