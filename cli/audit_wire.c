/*  audit_wire - rows, reservations and profiles from proto to plain values. */
#include "audit_wire.h"

#include "calendar.pb-c.h"
#include "ledger.pb-c.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void take_text (char *to, size_t size, const char *from)
{
    snprintf (to, size, "%.*s", (int) size - 1, from);
}

static void take_booking (compute_booking_t *to, const Musubi__ComputeBooking *from)
{
    take_text (to->need, sizeof to->need, from->need);
    take_text (to->class_name, sizeof to->class_name, from->class_name);
    to->cpus = from->cpus;
    to->nodes = from->nodes;
    to->from_ms = from->from_ms;
    to->until_ms = from->until_ms;
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
    compute_booking_t *bookings = must (calloc (from->n_bookings + 1, sizeof *bookings));
    for (size_t i = 0; i < from->n_bookings; i++)
        take_booking (&bookings [i], from->bookings [i]);
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
