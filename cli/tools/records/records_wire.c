/*  records - pages of commands, rows, reservations and profiles, from proto to plain values. */
#include "records.h"

#include "calendar.pb-c.h"
#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

packed_t records_question (const txid_t *after)
{
    Musubi__CommandsRequest request = MUSUBI__COMMANDS_REQUEST__INIT;
    Musubi__Txid txid;
    if (after) {
        txid_put (&txid, after);
        request.after = &txid;
    }
    return packed_of (&request.base);
}

static void take_text (char *to, size_t size, const char *from)
{
    snprintf (to, size, "%.*s", (int) size - 1, from);
}

/*  The request that a plan was made for, as its planner packed it. False, self empty, when it is no
 *  such request. */
static bool read_asked (user_request_t *self, bytes_t packed)
{
    char why [WHY_BYTES];
    if (packed.size == 0 || !codec_decode (&user_request_codec, self, packed, why))
        return false;
    for (size_t i = 0; i < self->network_count; i++)
        if (self->network [i].ends_count != 2) {
            user_request_clear (self);
            return false;
        }
    return true;
}

/*  --- commands --- */

/*  The caller owns the list. */
static compute_booking_t *take_bookings (Musubi__ComputeBooking *const *from, size_t count)
{
    compute_booking_t *list = must (calloc (count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++) {
        take_text (list [i].need, sizeof list [i].need, from [i]->need);
        take_text (list [i].class_name, sizeof list [i].class_name, from [i]->class_name);
        list [i].cpus = from [i]->cpus;
        list [i].nodes = from [i]->nodes;
        list [i].from_ms = from [i]->from_ms;
        list [i].until_ms = from [i]->until_ms;
    }
    return list;
}

/*  A tombstone has no more of a plan than its txid: such a plan is empty but for that. */
static bool read_record (const Musubi__CommandRecord *from, records_take_fn *take, void *owner,
                         txid_t *last)
{
    char why [WHY_BYTES];
    plan_t plan = {0};
    circuit_t *circuits;
    size_t circuits_count;
    if (!from->plan || !txid_take (last, from->plan->txid, "plan.txid", why) ||
        !enum_valid ((int) from->state, COMMAND_STATES - 1) ||
        !circuits_take (&circuits, &circuits_count, from->circuits, from->n_circuits, why))
        return false;
    if (!plan_take (&plan, from->plan, why))
        plan = (plan_t){.txid = *last};
    compute_booking_t *bookings = take_bookings (from->bookings, from->n_bookings);
    user_request_t asked = {0};
    bool known = read_asked (&asked, (bytes_t){.data = plan.request, .size = plan.request_size});
    take (owner, &(check_record_t){.plan = &plan,
                                   .state = (command_state_t) from->state,
                                   .bookings = bookings,
                                   .bookings_count = from->n_bookings,
                                   .circuits = circuits,
                                   .circuits_count = circuits_count,
                                   .done = from->done,
                                   .held_ms = from->held_ms,
                                   .prepared_ms = from->prepared_ms,
                                   .epoch = from->epoch,
                                   .asked = known ? &asked : NULL});
    user_request_clear (&asked);
    circuits_free (circuits, circuits_count);
    free (bookings);
    plan_clear (&plan);
    return true;
}

bool records_read (bytes_t body, records_take_fn *take, void *owner, txid_t *last, bool *more)
{
    ProtobufCMessage *message = message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__CommandsAnswer *answer = (const Musubi__CommandsAnswer *) message;
    bool good = true;
    for (size_t i = 0; i < answer->n_commands && good; i++)
        good = read_record (answer->commands [i], take, owner, last);
    char why [WHY_BYTES];
    if (good && answer->next) /* further than what is told: what is hidden was looked at too */
        good = txid_take (last, answer->next, "next", why);
    *more = answer->more && (answer->next || answer->n_commands > 0);
    message_free (message);
    return good;
}

/*  --- rows, reservations, profiles --- */

packed_t rows_question (uint64_t from)
{
    Musubi__RowsRequest request = MUSUBI__ROWS_REQUEST__INIT;
    request.from = from;
    return packed_of (&request.base);
}

bool rows_read (bytes_t body, rows_take_fn *take, void *owner, uint64_t *last, bool *more)
{
    ProtobufCMessage *message = message_unpack (&musubi__rows_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__RowsAnswer *answer = (const Musubi__RowsAnswer *) message;
    for (size_t i = 0; i < answer->n_rows; i++)
        take (owner, (bytes_t){.data = answer->rows [i].data, .size = answer->rows [i].len});
    *last = answer->last;
    *more = answer->more && answer->n_rows > 0;
    message_free (message);
    return true;
}

packed_t parts_question (const char *after)
{
    Musubi__ListRequest request = MUSUBI__LIST_REQUEST__INIT;
    if (after)
        request.after = (char *) after;
    return packed_of (&request.base);
}

static bool read_part (const Musubi__PartRecord *from, parts_take_fn *take, void *owner)
{
    char why [WHY_BYTES];
    circuit_t *circuits;
    size_t circuits_count;
    if (from->version == 0)
        return true; /* only its first change is pending */
    if (!circuits_take (&circuits, &circuits_count, from->circuits, from->n_circuits, why))
        return false;
    compute_booking_t *bookings = take_bookings (from->bookings, from->n_bookings);
    take (owner, &(told_part_t){.id = from->reservation,
                                .version = from->version,
                                .bookings = bookings,
                                .bookings_count = from->n_bookings,
                                .circuits = circuits,
                                .circuits_count = circuits_count});
    free (bookings);
    circuits_free (circuits, circuits_count);
    return true;
}

bool parts_read (bytes_t body, parts_take_fn *take, void *owner, char next [NAME_BYTES_MAX + 1],
                 bool *more)
{
    ProtobufCMessage *message = message_unpack (&musubi__list_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__ListAnswer *answer = (const Musubi__ListAnswer *) message;
    bool good = true;
    for (size_t i = 0; i < answer->n_records && good; i++)
        good = read_part (answer->records [i], take, owner);
    take_text (next, NAME_BYTES_MAX + 1, answer->next);
    *more = answer->more && *answer->next;
    message_free (message);
    return good;
}

packed_t profiles_question (int64_t from_ms, int64_t until_ms)
{
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = from_ms;
    request.until_ms = until_ms;
    request.without_work = true; /* a ledger tells of reservations */
    return packed_of (&request.base);
}

bool profiles_read (bytes_t body, profile_take_fn *take, void *owner)
{
    ProtobufCMessage *message = message_unpack (&musubi__profile_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__ProfileAnswer *answer = (const Musubi__ProfileAnswer *) message;
    for (size_t i = 0; i < answer->n_profiles; i++) {
        const Musubi__Profile *profile = answer->profiles [i];
        for (size_t s = 0; s < profile->n_steps; s++) {
            bool last = s + 1 == profile->n_steps;
            int64_t until_ms = last ? profile->until_ms : profile->steps [s + 1]->from_ms;
            take (owner, profile->resource, profile->steps [s]->from_ms, until_ms,
                  profile->steps [s]->free);
        }
    }
    message_free (message);
    return true;
}
